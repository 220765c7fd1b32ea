"""The Geotab add-on protocol: its frames, and both ends as the originals are, with faults of their own.

A frame is 02, kind, length, body, Fletcher's sums, 03. Docs/Wire.md tells more.
"""

import asyncio

SERVICE = "42B20191-092E-4B85-B0CA-1012F6AC783A"
NOTIFY = "430F2EA3-C765-4051-9134-A341254CFD00"
WRITE = "906EE7E0-D8DB-44F3-AF54-6B0DFCECDF1C"

SYNC = b"\x55"
LONG_KINDS = 0x88, 0x24


def frame(kind, body=b""):
    length = len(body).to_bytes(2 if kind in LONG_KINDS else 1, "little")
    start = bytes([0x02, kind]) + length + body
    first = second = 0
    for byte in start:
        first = (first + byte) & 0xFF
        second = (second + first) & 0xFF
    return start + bytes([first, second, 0x03])


class Reader:
    """Takes bytes as they come; what is no frame of these kinds ends it, as an app of the original would."""

    def __init__(self):
        self.bytes = b""

    def take(self, value):
        """The frames that are whole now: kind and body; the byte that says that somebody is there has kind 55."""
        self.bytes += value
        frames = []
        while self.bytes:
            if self.bytes[:1] == SYNC:
                frames.append((0x55, b""))
                self.bytes = self.bytes[1:]
                continue
            assert self.bytes[0] == 0x02, self.bytes.hex()
            header = 4 if self.bytes[1:2] and self.bytes[1] in LONG_KINDS else 3
            if len(self.bytes) < header:
                break
            count = int.from_bytes(self.bytes[2:header], "little")
            if len(self.bytes) < header + count + 3:
                break
            body = self.bytes[header : header + count]
            whole = frame(self.bytes[1], body)
            assert self.bytes.startswith(whole), self.bytes.hex()
            frames.append((whole[1], body))
            self.bytes = self.bytes[len(whole) :]
        return frames


class Vehicle:
    """A vehicle's device, which is a central."""

    def __init__(self, write, size):
        """`write` sends one value of at most `size` bytes."""
        self.write, self.size, self.frames, self.reader = write, size, asyncio.Queue(), Reader()

    @staticmethod
    def say(text):
        print(f"vehicle: {text}", flush=True)

    def take(self, value):
        for each in self.reader.take(value):
            self.frames.put_nowait(each)

    async def next(self, kind):
        """The body of the next frame of a kind; others are left out."""
        while True:
            came, body = await asyncio.wait_for(self.frames.get(), 20)
            if came == kind:
                return body

    async def send(self, value, piece=None):
        for start in range(0, len(value), piece or self.size):
            await self.write(value[start : start + (piece or self.size)])

    async def play(self):
        await self.next(0x55)
        self.say("somebody is there")
        await self.send(b"\x00\xffnonsense\x02")
        await self.send(frame(0x01), piece=1)
        self.say("is told " + (await self.next(0x81)).hex())
        await self.send(frame(0x01))
        self.say("again " + (await self.next(0x81)).hex())
        await self.send(frame(0x02))
        await self.send(frame(0x24, b"x" * 300 + b"\n"))
        # One with a wrong sum, between two that are good.
        await self.send(frame(0x24, b"before\n") + frame(0x24, b"wrong\n")[:-2] + b"\x00\x03")
        await self.send(frame(0x24, b"after\n"))
        await self.send(frame(0x21, bytes(40)))
        await self.next(0x84)
        self.say("has its acknowledgement")
        for result in 1, 0:
            self.say("message " + (await self.next(0x88)).decode().strip())
            await self.send(frame(0x22, bytes([result, 0, 0, 0])))


class Phone:
    """An add-on, which is a peripheral: Keyless ("seed"), or IOX BLE ("head").

    As they do, it tells nobody that it has vehicle data.
    """

    IDENTIFIERS = {"seed": b"\x5f\x10\x01\x00", "head": b"\x2d\x10\x01\x00"}

    def __init__(self, generation):
        self.generation, self.reader, self.is_known = generation, Reader(), False

    @staticmethod
    def say(text):
        print(f"phone: {text}", flush=True)

    async def notify(self, part):
        """Sends what one notification carries."""
        raise NotImplementedError

    @property
    def size(self):
        """How many bytes that are."""
        raise NotImplementedError

    async def send(self, value):
        size = self.size
        for start in range(0, len(value), size):
            await self.notify(value[start : start + size])

    async def sync(self):
        """Says that somebody is there, until it is asked who."""
        while not self.is_known:
            await self.send(SYNC)
            await asyncio.sleep(1)

    async def written(self, value):
        for kind, body in self.reader.take(value):
            if kind == 0x01:
                self.say("is asked")
                await self.send(frame(0x81, self.IDENTIFIERS[self.generation]))
            elif kind == 0x02:
                self.is_known = True
                self.say("is known")
                await self.send(frame(0x88, b"unlock " + b"x" * 400))
            elif kind == 0x22:
                self.say(f"result {body.hex()}")
            elif kind == 0x24:
                self.say("data " + body.decode())
            elif kind == 0x21:
                self.say(f"vehicle {len(body)}")
