"""The programs of the package Examples: with each other, and each of them with foreign programs."""

import functools
import itertools

from bumble_asker_checks import BECAUSE
from check import Check
from daemon import HCI0, HCI1
from world import expect, python

# The most that bluetoothd 5.66 takes of a write; what one write carries with an MTU of 185.
LONG = "".join(chr(ord("a") + index % 26) for index in range(508))
SHORT = LONG[:182]
LOST = "Error raised at top level: .*(lost|ended)"


def expect_fall(read, *notified):
    """A level that was read, and then falls by one at a time; 100 comes after 0."""
    levels = [int(level) for level in (read, *notified)]
    first, *steps = [(before - after) % 101 for before, after in itertools.pairwise(levels)]
    # It falls on while the central subscribes; and a busy program may be late for one.
    assert 0 < first < 60 and all(0 < step < 5 for step in steps), levels


def uses_battery(world, player):
    """Until the peripheral's adapter ends the link."""
    central = world.start(*python(player, "battery"))
    patterns = [r": read (\d+)\n", *[r": notified (\d+)\n"] * 3]
    expect_fall(*(central.wait(pattern).group(1) for pattern in patterns))
    world.ask_daemon(lambda daemon: daemon.end_links(HCI1))
    central.wait("disconnected")


def bleak_uses_battery(world):
    """Twice, as a central may come back."""
    world.forget()
    world.start("BatteryPeripheral")
    for _ in range(2):
        uses_battery(world, "bleak_central.py")
        world.forget()


def bumble_uses_battery(world):
    world.start("BatteryPeripheral")
    uses_battery(world, "bumble_central.py")


def bleak_uses_uart(world):
    world.forget()
    world.start("UARTPeripheral")
    texts = "Hello,", "radio", LONG
    central = world.start(*python("bleak_central.py", "uart", *texts))
    for text in texts:
        for _ in range(2):
            central.wait(f"bleak: echo {text}\n")
    central.say("leave")
    central.wait("disconnected")


def bumble_uses_uart(world):
    world.start("UARTPeripheral")
    texts = "Hello,", "radio", SHORT
    longer = LONG[:183], LONG[:364], LONG
    central = world.start(*python("bumble_central.py", "uart", *texts, *longer))
    central.wait("MTU 185\n")
    # Writes of both kinds; notify.
    central.wait("properties 0x0c 0x10\n")
    for text in texts:
        for _ in range(2):
            central.wait(f"Bumble: echo in 1: {text}\n")
    for count, text in zip((2, 2, 3), longer):
        central.wait(f"Bumble: echo in {count}: {text}\n")
    central.say("leave")
    central.wait("disconnected")


def battery_central_prints(world, name):
    output = world.run("BatteryCentral")
    levels = expect(rf"(?m)^{name}: (\d+) %\nnow (\d+) %\nnow (\d+) %\n\Z", output).groups()
    expect_fall(*levels)


def uart_central_prints(world, *texts):
    output = world.run("UARTCentral", *texts)
    expect("(?m)^" + "".join(f"{text}\n" for text in texts) + r"\Z", output)


def battery_central_uses_bluez_peripheral(world):
    world.forget()
    world.start(*python("peripheral.py", "00:AA:01:01:00:01", "Foreign")).wait("advertising")
    for _ in range(2):
        battery_central_prints(world, "Foreign")


def uart_central_uses_bluez_peripheral(world):
    world.forget()
    world.start(*python("peripheral.py", "00:AA:01:01:00:01", "Foreign")).wait("advertising")
    uart_central_prints(world, "Hello,", "radio")
    uart_central_prints(world, LONG)


def subscribed(path, interfaces):
    """The path of the level of hci0's peer, when a program has subscribed to it."""
    level = interfaces.get("org.bluez.GattCharacteristic1", {})
    wanted = path.startswith(HCI0) and "00002a19-" in level["UUID"].value if level else False
    return wanted and level["Notifying"].value and path


def battery_central_uses_bumble(world):
    """Then the link is ended while it waits for a value."""
    peripheral = world.start(*python("bumble_peripheral.py"))
    peripheral.wait("advertises")
    battery_central_prints(world, "Bumble")
    peripheral.wait("disconnected")
    peripheral.say("rest")
    central = world.start("BatteryCentral")
    world.ask_daemon(lambda daemon: daemon.until(subscribed))
    peripheral.say("drop")
    central.wait(LOST)
    peripheral.wait("disconnected")


def uart_central_uses_bumble(world):
    """Then the link is ended while it waits for an echo."""
    peripheral = world.start(*python("bumble_peripheral.py"))
    peripheral.wait("advertises")
    texts = "Hello,", "radio", SHORT
    uart_central_prints(world, *texts)
    for text in texts:
        peripheral.wait(f"got {len(text)} bytes")
    peripheral.wait("disconnected")
    central = world.start("UARTCentral", "silence")
    peripheral.wait("got 7 bytes")
    peripheral.say("drop")
    central.wait(LOST)
    peripheral.wait("disconnected")
    # Ends without ending its link, so it is the last.
    world.start("UARTCentral", SHORT + "x").wait("has at most 182, with an MTU of 185")


def talk(world, pair):
    """As Examples/check runs them, and expects them to print."""
    world.forget()
    world.run("Examples/check", pair)


def example(name, run, **options):
    return Check(f"examples, {name}", functools.partial(run, **options))


def real(name, run):
    return Check(f"examples, {name}", run, "real", BECAUSE)


CHECKS = [
    example("Asking and Answering", talk, pair="ball"),
    example("BatteryCentral and BatteryPeripheral", talk, pair="battery"),
    example("UARTCentral and UARTPeripheral", talk, pair="uart"),
    example("bleak uses BatteryPeripheral", bleak_uses_battery),
    example("bleak uses UARTPeripheral", bleak_uses_uart),
    example("BatteryCentral uses bluez-peripheral", battery_central_uses_bluez_peripheral),
    example("UARTCentral uses bluez-peripheral", uart_central_uses_bluez_peripheral),
]
BUMBLE_CHECKS = [
    real("Bumble uses BatteryPeripheral", bumble_uses_battery),
    real("Bumble uses UARTPeripheral", bumble_uses_uart),
    real("BatteryCentral uses Bumble", battery_central_uses_bumble),
    real("UARTCentral uses Bumble", uart_central_uses_bumble),
]
