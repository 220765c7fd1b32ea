"""The double: how fast VirtualBlueZ lets time pass, and how fast it tells its objects."""

import os

from client import Client, Service, baseline
from figures import Row

NAME = "double"


def pace(count, rate, seconds, scans):
    """How much faster than real time so many devices advertise; how many of their sightings arrive."""
    with Service("bench-crowd", count, rate, "manual") as crowd:
        os.environ["DBUS_SYSTEM_BUS_ADDRESS"] = crowd.wait("^unix:.*").group()
        if not scans:
            return seconds / (crowd.do(seconds)["wall_ns"] / 1e9), 0
        with Client(baseline("scan_floor"), "/org/bluez/hci0") as scanner:
            begin_scan(crowd, scanner)
            wall = crowd.do(seconds)["wall_ns"] / 1e9
            return seconds / wall, scanner.do(0)["sightings"] / (rate * seconds)


def begin_scan(crowd, scanner):
    """Lets time pass until all devices are known: the discovery begins when its call has arrived."""
    scanner.ready()
    sightings = 0
    while not sightings:
        crowd.do(1)
        sightings = scanner.do(0)["sightings"]
    crowd.do(1)
    scanner.do(0)


def tree(count, calls):
    """Milliseconds of each call of GetManagedObjects while so many devices are there."""
    with Service("bench-crowd", count, count, "manual") as crowd:
        os.environ["DBUS_SYSTEM_BUS_ADDRESS"] = crowd.wait("^unix:.*").group()
        with Client(baseline("scan_floor"), "/org/bluez/hci0") as scanner:
            begin_scan(crowd, scanner)
            with Client(baseline("start_floor"), calls) as caller:
                told = caller.figures()
    assert told["objects"] >= count, f"{told['objects']} objects"
    return [nanoseconds / 1e6 for nanoseconds in told["latencies_ns"]]


def run(quick, real):
    rounds, count = (1 if quick else 3), 1000
    rate, title = 10 * count, f"{count} devices, ten times a second each"
    # Nobody is told anything without a scan: an hour is over at once.
    unheard = [pace(count, rate, 3600, False)[0] for _ in range(rounds)]
    heard = [pace(count, rate, 1 if quick else 5, True) for _ in range(rounds)]
    return [
        Row(
            f"{title}, nobody scans: virtual ÷ real time",
            "",
            {"ours": unheard},
            ("ours", None, "≥ 10"),
        ),
        Row(
            f"{title}, one scans: virtual ÷ real time",
            "",
            {"ours": [one[0] for one in heard]},
            ("ours", None),
        ),
        Row(
            f"{title}, one scans: part of the sightings that arrive",
            "",
            {"ours": [one[1] for one in heard]},
            ("ours", None),
        ),
    ] + [
        Row(
            "GetManagedObjects",
            "ms",
            {"ours": tree(devices, 3 if quick else 10)},
            ("ours", None),
            at=(devices, "devices known"),
        )
        for devices in ([5000] if quick else [500, 2000, 5000])
    ]
