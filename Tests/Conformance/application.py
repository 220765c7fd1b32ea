"""The peripheral's program: a tree of its own, served to bluetoothd, and what it answers."""

import asyncio

from client import Client, Reply
from dbus_fast import ErrorType, Message, Variant
from journal import plain

# The names under which the traces show UUIDs.
UUIDS = {
    name: f"5eb1{number:04x}-7c1f-4d2a-9e0b-3a52c6d1f08e"
    for number, name in enumerate(
        [
            "Ball",
            "Question",
            "Answer",
            "Wish",
            "Both",
            "Note",
            "Alarm",
            "Sealed",
            "Caption",
            "Socket",
            "Stream",
            "Second",
            "Other",
        ]
    )
}

BALL = {
    "question": ("Question", ["write"]),
    "answer": ("Answer", ["read", "notify"]),
    "wish": ("Wish", ["write-without-response"]),
    "both": ("Both", ["write", "write-without-response"]),
    "note": ("Note", ["read", "write"]),
    "alarm": ("Alarm", ["indicate"]),
}


def service(root, characteristics, uuid="Ball", **extra):
    """The objects of an application with one service: path, interface, properties."""
    tree = {
        f"{root}/service": {
            "org.bluez.GattService1": {
                "UUID": Variant("s", UUIDS.get(uuid, uuid)),
                "Primary": Variant("b", True),
            }
        }
    }
    for name, (uuid, flags) in characteristics.items():
        tree[f"{root}/service/{name}"] = {
            "org.bluez.GattCharacteristic1": {
                "UUID": Variant("s", UUIDS.get(uuid, uuid)),
                "Service": Variant("o", f"{root}/service"),
                "Flags": Variant("as", flags),
                **extra.get(name, {}),
            }
        }
    return tree


def advertisement(**properties):
    """The properties of an advertisement; those that are None are left out."""
    whole = {
        "Type": Variant("s", "peripheral"),
        "ServiceUUIDs": Variant("as", [UUIDS["Ball"]]),
        "LocalName": Variant("s", "8-Ball"),
        "Discoverable": Variant("b", True),
    } | properties
    return {key: value for key, value in whole.items() if value is not None}


class Fault:
    """An error as an answer."""

    def __init__(self, name, text=""):
        self.name = name if "." in name else f"org.bluez.Error.{name}"
        self.text = text


class Held:
    """A call of bluetoothd that is not answered yet."""

    def __init__(self, application, message):
        self.application, self.message = application, message

    def answer(self, outcome=None):
        self.application.reply(self.message, outcome)


class Application(Client):
    """A client that serves characteristics and advertisements below a root path."""

    def __init__(self, journal, name, adapter, root="/ball", tree=None, advert=None):
        super().__init__(journal, name, adapter)
        self.root = root
        self.tree = service(root, BALL) if tree is None else tree
        self.trees = {}
        self.adverts = {f"{root}/advertisement": advert or advertisement()}
        self.values = {}
        self.outcomes = {}
        self.holding = {}
        self.reads_by_offset = False
        self.answer = self.asked

    def path(self, name):
        return f"{self.root}/service/{name}"

    def answers(self, name, member, outcome):
        """From now on that call is answered so: with a Fault, with bytes, or as usual (None)."""
        self.outcomes[self.path(name), member] = outcome

    def hold(self, name, member):
        """Keeps the next such call without an answer; awaiting gives it when it has come."""
        future = asyncio.get_running_loop().create_future()
        self.holding[self.path(name), member] = future
        return future

    def asked(self, message):
        self.journal.note(
            self.name,
            "asked",
            path=message.path,
            interface=message.interface,
            member=message.member,
            signature=message.signature,
            body=plain(message.body),
        )
        key = (message.path, message.member)
        if held := self.holding.pop(key, None):
            held.set_result(Held(self, message))
            return
        outcome = self.outcomes.get(key)
        if self.reads_by_offset and message.member == "ReadValue" and outcome:
            offset = message.body[0].get("offset")
            outcome = "ay", [outcome[offset.value if offset else 0 :]]
        self.reply(message, self.usual(message) if outcome is None else outcome)

    def usual(self, message):
        """What it answers when a scenario wants nothing else: signature and body."""
        path, member = message.path, message.member
        if member == "GetManagedObjects":
            return "a{oa{sa{sv}}}", [self.trees.get(path, self.tree)]
        if member == "GetAll" and path in self.adverts:
            return "a{sv}", [self.adverts[path]]
        if member == "WriteValue":
            self.values[path] = bytes(message.body[0])
            return None
        if member == "ReadValue":
            return self.values.get(path, b"It is certain.")
        if member in ("StartNotify", "StopNotify", "Release", "Confirm"):
            return None
        return Fault(ErrorType.UNKNOWN_METHOD.value, "")

    def reply(self, message, outcome):
        fds = []
        if isinstance(outcome, Fault):
            reply = Message.new_error(message, outcome.name, outcome.text)
            told = {"error": [outcome.name, outcome.text]}
        else:
            if outcome is None:
                outcome = "", []
            elif isinstance(outcome, bytes):
                outcome = "ay", [outcome]
            elif isinstance(outcome, Reply):
                outcome, fds = ("hq", outcome.body), outcome.fds
            reply = Message.new_method_return(message, outcome[0], outcome[1], fds)
            told = {"signature": outcome[0], "body": plain(outcome[1])}
            if message.member in ("GetManagedObjects", "GetAll"):
                told["body"] = []
        self.journal.note(self.name, "answers", path=message.path, member=message.member, **told)
        self.bus.send(reply)

    # Calls to bluetoothd that its program makes.

    async def register(self, options=None, root=None):
        return await self.call(
            f"/org/bluez/{self.adapter}",
            "GattManager1",
            "RegisterApplication",
            "oa{sv}",
            [root or self.root, options or {}],
        )

    async def unregister(self, root=None):
        return await self.call(
            f"/org/bluez/{self.adapter}",
            "GattManager1",
            "UnregisterApplication",
            "o",
            [root or self.root],
        )

    async def advertise(self, name="advertisement", **properties):
        path = f"{self.root}/{name}"
        if properties or path not in self.adverts:
            self.adverts[path] = advertisement(**properties)
        return await self.call(
            f"/org/bluez/{self.adapter}",
            "LEAdvertisingManager1",
            "RegisterAdvertisement",
            "oa{sv}",
            [path, {}],
        )

    async def stop_advertising(self, name="advertisement"):
        return await self.call(
            f"/org/bluez/{self.adapter}",
            "LEAdvertisingManager1",
            "UnregisterAdvertisement",
            "o",
            [f"{self.root}/{name}"],
        )

    def readvertise(self, name="advertisement", **properties):
        """Changes properties of an advertisement that is registered; None takes one away."""
        path = f"{self.root}/{name}"
        for key, value in properties.items():
            self.adverts[path] = self.adverts[path] | {key: value}
            if value is None:
                del self.adverts[path][key]
            self.emit(path, key, value, "LEAdvertisement1")

    def notify(self, value, name="answer"):
        self.values[self.path(name)] = value
        self.emit(self.path(name), "Value", Variant("ay", value))
