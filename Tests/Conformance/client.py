"""A program on the bus, which notes all that it gets from bluetoothd, in the order of the wire."""

import asyncio
import time

from dbus_fast import Message, MessageType
from journal import plain

INTERFACES = {
    "Properties": "org.freedesktop.DBus.Properties",
    "ObjectManager": "org.freedesktop.DBus.ObjectManager",
    "Introspectable": "org.freedesktop.DBus.Introspectable",
}


def full(interface):
    return INTERFACES.get(interface, f"org.bluez.{interface}")


class Reply:
    """What a call came back with."""

    def __init__(self, body=(), error=None, fds=()):
        self.body, self.error, self.fds = list(body), error, list(fds)


class Client:
    """One connection to the bus. It sees the signals of its adapter, and knows its objects."""

    def __init__(self, journal, name, adapter):
        self.journal, self.name, self.adapter = journal, name, adapter
        self.objects = {}
        self.pending = {}
        self.calls = set()
        self.is_there = False
        self.has_left = False
        self.sees_root = False
        self.answer = None

    async def open(self, bus):
        self.bus = bus
        self.bus.add_message_handler(self.take)
        await self.bus.connect()
        for rule in (
            "type='signal',sender='org.bluez'",
            "type='signal',sender='org.freedesktop.DBus',"
            "member='NameOwnerChanged',arg0='org.bluez'",
        ):
            await self.send(
                "org.freedesktop.DBus",
                "/org/freedesktop/DBus",
                "org.freedesktop.DBus",
                "AddMatch",
                "s",
                [rule],
            )
        await self.learn()
        return self

    @property
    def hci(self):
        """The path of its adapter."""
        return f"/org/bluez/{self.adapter}"

    def device(self, address):
        """The path of a device, as its adapter sees it."""
        return f"{self.hci}/dev_{address.replace(':', '_')}"

    async def learn(self):
        """Reads all objects, unseen: what a program knows that was there before the scenario."""
        tree = await self.send("org.bluez", "/", full("ObjectManager"), "GetManagedObjects")
        self.is_there = tree.error is None
        for path, interfaces in tree.body[0].items() if self.is_there else ():
            self.objects[path] = {
                name: {key: value.value for key, value in properties.items()}
                for name, properties in interfaces.items()
            }
            self.know(path)

    def know(self, path):
        """Notes which UUID an object has: its path says only a handle."""
        for interface, properties in self.objects[path].items():
            if interface.startswith("org.bluez.Gatt") and "UUID" in properties:
                self.journal.note(self.name, "known", path=path, uuid=properties["UUID"])

    async def send(self, destination, path, interface, member, signature="", body=(), limit=15):
        """A call that is not noted."""
        message = Message(
            destination=destination,
            path=path,
            interface=interface,
            member=member,
            signature=signature,
            body=list(body),
        )
        message.serial = self.bus.next_serial()
        future = asyncio.get_running_loop().create_future()
        self.pending[message.serial] = (future, None)
        await self.bus.send(message)
        return await asyncio.wait_for(future, limit)

    async def call(self, path, interface, member, signature="", body=(), limit=15):
        """A call to org.bluez, with its reply; none within the limit, in seconds, is noted too."""
        return await self.begin(path, interface, member, signature, body, limit)

    def begin(self, path, interface, member, signature="", body=(), limit=15):
        """As call, but goes on at once; what it returns can be awaited."""
        message = Message(
            destination="org.bluez",
            path=path,
            interface=full(interface),
            member=member,
            signature=signature,
            body=list(body),
        )
        message.serial = self.bus.next_serial()
        future = asyncio.get_running_loop().create_future()
        call = {
            "path": path,
            "interface": message.interface,
            "member": member,
            "serial": message.serial,
            "sent": time.monotonic(),
        }
        self.pending[message.serial] = (future, call)
        self.journal.note(self.name, "call", **call, signature=signature, body=plain(list(body)))
        self.bus.send(message)
        task = asyncio.ensure_future(self.finish(message.serial, future, limit))
        self.calls.add(task)
        task.add_done_callback(self.calls.discard)
        return task

    async def finish(self, serial, future, limit):
        try:
            return await asyncio.wait_for(future, limit)
        except TimeoutError:
            _, call = self.pending.pop(serial)
            self.journal.note(self.name, "silence", **call, limit=limit)
            return Reply(error=("", "no reply"))

    def take(self, message):
        """Every message that comes, in the order of the wire; none when it has left."""
        if self.has_left:
            return True
        kind = message.message_type
        if kind in (MessageType.METHOD_RETURN, MessageType.ERROR):
            return self.take_reply(message)
        if kind is MessageType.SIGNAL:
            self.take_signal(message)
            return False
        if self.answer is None:
            return False
        self.answer(message)
        return True

    def take_reply(self, message):
        future, call = self.pending.pop(message.reply_serial, (None, None))
        if future is None:
            return False
        error = None
        if message.message_type is MessageType.ERROR:
            error = (message.error_name, message.body[0] if message.body else "")
        if call and error:
            self.journal.note(self.name, "error", **call, error=list(error))
        elif call:
            self.journal.note(
                self.name, "reply", **call, signature=message.signature, body=plain(message.body)
            )
        if not future.done():
            future.set_result(Reply(message.body, error, message.unix_fds))
        return True

    def take_signal(self, message):
        if message.member == "NameOwnerChanged":
            self.is_there = bool(message.body[2])
            self.objects.clear()
            if self.adapter:
                self.journal.note(self.name, "owner", there=self.is_there)
            return
        if not self.adapter:
            return
        path = message.body[0] if message.path == "/" else message.path
        if not (path + "/").startswith(f"/org/bluez/{self.adapter}/") and not (
            self.sees_root and path == "/org/bluez"
        ):
            return
        self.remember(message, path)
        self.journal.note(
            self.name,
            "signal",
            path=path,
            interface=message.interface,
            member=message.member,
            signature=message.signature,
            body=plain(message.body),
        )

    def remember(self, message, path):
        if message.member == "InterfacesAdded":
            for interface, properties in message.body[1].items():
                values = {key: value.value for key, value in properties.items()}
                self.objects.setdefault(path, {})[interface] = values
            self.know(path)
        elif message.member == "InterfacesRemoved":
            for interface in message.body[1]:
                self.objects.get(path, {}).pop(interface, None)
            if not any(name.startswith("org.bluez") for name in self.objects.get(path, {})):
                self.objects.pop(path, None)
        elif message.member == "PropertiesChanged":
            interface, changed, invalidated = message.body
            properties = self.objects.setdefault(path, {}).setdefault(interface, {})
            properties.update((key, value.value) for key, value in changed.items())
            for key in invalidated:
                properties.pop(key, None)

    def get(self, path, interface, name):
        """A property as the signals told it; None when there is none."""
        return self.objects.get(path, {}).get(full(interface), {}).get(name)

    def emit(self, path, name, value, interface="GattCharacteristic1"):
        """Tells that a property of one's own changed; None for one that is gone."""
        changed, gone = ({name: value}, []) if value else ({}, [name])
        body = [f"org.bluez.{interface}", changed, gone]
        self.bus.send(
            Message(
                message_type=MessageType.SIGNAL,
                path=path,
                interface=full("Properties"),
                member="PropertiesChanged",
                signature="sa{sv}as",
                body=body,
            )
        )
        self.journal.note(self.name, "emits", path=path, property=name, value=plain(value))

    def leave(self):
        """Leaves the bus, as a program does that ends."""
        self.journal.note(self.name, "leaves")
        self.end()

    def end(self):
        self.has_left = True
        for future, _ in self.pending.values():
            future.cancel()
        self.bus.disconnect()
