"""What org.bluez says of each code that a ball refuses with: a line of code, error's name and text.

For all codes one link is enough, unless bluetoothd gives it up; a program of ours for each would
take minutes in the guest.
"""

import asyncio
import sys

from dbus_fast import MessageType, Variant

from daemon import ADAPTER, DEVICE, HCI0, PROPERTIES, Daemon
from service import QUESTION

CHARACTERISTIC = "org.bluez.GattCharacteristic1"


async def link(daemon, name):
    """The paths of the ball of that name and of its characteristic, when there is a link."""

    def heard(path, interfaces):
        device = interfaces.get(DEVICE, {}) if path.startswith(HCI0) else {}
        return "RSSI" in device and "Name" in device and device["Name"].value == name and path

    scanned = {"Transport": Variant("s", "le"), "DuplicateData": Variant("b", True)}
    await daemon.call(HCI0, ADAPTER, "SetDiscoveryFilter", "a{sv}", scanned)
    await daemon.call(HCI0, ADAPTER, "StartDiscovery")
    device = await daemon.until(heard)
    await daemon.call(HCI0, ADAPTER, "StopDiscovery")
    await daemon.call(device, DEVICE, "Connect")

    def resolved(path, interfaces):
        return path == device and interfaces[DEVICE]["ServicesResolved"].value

    def asked(path, interfaces):
        found = path.startswith(device) and interfaces.get(CHARACTERISTIC)
        return found and found["UUID"].value == QUESTION.lower() and path

    await daemon.until(resolved)
    return device, await daemon.until(asked)


async def main(name, *codes):
    daemon = await Daemon().open()
    device, question = await link(daemon, name)
    for code in codes:
        body = f"Code {code}?".encode(), {"type": Variant("s", "request")}
        try:
            reply = await daemon.ask(
                question, CHARACTERISTIC, "WriteValue", "aya{sv}", *body, seconds=10
            )
            told = f"{reply.error_name} {' '.join(reply.body)!r}"
        except TimeoutError:
            told = "no reply"
        print(f"code {code} {told}", flush=True)
        reply = await daemon.ask(device, PROPERTIES, "Get", "ss", DEVICE, "Connected")
        if reply.message_type is MessageType.ERROR or not reply.body[0].value:
            print(f"link lost after {code}", flush=True)
            device, question = await link(daemon, name)
    await daemon.ask(device, DEVICE, "Disconnect")
    print("done", flush=True)


asyncio.run(main(*sys.argv[1:]))
