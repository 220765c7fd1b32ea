"""Foreign programs on a virtual BlueZ: each check prints a line; exits 1 if one fails."""

import os
import pathlib
import re
import signal
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
SECONDS = 60


class World:
    """A virtual BlueZ, and programs that see it as the system's."""

    def __enter__(self):
        self.processes = []
        self.environment = dict(os.environ)
        daemon = self.start("virtual-bluez")
        variable = self.wait(daemon, r"DBUS_SYSTEM_BUS_ADDRESS=(\S+)")
        self.environment["DBUS_SYSTEM_BUS_ADDRESS"] = variable.group(1).strip("'\"")
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()

    def start(self, *words):
        process = subprocess.Popen(
            words,
            env=self.environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        self.processes.append(process)
        return process

    @staticmethod
    def wait(process, pattern):
        """The first line of the output that matches."""
        seen = []
        for line in process.stdout:
            seen.append(line)
            if match := re.search(pattern, line):
                return match
        raise AssertionError(f"{process.args} ended without {pattern}:\n{''.join(seen)}")

    def run(self, *words, status=0):
        done = subprocess.run(
            words,
            env=self.environment,
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=SECONDS,
        )
        assert done.returncode == status, f"{words} ended with {done.returncode}:\n{done.stdout}"
        return done.stdout


def python(name, *words):
    return sys.executable, str(HERE / name), *words


def expect(pattern, text):
    assert re.search(pattern, text), f"no {pattern} in:\n{text}"


def bleak_asks_eightball_answer(world):
    ball = world.start("eightball-answer", "--adapter", "hci1", "--name", "Ours", "--json")
    world.wait(ball, r'"event":"advertising"')
    output = world.run(*python("asker.py", "hci0", "Will it rain?"))
    expect(r"found Ours at 00:AA:01:01:00:01", output)
    expect(r"answer SLUG-ANSWER-[01]\d", output)
    told = re.search(r"answer (\S+)", output).group(1)
    expect(rf"read {told}", output)
    expect(r"asker: refused .*(0x0e|0xe|Unlikely)", output)
    expect(r"private 0 SLUG-ANSWER-[01]\d", output)
    expect(r"private refused .*(0x91|145)", output)


def eightball_ask_asks_bluez_peripheral(world):
    ball = world.start(*python("ball.py", "00:AA:01:01:00:01", "Foreign"))
    world.wait(ball, r"ball: advertising")
    output = world.run("eightball-ask", "--adapter", "hci0", "--name", "Foreign", "Will it rain?")
    expect(r"Outlook good\.", output)


def busctl_shows_the_tree(world):
    output = world.run(
        "busctl", f"--address={world.environment['DBUS_SYSTEM_BUS_ADDRESS']}", "tree", "org.bluez"
    )
    for path in ("/org/bluez", "/org/bluez/hci0", "/org/bluez/hci1"):
        expect(re.escape(path), output)


def bluetoothctl_lists_controllers(world):
    output = world.run("bluetoothctl", "list")
    expect(r"Controller 00:AA:01:00:00:00 ", output)
    expect(r"Controller 00:AA:01:01:00:01 ", output)


def bluetoothctl_lists_devices(world):
    ball = world.start("eightball-answer", "--adapter", "hci1", "--name", "Ours", "--json")
    world.wait(ball, r'"event":"advertising"')
    world.run("eightball-ask", "--adapter", "hci0", "Will it rain?")
    # Those of the default controller, which is any of the two: each knows the other's.
    expect(r"Device 00:AA:01:0[01]:00:0[01] ", world.run("bluetoothctl", "devices"))


CHECKS = [
    bleak_asks_eightball_answer,
    eightball_ask_asks_bluez_peripheral,
    busctl_shows_the_tree,
    bluetoothctl_lists_controllers,
    bluetoothctl_lists_devices,
]


def main():
    failed = 0
    for check in CHECKS:
        name = check.__name__.replace("_", " ")
        try:
            with World() as world:
                check(world)
            print(f"ok      {name}", flush=True)
        except (AssertionError, OSError, subprocess.TimeoutExpired) as error:
            failed += 1
            print(f"failed  {name}: {error}", flush=True)
    print(f"{len(CHECKS) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


main()
