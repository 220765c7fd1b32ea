"""A central by bleak, of the examples' services: says what it reads and is notified of.

It leaves when it gets a line, and says when its link has ended, by whomever.
"""

import asyncio
import sys

from bleak.uuids import normalize_uuid_str

from bleak_link import find, link
from examples import BATTERY, LEVEL, RX, TX, UART


def say(text):
    print(f"bleak: {text}", flush=True)


async def use_battery(client):
    say(f"read {(await client.read_gatt_char(LEVEL))[0]}")
    await client.start_notify(LEVEL, lambda _, value: say(f"notified {value[0]}"))


async def use_uart(client, *texts):
    """Sends each text without a response, and with one."""
    echoes = asyncio.Queue()
    await client.start_notify(TX, lambda _, value: echoes.put_nowait(bytes(value)))
    for text in texts:
        for with_response in False, True:
            await client.write_gatt_char(RX, text.encode(), response=with_response)
            say("echo " + (await asyncio.wait_for(echoes.get(), 20)).decode())


async def main(what, *words):
    service, characteristic, use = {
        "battery": (BATTERY, LEVEL, use_battery),
        "uart": (UART, TX, use_uart),
    }[what]
    peripheral = await find(
        lambda _, advertisement: normalize_uuid_str(service) in advertisement.service_uuids, "hci0"
    )
    say(f"found {peripheral.name}")
    leaving = asyncio.Event()
    asyncio.get_running_loop().add_reader(sys.stdin, leaving.set)

    def disconnected(client):
        say("disconnected")
        leaving.set()

    client = await link(peripheral, "hci0", characteristic, disconnected_callback=disconnected)
    await use(client, *words)
    await leaving.wait()
    await client.disconnect()


asyncio.run(main(*sys.argv[1:]))
