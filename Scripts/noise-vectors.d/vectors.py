"""Prints handshakes, what follows them, and verification words, all made from fixed keys, as JSON."""

import hashlib
import json

from noise.connection import Keypair, NoiseConnection

PROTOCOL = b"Noise_XX_25519_ChaChaPoly_SHA256"
# Prologue, and the payloads of the three messages.
CASES = {
    "without prologue and payloads": (b"", [b"", b"", b""]),
    "with prologue and payloads": (b"chat 1", [b"hello", "grüß dich".encode(), b"\x00\xff" * 50]),
    "with long payloads": (bytes(range(256)), [bytes([n]) * 1000 for n in range(3)]),
}
MESSAGES = [b"", b"a", b"is it so?", bytes(range(200))]
COUNTERS = [0, 1, 1023, 2**32, 2**63, 2**64 - 2]


def private_key(case, name):
    return hashlib.sha256(f"{case}, {name}".encode()).digest()


def connection(case, role, prologue):
    noise = NoiseConnection.from_name(PROTOCOL)
    noise.set_as_initiator() if role == "initiator" else noise.set_as_responder()
    for keypair, name in (Keypair.STATIC, "static"), (Keypair.EPHEMERAL, "ephemeral"):
        noise.set_keypair_from_private_bytes(keypair, private_key(case, f"{role} {name}"))
    noise.set_prologue(prologue)
    noise.start_handshake()
    return noise


def public_key(noise):
    return noise.noise_protocol.keypairs["s"].public_bytes


def words(*keys):
    """As Sources/NoiseProtocol/VerificationWords.swift has it."""
    result = []
    for key in sorted(keys):
        digest = b"Noise XX verification words 1" + key
        for _ in range(5200):
            digest = hashlib.sha512(digest + key).digest()
        numbers = [int.from_bytes(digest[5 * n : 5 * n + 5], "big") % 100_000 for n in range(6)]
        result += [f"{number:05}" for number in numbers]
    return result


def conversation(sender, receiver):
    """Messages in order, and more after a new key."""
    sealed = []
    for rekeys in False, True:
        if rekeys:
            sender.rekey_outbound_cipher()
            receiver.rekey_inbound_cipher()
        for plaintext in MESSAGES:
            message = bytes(sender.encrypt(plaintext))
            assert bytes(receiver.decrypt(message)) == plaintext
            sealed.append({"rekeyed": rekeys, "plaintext": plaintext.hex(), "message": message.hex()})
    return sealed


def out_of_order(sender):
    """Messages with given counters, of the first key, and with data beside them."""
    cipher, sealed = sender.noise_protocol.cipher_state_encrypt, []
    for counter in COUNTERS:
        cipher.set_nonce(counter)
        message = cipher.encrypt_with_ad(b"beside", b"message")
        # As text, since JSON's numbers may be floating.
        sealed.append({"counter": str(counter), "message": bytes(message).hex()})
    return sealed


def vector(case, prologue, payloads):
    ends = {role: connection(case, role, prologue) for role in ("initiator", "responder")}
    initiator, responder = ends.values()
    messages = []
    for number, payload in enumerate(payloads):
        writer, reader = (initiator, responder) if number != 1 else (responder, initiator)
        message = bytes(writer.write_message(payload))
        assert bytes(reader.read_message(message)) == payload
        messages.append(message.hex())
    assert initiator.get_handshake_hash() == responder.get_handshake_hash()
    keys = [public_key(end) for end in ends.values()]
    return {
        "name": case,
        "prologue": prologue.hex(),
        **{
            f"{role}{name.capitalize()}": private_key(case, f"{role} {name}").hex()
            for role in ends
            for name in ("static", "ephemeral")
        },
        "publicKeys": [key.hex() for key in keys],
        "fingerprints": [hashlib.sha256(key).hexdigest() for key in keys],
        "words": words(*keys),
        "payloads": [payload.hex() for payload in payloads],
        "messages": messages,
        "handshakeHash": initiator.get_handshake_hash().hex(),
        "outOfOrder": out_of_order(initiator),
        **conversations(initiator, responder),
    }


def conversations(initiator, responder):
    initiator.noise_protocol.cipher_state_encrypt.set_nonce(0)
    return {
        "fromInitiator": conversation(initiator, responder),
        "fromResponder": conversation(responder, initiator),
    }


print(json.dumps([vector(case, *rest) for case, rest in CASES.items()], indent=1))
