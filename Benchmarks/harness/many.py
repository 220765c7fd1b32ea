"""Many at once: askers at one ball, balls asked by one central, advertisers that one adapter scans."""

import asyncio
import contextlib
import os
import time

from client import Client, Service, baseline, plain_bus, virtual_bluez
from figures import Row, fairness, median, percentile
from question import characteristics
from service import PRIVATE_QUESTION, REPLY

NAME = "many"
COUNTS = [1, 8, 64]


def milliseconds(told):
    return [nanoseconds / 1e6 for one in told for nanoseconds in one["latencies_ns"]]


def rows_of(at, told, shares):
    """What comes of asking for some seconds; of each client the rounds, of each round what its programs say.

    An answer that is lost ends its asker with an error, and the run.
    """

    def row(name, unit, figure, *judged):
        rounds = {
            client: [figure(programs) for programs in rounds] for client, rounds in told.items()
        }
        return Row(name, unit, rounds, *judged, at=at)

    def rate(programs):
        return sum(len(one["latencies_ns"]) / (one["wall_ns"] / 1e9) for one in programs)

    def spread(programs):
        return percentile(milliseconds(programs), 0.99) / median(milliseconds(programs))

    compared = [("ours", "floor")] if "floor" in told else []
    yield row("answers a second", "", rate, *compared)
    yield row("p50", "ms", lambda programs: median(milliseconds(programs)), *compared)
    yield row("p99", "ms", lambda programs: percentile(milliseconds(programs), 0.99), *compared)
    yield row("p99 ÷ p50", "", spread, ("ours", None, "≤ 2"))
    yield row(
        "fairness (Jain)", "", lambda programs: fairness(shares(programs)), ("ours", None, "≥ 0.95")
    )


def ask_at_once(askers, seconds):
    """What programs say that ask for some seconds, all at once."""
    with contextlib.ExitStack() as stack:
        programs = []
        # A few at a time: as they start, they keep each other from connecting.
        for batch in range(0, len(askers), 8):
            started = [stack.enter_context(Client(*words)) for words in askers[batch : batch + 8]]
            programs += [program.ready() for program in started]
        for program in programs:
            program.do(2, 0, 0)
        for program in programs:
            program.begin(0, 0, seconds)
        return [program.figures() for program in programs]


def askers_at_one_ball(rounds, seconds):
    """Each asker is a process with an adapter of its own; the ball is one of the SDK."""
    ours = [("question-client", f"hci{number}", "Ball 0") for number in range(1, max(COUNTS) + 1)]
    with virtual_bluez(max(COUNTS) + 1), Service("bench-balls", "ours", 0) as ball:
        ball.ready()
        floors = []
        for count in COUNTS:
            # They make the links, and leave them.
            ask_at_once(ours[len(floors) : count], 1)
            for number in range(len(floors) + 1, count + 1):
                [paths] = asyncio.run(characteristics(f"/org/bluez/hci{number}")).values()
                floors.append(
                    (baseline("question_floor"), "private", paths[PRIVATE_QUESTION], paths[REPLY])
                )
            told = {"floor": [], "ours": []}
            for _ in range(rounds):
                told["floor"].append(ask_at_once(floors[:count], seconds))
                told["ours"].append(ask_at_once(ours[:count], seconds))
            yield from rows_of(
                (count, "askers of one ball"),
                told,
                lambda programs: [len(one["latencies_ns"]) for one in programs],
            )


def balls_of_one_asker(rounds, seconds):
    """All balls are one program, the central is another."""
    count = max(COUNTS)
    asker = ("question-client", "hci0", "Ball", count)
    with virtual_bluez(count + 1), Service("bench-balls", "ours", 1, count) as balls:
        balls.ready()
        told = {"ours": [ask_at_once([asker], seconds) for _ in range(rounds)]}
        yield from rows_of(
            (count, "balls of one asker"), told, lambda programs: programs[0]["shares"]
        )


def scan(words, count, rate, seconds):
    """What a scanner says of some seconds, and how much was sent meanwhile; on a bus of its own."""
    with plain_bus() as address:
        os.environ["DBUS_SYSTEM_BUS_ADDRESS"] = address
        with Service(baseline("advertisers"), count, rate) as crowd:
            crowd.ready()
            with Client(*words) as scanner:
                scanner.ready()
                # Each device is new at first.
                time.sleep(1)
                crowd.do(0)
                scanner.do(0)
                time.sleep(seconds)
                sent, seen = crowd.do(0), scanner.do(0)
    return seen | {"sent": sent["sightings"]}


def advertisers(count, rate, rounds, seconds):
    """How much of so many sightings a second comes through, to a scanner of ours, and to one in C."""
    scanners = {
        "floor": (baseline("scan_floor"), "/org/bluez/hci0"),
        "ours": ("scan-client", "hci0"),
    }
    told = {client: [] for client in scanners}
    for _ in range(rounds):
        for client, words in scanners.items():
            told[client].append(scan(words, count, rate, seconds))
    assert all(one["sightings"] for rounds in told.values() for one in rounds), (
        "a scan sighted nothing"
    )
    at = (rate, f"sightings a second of {count} advertisers")

    def row(name, unit, figure, *judged):
        figures = {client: [figure(one) for one in rounds] for client, rounds in told.items()}
        return Row(name, unit, figures, *judged, at=at)

    yield row("sent", "1/s", lambda one: one["sent"] / (one["wall_ns"] / 1e9))
    yield row(
        "held", "1/s", lambda one: one["sightings"] / (one["wall_ns"] / 1e9), ("ours", "floor")
    )
    yield row(
        "CPU of one", "µs", lambda one: one["cpu_ns"] / 1e3 / one["sightings"], ("ours", "floor")
    )
    yield row("memory", "MB", lambda one: one["rss_kb"] * 1024 / 1e6)


def run(quick, real):
    rounds, seconds = (1, 1) if quick else (2, 4)
    rows = [*askers_at_one_ball(rounds, seconds), *balls_of_one_asker(rounds, seconds)]
    # The adapter remembers 1024 devices: beyond, what it has forgotten is new again.
    for count in (1000, 10_000):
        for rate in [10_000] if quick else [1000, 10_000, 100_000]:
            rows += advertisers(count, rate, rounds, seconds)
    return rows
