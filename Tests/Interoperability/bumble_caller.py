"""A caller by Bumble, as the original app is one, with a text that is none and one of as much as fits.

It leaves when it gets a line, or is asked to leave. After so many seconds without both subscriptions it gives up.
"""

import asyncio
import sys

from bumble.core import UUID, ProtocolError
from bumble.device import Peer

from bumble_device import MTU, connect, open_device
from chat import LEAVE, SERVICE, TO_CALLEE, TO_CALLER


def say(text):
    print(f"caller: {text}", flush=True)


async def main(name, seconds):
    device, transport = await open_device("Caller", "F0:F1:F2:F3:F4:06")
    peer = Peer(await connect(device, SERVICE, name))
    leaving = asyncio.Event()
    asyncio.get_running_loop().add_reader(sys.stdin, leaving.set)

    def asked(value):
        say("is asked to leave " + value.hex())
        leaving.set()

    subscriptions = {
        TO_CALLER: lambda value: say(f"indicated {len(value)} {value.decode()}"),
        LEAVE: asked,
    }
    async with asyncio.timeout(float(seconds)):
        await peer.request_mtu(MTU)
        (service,) = await peer.discover_service(UUID(SERVICE))
        characteristics = await service.discover_characteristics()
        found = {each.uuid: each for each in characteristics}
        for uuid, take in subscriptions.items():
            await peer.subscribe(found[UUID(uuid)], take, prefer_notify=False)
    say("properties " + " ".join(f"{int(each.properties):#04x}" for each in characteristics))
    say("is in the chat")
    write = found[UUID(TO_CALLEE)]
    await peer.write_value(write, "Hi 👋".encode(), with_response=True)
    try:
        await peer.write_value(write, b"\xff\xfe", with_response=True)
    except ProtocolError as error:
        say(f"refused {error.error_code:#04x}")
    await peer.write_value(write, b"x" * (MTU - 3), with_response=True)
    await leaving.wait()
    await peer.connection.disconnect()
    await transport.close()
    say("done")


asyncio.run(main(*sys.argv[1:]))
