"""bluechat: between two of them, and with originals of both ends on Bumble."""

from bumble_asker_checks import BECAUSE
from check import Check
from world import python


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


CHECKS = [
    Check("bluechat, texts go", texts_go),
    Check("bluechat, a caller on Bumble", original_caller, "real", BECAUSE),
    Check("bluechat, a callee on Bumble", original_callee, "real", BECAUSE),
]
