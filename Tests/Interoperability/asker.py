"""An asker by bleak: finds a ball, subscribes, asks over either pair, prints the answers."""

import asyncio
import os
import sys

from bleak_link import find, link
from service import ANSWER, PRIVATE_QUESTION, QUESTION, REPLY, SERVICE


async def ask_privately(client, question):
    """Asks over the private pair; the status and the text that were read."""
    tag = os.urandom(8)
    told = asyncio.Queue()
    await client.start_notify(REPLY, lambda _, value: told.put_nowait(bytes(value)))
    await client.write_gatt_char(PRIVATE_QUESTION, b"\x01" + tag + question.encode(), response=True)
    while await asyncio.wait_for(told.get(), 30) != b"\x01" + tag:
        pass
    reply = bytes(await client.read_gatt_char(REPLY))
    assert reply[:9] == b"\x02" + tag, reply
    # It is kept for the other programs of this host: a read deletes nothing.
    assert bytes(await client.read_gatt_char(REPLY)) == reply
    await client.stop_notify(REPLY)
    return reply[9], reply[10:].decode()


async def main(adapter, question):
    def is_ball(device, advertisement):
        return SERVICE.lower() in advertisement.service_uuids

    ball = await find(is_ball, adapter)
    print(f"asker: found {ball.name} at {ball.address}", flush=True)
    answers = asyncio.Queue()
    client = await link(ball, adapter, QUESTION)
    await client.start_notify(ANSWER, lambda _, value: answers.put_nowait(bytes(value)))
    await client.write_gatt_char(QUESTION, question.encode(), response=True)
    answer = await asyncio.wait_for(answers.get(), 30)
    print(f"asker: answer {answer.decode()}", flush=True)
    read = await client.read_gatt_char(ANSWER)
    print(f"asker: read {bytes(read).decode()}", flush=True)
    try:
        await client.write_gatt_char(QUESTION, b"no question", response=True)
    except Exception as error:  # Each version of bleak has an error of its own for it.
        print(f"asker: refused {error}", flush=True)
    status, text = await ask_privately(client, question)
    print(f"asker: private {status} {text}", flush=True)
    try:
        await ask_privately(client, "no question")
    except Exception as error:
        print(f"asker: private refused {error}", flush=True)
    await client.stop_notify(ANSWER)
    await client.disconnect()


asyncio.run(main(*sys.argv[1:]))
