"""Measures this package beside C and Python: bench.py [PART …] [--quick] [--real] [--json FILE]

Nothing fails because of a time. It ends with 1 when something broke: an answer is missing, a program died.
"""

import argparse
import json
import os
import pathlib
import platform
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE / "harness"), str(HERE.parent / "Tests/Interoperability")]

import bus  # noqa: E402
import double  # noqa: E402
import many  # noqa: E402
import question  # noqa: E402
import sockets  # noqa: E402
import start  # noqa: E402
from figures import table  # noqa: E402

PARTS = {part.NAME: part for part in (question, bus, start, many, double, sockets)}


def machine():
    return {
        "system": platform.platform(),
        "cores": os.cpu_count(),
        "load": os.getloadavg(),
        "commit": os.environ.get("BENCH_COMMIT"),
        "bluez": os.environ.get("BENCH_BLUEZ"),
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument(
        "--quick", action="store_true", help="a look at each, in under three minutes"
    )
    parser.add_argument("--real", action="store_true", help="on the bluetoothd of the guest")
    parser.add_argument("--json", help="the file for all figures")
    options = parser.parse_args()
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"there is no part {', '.join(unknown)}")
    told = {"machine": machine(), "parts": {}}
    for name in options.parts or PARTS:
        began = time.monotonic()
        rows = PARTS[name].run(options.quick, options.real)
        took = time.monotonic() - began
        print(table(name, rows), f"\n({took:.0f} s)\n", flush=True)
        told["parts"][name] = {"seconds": took, "rows": [row.json() for row in rows]}
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n")


# What it has started ends with it.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
try:
    main()
except (AssertionError, OSError, subprocess.SubprocessError, ValueError) as error:
    sys.exit(f"bench: {error}")
