"""org.bluez, called as it is."""

import asyncio

from dbus_fast import BusType, Message, MessageType
from dbus_fast.aio import MessageBus

HCI0, HCI1 = "/org/bluez/hci0", "/org/bluez/hci1"
ADAPTER, DEVICE = "org.bluez.Adapter1", "org.bluez.Device1"
PROPERTIES, MANAGER = "org.freedesktop.DBus.Properties", "org.freedesktop.DBus.ObjectManager"


class Daemon:
    async def open(self, address=None):
        self.bus = await MessageBus(address, bus_type=BusType.SYSTEM).connect()
        return self

    async def ask(self, path, interface, member, signature="", *body, seconds=60):
        """The reply, which may be an error."""
        message = Message("org.bluez", path, interface, member, signature=signature, body=[*body])
        return await asyncio.wait_for(self.bus.call(message), seconds)

    async def call(self, *words):
        """What the reply holds."""
        reply = await self.ask(*words)
        if reply.message_type is MessageType.ERROR:
            raise AssertionError(f"{words} failed: {reply.error_name} {reply.body}")
        return reply.body

    async def objects(self):
        return (await self.call("/", MANAGER, "GetManagedObjects"))[0]

    async def version(self):
        """Of bluetoothd, such as (5, 66); in what an adapter says of its make."""
        modalias = (
            await self.call(HCI0, PROPERTIES, "Get", "ss", ADAPTER, "Modalias")
        )[0]
        digits = modalias.value.rpartition("d")[2]
        return int(digits[:2], 16), int(digits[2:], 16)

    async def forget_devices(self):
        """Forgets each device of each adapter, when its link has ended."""
        for path, interfaces in (await self.objects()).items():
            if DEVICE in interfaces:
                # It may have gone meanwhile.
                await self.ask(path.rpartition("/")[0], ADAPTER, "RemoveDevice", "o", path)

    async def end_links(self, adapter):
        """Ends the links of one adapter, from its side."""
        for path, interfaces in (await self.objects()).items():
            device = interfaces.get(DEVICE) if path.startswith(adapter + "/") else None
            if device and device["Connected"].value:
                await self.call(path, DEVICE, "Disconnect")

    async def until(self, present):
        """What an object's path and interfaces make of it, when that is something."""
        try:
            async with asyncio.timeout(20):
                while True:
                    for path, interfaces in (await self.objects()).items():
                        if result := present(path, interfaces):
                            return result
                    await asyncio.sleep(0.2)
        except TimeoutError:
            raise TimeoutError(f"no object of org.bluez was {present.__name__} within 20 s") from None
