"""Holds virtual-bluez against the traces: conformance.py --bluez VERSION… [NAME…]

A line for each scenario; exits 1 when one differs otherwise than Docs/Conformance.md lists, or when
a difference that is listed there no longer occurs.
"""

import argparse
import asyncio
import collections
import json
import pathlib
import sys
import tempfile
import time

from compare import Difference, compare
from known import load
from normal import normalise
from tracefile import parse

HERE = pathlib.Path(__file__).parent
LISTED = HERE.parent.parent / "Docs" / "Conformance.md"
AT_ONCE = 4
LIMIT = 200
SHOWN = 12
# Scenarios in which a limit of the daemon has to pass: they begin first.
LONG = [
    "connect_to_nobody",
    "removal_after_disconnection",
    "removal_after_discovery",
    "encryption_without_agent",
    "adapters_vanish_while_writing",
]


async def play(name, version, folder):
    """The normal form of what virtual-bluez does in a scenario; or why there is none."""
    process = await asyncio.create_subprocess_exec(
        "virtual-bluez",
        "--adapters",
        "3",
        "--bluez",
        version,
        "--",
        sys.executable,
        str(HERE / "play.py"),
        "--world",
        "virtual",
        "--into",
        str(folder),
        name,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        output, _ = await asyncio.wait_for(process.communicate(), LIMIT)
    except TimeoutError:
        process.kill()
        await process.wait()
        return f"no end after {LIMIT} s"
    file = folder / f"{name}.json"
    if process.returncode or not file.exists():
        return f"ended with {process.returncode}: {output.decode()[-600:]}"
    return normalise(json.loads(file.read_text()))


async def judge(name, version, folder):
    """The differences of a scenario from its trace."""
    played = await play(name, version, folder)
    if isinstance(played, str):
        return [Difference("", "", f"not played: {played}")]
    file = HERE / "traces" / version / f"{name}.txt"
    return compare(parse(name, file.read_text()), played)


async def judge_all(names, version, known, folder, shown):
    names = sorted(
        names, key=lambda name: (name not in LONG, LONG.index(name) if name in LONG else 0)
    )
    turns = asyncio.Semaphore(AT_ONCE)
    counts = collections.Counter()
    differing = {}

    async def one(name):
        async with turns:
            found = await judge(name, version, folder)
        unlisted = [item for item in found if not known.excuses(version, name, item)]
        differing[name] = found
        kind = "DIFFERS" if unlisted else "differs as listed" if found else "equal"
        counts[kind] += 1
        print(f"{kind:<18} {name}", flush=True)
        for item in unlisted[:shown]:
            print(f"    {item}")
        if len(unlisted) > (shown or len(unlisted)):
            print(f"    … and {len(unlisted) - shown} more")

    await asyncio.gather(*(one(name) for name in names))
    return counts, differing


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--bluez", action="append", required=True)
    arguments.add_argument("--keep", type=pathlib.Path, help="where to keep what was seen")
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
        with tempfile.TemporaryDirectory() as temporary:
            folder = arguments.keep or pathlib.Path(temporary)
            counts, _ = asyncio.run(judge_all(names, version, known, folder, shown))
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
