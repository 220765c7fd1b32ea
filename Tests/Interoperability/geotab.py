"""Frames of the Geotab add-on protocol: 02, kind, length, body, Fletcher's sums, 03. Docs/Wire.md tells more."""

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
