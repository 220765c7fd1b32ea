"""bluechat: between two of them, and with originals of both ends on bleak, bluez-peripheral and Bumble."""

import functools

from bumble_asker_checks import BECAUSE
from check import Check
from world import expect, python


def texts_go(world):
    world.forget()
    listener = world.start("bluechat", "listen", "--adapter", "hci1", "--name", "Bob", "--json")
    listener.wait('"event":"ready"')
    world.run("bluechat", "send", "--adapter", "hci0", "Bob", "Hi 👋", "and another one")
    listener.wait('"text":"Hi 👋"')
    listener.wait('"text":"and another one"')
    listener.wait('"event":"ended"')


def original_caller(world):
    listener = world.start("bluechat", "listen", "--adapter", "hci1", "--name", "Bob", "--json")
    listener.wait('"event":"ready"')
    caller = world.start(*python("bumble_caller.py", "Bob"))
    # The original's three, and behind them those of an encrypted chat.
    caller.wait("properties 0x08 0x22 0x22 0x08 0x12\n")
    caller.wait("is in the chat")
    listener.wait('"event":"began"')
    listener.wait('"text":"Hi 👋"')
    caller.wait("refused 0x92\n")
    listener.wait('"event":"malformed"')
    caller.say("leave")
    caller.wait("done")
    listener.wait('"event":"ended","chat":1}')


def original_callee(world):
    callee = world.start(*python("bumble_callee.py", "Oracle"))
    callee.wait("advertises")
    sender = world.start("bluechat", "send", "--adapter", "hci0", "--json", "Oracle", "Hi 👋", "Bye")
    # In the order of the original.
    callee.wait("texts 0 1\n")
    callee.wait("leave 0 1\n")
    callee.wait("text Hi 👋\n")
    callee.wait("text Bye\n")
    callee.wait("disconnected 0x13")
    sender.wait('"event":"ended"')


def sizes(mtu):
    """How many bytes between two BlueZ one packet carries in both directions, and how many are refused."""
    return (100, None) if mtu is None else (min(mtu - 5, 508), min(mtu - 3, 508) + 1)


def caller_on_bleak(world, first, mtu=None):
    """It subscribes to texts or to the request to leave first, and leaves when it is asked to."""
    world.forget()
    size, too_long = sizes(mtu)
    listener = world.start("bluechat", "listen", "--adapter", "hci1", "--name", "Bob", "--json")
    listener.wait('"event":"ready"')
    caller = world.start(*python("bleak_caller.py", "Bob", first, str(size)))
    # In the order of the original; an encrypted chat has two more.
    for each in "5471 write", "5472 indicate,read", "5473 indicate,read", "5474", "5475":
        caller.wait(f"has {each}")
    caller.wait("is in the chat")
    listener.wait('"event":"began"')
    caller.wait("wrote 7\n")
    listener.wait('"text":"Hi 👋"')
    caller.wait("refused .*0x92")
    listener.wait('"code":"invalidText"')
    caller.wait("wrote 0\n")
    listener.wait('"code":"empty"')
    caller.wait(f"wrote {size}\n")
    listener.wait(f'"text":"x{{{size}}}"')
    if too_long:
        listener.say("y" * too_long)
        listener.wait(f'"code":"tooLong".*{too_long - 1} fit')
    listener.say("Hello 👋")
    caller.wait("indicated 10 Hello 👋\n")
    listener.say("y" * size)
    caller.wait(f"indicated {size} y{{{size}}}\n")
    listener.end()
    caller.wait("done")


def callee_on_bluez_peripheral(world, mtu=None):
    world.forget()
    size, too_long = sizes(mtu)
    callee = world.start(*python("bluez_callee.py", "Oracle", "Bye"))
    callee.wait("advertises")
    send = "bluechat", "send", "--adapter", "hci0", "--json", "Oracle"
    if too_long:
        expect(f'"code":"tooLong".*{too_long - 1} fit', world.run(*send, "x" * too_long, status=65))
    sender = world.start(*send, "Hi 👋", "x" * size, "Bye")
    callee.wait("text 7 Hi 👋\n")
    callee.wait(f"text {size} x{{{size}}}\n")
    callee.wait("text 3 Bye\n")
    callee.wait("is left")
    sender.wait('"event":"ended"')


def everywhere(name, run, **options):
    """A check of both worlds, and of a virtual one of each version and MTU."""
    yield Check(f"bluechat, {name}", functools.partial(run, **options))
    for version in "5.66", "5.82", "5.87":
        for mtu in 185, 517:
            yield Check(
                f"bluechat, {name}, {version}, MTU {mtu}",
                functools.partial(run, **options, mtu=mtu),
                "virtual",
                "the machine has one version and one MTU",
                ("--bluez", version, "--mtu", str(mtu)),
            )


CHECKS = [
    Check("bluechat, texts go", texts_go),
    *everywhere("a caller on bleak", caller_on_bleak, first="texts"),
    Check(
        "bluechat, a caller on bleak that subscribes the other way round",
        functools.partial(caller_on_bleak, first="leave"),
    ),
    *everywhere("a callee on bluez-peripheral", callee_on_bluez_peripheral),
    Check("bluechat, a caller on Bumble", original_caller, "real", BECAUSE),
    Check("bluechat, a callee on Bumble", original_callee, "real", BECAUSE),
]
