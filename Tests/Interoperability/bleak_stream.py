"""A central that speaks a stream to ble-socket by bleak: sends a text, and prints the reply.

usage: bleak_stream.py PASSPHRASE TEXT; an empty passphrase is none.
"""

import asyncio
import secrets
import sys

from bleak_link import find, link
from stream import SERVICE, STREAM, Frames, Refused, Stream, say


async def main(passphrase, text):
    def is_socket(_, advertisement):
        return SERVICE.lower() in advertisement.service_uuids

    client = await link(await find(is_socket, "hci0"), "hci0", STREAM)

    async def transmit(frame):
        await client.write_gatt_char(STREAM, frame, response=False)

    async def take():
        while True:
            await frames.take(await values.get())

    values, frames = asyncio.Queue(), Frames(transmit, 180, secrets.randbits(64))
    await client.start_notify(STREAM, lambda _, value: values.put_nowait(bytes(value)))
    taking, stream = asyncio.create_task(take()), Stream(frames, passphrase)
    try:
        async with asyncio.timeout(40):
            await stream.open()
            await stream.write(text.encode())
            await stream.finish()
            say(f"reply {(await stream.read_all()).decode()}")
            await frames.leave()
    except Refused as refusal:
        say(f"refused {refusal}")
    taking.cancel()
    await client.disconnect()


asyncio.run(main(*sys.argv[1:]))
