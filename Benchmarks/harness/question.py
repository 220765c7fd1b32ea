"""One question: the SDK beside the fewest D-Bus calls in C, and beside bleak.

All ask one ball that is known and connected, over one bus, in turn, round by round: paced, one each 150 ms,
and one after the other. A client is alone on the bus but for the balls.
"""

import asyncio
import contextlib
import dataclasses
import os
import sys

from client import Client, Service, baseline, virtual_bluez
from daemon import Daemon
from figures import Row, median, percentile
from service import ANSWER, PRIVATE_QUESTION, QUESTION, REPLY

NAME = "question"
CHARACTERISTIC = "org.bluez.GattCharacteristic1"


@dataclasses.dataclass
class Pair:
    name: str
    kind: str
    adapter: int
    written: str
    notified: str
    # What asks, and how.
    clients: dict


PAIRS = [
    Pair(
        "original pair",
        "original",
        1,
        QUESTION,
        ANSWER,
        {"floor": "plain", "kept": "kept", "ours": "", "bleak": "plain"},
    ),
    Pair(
        "private pair",
        "ours",
        2,
        PRIVATE_QUESTION,
        REPLY,
        {"floor": "private", "ours": "", "bleak": "private"},
    ),
]


@dataclasses.dataclass
class Plan:
    rounds: int
    paced: int
    pace: int
    rapid: int

    @staticmethod
    def of(quick, real):
        if real:
            return Plan(2, 5, 500, 20) if quick else Plan(3, 10, 500, 40)
        return Plan(2, 6, 150, 40) if quick else Plan(7, 20, 150, 150)


async def characteristics(adapter):
    """The path of the ball, and those of its characteristics, as an adapter with one link has them."""
    daemon = await Daemon().open()
    try:
        objects = await daemon.objects()
    finally:
        daemon.bus.disconnect()
    paths = {}
    for path, interfaces in objects.items():
        if path.startswith(adapter + "/") and CHARACTERISTIC in interfaces:
            device = path[: path.index("/", len(adapter) + 1)]
            paths.setdefault(device, {})[interfaces[CHARACTERISTIC]["UUID"].value.upper()] = path
    return paths


def words_of(client, how, pair, device, paths):
    if client == "ours":
        return "question-client", "hci0", f"Ball {pair.adapter}"
    if client == "bleak":
        return sys.executable, baseline("question_bleak.py"), how, device, "hci0"
    return baseline("question_floor"), how, paths[pair.written], paths[pair.notified]


def ask(words, plan):
    """What a client says of its paced questions, and of those one after the other."""
    with Client(*words) as client:
        client.ready().do(5, 0, 0)
        told = [client.do(plan.paced, plan.pace, 0), client.do(plan.rapid, 0, 0)]
    for figures, count in zip(told, (plan.paced, plan.rapid), strict=True):
        assert len(figures["latencies_ns"]) == count, f"{words}: answers are missing"
    return told


def rows_of(pair, mode, told, real):
    """What the rounds of one way to ask come to."""
    others = [
        ("ours", "floor", "≤ 1.10" if real else "≤ 1.25"),
        ("ours", "bleak", None if real else "≤ 0.8"),
    ]

    def row(name, unit, figure, *judged):
        rounds = {client: [figure(one) for one in rounds] for client, rounds in told.items()}
        return Row(f"{pair.name}, {mode}: {name}", unit, rounds, *judged)

    def answers(one):
        return [nanoseconds / 1e6 for nanoseconds in one["latencies_ns"]]

    def of_each(key, unit):
        return lambda one: one[key] / unit / len(one["latencies_ns"])

    def all_slowest(rounds):
        every = [time for one in rounds for time in answers(one)]
        return [max(every) / median(every)]

    yield row("median", "ms", lambda one: median(answers(one)), *others)
    yield row("p99", "ms", lambda one: percentile(answers(one), 0.99), ("ours", "floor"))
    yield row("slowest", "ms", lambda one: max(answers(one)), ("ours", "floor"))
    yield Row(
        f"{pair.name}, {mode}: slowest ÷ median of all",
        "",
        {client: all_slowest(rounds) for client, rounds in told.items()},
        ("ours", None, "≤ 3"),
    )
    yield row(
        "CPU of one", "ms", of_each("cpu_ns", 1e6), ("ours", "floor", "≤ 2"), ("ours", "bleak")
    )
    yield row("context switches of one", "", of_each("switches", 1), ("ours", None, "≤ 12"))


@contextlib.contextmanager
def world(real):
    if real:
        assert "BLUEZ_VM_GUEST" in os.environ, "the real world is in a guest of Scripts/bluez-vm"
        os.environ["DBUS_SYSTEM_BUS_ADDRESS"] = "unix:path=/run/dbus/system_bus_socket"
        yield
    else:
        with virtual_bluez(3):
            yield


def run(quick, real):
    plan = Plan.of(quick, real)
    rows = []
    with world(real), contextlib.ExitStack() as balls:
        for pair in PAIRS:
            balls.enter_context(Service("bench-balls", pair.kind, pair.adapter)).ready()
        for pair in PAIRS:
            known = set(asyncio.run(characteristics("/org/bluez/hci0")))
            # The first to ask makes the link, and leaves it.
            with Client(*words_of("ours", "", pair, None, None)) as first:
                first.ready().do(1, 0, 0)
            devices = asyncio.run(characteristics("/org/bluez/hci0"))
            [device] = set(devices) - known
            told = {client: [] for client in pair.clients}
            for turn in range(plan.rounds):
                order = list(pair.clients)
                for client in order[turn % len(order) :] + order[: turn % len(order)]:
                    how = pair.clients[client]
                    told[client].append(
                        ask(words_of(client, how, pair, device, devices[device]), plan)
                    )
            for index, mode in enumerate((f"each {plan.pace} ms", "in a row")):
                rounds = {
                    client: [both[index] for both in rounds] for client, rounds in told.items()
                }
                rows += rows_of(pair, mode, rounds, real)
    return rows
