"""A ball by Bumble, as the original app is one. It plays what its standard input says, a line each.

After each line it has no link, and advertises; it says so, and whatever reaches it.
"""

import asyncio
import sys

from bumble.core import UUID, AdvertisingData

from bumble_device import open_device
from bumble_plays import PLAYS
from bumble_service import BallService
from service import SERVICE

NAME, ADDRESS = "Bumble Ball", "F0:F1:F2:F3:F4:02"


def say(text):
    print(f"ball: {text}", flush=True)


class Ball:
    def __init__(self):
        self.link, self.is_alone, self.advertising = None, asyncio.Event(), asyncio.Lock()

    async def open(self):
        self.device, self.transport = await open_device(NAME, ADDRESS)
        self.device.on("connection", self.connected)
        self.service = BallService(self.device, self.asked, self.subscribing, self.subscribed)
        self.service.publish()
        # An original ball never replies to a question in several parts.
        self.device.gatt_server.on_att_execute_write_request = lambda *_: say("got a long write")
        self.is_alone.set()

    async def begin(self, words):
        """Plays something else."""
        if self.link:
            await self.link.disconnect()
        await self.is_alone.wait()
        is_first_series = words[0] == "answers-the-first-series"
        if self.service.service and self.service.is_first_series != is_first_series:
            self.service.withdraw()
        self.service.is_first_series = is_first_series
        self.service.publish()
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
        link.on("disconnection", lambda reason: self.disconnected(link, reason))
        self.later(self.play.connected())

    def disconnected(self, link, reason):
        if link is not self.link:
            return
        say(f"disconnected 0x{reason:02X}")
        self.link = None
        self.is_alone.set()
        self.later(self.advertise())

    async def subscribing(self):
        await self.play.subscribing()

    def subscribed(self, whether):
        say("subscribed" if whether else "unsubscribed")
        if whether:
            self.later(self.play.subscribed())

    async def asked(self, text):
        say(f"asked {text!r}")
        await self.play.asked(text)
        # Bumble sends the reply first.
        self.later(self.play.accepted(text))

    # What it does.

    def later(self, work):
        task = asyncio.create_task(work)
        task.add_done_callback(lambda task: task.cancelled() or task.result())

    async def drop(self):
        await self.link.disconnect()

    async def vanish(self):
        """Its controller goes, and the link as by a supervision time-out; then it has a new one."""
        self.link = None
        await self.transport.close()
        say("vanished")
        await self.open()
        await self.advertise()

    async def change(self, publish):
        """Takes the service away, or gives it other handles; and tells so."""
        self.service.withdraw()
        if publish:
            self.service.publish()
        await self.service.tell_change(self.link)
        say("told that services changed")


async def main():
    ball = Ball()
    await ball.open()
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), sys.stdin
    )
    while line := await reader.readline():
        await ball.begin(line.decode().strip().split(maxsplit=1))


asyncio.run(main())
