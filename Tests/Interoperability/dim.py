"""dIM's packets, keys and texts, as its apps make them; Docs/Wire.md has the bytes."""

import base64
import json
import os
import random
import urllib.parse

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

SERVICE = "D6B52A44-E586-4502-9F98-4799C8B95C86"
PACKETS = "54C89B72-F7EE-4A0A-8382-7367C3E151A5"
MESSAGE, ACK, READ = 0, 1, 2
# What the two generations of the app call the number that says what a packet is.
KINDS = {"first": "type", "second": "kind"}


class User:
    """An address, a key, and one contact."""

    def __init__(self, name, digits, generation):
        self.address = f"{name}#{digits}"
        self.kind = KINDS[generation]
        self.contact = None
        self.private = ec.generate_private_key(ec.SECP256R1())

    @property
    def link(self):
        numbers = self.private.public_key().public_numbers()
        key = numbers.x.to_bytes(32, "big") + numbers.y.to_bytes(32, "big")
        return f"dim://{self.address}//{urllib.parse.quote(base64.b64encode(key).decode(), safe='')}"

    def add(self, link):
        _, self.contact, key = link.split("//")
        data = base64.b64decode(urllib.parse.unquote(key))
        point = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), b"\x04" + data)
        secret = self.private.exchange(ec.ECDH(), point)
        salt = b"My Key Agreement Salt"
        self.cipher = AESGCM(HKDF(hashes.SHA256(), 32, salt, b"").derive(secret))

    def packet(self, kind, text):
        """A packet for the contact, its id and its bytes."""
        number = random.randint(0, 2**31 - 1)
        members = {"id": number, "sender": self.address, "receiver": self.contact, "text": text}
        return number, json.dumps(members | {self.kind: kind}, separators=(",", ":")).encode()

    def message(self, text):
        nonce = os.urandom(12)
        sealed = nonce + self.cipher.encrypt(nonce, text.encode(), None)
        return self.packet(MESSAGE, base64.b64encode(sealed).decode())

    def read(self, value):
        """What a packet for this user says: its kind, number and text; `None` for others, and for what this generation refuses."""
        members = json.loads(value)
        if members["receiver"] != self.address or members["sender"] != self.contact:
            return None
        # The app's decoder wants its own member.
        kind, text = members[self.kind], members["text"]
        if kind == MESSAGE:
            sealed = base64.b64decode(text, validate=True)
            text = self.cipher.decrypt(sealed[:12], sealed[12:], None).decode()
        return kind, members["id"], text

    def relayed(self, value):
        """A packet for somebody else as this generation sends it on: the second one as it came, the first one what it knows of it."""
        if self.kind == KINDS["second"]:
            return value
        members = json.loads(value)
        known = "id", "type", "sender", "receiver", "text"
        return json.dumps({each: members[each] for each in known}, separators=(",", ":")).encode()
