"""The two worlds in which scenarios play, with the same levers."""

import asyncio
import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

from dbus_fast import BusType, Message, MessageType
from dbus_fast.aio import MessageBus
from remote import RawCentral, VirtualCentral

SETTINGS = pathlib.Path("/etc/bluetooth/main.conf")
CONTROLLERS = pathlib.Path("/sys/class/bluetooth")


class VirtualWorld:
    """A `virtual-bluez` for each scenario; its levers are calls."""

    quiet = 0.1

    def __init__(self, version):
        self.version = version
        self.process = None

    def bus(self):
        return MessageBus(bus_address=self.address, negotiate_unix_fd=True)

    async def reset(self, mtu):
        self.process = await asyncio.create_subprocess_exec(
            "virtual-bluez",
            *("--adapters", "3", "--bluez", self.version, "--mtu", str(mtu)),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        line = await asyncio.wait_for(self.process.stdout.readline(), 30)
        self.address = line.decode().strip().partition("=")[2]
        self.levers = await self.bus().connect()

    async def leave(self):
        self.levers.disconnect()
        with contextlib.suppress(ProcessLookupError):
            self.process.terminate()
        await self.process.wait()

    def remote(self, heard):
        return VirtualCentral(self, heard)

    async def call(self, member, *arguments):
        reply = await self.levers.call(
            Message(
                destination="VirtualBlueZ.World",
                path="/world",
                interface="VirtualBlueZ.World1",
                member=member,
                signature="".join("b" if isinstance(one, bool) else "u" for one in arguments),
                body=list(arguments),
            )
        )
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
    """A real bluetoothd with virtual controllers, in the guest of Scripts/bluez-vm."""

    quiet = 0.35

    def __init__(self):
        self.commands = {name: self.command(name) for name in ("bluetoothd", "btvirt")}

    def bus(self):
        return MessageBus(bus_type=BusType.SYSTEM, negotiate_unix_fd=True)

    def remote(self, heard):
        return RawCentral(heard)

    async def leave(self):
        pass

    @staticmethod
    def file(name):
        return pathlib.Path(f"/run/{name}.pid")

    def command(self, name):
        line = pathlib.Path(f"/proc/{self.file(name).read_text().strip()}/cmdline")
        return line.read_text().rstrip("\0").split("\0")

    async def reset(self, mtu):
        """A bluetoothd without a past, and controllers without one.

        Without the levers: each starts some programs, which takes its time in a guest. A controller
        may be too slow for the kernel when the machine is busy; then once more.
        """
        settings = SETTINGS.read_text()
        SETTINGS.write_text(re.sub(r"#? *ExchangeMTU *=.*", f"ExchangeMTU = {mtu}", settings))
        for _ in range(5):
            with contextlib.suppress(TimeoutError):
                return await self.begin_anew()
        raise RuntimeError("the guest's controllers can't be reset")

    async def begin_anew(self):
        await self.end("bluetoothd")
        await self.end("btvirt")
        await until(lambda: not any(CONTROLLERS.iterdir()))
        for store in pathlib.Path("/var/lib/bluetooth").iterdir():
            shutil.rmtree(store)
        self.begin("btvirt")
        await until(lambda: len(list(CONTROLLERS.iterdir())) == 3)
        self.begin("bluetoothd")
        bus = await self.bus().connect()
        try:
            end = time.monotonic() + 30
            while await self.powered(bus) != 3:
                if time.monotonic() > end:
                    raise TimeoutError("the adapters have no power")
                await asyncio.sleep(0.05)
        finally:
            bus.disconnect()

    async def end(self, name):
        """Ends the process, if a scenario has not done so."""
        if not self.file(name).exists():
            return
        process = int(self.file(name).read_text())
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGTERM)
        await until(lambda: not is_running(process))
        self.file(name).unlink()

    def begin(self, name):
        process = subprocess.Popen(
            self.commands[name],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.file(name).write_text(f"{process.pid}\n")

    @staticmethod
    async def powered(bus):
        reply = await bus.call(
            Message(
                destination="org.bluez",
                path="/",
                member="GetManagedObjects",
                interface="org.freedesktop.DBus.ObjectManager",
            )
        )
        if reply.message_type is MessageType.ERROR:
            return 0
        adapters = (objects.get("org.bluez.Adapter1", {}) for objects in reply.body[0].values())
        return sum("Powered" in adapter and adapter["Powered"].value for adapter in adapters)

    async def pull(self, lever):
        process = await asyncio.create_subprocess_exec(f"/run/levers/{lever}")
        if await process.wait() != 0:
            raise RuntimeError(f"the lever {lever} ended with {process.returncode}")

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


async def until(claim, limit=30):
    end = time.monotonic() + limit
    while not claim():
        if time.monotonic() > end:
            raise TimeoutError("a process or a controller stays as it is")
        await asyncio.sleep(0.02)


def is_running(process):
    """Whether it is there, and not a zombie."""
    try:
        status = pathlib.Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return status.rsplit(")", 1)[1].split()[0] != "Z"
