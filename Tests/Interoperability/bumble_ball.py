"""A ball by Bumble, as the original app is one. It plays what its standard input says, a line each.

After each line it is without a link and advertises; it says so, and whatever reaches it.
"""

import asyncio
import struct
import sys

from bumble.core import UUID, AdvertisingData
from bumble.gatt import Characteristic, CharacteristicValue, Service

from bumble_device import open_device
from bumble_plays import PLAYS
from service import ANSWER, QUESTION, SERVICE

NAME, ADDRESS = "Bumble Ball", "F0:F1:F2:F3:F4:02"


def say(text):
    print(f"ball: {text}", flush=True)


class Ball:
    async def open(self):
        self.device, self.transport = await open_device(NAME, ADDRESS)
        self.server = self.device.gatt_server
        self.link, self.is_alone, self.advertising = None, asyncio.Event(), asyncio.Lock()
        self.is_alone.set()
        self.next_handle = self.server.next_handle()
        self.server.next_handle = lambda: max(
            self.next_handle, *(attribute.handle + 1 for attribute in self.server.attributes)
        )
        # An original ball gets a long write in parts, and never replies to what is no single request.
        self.server.on_att_execute_write_request = lambda bearer, request: say("got a long write")
        write_subscription = self.server.write_cccd

        async def subscribing(bearer, characteristic, value):
            if characteristic is self.answer:
                await self.play.subscribing()
            write_subscription(bearer, characteristic, value)

        self.server.write_cccd = subscribing
        self.device.on("connection", self.connected)
        self.publish()

    def publish(self):
        """Adds the service, behind all handles that were ever used."""
        write, read = Characteristic.WRITEABLE, Characteristic.READABLE
        properties = Characteristic.Properties
        asked = CharacteristicValue(write=self.asked)
        self.question = Characteristic(QUESTION, properties.WRITE, write, asked)
        self.answer = Characteristic(ANSWER, properties.READ | properties.NOTIFY, read, b"")
        self.answer.on("subscription", self.subscribed)
        self.service = Service(SERVICE, [self.question, self.answer])
        self.server.add_service(self.service)

    async def change(self, publish):
        """Takes the service away, or gives it new handles; and tells so."""
        first, last = self.service.handle, self.service.end_group_handle
        self.next_handle = last + 1
        kept = [each for each in self.server.attributes if not first <= each.handle <= last]
        self.server.attributes[:] = kept
        self.server.attributes_by_handle.clear()
        self.server.services.remove(self.service)
        self.service = None
        if publish:
            self.publish()
        if self.link:
            changed = self.device.gatt_service.service_changed_characteristic
            handles = struct.pack("<HH", first, 0xFFFF)
            await self.server.indicate_subscriber(self.link, changed, handles)
            say("told that services changed")

    async def begin(self, words):
        """Plays something else."""
        if self.link:
            await self.link.disconnect()
        await self.is_alone.wait()
        if not self.service:
            self.publish()
        self.play = PLAYS[words[0]](self, *words[1:])
        await self.advertise()
        say("plays " + " ".join(words))

    async def advertise(self):
        async with self.advertising:
            if self.device.is_advertising or self.link:
                return
            kinds = AdvertisingData
            flags = (kinds.FLAGS, bytes([0x06]))
            services = (kinds.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS, bytes(UUID(SERVICE)))
            name = (kinds.COMPLETE_LOCAL_NAME, NAME.encode())
            await self.device.start_advertising(
                advertising_data=bytes(AdvertisingData([flags, services])),
                scan_response_data=bytes(AdvertisingData([name])),
            )

    # What reaches it.

    def connected(self, link):
        say("connected")
        self.link = link
        self.is_alone.clear()
        link.on("disconnection", self.disconnected)
        self.later(self.play.connected())

    def disconnected(self, reason):
        say(f"disconnected 0x{reason:02X}")
        self.link = None
        self.is_alone.set()
        self.later(self.advertise())

    def subscribed(self, link, notify, indicate):
        say("subscribed" if notify else "unsubscribed")
        if notify:
            self.later(self.play.subscribed())

    async def asked(self, link, value):
        text = value.decode()
        say(f"asked {text!r}")
        await self.play.asked(text)
        # Bumble sends the reply first.
        self.later(self.play.accepted(text))

    # What it does.

    def later(self, work):
        task = asyncio.create_task(work)
        task.add_done_callback(lambda task: task.cancelled() or task.result())

    async def tell(self, value):
        await self.server.notify_subscribers(self.answer, value)

    async def drop(self):
        await self.link.disconnect()

    async def vanish(self):
        """Its controller goes, and the link with it as by a supervision time-out; then a new one comes."""
        await self.transport.close()
        say("vanished")
        await self.open()
        await self.advertise()


async def main():
    ball = Ball()
    await ball.open()
    say("ready")
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), sys.stdin
    )
    while line := await reader.readline():
        await ball.begin(line.decode().split(maxsplit=1))


asyncio.run(main())
