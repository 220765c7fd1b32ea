"""org.bluez, called as it is."""

import asyncio

from dbus_fast import BusType, Message, MessageType
from dbus_fast.aio import MessageBus

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
            await self.call("/org/bluez/hci0", PROPERTIES, "Get", "ss", ADAPTER, "Modalias")
        )[0]
        digits = modalias.value.rpartition("d")[2]
        return int(digits[:2], 16), int(digits[2:], 16)

    async def forget_devices(self):
        """Forgets each device of each adapter, when its link has ended."""
        for path, interfaces in (await self.objects()).items():
            if DEVICE in interfaces:
                # It may have gone meanwhile.
                await self.ask(path.rpartition("/")[0], ADAPTER, "RemoveDevice", "o", path)
