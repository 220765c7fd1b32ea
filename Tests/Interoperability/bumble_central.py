"""A central by Bumble, of the examples' services: says what it reads and is notified of.

It leaves when it gets a line, and says when its link has ended, by whomever.
"""

import asyncio
import sys

from bumble.core import UUID
from bumble.device import Peer

from bumble_device import MTU, connect, open_device
from examples import BATTERY, LEVEL, RX, TX, UART


def say(text):
    print(f"Bumble: {text}", flush=True)


async def use_battery(level):
    say(f"read {(await level.read_value())[0]}")
    await level.subscribe(lambda value: say(f"notified {value[0]}"))


async def use_uart(rx, tx, *texts):
    """Sends each text without a response, unless it is too long, and with one."""
    values = asyncio.Queue()
    await tx.subscribe(values.put_nowait)
    for text in texts:
        for with_response in (False, True) if len(text) <= MTU - 3 else (True,):
            await rx.write_value(text.encode(), with_response)
            parts = []
            while sum(map(len, parts)) < len(text):
                parts.append(await asyncio.wait_for(values.get(), 20))
            say(f"echo in {len(parts)}: {b''.join(parts).decode()}")


async def main(what, *words):
    name, service, uuids, use = {
        "battery": ("Battery", BATTERY, [LEVEL], use_battery),
        "uart": ("UART", UART, [RX, TX], use_uart),
    }[what]
    device, transport = await open_device("Bumble", "F0:F1:F2:F3:F4:01")
    peer = Peer(await connect(device, service, name))
    leaving = asyncio.Event()
    asyncio.get_running_loop().add_reader(sys.stdin, leaving.set)

    def disconnected(reason):
        say(f"disconnected 0x{reason:02X}")
        leaving.set()

    peer.connection.on("disconnection", disconnected)
    say(f"MTU {await peer.request_mtu(MTU)}")
    (found,) = await peer.discover_service(UUID(service))
    characteristics = {
        each.uuid: each
        for each in await found.discover_characteristics([UUID(uuid) for uuid in uuids])
    }
    properties = [int(characteristics[UUID(uuid)].properties) for uuid in uuids]
    say("properties " + " ".join(f"{each:#04x}" for each in properties))
    await use(*(characteristics[UUID(uuid)] for uuid in uuids), *words)
    await leaving.wait()
    if device.connections:
        await peer.connection.disconnect()
    await transport.close()


asyncio.run(main(*sys.argv[1:]))
