"""Programs that are measured, or measure; each says when it is ready, and is told by lines what to do."""

import contextlib
import json
import os
import pathlib
import sys

from program import Program

BASELINES = pathlib.Path(__file__).parent.parent / "Baselines"


def baseline(name):
    """A C program beside which ours is measured."""
    return str(BASELINES / name)


class Client(Program):
    """A program that ends before it is told to, or in another way, fails the run."""

    def __init__(self, *words, seconds=120):
        super().__init__([str(word) for word in words], dict(os.environ), seconds)

    def ready(self):
        self.wait("^ready$")
        return self

    def begin(self, *numbers):
        self.say(" ".join(map(str, numbers)))

    def figures(self):
        return json.loads(self.wait(r"^\{.*\}$").group())

    def do(self, *numbers):
        """What it says of a task."""
        self.begin(*numbers)
        return self.figures()

    def leave(self):
        self.process.stdin.close()
        status = self.process.wait(self.seconds)
        assert status == 0, f"{self.process.args} ended with {status}"

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        if kind is None:
            self.leave()
            return
        # It may be why.
        status = self.process.poll()
        if status:
            said = "".join([*self.seen, *iter(self.lines.get, None)])
            print(f"{self.process.args} ended with {status}:\n{said}", file=sys.stderr)
        self.end()


class Service(Client):
    """A program that others need, and that stays until they have done."""

    def leave(self):
        status = self.process.poll()
        assert status is None, f"{self.process.args} died with {status}"
        self.end()


@contextlib.contextmanager
def plain_bus():
    """A bus without limits that count here; its address."""
    words = [
        # Not on stderr: in a container it complains of a limit that it doesn't need.
        "dbus-daemon",
        "--nofork",
        "--syslog-only",
        f"--config-file={baseline('bus.conf')}",
        "--print-address",
    ]
    with Service(*words) as bus:
        yield bus.wait("^unix:.*").group()


@contextlib.contextmanager
def virtual_bluez(adapters, *options):
    """A virtual BlueZ, whose bus is the system bus of all that is started meanwhile."""
    version = os.environ.get("BENCH_BLUEZ", "5.66")
    words = "virtual-bluez", "--adapters", adapters, "--bluez", version, *options
    with Service(*words) as program:
        os.environ["DBUS_SYSTEM_BUS_ADDRESS"] = program.wait(
            r"DBUS_SYSTEM_BUS_ADDRESS=(\S+)"
        ).group(1)
        yield program
