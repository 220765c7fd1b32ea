"""An asker by bleak: finds a ball, subscribes, asks, prints the answer."""

import asyncio
import sys

from bleak import BleakClient, BleakScanner

from service import ANSWER, QUESTION, SERVICE


async def main(adapter, question):
    def is_ball(device, advertisement):
        return SERVICE.lower() in advertisement.service_uuids

    ball = await BleakScanner.find_device_by_filter(is_ball, timeout=10, bluez={"adapter": adapter})
    if ball is None:
        sys.exit("asker: no ball found")
    print(f"asker: found {ball.name} at {ball.address}", flush=True)
    answers = asyncio.Queue()
    async with BleakClient(ball, bluez={"adapter": adapter}) as client:
        await client.start_notify(ANSWER, lambda _, value: answers.put_nowait(bytes(value)))
        await client.write_gatt_char(QUESTION, question.encode(), response=True)
        answer = await asyncio.wait_for(answers.get(), 5)
        print(f"asker: answer {answer.decode()}", flush=True)
        read = await client.read_gatt_char(ANSWER)
        print(f"asker: read {bytes(read).decode()}", flush=True)
        try:
            await client.write_gatt_char(QUESTION, b"no question", response=True)
        except Exception as error:  # Each version of bleak has an error of its own for it.
            print(f"asker: refused {error}", flush=True)
        await client.stop_notify(ANSWER)


asyncio.run(main(*sys.argv[1:]))
