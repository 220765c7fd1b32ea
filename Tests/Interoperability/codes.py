"""What org.bluez says of each code that a ball refuses with: a line of code, error's name and text.

For all codes one link is enough, unless bluetoothd gives it up; a program of ours for each would take
minutes in the guest.
"""

import asyncio
import sys

from dbus_fast import BusType, Message, MessageType, Variant
from dbus_fast.aio import MessageBus

from service import QUESTION

ADAPTER = "/org/bluez/hci0"
DEVICE, CHARACTERISTIC = "org.bluez.Device1", "org.bluez.GattCharacteristic1"
PROPERTIES, MANAGER = "org.freedesktop.DBus.Properties", "org.freedesktop.DBus.ObjectManager"


class Daemon:
    async def open(self):
        self.bus = await MessageBus(bus_type=BusType.SYSTEM).connect()
        return self

    async def ask(self, path, interface, member, signature="", *body, seconds=60):
        """The reply, which may be an error."""
        message = Message("org.bluez", path, interface, member, signature=signature, body=[*body])
        return await asyncio.wait_for(self.bus.call(message), seconds)

    async def call(self, *words):
        reply = await self.ask(*words)
        if reply.message_type is MessageType.ERROR:
            sys.exit(f"codes: {words} failed: {reply.error_name} {reply.body}")
        return reply.body

    async def objects(self):
        return (await self.call("/", MANAGER, "GetManagedObjects"))[0]

    async def until(self, present):
        """What an object's path and interfaces make of it, when that is something."""
        while True:
            for path, interfaces in (await self.objects()).items():
                if path.startswith(ADAPTER) and (result := present(path, interfaces)):
                    return result
            await asyncio.sleep(0.2)

    async def question(self, name):
        """The path of the characteristic of the ball of that name, over a link."""

        def known(path, interfaces):
            device = interfaces.get(DEVICE, {})
            return path if "RSSI" in device and device.get("Name", Variant("s", "")).value == name else None

        adapter = "org.bluez.Adapter1"
        scanned = {"Transport": Variant("s", "le"), "DuplicateData": Variant("b", True)}
        await self.call(ADAPTER, adapter, "SetDiscoveryFilter", "a{sv}", scanned)
        await self.call(ADAPTER, adapter, "StartDiscovery")
        device = await asyncio.wait_for(self.until(known), 20)
        await self.call(ADAPTER, adapter, "StopDiscovery")
        await self.call(device, DEVICE, "Connect")

        def resolved(path, interfaces):
            return path == device and interfaces[DEVICE]["ServicesResolved"].value

        def question(path, interfaces):
            uuid = interfaces.get(CHARACTERISTIC, {}).get("UUID")
            return path if uuid and path.startswith(device) and uuid.value == QUESTION.lower() else None

        await asyncio.wait_for(self.until(resolved), 20)
        return device, await asyncio.wait_for(self.until(question), 20)


async def main(name, *codes):
    daemon = await Daemon().open()
    device, question = await daemon.question(name)
    for code in codes:
        value = f"Code {code}?".encode()
        kind = {"type": Variant("s", "request")}
        try:
            reply = await daemon.ask(
                question, CHARACTERISTIC, "WriteValue", "aya{sv}", value, kind, seconds=10
            )
            told = f"{reply.error_name} {' '.join(reply.body)!r}"
        except TimeoutError:
            told = "no reply"
        print(f"code {code} {told}", flush=True)
        reply = await daemon.ask(device, PROPERTIES, "Get", "ss", DEVICE, "Connected")
        if reply.message_type is MessageType.ERROR or not reply.body[0].value:
            print(f"link lost after {code}", flush=True)
            device, question = await daemon.question(name)
    await daemon.ask(device, DEVICE, "Disconnect")
    print("done", flush=True)


asyncio.run(main(*sys.argv[1:]))
