"""Sources/BLEDBus beside C on libdbus: calls, signals and trees of objects, on a bus of their own."""

import dataclasses
import json
import os
import subprocess
import time
import typing

from client import Service, baseline, plain_bus
from figures import Row

NAME = "bus"


@dataclasses.dataclass
class Measure:
    name: str
    # What a client is run with, and what counts of the figures that it prints.
    words: list
    figure: typing.Callable
    goal: str | None = None
    # How often it is run in a round: short runs scatter more.
    runs: int = 1
    at: tuple | None = None


def tree(count, goal=None):
    words = ["managed", count, 3]
    at = (count, "devices in a tree")
    return Measure("CPU of reading it", words, lambda told: told["cpu_ns"], goal, at=at)


def cpu_of_one(told):
    return told["cpu_ns"] / told["n"]


MEASURES = [
    Measure("call, wall", ["seq", 3000], lambda told: told["p50_ns"], "≤ 1.05"),
    Measure("call, 64 in flight, CPU", ["pipe", 20000, 64], cpu_of_one, "≤ 1.35"),
    Measure("PropertiesChanged, CPU", ["signals", 20000], cpu_of_one, "≤ 1.05"),
    tree(1000),
    tree(5000, "≤ 0.55"),
    tree(20000),
    Measure("start to first reply, wall", ["cold"], None, "≤ 2.0", runs=5),
]
CLIENTS = {"C": baseline("client_libdbus"), "ours": "dbus-bench-client"}


def run_client(words, figure):
    """The time that counts, in nanoseconds; and the sum of what was read, to tell that work was done."""
    begin = time.monotonic_ns()
    text = subprocess.run(
        list(map(str, words)), stdout=subprocess.PIPE, text=True, timeout=120, check=True
    ).stdout
    if not figure:
        # The moment of the first reply, by the same clock.
        return int(text) - begin, 0
    told = json.loads(text)
    return figure(told), told["check"]


def compare(measure, count):
    """Microseconds of each client in so many rounds."""
    rounds = {client: [] for client in CLIENTS}
    for turn in range(count * measure.runs):
        checks = set()
        # Each is the first of the two in every other round.
        for client in sorted(CLIENTS, reverse=turn % 2 == 1):
            words = [CLIENTS[client], *measure.words]
            nanoseconds, check = run_client(words, measure.figure)
            rounds[client].append(nanoseconds / 1000)
            checks.add(check)
        assert len(checks) == 1, f"{measure.name}: the clients did not do the same work"
    return rounds


def run(quick, real):
    rows = []
    with plain_bus() as address:
        os.environ["DBUS_BENCH_ADDRESS"] = address
        with Service(baseline("server")) as server:
            server.ready()
            for measure in MEASURES:
                rounds = compare(measure, 2 if quick else 7)
                goal = [measure.goal] if measure.goal else []
                rows.append(Row(measure.name, "µs", rounds, ("ours", "C", *goal), at=measure.at))
    return rows
