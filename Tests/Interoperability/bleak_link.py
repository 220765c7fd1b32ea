"""Devices and links by bleak."""

import asyncio
import sys

from bleak import BleakClient, BleakScanner
from bleak.backends.bluezdbus.manager import get_global_bluez_manager
from bleak.uuids import normalize_uuid_str

from daemon import DEVICE, Daemon

CHARACTERISTIC = "org.bluez.GattCharacteristic1"


async def find(is_wanted, adapter):
    """The first device with such an advertisement.

    `BleakScanner.find_device_by_filter` of bleak 3.1.0 leaves out what is heard before the reply to `StartDiscovery`, and
    bluetoothd signals a device once whose signal strength stays.
    """
    found = asyncio.get_running_loop().create_future()

    def heard(device, advertisement):
        if not found.done() and is_wanted(device, advertisement):
            found.set_result(device)

    async with BleakScanner(heard, bluez={"adapter": adapter}):
        try:
            return await asyncio.wait_for(found, 30)
        except TimeoutError:
            sys.exit("bleak: found nobody")


async def link(device, adapter, characteristic, **options):
    """A client with a link over which it knows that characteristic.

    The link is there before, and bleak knows of it: bluetoothd may not signal that a device is connected, and signal that
    its services are known before their objects, and bleak 3.1.0 takes the one for a lost link, and leaves out
    what comes after the other. It is a new one: that of a program that has just ended goes seconds later.
    """
    path = device.details["path"]

    def disconnected(at, interfaces):
        return at == path and not interfaces[DEVICE]["Connected"].value

    def connected(at, interfaces):
        return at == path and interfaces[DEVICE]["Connected"].value

    daemon = await Daemon().open()
    await daemon.until(disconnected)
    await daemon.call(path, DEVICE, "Connect")
    await daemon.until(connected)
    daemon.bus.disconnect()
    objects = (await get_global_bluez_manager())._properties
    await until_known(objects, path, normalize_uuid_str(characteristic))
    objects[path][DEVICE]["Connected"] = True
    client = BleakClient(device, bluez={"adapter": adapter}, **options)
    await client.connect()
    assert client.services.get_characteristic(characteristic), f"no {characteristic}"
    return client


async def until_known(objects, path, uuid):
    """Waits until a device's services are among bleak's objects, and one characteristic of them."""

    def is_known():
        return objects.get(path, {}).get(DEVICE, {}).get("ServicesResolved") and any(
            interfaces.get(CHARACTERISTIC, {}).get("UUID") == uuid
            for at, interfaces in objects.items()
            if at.startswith(path + "/")
        )

    async with asyncio.timeout(20):
        while not is_known():
            await asyncio.sleep(0.1)
