"""A vehicle's device by Bumble, as the original central of an add-on is one, with faults of its own."""

import asyncio
import sys

from bumble.core import UUID
from bumble.device import Peer
from bumble.gatt import Characteristic

from bumble_device import MTU, connect, open_device
from geotab import NOTIFY, SERVICE, WRITE, Reader, frame


def say(text):
    print(f"vehicle: {text}", flush=True)


class Vehicle:
    def __init__(self, peer, write):
        self.peer, self.write, self.frames, self.reader = peer, write, asyncio.Queue(), Reader()
        properties = Characteristic.Properties
        self.with_response = not write.properties & properties.WRITE_WITHOUT_RESPONSE

    def take(self, value):
        for each in self.reader.take(value):
            self.frames.put_nowait(each)

    async def next(self, kind):
        """The body of the next frame of a kind; others are left out."""
        while True:
            came, body = await asyncio.wait_for(self.frames.get(), 20)
            if came == kind:
                return body

    async def send(self, value, piece=MTU - 3):
        for start in range(0, len(value), piece):
            part = value[start : start + piece]
            await self.peer.write_value(self.write, part, with_response=self.with_response)

    async def play(self):
        await self.next(0x55)
        say("somebody is there")
        await self.send(b"\x00\xffnonsense\x02")
        await self.send(frame(0x01), piece=1)
        say("is told " + (await self.next(0x81)).hex())
        await self.send(frame(0x01))
        say("again " + (await self.next(0x81)).hex())
        await self.send(frame(0x02))
        await self.send(frame(0x24, b"x" * 300 + b"\n"))
        # One with a wrong sum, between two that are good.
        await self.send(frame(0x24, b"before\n") + frame(0x24, b"wrong\n")[:-2] + b"\x00\x03")
        await self.send(frame(0x24, b"after\n"))
        await self.send(frame(0x21, bytes(40)))
        await self.next(0x84)
        say("has its acknowledgement")
        for result in 1, 0:
            say("message " + (await self.next(0x88)).decode().strip())
            await self.send(frame(0x22, bytes([result, 0, 0, 0])))


async def main(name):
    device, transport = await open_device("Vehicle", "F0:F1:F2:F3:F4:04")
    peer = Peer(await connect(device, SERVICE, name or None))
    await peer.request_mtu(MTU)
    (service,) = await peer.discover_service(UUID(SERVICE))
    characteristics = await service.discover_characteristics([UUID(NOTIFY), UUID(WRITE)])
    found = {characteristic.uuid: characteristic for characteristic in characteristics}
    notify, write = found[UUID(NOTIFY)], found[UUID(WRITE)]
    say(f"properties {int(notify.properties):#04x} {int(write.properties):#04x}")
    vehicle = Vehicle(peer, write)
    await peer.subscribe(notify, vehicle.take)
    await vehicle.play()
    # It stays until it is told to leave: what came of its last frame is looked at first.
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)
    await peer.connection.disconnect()
    await transport.close()
    say("done")


asyncio.run(main(*sys.argv[1:]))
