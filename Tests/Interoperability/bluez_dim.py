"""A node with dIM over BlueZ's own interface: it advertises, connects to each device with the service, and subscribes there.

As the app does it, what comes is notified on to all who have subscribed, once for each number; the own numbers are not
remembered. Lines of standard input: `add LINK`; `read`, by which its contact is told that all has been read; and texts for that contact.
"""

import asyncio
import json
import sys

from bluez_peripheral.advert import Advertisement
from bluez_peripheral.gatt.characteristic import CharacteristicFlags, characteristic
from bluez_peripheral.gatt.service import Service, ServiceCollection
from bluez_peripheral.util import Adapter, get_message_bus
from dbus_fast import Message, Variant

import dim
from daemon import ADAPTER, DEVICE, PROPERTIES, Daemon

CHARACTERISTIC = "org.bluez.GattCharacteristic1"
FLAGS = CharacteristicFlags


def say(text):
    print(f"node: {text}", flush=True)


class Packets(Service):
    def __init__(self):
        super().__init__(dim.SERVICE, True)

    # Nobody writes to it.
    @characteristic(dim.PACKETS, FLAGS.NOTIFY | FLAGS.WRITE)
    def packets(self, options):
        return b""

    @packets.setter
    def packets(self, value, options):
        say(f"written {value.hex()}")


class Node:
    def __init__(self, adapter, user):
        self.root, self.user = f"/org/bluez/{adapter}", user
        self.service, self.seen, self.tasks = Packets(), set(), set()
        # Devices that are being connected to, or are; characteristics that notify.
        self.devices, self.subscriptions = set(), set()
        self.unread = []

    async def open(self):
        bus = await get_message_bus()
        adapters = await Adapter.get_all(bus)
        (adapter,) = (each for each in adapters if each._proxy.path == self.root)
        services = ServiceCollection()
        services.add_service(self.service)
        await services.register(bus, adapter=adapter)
        await Advertisement(self.user.address, [dim.SERVICE], 0, 0).register(bus, adapter)
        self.daemon = await Daemon().open()
        self.daemon.bus.add_message_handler(self.signalled)
        rule = f"type='signal',interface='{PROPERTIES}',path_namespace='{self.root}'"
        bus_name = "org.freedesktop.DBus"
        await self.daemon.bus.call(
            Message(bus_name, "/org/freedesktop/DBus", bus_name, "AddMatch", signature="s", body=[rule])
        )
        # Not for the service: bluetoothd 5.87 dies of that.
        wanted = {"Transport": Variant("s", "le")}
        await self.daemon.call(self.root, ADAPTER, "SetDiscoveryFilter", "a{sv}", wanted)
        await self.daemon.call(self.root, ADAPTER, "StartDiscovery")
        say("advertises")

    async def find(self):
        """Connects to whatever has the service."""
        while True:
            for path, interfaces in (await self.daemon.objects()).items():
                device = interfaces.get(DEVICE) if path.startswith(self.root + "/") else None
                if device and path not in self.devices and self.is_there(device):
                    self.devices.add(path)
                    self.spawn(self.connect(path))
            await asyncio.sleep(0.5)

    def is_there(self, device):
        is_near = "RSSI" in device or device["Connected"].value
        return is_near and dim.SERVICE.lower() in device["UUIDs"].value

    async def connect(self, path):
        await self.daemon.ask(path, DEVICE, "Connect")

        def packets(at, interfaces):
            of_device = at.startswith(path + "/") and interfaces.get(CHARACTERISTIC)
            return of_device and of_device["UUID"].value == dim.PACKETS.lower() and at

        try:
            at = await self.daemon.until(packets)
            await self.daemon.call(at, CHARACTERISTIC, "StartNotify")
            self.subscriptions.add(at)
            say("hears")
        except (AssertionError, TimeoutError):
            # It is tried again.
            self.devices.discard(path)

    def signalled(self, message):
        if message.member != "PropertiesChanged":
            return
        interface, changed, _ = message.body
        if interface == CHARACTERISTIC and message.path in self.subscriptions and "Value" in changed:
            self.received(bytes(changed["Value"].value))
        if interface == DEVICE and "Connected" in changed and not changed["Connected"].value:
            self.devices.discard(message.path)
            self.subscriptions = {
                each for each in self.subscriptions if not each.startswith(message.path + "/")
            }

    def received(self, value):
        members = json.loads(value)
        # The app's decoder wants the member of its generation.
        if self.user.kind not in members or members["id"] in self.seen:
            return
        self.seen.add(members["id"])
        packet = self.user.read(value)
        if packet is None:
            if members["receiver"] != self.user.address:
                self.service.packets.changed(self.user.relayed(value))
                say("relays")
            return
        kind, number, text = packet
        if kind == dim.MESSAGE:
            say(f"message {text}")
            self.unread.append(number)
            self.service.packets.changed(self.user.packet(dim.ACK, f"ACK/{number}")[1])
        else:
            say(f"receipt {text}")

    def spawn(self, work):
        task = asyncio.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)


async def main(adapter, name, digits, generation):
    user = dim.User(name, digits, generation)
    say("link " + user.link)
    node = Node(adapter, user)
    await node.open()
    node.spawn(node.find())
    while line := await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline):
        word, _, text = line.rstrip("\n").partition(" ")
        if word == "add":
            user.add(text)
            continue
        if word == "read":
            numbers, node.unread = node.unread, []
            text = "".join(f"{number}/" for number in numbers)
            node.service.packets.changed(user.packet(dim.READ, "READ/" + text)[1])
            continue
        number, value = user.message(line.rstrip("\n"))
        node.service.packets.changed(value)
        say(f"sent {number}")


asyncio.run(main(*sys.argv[1:]))
