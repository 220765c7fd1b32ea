"""A central that does what no bluetoothd does: it keeps confirmations back, and is gone at once.

In the guest it has no bluetoothd, but a controller of its own, and as much of HCI and ATT as it takes;
in the virtual world it is the third adapter, with a client of its own, and levers.
"""

import asyncio
import struct

from application import UUIDS
from central import EVERYTHING, Central
from journal import Journal

CONTROLLERS = "/tmp/bt-server-le"
LIMIT = 15
MTU = 517
# H4's kinds of packets.
COMMAND, DATA, EVENT = 1, 2, 4
ATT_CHANNEL = 4
# ATT's opcodes.
ERROR, MTU_REQUEST, MTU_RESPONSE = 0x01, 0x02, 0x03
FIND_REQUEST, TYPE_REQUEST, WRITE_REQUEST = 0x04, 0x08, 0x12
NOTIFICATION, INDICATION, CONFIRMATION = 0x1B, 0x1D, 0x1E
NOT_FOUND, NOT_SUPPORTED = 0x0A, 0x06
CHARACTERISTIC = 0x2803


class RawCentral:
    """Connects to an adapter of bluetoothd; `heard` is called with each value that comes."""

    def __init__(self, heard):
        self.heard = heard
        self.confirms = True
        self.waiting = {}
        self.rest = b""
        self.handle = None

    async def open(self):
        """Returns its address."""
        self.reader, self.writer = await asyncio.open_unix_connection(CONTROLLERS)
        self.reading = asyncio.ensure_future(self.read())
        await self.command(0x0C03)  # Reset
        await self.command(0x0C01, b"\xff" * 7 + b"\x3f")  # Set Event Mask
        await self.command(0x2001, b"\xff" * 8)  # LE Set Event Mask
        address = (await self.command(0x1009))[1:7]  # Read BD_ADDR
        return ":".join(f"{byte:02X}" for byte in reversed(address))

    async def connect(self, address):
        peer = bytes(reversed(bytes.fromhex(address.replace(":", ""))))
        connected = self.wait("connected")
        # LE Create Connection: intervals, no filter, a public peer, from a public address.
        settings = struct.pack("<HHBB6sBHHHHHH", 96, 96, 0, 0, peer, 0, 24, 40, 0, 42, 0, 0)
        self.send(COMMAND, struct.pack("<HB", 0x200D, len(settings)) + settings)
        await asyncio.wait_for(connected, LIMIT)

    async def subscribe(self, name, value):
        """Writes a characteristic's configuration: 1 for notifications, 2 for indications, 0 for none."""
        self.value_handle = await self.find(name)
        await self.request(
            struct.pack("<BHH", WRITE_REQUEST, await self.configuration(), value), WRITE_REQUEST + 1
        )

    async def keep_confirmations(self):
        self.confirms = False

    async def confirm(self):
        self.send_att(bytes([CONFIRMATION]))

    async def disconnect(self):
        """Ends the link in order."""
        gone = self.wait("disconnected")
        self.send(COMMAND, struct.pack("<HBHB", 0x0406, 3, self.handle, 0x13))
        await asyncio.wait_for(gone, LIMIT)

    async def vanish(self):
        """The controller goes: its peers notice by the supervision time-out."""
        self.leave()

    # The peer's attributes

    async def find(self, name):
        """The handle of a characteristic's value."""
        uuid = bytes(reversed(bytes.fromhex(UUIDS[name].replace("-", ""))))
        first = 1
        while True:
            request = struct.pack("<BHHH", TYPE_REQUEST, first, 0xFFFF, CHARACTERISTIC)
            reply = await self.request(request, TYPE_REQUEST + 1)
            size, records = reply[1], reply[2:]
            for start in range(0, len(records), size):
                handle, _, value = struct.unpack_from("<HBH", records, start)
                if records[start + 5 : start + size] == uuid:
                    return value
                first = handle + 1

    async def configuration(self):
        """The handle of its client characteristic configuration."""
        handle = self.value_handle + 1
        reply = await self.request(struct.pack("<BHH", FIND_REQUEST, handle, 0xFFFF), FIND_REQUEST + 1)
        for start in range(2, len(reply), 4):
            if reply[1] == 1 and struct.unpack_from("<HH", reply, start)[1] == 0x2902:
                return struct.unpack_from("<H", reply, start)[0]
        raise LookupError("no configuration")

    async def request(self, pdu, response):
        waiting = self.wait(response)
        self.send_att(pdu)
        return await asyncio.wait_for(waiting, LIMIT)

    # Packets

    def wait(self, what):
        future = self.waiting[what] = asyncio.get_running_loop().create_future()
        return future

    def came(self, what, value):
        future = self.waiting.pop(what, None)
        if future and not future.done():
            future.set_result(value)

    def send(self, kind, packet):
        self.writer.write(bytes([kind]) + packet)

    async def command(self, code, arguments=b""):
        waiting = self.wait(("command", code))
        self.send(COMMAND, struct.pack("<HB", code, len(arguments)) + arguments)
        return await asyncio.wait_for(waiting, LIMIT)

    def send_att(self, pdu):
        header = struct.pack("<HHHH", self.handle, len(pdu) + 4, len(pdu), ATT_CHANNEL)
        self.send(DATA, header + pdu)

    async def read(self):
        while True:
            kind = (await self.reader.readexactly(1))[0]
            if kind == EVENT:
                code, size = await self.reader.readexactly(2)
                self.take_event(code, await self.reader.readexactly(size))
            elif kind == DATA:
                flags, size = struct.unpack("<HH", await self.reader.readexactly(4))
                self.take_data(flags >> 12 & 3, await self.reader.readexactly(size))
            else:
                raise ValueError(f"packet of kind {kind}")

    def take_event(self, code, body):
        if code == 0x0E:  # Command Complete
            self.came(("command", struct.unpack_from("<H", body, 1)[0]), body[3:])
        elif code == 0x05:  # Disconnection Complete
            self.came("disconnected", body[3])
        elif code == 0x3E and body[0] in (0x01, 0x0A) and body[1] == 0:
            # Its first request may be read before who waits for the link goes on.
            self.handle = struct.unpack_from("<H", body, 2)[0]
            self.came("connected", self.handle)

    def take_data(self, boundary, data):
        """L2CAP packets come in parts; 1 marks one that continues."""
        self.rest = self.rest + data if boundary == 1 else data
        size, channel = struct.unpack_from("<HH", self.rest)
        if len(self.rest) == size + 4 and channel == ATT_CHANNEL:
            self.take_att(self.rest[4:])

    def take_att(self, pdu):
        opcode = pdu[0]
        if opcode in (NOTIFICATION, INDICATION):
            self.heard("notification" if opcode == NOTIFICATION else "indication", pdu[3:])
            if opcode == INDICATION and self.confirms:
                self.send_att(bytes([CONFIRMATION]))
        elif opcode == MTU_REQUEST:
            self.send_att(struct.pack("<BH", MTU_RESPONSE, MTU))
        elif opcode == ERROR:
            self.came(pdu[1] + 1, pdu)
        elif opcode & 1:
            self.came(opcode, pdu)
        elif opcode & 0x40 == 0:  # any other request: it has no attributes
            handle = struct.unpack_from("<H", pdu, 1)[0] if len(pdu) >= 3 else 0
            code = NOT_FOUND if len(pdu) >= 5 else NOT_SUPPORTED
            self.send_att(struct.pack("<BBHB", ERROR, opcode, handle, code))

    def leave(self):
        self.reading.cancel()
        self.writer.transport.abort()


class Listener(Central):
    """A client that notes nothing, and hands on the values that it is told."""

    def __init__(self, heard):
        super().__init__(Journal(0), "remote", "hci2")
        self.heard = heard

    def remember(self, message, path):
        super().remember(message, path)
        if message.member == "PropertiesChanged" and "Value" in message.body[1]:
            flags = self.get(path, "GattCharacteristic1", "Flags") or ()
            kind = "notification" if "notify" in flags else "indication"
            self.heard(kind, bytes(message.body[1]["Value"].value))


class VirtualCentral:
    """The same in the virtual world."""

    def __init__(self, world, heard):
        self.world = world
        self.client = Listener(heard)

    async def open(self):
        await self.client.open(self.world.bus())
        return self.client.get(self.client.hci, "Adapter1", "Address")

    async def connect(self, address):
        client, device = self.client, self.client.device(address)
        await client.filter(EVERYTHING)
        await client.start_discovery()
        await self.until(lambda: client.get(device, "Device1", "RSSI") is not None)
        await client.stop_discovery()
        await client.connect(device)
        await self.until(lambda: client.get(device, "Device1", "ServicesResolved"))
        self.device = device

    async def subscribe(self, name, value):
        path = self.client.find(name, self.device)
        if "notify" in self.client.get(path, "GattCharacteristic1", "Flags"):
            raise ValueError("a bluetoothd's client takes the notifications")
        await (self.client.start_notify(path) if value else self.client.stop_notify(path))

    async def keep_confirmations(self):
        await self.world.call("KeepConfirmations", 2, 1, True)

    async def confirm(self):
        await self.world.call("Confirm", 2, 1)

    async def disconnect(self):
        await self.world.call("Forget", 2, 1)

    async def vanish(self):
        await self.world.call("Disconnect", 2, 1)

    async def until(self, claim):
        await self.client.journal.until(claim, "the remote central")

    def leave(self):
        self.client.end()
