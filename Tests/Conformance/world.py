"""The two worlds in which scenarios play, with the same levers."""

import asyncio
import pathlib

from dbus_fast import BusType, Message, MessageType
from dbus_fast.aio import MessageBus


class VirtualWorld:
    """A `virtual-bluez` of one's own; its levers are calls."""

    quiet = 0.25

    async def reset(self):
        self.bus = await MessageBus(bus_type=BusType.SYSTEM).connect()

    async def call(self, member, *numbers):
        reply = await self.bus.call(Message(
            destination="VirtualBlueZ.World", path="/world", interface="VirtualBlueZ.World1",
            member=member, signature="u" * len(numbers), body=list(numbers)))
        if reply.message_type is MessageType.ERROR:
            raise RuntimeError(f"{member}: {reply.error_name} {reply.body}")

    async def kill(self):
        await self.call("Kill")

    async def stop(self):
        await self.call("Stop")

    async def start(self):
        await self.call("Start")

    async def unplug(self):
        for adapter in range(3):
            await self.call("Unplug", adapter)

    async def plug(self):
        for adapter in range(3):
            await self.call("Plug", adapter)


class GuestWorld:
    """A real bluetoothd with virtual controllers, in a virtual machine of its own."""

    quiet = 0.35

    async def run(self, command, *words):
        process = await asyncio.create_subprocess_exec(command, *words)
        if await process.wait() != 0:
            raise RuntimeError(f"{command} ended with {process.returncode}")

    async def pull(self, lever):
        await self.run(f"/run/levers/{lever}")

    async def reset(self):
        """A bluetoothd without a past, and controllers without one."""
        # A scenario may have left one of them dead or away.
        if pathlib.Path("/run/bluetoothd.pid").exists():
            await self.stop()
        if pathlib.Path("/run/btvirt.pid").exists():
            await self.unplug()
        await self.run("sh", "-c", "rm -rf /var/lib/bluetooth/*")
        await self.plug()
        await self.start()

    async def kill(self):
        await self.pull("kill")

    async def stop(self):
        await self.pull("stop")

    async def start(self):
        await self.pull("start")

    async def unplug(self):
        await self.pull("unplug")

    async def plug(self):
        await self.pull("plug")
