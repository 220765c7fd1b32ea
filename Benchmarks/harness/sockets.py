"""A byte socket: ble-socket beside two raw pipes in C, which have bluetoothd's sockets, or call it, at several MTUs.

Bytes go one way until all are there, then as many the other way. Then messages, while others are on their way or not.
"""

import asyncio
import contextlib
import json
import os
import pathlib
import re
import subprocess

from client import Service, baseline, virtual_bluez
from daemon import ADAPTER, DEVICE, HCI0, Daemon
from figures import Row

NAME = "socket"
# Those of the guest's bluetoothd.
SETTINGS = pathlib.Path("/etc/bluetooth/main.conf")
UART = "6E400001-B5A3-F393-E0A9-E50E24DCCA9E"
RX, TX = (UART.replace("0001", each, 1) for each in ("0002", "0003"))
CHARACTERISTIC = "org.bluez.GattCharacteristic1"
DIRECTIONS = ("sent", "to the peripheral"), ("received", "to the central")
# How many bytes go over a stream at an MTU, and how many a packet has.
SIZES = {23: (100_000, 18), 185: (1_000_000, 180), 517: (4_000_000, 508)}
# In place of 23 on a real bluetoothd, which listens with BR/EDR's least MTU or more.
REAL_SIZES = {48: (100_000, 43)} | {mtu: SIZES[mtu] for mtu in (185, 517)}
# What the pipe in C is told for each way of its own.
FLOORS = {"C": "sockets", "C by calls": "calls"}
# What ble-socket is told for each way of ours; a stream is encrypted unless that is declined.
WAYS = {
    "stream": ("--transport", "stream"),
    "plain stream": ("--transport", "stream", "--insecure"),
    "raw": ("--transport", "raw"),
    "geotab": ("--transport", "geotab"),
}
# These fail where packets overtake each other, as between two bluetoothds 5.66.
UNORDERED = "raw", "geotab"
# What else a stream carries while a message is on its way.
DELAYS = {"idle": "idle", "same": "full the same way", "other": "full the other way"}
# How many packets go where nothing holds the sender: a responder lets 1,024 wait.
PACKETS = 900


async def connected():
    """Connects hci0 to who serves a UART; the paths of its two characteristics."""
    daemon = await Daemon().open()

    def found(path, interfaces):
        device = interfaces.get(DEVICE) if path.startswith(HCI0) else None
        return device and UART.lower() in [each.lower() for each in device["UUIDs"].value] and path

    try:
        await daemon.forget_devices()
        await daemon.call(HCI0, ADAPTER, "StartDiscovery")
        device = await daemon.until(found)
        await daemon.call(HCI0, ADAPTER, "StopDiscovery")
        await daemon.call(device, DEVICE, "Connect")
        paths = {}
        for uuid in TX, RX:

            def resolved(path, interfaces, uuid=uuid):
                characteristic = interfaces.get(CHARACTERISTIC, {})
                return (
                    path.startswith(device)
                    and characteristic
                    and characteristic["UUID"].value.upper() == uuid
                    and path
                )

            paths[uuid] = await daemon.until(resolved)
        return paths
    finally:
        daemon.bus.disconnect()


async def left():
    """Ends the link. A bluetoothd that remembered the peer would not notice that its next program has a UART, too."""
    daemon = await Daemon().open()
    try:
        await daemon.forget_devices()
    finally:
        daemon.bus.disconnect()


def pipe(floor, count, size):
    """Seconds each way of a pipe in C; none when it waits for what sockets have lost."""
    listening = ("ble-socket", "speed", "--listen", "--adapter", "hci1", "--transport", "raw")
    with contextlib.ExitStack() as stack:
        listener = Service(*listening)
        stack.callback(listener.end)
        listener.wait("listening")
        paths = asyncio.run(connected())
        words = baseline("pipe_floor"), FLOORS[floor], paths[TX], paths[RX], count, size
        command = [str(word) for word in words]
        try:
            told = subprocess.run(command, check=True, stdout=subprocess.PIPE, timeout=60)
        except subprocess.TimeoutExpired:
            return {}
        asyncio.run(left())
    figures = json.loads(told.stdout)
    return {way: figures[f"{way}_ns"] / 1e9 for way, _ in DIRECTIONS}


def ours(way, count):
    """Seconds each way of ble-socket; None for what a way without flow control has lost."""
    options = WAYS[way]
    with contextlib.ExitStack() as stack:
        listener = Service("ble-socket", "speed", "--listen", "--adapter", "hci1", *options)
        stack.callback(listener.end)
        listener.wait("listening")
        words = "ble-socket", "speed", "--adapter", "hci0", "--bytes", str(count), "--json", *options
        client = subprocess.Popen(words, stdout=subprocess.PIPE)
        try:
            output, _ = client.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            # It waits for bytes that are lost.
            client.terminate()
            output, _ = client.communicate()
        assert client.returncode == 0 or way in UNORDERED, f"{words}: {output.decode()}"
    events = [json.loads(line) for line in output.decode().splitlines()]
    return {
        event["event"]: event["milliseconds"] / 1e3
        for event in events
        if event["event"] in dict(DIRECTIONS)
    }


def delays(count):
    """Milliseconds of messages of 20 bytes each way, over a stream that is idle, full the same way, or the other way."""
    words = "stream-delay", str(count)
    told = subprocess.run(words, check=True, stdout=subprocess.PIPE, timeout=600)
    figures = json.loads(told.stdout)
    return {
        way: {kind: figures[f"{way}_{kind}"]["median"] / 1e6 for kind in DELAYS} for way, _ in DIRECTIONS
    }


def exchange(mtu):
    """Has the guest's bluetoothd exchange an MTU over each connection from now on."""
    settings = SETTINGS.read_text()
    SETTINGS.write_text(re.sub(r"#? *ExchangeMTU *=.*", f"ExchangeMTU = {mtu}", settings))
    subprocess.run(["/run/levers/forget"], check=True, timeout=120)


@contextlib.contextmanager
def world(mtu, real):
    if real:
        os.environ["DBUS_SYSTEM_BUS_ADDRESS"] = "unix:path=/run/dbus/system_bus_socket"
        yield
    else:
        with virtual_bluez(2, "--mtu", mtu):
            yield


def run(quick, real):
    guest = "BLUEZ_VM_GUEST" in os.environ
    assert guest or not real, "the real world is in a guest of Scripts/bluez-vm"
    rows = []
    for mtu, (count, size) in (REAL_SIZES if real else SIZES).items():
        if real:
            exchange(mtu)
        if quick or real:
            count //= 20
        counts = dict.fromkeys((*FLOORS, "raw", "geotab"), min(count, PACKETS * size))
        counts |= dict.fromkeys(("stream", "plain stream"), count)
        told = {client: [] for client in (*FLOORS, *WAYS)}
        waits = []
        for _ in range(1 if quick else 3):
            with world(mtu, real):
                waits.append(delays(20 if quick or real else 100))
            for floor in FLOORS:
                with world(mtu, real):
                    told[floor].append(pipe(floor, counts[floor], size))
            for way in WAYS:
                with world(mtu, real):
                    told[way].append(ours(way, counts[way]))
        for way, name in DIRECTIONS:
            # One that was lost has no speed.
            rates = {
                client: [counts[client] / one[way] / 1e3 if one.get(way) else 0 for one in rounds]
                for client, rounds in told.items()
            }
            judged = [(one, floor, "≥ 0.9") for one in ("stream", "plain stream") for floor in FLOORS]
            judged += [("raw", "C"), ("geotab", "C")]
            rows.append(Row(f"{name}, MTU {mtu}", "kB/s", rates, *judged))
            rounds = {words: [one[way][kind] for one in waits] for kind, words in DELAYS.items()}
            goals = [(words, "idle", "≤ 3") for kind, words in DELAYS.items() if kind != "idle"]
            rows.append(Row(f"20 bytes {name}, MTU {mtu}", "ms", rounds, *goals))
    return rows
