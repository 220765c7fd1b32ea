"""A caller by bleak, as the original app is one: texts from standard input, and it leaves when it is asked to.

After so many seconds without both subscriptions it gives up.
"""

import asyncio
import sys

from bleak.exc import BleakError
from bleak.uuids import normalize_uuid_str
from dbus_fast import Variant

from bleak_link import CHARACTERISTIC, find, link
from chat import LEAVE, SERVICE, TO_CALLEE, TO_CALLER
from daemon import Daemon


def say(text):
    print(f"caller: {text}", flush=True)


async def write(client, value):
    try:
        await client.write_gatt_char(TO_CALLEE, value, response=True)
        say(f"wrote {len(value)}")
    except BleakError as error:
        say(f"refused {error}")


async def write_part(client):
    """What comes behind the beginning of a long write, which bleak can't write alone."""
    path, _ = client.services.get_characteristic(TO_CALLEE).obj
    options = {"offset": Variant("q", 3)}
    daemon = await Daemon().open()
    reply = await daemon.ask(path, CHARACTERISTIC, "WriteValue", "aya{sv}", b"part", options)
    daemon.bus.disconnect()
    say(f"wrote a part: {reply.error_name} {reply.body}")


async def main(name, first, size, seconds):
    def is_called(device, advertisement):
        uuids = advertisement.service_uuids
        return advertisement.local_name == name and normalize_uuid_str(SERVICE) in uuids

    device = await find(is_called, "hci0")
    leaving = asyncio.Event()
    subscriptions = [
        (TO_CALLER, lambda _, value: say(f"indicated {len(value)} {value.decode()}")),
        (LEAVE, lambda _, value: leaving.set()),
    ]
    if first == "leave":
        subscriptions.reverse()
    async with asyncio.timeout(float(seconds)):
        client = await link(device, "hci0", TO_CALLER)
        for uuid, take in subscriptions:
            await client.start_notify(uuid, take)
    characteristics = client.services.get_service(SERVICE).characteristics
    for each in sorted(characteristics, key=lambda each: each.handle):
        say(f"has {each.uuid[4:8]} {','.join(sorted(each.properties))}")
    say("is in the chat")
    await write(client, "Hi 👋".encode())
    await write(client, b"\xff\xfe")
    await write(client, b"")
    await write(client, b"x" * int(size))
    await write_part(client)
    await leaving.wait()
    await client.disconnect()
    say("done")


asyncio.run(main(*sys.argv[1:]))
