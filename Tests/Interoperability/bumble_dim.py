"""A phone with dIM by Bumble: one connection in both roles, as iOS has it.

Lines of standard input: `read`, by which its contact is told that all has been read; and texts for that contact.
"""

import asyncio
import sys

from bumble.core import UUID, AdvertisingData
from bumble.device import Peer
from bumble.gatt import Characteristic, CharacteristicValue, Service

import dim
from bumble_device import MTU, open_device


def say(text):
    print(f"phone: {text}", flush=True)


class Phone:
    def __init__(self, user):
        self.user, self.tasks, self.unread = user, set(), []

    async def open(self):
        self.device, _ = await open_device("Phone", "F0:F1:F2:F3:F4:08")
        self.device.on("connection", lambda link: self.spawn(self.connected(link)))
        properties = Characteristic.Properties
        self.packets = Characteristic(
            UUID(dim.PACKETS),
            properties.WRITE | properties.NOTIFY,
            Characteristic.WRITEABLE,
            CharacteristicValue(write=lambda link, value: say("written " + value.hex())),
        )
        self.packets.on(
            "subscription", lambda link, notifies, indicates: say(f"heard {int(notifies)}")
        )
        self.device.gatt_server.add_service(Service(UUID(dim.SERVICE), [self.packets]))
        kinds = AdvertisingData
        uuids = (kinds.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS, bytes(UUID(dim.SERVICE)))
        name = (kinds.COMPLETE_LOCAL_NAME, self.user.address.encode())
        await self.device.start_advertising(
            advertising_data=bytes(AdvertisingData([(kinds.FLAGS, bytes([0x06])), uuids])),
            scan_response_data=bytes(AdvertisingData([name])),
        )
        say("advertises")

    def spawn(self, work):
        task = asyncio.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def connected(self, link):
        link.on("disconnection", lambda reason: say(f"disconnected 0x{reason:02X}"))
        peer = Peer(link)
        await peer.request_mtu(MTU)
        (service,) = await peer.discover_service(UUID(dim.SERVICE))
        (packets,) = await service.discover_characteristics([UUID(dim.PACKETS)])
        await peer.subscribe(packets, self.received)
        say("hears")

    def received(self, value):
        packet = self.user.read(value)
        if packet is None:
            return
        kind, number, text = packet
        if kind == dim.MESSAGE:
            say(f"message {text}")
            self.unread.append(number)
            self.spawn(self.send(self.user.packet(dim.ACK, f"ACK/{number}")[1]))
        else:
            say(f"receipt {text}")

    async def send(self, value):
        await self.device.gatt_server.notify_subscribers(self.packets, value)


async def main(name, digits, generation, link):
    user = dim.User(name, digits, generation)
    user.add(link)
    say("link " + user.link)
    phone = Phone(user)
    await phone.open()
    while line := await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline):
        text = line.rstrip("\n")
        if text == "read":
            numbers, phone.unread = phone.unread, []
            text = "".join(f"{number}/" for number in numbers)
            await phone.send(user.packet(dim.READ, "READ/" + text)[1])
            continue
        number, value = user.message(text)
        await phone.send(value)
        say(f"sent {number}")


asyncio.run(main(*sys.argv[1:]))
