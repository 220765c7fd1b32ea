"""One end of a stream of ble-socket, made from Docs/Wire.md; it is encrypted by noiseprotocol.

No frame is sent twice: what the bus and the emulated air take they carry, though perhaps not in
order.
"""

import asyncio
import hashlib
import secrets
import struct

from noise.connection import Keypair, NoiseConnection

SERVICE = "6E400001-B5A3-F393-E0A9-E50E24DCCA9E"
STREAM = "D68316B9-8184-4879-84F5-2C7C441F3DE0"
PATTERN = "Noise_{}_25519_ChaChaPoly_SHA256"
PROLOGUE = b"BLESocket stream 3"
BYTES = b"\0"
HELLO, DATA, CONFIRMATION, QUESTION, END, RESET = range(1, 7)
KNOWN, ENCRYPTED, SHARED = 1, 2, 4
LABELLED = 0x80
DONE = 3
WINDOW = 16_384


def say(text):
    print(f"noise: {text}", flush=True)


class Refused(Exception):
    """The other end has ended the stream, for the reason of that number."""


class Frames:
    """Bytes in order, in frames."""

    def __init__(self, transmit, size, session=None):
        """`transmit` sends a frame; a central has a session."""
        self.transmit, self.size = transmit, size
        self.session, self.is_central = session, session is not None
        self.is_shared, self.is_open, self.is_over = False, False, False
        # What comes.
        self.received, self.ahead, self.end = 0, {}, None
        self.bytes = bytearray()
        # What goes.
        self.sent, self.confirmed, self.limit = 0, 0, 0
        self.reason = None
        self.change = asyncio.Condition()

    async def until(self, is_true):
        async with self.change:
            await self.change.wait_for(lambda: self.reason is not None or is_true())
        if not is_true():
            raise Refused(self.reason)

    # What is sent.

    async def send(self, kind, body):
        frame = bytes([kind]) + body
        if self.is_shared and kind != HELLO:
            label = (self.session & 0xFFFF).to_bytes(2, "little")
            frame = bytes([kind | LABELLED]) + label + body
        await self.transmit(frame)

    async def send_hello(self):
        flags = 0x10 | ENCRYPTED | (0 if self.is_central else KNOWN)
        words = flags, self.session, self.received, self.received + WINDOW
        await self.send(HELLO, struct.pack("<BQII", *words))

    async def confirm(self):
        received = self.received + (self.received == self.end)
        await self.send(CONFIRMATION, struct.pack("<II", received, received + WINDOW))

    async def write(self, data):
        size = self.size - 7
        for part in [data[at : at + size] for at in range(0, len(data), size)]:
            await self.until(lambda: self.sent + len(part) <= self.limit)
            await self.send(DATA, struct.pack("<I", self.sent) + part)
            self.sent += len(part)

    async def finish(self):
        await self.send(END, struct.pack("<I", self.sent))
        await self.until(lambda: self.confirmed == self.sent + 1)

    # What comes.

    async def take(self, frame):
        kind, body = frame[0], frame[1:]
        if kind & LABELLED:
            label, kind, body = body[:2], kind & ~LABELLED, body[2:]
            if label != (self.session & 0xFFFF).to_bytes(2, "little"):
                return
        if kind == HELLO:
            await self.take_hello(*struct.unpack("<BQII", body))
        elif kind == DATA:
            self.ahead[struct.unpack("<I", body[:4])[0]] = body[4:]
            while part := self.ahead.pop(self.received, None):
                self.bytes += part
                self.received += len(part)
            await self.confirm()
        elif kind in (CONFIRMATION, QUESTION):
            received, self.limit = struct.unpack("<II", body[:8])
            self.confirmed = max(self.confirmed, received)
            if kind == QUESTION:
                await self.confirm()
        elif kind == END:
            self.end = struct.unpack("<I", body)[0]
            await self.confirm()
        elif kind == RESET:
            self.reason = body[0]
        async with self.change:
            self.change.notify_all()

    async def take_hello(self, flags, session, received, limit):
        if self.is_central and session != self.session:
            return
        assert flags & ENCRYPTED, "the other end does not encrypt"
        self.session, self.limit = session, max(self.limit, limit)
        self.is_shared = self.is_central and flags & SHARED != 0
        if not self.is_central:
            await self.send_hello()
        self.is_open = True

    async def read(self, count):
        """So many bytes; fewer at the end."""
        await self.until(lambda: len(self.bytes) >= count or self.received == self.end)
        data = bytes(self.bytes[:count])
        del self.bytes[:count]
        return data

    async def leave(self):
        """Both ends have all."""
        await self.until(lambda: self.received == self.end)
        await self.send(RESET, bytes([DONE]))


class Stream:
    """Texts over frames, encrypted."""

    def __init__(self, frames, passphrase):
        self.frames = frames
        self.noise = NoiseConnection.from_name(
            PATTERN.format("XXpsk3" if passphrase else "XX").encode()
        )
        if frames.is_central:
            self.noise.set_as_initiator()
        else:
            self.noise.set_as_responder()
        if passphrase:
            salt, cost = b"BLESocket passphrase 1", dict(n=32_768, r=8, p=1, dklen=32)
            words = dict(salt=salt, maxmem=64 * 1024 * 1024, **cost)
            self.noise.set_psks(hashlib.scrypt(passphrase.encode(), **words))
        self.noise.set_keypair_from_private_bytes(Keypair.STATIC, secrets.token_bytes(32))
        self.noise.set_prologue(PROLOGUE)

    async def open(self):
        if self.frames.is_central:
            await self.frames.send_hello()
        await self.frames.until(lambda: self.frames.is_open)
        self.noise.start_handshake()
        writes = self.frames.is_central
        while not self.noise.handshake_finished:
            if writes:
                await self.write_message(bytes(self.noise.write_message()))
            else:
                self.noise.read_message(await self.read_message())
            writes = not writes
        await self.write_record(b"")
        assert await self.read_record() == b"", "the first record is no proof"

    async def write_message(self, message):
        await self.frames.write(len(message).to_bytes(2, "little") + message)

    async def read_message(self):
        count = int.from_bytes(await self.frames.read(2), "little")
        return await self.frames.read(count)

    async def write(self, data):
        await self.write_record(BYTES + data)

    async def write_record(self, data):
        length = (len(data) + 16).to_bytes(2, "little")
        cipher = self.noise.noise_protocol.cipher_state_encrypt
        await self.write_message(bytes(cipher.encrypt_with_ad(length, data)))

    async def read(self):
        """The bytes of a record; none at the end."""
        record = await self.read_record()
        assert record[:1] in (b"", BYTES), f"a record begins with {record[0]}"
        return record[1:]

    async def read_record(self):
        message = await self.read_message()
        cipher = self.noise.noise_protocol.cipher_state_decrypt
        return bytes(cipher.decrypt_with_ad(len(message).to_bytes(2, "little"), message))

    async def finish(self):
        await self.write_record(b"")
        await self.frames.finish()

    async def read_all(self):
        data = b""
        while part := await self.read():
            data += part
        return data
