"""A peripheral that speaks a stream to ble-socket by bluez-peripheral.

It reads a text, and replies in capitals.

usage: bluez_stream.py PASSPHRASE; an empty one is none.
"""

import asyncio
import sys

from bluez_peripheral.advert import Advertisement
from bluez_peripheral.gatt.characteristic import CharacteristicFlags, characteristic
from bluez_peripheral.gatt.service import Service, ServiceCollection
from bluez_peripheral.util import Adapter, get_message_bus

from stream import SERVICE, STREAM, Frames, Refused, Stream, say

FLAGS = CharacteristicFlags.WRITE_WITHOUT_RESPONSE | CharacteristicFlags.NOTIFY


class Socket(Service):
    def __init__(self):
        self.values = asyncio.Queue()
        super().__init__(SERVICE, True)

    @characteristic(STREAM, FLAGS)
    def stream(self, options):
        return b""

    @stream.setter
    def stream(self, value, options):
        self.values.put_nowait(bytes(value))

    async def transmit(self, frame):
        self.stream.changed(frame)


async def serve(socket, passphrase):
    async def take():
        while True:
            await frames.take(await socket.values.get())

    frames = Frames(socket.transmit, 180)
    taking, stream = asyncio.create_task(take()), Stream(frames, passphrase)
    try:
        await stream.open()
        text = await stream.read_all()
        say(f"read {text.decode()!r}")
        await stream.write(text.upper())
        await stream.finish()
        await frames.leave()
        say("done")
    except Refused as refusal:
        say(f"refused {refusal}")
    taking.cancel()


async def main(passphrase):
    bus = await get_message_bus()
    adapters = {await adapter.get_address(): adapter for adapter in await Adapter.get_all(bus)}
    adapter, socket = adapters["00:AA:01:01:00:01"], Socket()
    services = ServiceCollection()
    services.add_service(socket)
    await services.register(bus, adapter=adapter)
    await Advertisement("", [SERVICE], 0, 0).register(bus, adapter)
    say("advertises")
    await serve(socket, passphrase)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)


asyncio.run(main(*sys.argv[1:]))
