"""ble-socket: between two of them, and with originals of both ends on bleak, bluez-peripheral and Bumble."""

import contextlib
import functools
import os
import pathlib
import shlex
import tempfile

from bumble_asker_checks import BECAUSE
from check import Check
from geotab import SERVICE
from world import expect, python


def files_go(world, transport):
    world.forget()
    with tempfile.TemporaryDirectory() as folder:
        original, copy = pathlib.Path(folder, "original"), pathlib.Path(folder, "copy")
        original.write_bytes(os.urandom(50_000))
        options = "--transport", transport, "--adapter"
        listener = world.start("ble-socket", "listen", *options, "hci1", "--receive", str(copy))
        listener.wait("listening")
        world.run("ble-socket", "connect", *options, "hci0", "--send", str(original))
        listener.wait("received 50000 bytes")
        assert copy.read_bytes() == original.read_bytes()


def bleak_sends_lines(world):
    """Over Nordic's UART, to a listener that would speak a stream to its like."""
    world.forget()
    listener = world.start("ble-socket", "listen", "--adapter", "hci1", "--exec", "cat", "--json")
    listener.wait("opening")
    central = world.start(*python("bleak_central.py", "uart", "Hello,", "radio"))
    for text in "Hello,", "radio":
        for _ in range(2):
            central.wait(f"bleak: echo {text}\n")
    listener.wait('"transport":"raw"')
    central.say("leave")
    central.wait("disconnected")


def foreign_central(world, passphrase="", theirs="", options=(), end="reply WILL IT RAIN"):
    """noiseprotocol, which is none of ours, over frames made from Docs/Wire.md."""
    world.forget()
    with secret(passphrase) as words:
        listen = "ble-socket", "listen", "--adapter", "hci1", "--exec", "tr a-z A-Z", "--json"
        listener = world.start(*listen, *words, *options)
        listener.wait('"advertising"')
        central = world.start(*python("bleak_stream.py", theirs or passphrase, "Will it rain"))
        central.wait(f"noise: {end}\n")
        if not theirs:
            listener.wait('"peer-key":"[0-9a-f]{64}"')
            listener.wait('"event":"closed","why":"done"')


def foreign_peripheral(world, passphrase=""):
    world.forget()
    with secret(passphrase) as words:
        peripheral = world.start(*python("bluez_stream.py", passphrase))
        peripheral.wait("advertises")
        connect = shlex.join(("ble-socket", "connect", "--adapter", "hci0", *words))
        expect("WILL IT RAIN\n", world.run("sh", "-c", f"echo Will it rain | {connect}"))
        peripheral.wait("done")


@contextlib.contextmanager
def secret(passphrase):
    """The options for a passphrase."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "words")
        path.write_text(passphrase)
        path.chmod(0o600)
        yield ("--passphrase-file", str(path)) if passphrase else ()


def original_central(world, program, preset, advertised, properties, identifier):
    world.forget()
    options = "--adapter", "hci1", "--transport", "geotab", "--preset", preset, "--uuid", SERVICE
    listener = world.start("ble-socket", "listen", *options, "--json")
    listener.wait("opening")
    vehicle = world.start(*python(program, advertised))
    # A bluetoothd that is not new gives a device the name that it had before.
    if program == "bleak_vehicle.py" and world.name == "virtual":
        vehicle.wait(f"hears '{advertised}' with {SERVICE.lower()}\n")
    vehicle.wait(f"properties {properties}\n")
    vehicle.wait("somebody is there")
    vehicle.wait(f"is told {identifier}\n")
    vehicle.wait(f"again {identifier}\n")
    listener.wait("x{300}\n")
    listener.wait("before\n")
    listener.wait('"event":"malformed"')
    listener.wait("after\n")
    vehicle.wait("has its acknowledgement")
    listener.say("unlock")
    vehicle.wait("message unlock\n")
    # Which the vehicle refuses.
    listener.say("lock")
    vehicle.wait("message lock\n")
    listener.wait('"code":"refused"')
    vehicle.say("leave")
    vehicle.wait("done")


def original_peripheral(world, program, preset, generation, identifier):
    world.forget()
    phone = world.start(*python(program, generation))
    phone.wait("advertises")
    options = "--adapter", "hci0", "--preset", preset, "--uuid", SERVICE
    device = world.start("ble-socket", "go9", *options, "--json")
    phone.wait("is asked")
    phone.wait("is known")
    device.wait(f'"event":"handshake","device-id":{identifier},"flags":1')
    device.wait('"event":"message","bytes":407')
    phone.wait("result 01000000\n")
    phone.wait("vehicle 40\n")
    device.say("open the door")
    phone.wait("data open the door\n")
    phone.say("leave")
    device.wait('"event":"error"')
    expect("lostConnection", device.seen[-1])


def check(name, run, **options):
    return Check(f"ble-socket, {name}", functools.partial(run, **options))


def real(name, run, **options):
    return Check(f"ble-socket, {name}", functools.partial(run, **options), "real", BECAUSE)


KEYLESS = dict(preset="keyless", advertised="", properties="0x10 0x04", identifier="5f100100")
IOX = dict(preset="iox", advertised="ioxble", properties="0x12 0x08", identifier="2d100100")
KEYLESS_PHONE = dict(preset="keyless", generation="seed", identifier=0x105F)
IOX_PHONE = dict(preset="iox", generation="head", identifier=0x102D)


CHECKS = [
    check("a file over a stream", files_go, transport="stream"),
    check("bleak sends lines", bleak_sends_lines),
    check("noiseprotocol calls", foreign_central),
    check("noiseprotocol calls with a passphrase", foreign_central, passphrase="correct horse"),
    check(
        "noiseprotocol calls with another passphrase",
        foreign_central,
        passphrase="correct horse",
        theirs="battery staple",
        end="refused 4",
    ),
    check(
        "noiseprotocol calls who serves several", foreign_central, options=("--connections", "2")
    ),
    check("noiseprotocol is called", foreign_peripheral),
    check(
        "noiseprotocol is called with a passphrase", foreign_peripheral, passphrase="correct horse"
    ),
    check(
        "a vehicle on bleak finds Keyless", original_central, program="bleak_vehicle.py", **KEYLESS
    ),
    check("a vehicle on bleak finds IOX BLE", original_central, program="bleak_vehicle.py", **IOX),
    check(
        "a GO9 finds Keyless on bluez-peripheral",
        original_peripheral,
        program="bluez_phone.py",
        **KEYLESS_PHONE,
    ),
    check(
        "a GO9 finds IOX BLE on bluez-peripheral",
        original_peripheral,
        program="bluez_phone.py",
        **IOX_PHONE,
    ),
    real(
        "a vehicle on Bumble finds Keyless", original_central, program="bumble_vehicle.py", **KEYLESS
    ),
    real("a vehicle on Bumble finds IOX BLE", original_central, program="bumble_vehicle.py", **IOX),
    real(
        "a GO9 finds Keyless on Bumble",
        original_peripheral,
        program="bumble_phone.py",
        **KEYLESS_PHONE,
    ),
    real(
        "a GO9 finds IOX BLE on Bumble",
        original_peripheral,
        program="bumble_phone.py",
        **IOX_PHONE,
    ),
]
