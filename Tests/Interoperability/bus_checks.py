"""Programs on other libraries, each of which sees org.bluez as we do."""

import re

from check import check
from world import expect, python


@check
def bleak_asks_eightball_answer(world):
    world.forget()
    ball = world.start("eightball-answer", "--adapter", "hci1", "--name", "Ours", "--json")
    ball.wait(r'"event":"advertising"')
    output = world.run(*python("asker.py", "hci0", "Will it rain?"))
    expect(r"found Ours at 00:AA:01:01:00:01", output)
    told = expect(r"answer (SLUG-ANSWER-[01]\d)", output).group(1)
    expect(rf"read {told}", output)
    expect(r"asker: refused .*(0x0e|0xe|Unlikely)", output)
    expect(r"private 0 SLUG-ANSWER-[01]\d", output)
    expect(r"private refused .*(0x91|145)", output)


@check
def eightball_ask_asks_bluez_peripheral(world):
    world.forget()
    ball = world.start(*python("ball.py", "00:AA:01:01:00:01", "Foreign"))
    ball.wait(r"ball: advertising")
    output = world.ask_patiently("Foreign", "Will it rain?")
    expect(r"Outlook good\.", output)


@check
def busctl_shows_the_tree(world):
    address = world.environment["DBUS_SYSTEM_BUS_ADDRESS"]
    output = world.run("busctl", f"--address={address}", "tree", "org.bluez")
    for path in ("/org/bluez", "/org/bluez/hci0", "/org/bluez/hci1"):
        expect(re.escape(path), output)


@check
def bluetoothctl_lists_controllers(world):
    output = world.run("bluetoothctl", "list")
    expect(r"Controller 00:AA:01:00:00:00 ", output)
    expect(r"Controller 00:AA:01:01:00:01 ", output)


@check
def bluetoothctl_lists_devices(world):
    world.forget()
    ball = world.start("eightball-answer", "--adapter", "hci1", "--name", "Ours", "--json")
    ball.wait(r'"event":"advertising"')
    world.ask_patiently("Ours", "Will it rain?")
    # Those of the default controller, which is any of the two: each knows the other's.
    expect(r"Device 00:AA:01:0[01]:00:0[01] ", world.run("bluetoothctl", "devices"))


CHECKS = [
    bleak_asks_eightball_answer,
    eightball_ask_asks_bluez_peripheral,
    busctl_shows_the_tree,
    bluetoothctl_lists_controllers,
    bluetoothctl_lists_devices,
]
