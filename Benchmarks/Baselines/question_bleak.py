"""bleak beside question_floor.c: question_bleak.py plain|private DEVICE ADAPTER

DEVICE is the object path of a ball with a link. It asks as asking.h says.
"""

import asyncio
import json
import os
import resource
import sys
import time

from bleak import BleakClient
from bleak.backends.device import BLEDevice

QUESTION = "bdd37d7a-f66a-47b9-a49c-fe29fd235a77"
ANSWER = "349a0d7b-6215-4e2c-a095-af078d737445"
PRIVATE_QUESTION = "544dcf2d-80b8-443d-8ecf-24148a54e30c"
REPLY = "81d7c03f-cd6c-42e3-a494-a1800cfa129d"
TEXT = b"Will it rain?"
SECONDS = 10


class PlainAsker:
    def __init__(self, client):
        self.client = client
        self.ending = None

    async def open(self):
        pass

    async def ask(self):
        """Unsubscribing is waited for when the next question is asked, as a user waits for the answer alone."""
        if self.ending:
            await self.ending
        answer = asyncio.get_running_loop().create_future()

        def notified(_, value):
            if value and not answer.done():
                answer.set_result(bytes(value))

        await self.client.start_notify(ANSWER, notified)
        await self.client.write_gatt_char(QUESTION, TEXT, response=True)
        await asyncio.wait_for(answer, SECONDS)
        self.ending = asyncio.create_task(self.client.stop_notify(ANSWER))


class PrivateAsker:
    def __init__(self, client):
        self.client = client
        self.tag, self.ready = b"", None

    async def open(self):
        await self.client.start_notify(REPLY, self.notified)

    def notified(self, _, value):
        if value == b"\x01" + self.tag and not self.ready.done():
            self.ready.set_result(None)

    async def ask(self):
        self.tag, self.ready = os.urandom(8), asyncio.get_running_loop().create_future()
        await self.client.write_gatt_char(
            PRIVATE_QUESTION, b"\x01" + self.tag + TEXT, response=True
        )
        await asyncio.wait_for(self.ready, SECONDS)
        reply = bytes(await self.client.read_gatt_char(REPLY))
        assert reply.startswith(b"\x02" + self.tag + b"\x00"), reply


async def ask_all(asker, count, pace, seconds):
    took = []
    start, cpu, switched = time.perf_counter_ns(), time.process_time_ns(), switches()
    while (not count or len(took) < count) and (
        not seconds or time.perf_counter_ns() - start < seconds * 1e9
    ):
        if pace:
            due = start + len(took) * pace * 1_000_000
            await asyncio.sleep(max(0, due - time.perf_counter_ns()) / 1e9)
        begin = time.perf_counter_ns()
        await asker.ask()
        took.append(time.perf_counter_ns() - begin)
    return {
        "wall_ns": time.perf_counter_ns() - start,
        "cpu_ns": time.process_time_ns() - cpu,
        "switches": switches() - switched,
        "latencies_ns": took,
    }


def switches():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_nvcsw + usage.ru_nivcsw


async def main(kind, device, adapter):
    address = device.rpartition("dev_")[2].replace("_", ":")
    client = BleakClient(BLEDevice(address, None, {"path": device}), bluez={"adapter": adapter})
    await client.connect()
    asker = {"plain": PlainAsker, "private": PrivateAsker}[kind](client)
    await asker.open()
    print("ready", flush=True)
    # Nothing is under way between two lines, so that it may block.
    while line := sys.stdin.readline():
        print(json.dumps(await ask_all(asker, *map(int, line.split()))), flush=True)
    # As a program that is killed, so that the link is there for the next client.
    os._exit(0)


asyncio.run(main(*sys.argv[1:]))
