"""Where checks run: on a virtual BlueZ, or on a real bluetoothd in a guest of Scripts/bluez-vm."""

import asyncio
import contextlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from daemon import Daemon
from program import Program

HERE = pathlib.Path(__file__).parent


def python(name, *words):
    """The words that start a player of this folder."""
    return sys.executable, str(HERE / name), *words


def expect(pattern, text):
    """Fails unless the text has the pattern, which is returned."""
    match = re.search(pattern, text)
    assert match, f"no {pattern} in:\n{text}"
    return match


class World:
    seconds = 60
    # How many checks run at a time.
    count = 1
    # By how much to multiply a time limit of an original.
    slowness = 1

    def __init__(self):
        self.programs, self.lasting = [], {}
        self.environment = dict(os.environ)

    @contextlib.contextmanager
    def round(self, *options):
        """What is started in it ends with it, and is of a user of its own; the options are those of a virtual daemon."""
        with tempfile.TemporaryDirectory() as home:
            self.environment["XDG_DATA_HOME"] = home
            try:
                yield
            finally:
                for program in reversed(self.programs):
                    program.end()
                self.programs.clear()

    def another(self):
        """Where another check runs."""
        return self

    def start(self, *words):
        program = Program(words, self.environment, self.seconds)
        self.programs.append(program)
        return program

    def lasts(self, *words):
        """A program that is started for the first check that wants it, and ends with the world."""
        if words not in self.lasting:
            self.lasting[words] = Program(words, self.environment, self.seconds)
        return self.lasting[words]

    def close(self):
        for program in self.lasting.values():
            program.end()

    def run(self, *words, status=0):
        """What a command prints, when it has ended as it should."""
        done = subprocess.run(
            words,
            env=self.environment,
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=self.seconds,
        )
        assert done.returncode == status, f"{words} ended with {done.returncode}:\n{done.stdout}"
        return done.stdout

    def ask_daemon(self, work):
        """What comes of a function of a `Daemon` on this world's bus."""

        async def ask():
            daemon = await Daemon().open(self.environment["DBUS_SYSTEM_BUS_ADDRESS"])
            try:
                return await work(daemon)
            finally:
                daemon.bus.disconnect()

        return asyncio.run(ask())

    def ask(self, ball, question, *options, status=0):
        """What `eightball-ask` prints of a question to the ball of that name, with its own time limits."""
        return self.run(
            "eightball-ask", "--adapter", "hci0", "--name", ball, *options, question, status=status
        )

    def ask_patiently(self, ball, question, *options, status=0):
        """As `ask`, where the time is not to be over: its 2 s may be, in a guest on a busy machine."""
        return self.ask(ball, question, "--timeout", "10", *options, status=status)


class VirtualWorld(World):
    """Each round is a new one."""

    name = "virtual"
    count = 3

    def another(self):
        return VirtualWorld()

    def forget(self):
        """There is nothing to forget."""

    @contextlib.contextmanager
    def round(self, *options):
        self.environment = dict(os.environ)
        with super().round():
            daemon = self.start("virtual-bluez", *options)
            variable = daemon.wait(r"DBUS_SYSTEM_BUS_ADDRESS=(\S+)")
            self.environment["DBUS_SYSTEM_BUS_ADDRESS"] = variable.group(1).strip("'\"")
            yield


class RealWorld(World):
    """All rounds are in one, as the guest takes long to boot."""

    name = "real"
    # The guest is an emulated machine.
    slowness = 4

    def __init__(self):
        super().__init__()
        assert "BLUEZ_VM_GUEST" in os.environ, "the real world is in a guest of Scripts/bluez-vm"
        self.environment["DBUS_SYSTEM_BUS_ADDRESS"] = "unix:path=/run/dbus/system_bus_socket"

    @contextlib.contextmanager
    def round(self, *options):
        """A bluetoothd that dies in it is started again, so that the checks after it have one."""
        try:
            with super().round():
                yield
        finally:
            if not self.has_daemon():
                lines = pathlib.Path("/run/logs/bluetoothd.txt").read_text(errors="replace").splitlines()
                self.run("/run/levers/start")
                raise AssertionError("\n".join(["bluetoothd has died:", *lines[-10:]]))

    def has_daemon(self):
        """Whether the guest's bluetoothd runs."""
        number = pathlib.Path("/run/bluetoothd.pid").read_text().strip()
        try:
            status = pathlib.Path(f"/proc/{number}/status").read_text()
        except FileNotFoundError:
            return False
        return not re.search(r"^State:\s+Z", status, re.M)

    def forget(self):
        """Lets bluetoothd forget what it knows of all devices.

        It keeps a device's services as they were on the last link, and takes no others from
        its advertisements, until nobody has heard of the device for 30 s.
        """

        self.ask_daemon(Daemon.forget_devices)

    def version(self):
        return self.ask_daemon(Daemon.version)
