"""bluechat: between two of them, and with originals of both ends on bleak, bluez-peripheral and Bumble."""

import functools

from bumble_asker_checks import BECAUSE
from chat import CALL_SECONDS
from check import Check
from world import expect, python

# What one packet carries between Bumble, whose MTU is 185, and BlueZ.
BUMBLE_SIZE = 182


def texts_go(world):
    world.forget()
    listener = world.start("bluechat", "listen", "--adapter", "hci1", "--name", "Bob", "--json")
    listener.wait('"event":"ready"')
    world.run("bluechat", "send", "--adapter", "hci0", "Bob", "Hi 👋", "and another one")
    listener.wait('"text":"Hi 👋"')
    listener.wait('"text":"and another one"')
    listener.wait('"event":"ended"')


def limit(world):
    """How long an original gives a call."""
    return str(CALL_SECONDS * world.slowness)


def original_caller(world, is_asked=False):
    """It leaves by itself, or when it is asked to."""
    world.forget()
    listener = world.start("bluechat", "listen", "--adapter", "hci1", "--name", "Bob", "--json")
    listener.wait('"event":"ready"')
    caller = world.start(*python("bumble_caller.py", "Bob", limit(world)))
    # The original's three, and behind them those of an encrypted chat.
    caller.wait("properties 0x08 0x22 0x22 0x08 0x12\n")
    caller.wait("is in the chat")
    listener.wait('"event":"began"')
    listener.wait('"text":"Hi 👋"')
    caller.wait("refused 0x92\n")
    listener.wait('"event":"malformed"')
    listener.wait(f'"text":"x{{{BUMBLE_SIZE}}}"')
    listener.say("y" * (BUMBLE_SIZE + 1))
    listener.wait(f'"code":"tooLong".*{BUMBLE_SIZE} fit')
    listener.say("Hello 👋")
    caller.wait("indicated 10 Hello 👋\n")
    listener.say("y" * BUMBLE_SIZE)
    caller.wait(f"indicated {BUMBLE_SIZE} y{{{BUMBLE_SIZE}}}\n")
    if is_asked:
        listener.end()
        caller.wait("is asked to leave 01\n")
        caller.wait("done")
    else:
        caller.say("leave")
        caller.wait("done")
        listener.wait('"event":"ended","chat":1}')


def original_callee(world, asks=True):
    """Its caller leaves when it is asked to, or by itself, after a text that is too long."""
    world.forget()
    callee = world.start(*python("bumble_callee.py", "Oracle", *(("Bye",) if asks else ())))
    callee.wait("advertises")
    texts = "Hi 👋", "x" * BUMBLE_SIZE
    send = "bluechat", "send", "--adapter", "hci0", "--json", "Oracle"
    if asks:
        # It would take more texts.
        sender = world.start(*send)
        for text in *texts, "Bye":
            sender.say(text)
    else:
        output = world.run(*send, *texts, "x" * (BUMBLE_SIZE + 1), status=65)
        expect(f'"code":"tooLong".*{BUMBLE_SIZE} fit', output)
    # In the order of the original.
    callee.wait("texts 0 1\n")
    callee.wait("leave 0 1\n")
    for text in texts:
        callee.wait(f"text {text}\n")
    if asks:
        callee.wait("text Bye\n")
    callee.wait("disconnected 0x13")
    if asks:
        sender.end()
    has_received(world, "Hello 👋")


def has_received(world, text):
    """The callee's text is in the caller's store, when the caller has ended."""
    history = world.run("bluechat", "history", "Oracle", "--json")
    expect(f'"direction":"incoming","text":"{text}"', history)


def sizes(mtu):
    """How many bytes between two BlueZ one packet carries in both directions, and how many are refused."""
    return (100, None) if mtu is None else (min(mtu - 5, 508), min(mtu - 3, 508) + 1)


def caller_on_bleak(world, first, mtu=None):
    """It subscribes to texts or to the request to leave first, and leaves when it is asked to."""
    world.forget()
    size, too_long = sizes(mtu)
    listener = world.start("bluechat", "listen", "--adapter", "hci1", "--name", "Bob", "--json")
    listener.wait('"event":"ready"')
    caller = world.start(*python("bleak_caller.py", "Bob", first, str(size), limit(world)))
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
    caller.wait(r"wrote a part: org\.bluez\.Error\.InvalidArguments .*Invalid offset")
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
    # It would take more texts, and leaves when it is asked to.
    sender = world.start(*send)
    for text in "Hi 👋", "x" * size, "Bye":
        sender.say(text)
    callee.wait("text 7 Hi 👋\n")
    callee.wait(f"text {size} x{{{size}}}\n")
    callee.wait("text 3 Bye\n")
    callee.wait("is left")
    sender.end()
    has_received(world, "Hello 👋")


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


def bumble(name, run, **options):
    return Check(f"bluechat, {name}", functools.partial(run, **options), "real", BECAUSE)


CHECKS = [
    Check("bluechat, texts go", texts_go),
    *everywhere("a caller on bleak", caller_on_bleak, first="texts"),
    Check(
        "bluechat, a caller on bleak that subscribes the other way round",
        functools.partial(caller_on_bleak, first="leave"),
    ),
    *everywhere("a callee on bluez-peripheral", callee_on_bluez_peripheral),
    bumble("a caller on Bumble", original_caller),
    bumble("a caller on Bumble that is asked to leave", original_caller, is_asked=True),
    bumble("a callee on Bumble", original_callee),
    bumble("a callee on Bumble that its caller leaves", original_callee, asks=False),
]
