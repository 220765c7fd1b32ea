"""Holds virtual-bluez against the traces: conformance.py --bluez VERSION… [NAME…]

A line for each scenario; exits 1 when one differs otherwise than Docs/Conformance.md lists, or when
a difference that is listed there no longer occurs. One that differs otherwise is played once more, when
the others are done; if it is as it should be then, a line `unstable: NAME` says so.
"""

import argparse
import asyncio
import collections
import contextlib
import pathlib
import sys
import time

from compare import compare
from known import load
from normal import normalise
from play import play
from tracefile import parse
from world import VirtualWorld

HERE = pathlib.Path(__file__).parent
LISTED = HERE.parent.parent / "Docs" / "Conformance.md"
AT_ONCE = 4
LIMIT = 200
SHOWN = 12
# Scenarios that only wait for a limit of the daemon: they begin first, and take no turn.
LONG = [
    "advertise_for_a_time",
    "connect_to_nobody",
    "glare_in_turn",
    "removal_after_disconnection",
    "removal_after_discovery",
]


async def judge(name, version):
    """The differences of a scenario from its trace."""
    file = HERE / "traces" / version / f"{name}.txt"
    run = await asyncio.wait_for(play(name, VirtualWorld(version)), LIMIT)
    return compare(parse(name, file.read_text()), normalise(run))


async def judge_all(names, version, known, shown):
    turns = asyncio.Semaphore(AT_ONCE)
    counts = collections.Counter()

    async def unlisted_of(name):
        try:
            found = await judge(name, version)
        except TimeoutError:
            found = [f"not over after {LIMIT} s"]
        return found, [item for item in found if not known.excuses(version, name, item)]

    async def first(name):
        async with contextlib.nullcontext() if name in LONG else turns:
            found, unlisted = await unlisted_of(name)
        if unlisted:
            again.append((name, unlisted))
        else:
            tell(name, found, unlisted)

    def tell(name, found, unlisted):
        kind = "DIFFERS" if unlisted else "differs as listed" if found else "equal"
        counts[kind] += 1
        print(f"{kind:<18} {name}", flush=True)
        show(unlisted)

    def show(unlisted):
        for item in unlisted[:shown]:
            print(f"    {item}")
        if len(unlisted) > (shown or len(unlisted)):
            print(f"    … and {len(unlisted) - shown} more")

    again = []
    await asyncio.gather(*(first(name) for name in sorted(names, key=lambda name: name not in LONG)))
    for name, before in again:
        print(f"once more          {name}, which differed:", flush=True)
        show(before)
        found, unlisted = await unlisted_of(name)
        tell(name, found, unlisted)
        if not unlisted:
            print(f"unstable: {name} on {version}", flush=True)
    return counts


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--bluez", action="append", required=True)
    arguments.add_argument("--whole", action="store_true", help="show all that differs")
    arguments.add_argument("names", nargs="*")
    arguments = arguments.parse_args()
    known = load(LISTED)
    shown = None if arguments.whole else SHOWN
    failed = False
    for version in arguments.bluez:
        begin = time.monotonic()
        there = sorted(file.stem for file in (HERE / "traces" / version).glob("*.txt"))
        if unknown := set(arguments.names) - set(there):
            sys.exit(f"no trace of {version} is named {', '.join(sorted(unknown))}")
        names = arguments.names or there
        counts = asyncio.run(judge_all(names, version, known, shown))
        told = ", ".join(
            f"{counts[kind]} {kind}" for kind in ("equal", "differs as listed", "DIFFERS")
        )
        print(
            f"bluetoothd {version}: {told}, of {len(names)} scenarios "
            f"in {time.monotonic() - begin:.0f} s"
        )
        failed = failed or counts["DIFFERS"] > 0
        for row in known.unused(version, names, whole=not arguments.names):
            print(f"listed, but no longer so: {row}")
            failed = True
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
