"""Makes traces of the runs that were recorded: record.py VERSION RUNS TRACES [NAME…]

RUNS holds a folder for each time that the scenarios were played.
"""

import json
import pathlib
import sys

from normal import normalise
from tracefile import merge, write


def main(version, runs, traces, *names):
    traces = pathlib.Path(traces)
    traces.mkdir(parents=True, exist_ok=True)
    files = {}
    for file in sorted(pathlib.Path(runs).glob("*/*.json")):
        files.setdefault(file.stem, []).append(file)
    for name in names or sorted(files):
        loaded = [json.loads(file.read_text()) for file in files[name]]
        heading = [
            name,
            *loaded[0]["summary"].splitlines(),
            f"bluetoothd {version}, seen {len(loaded)} times.",
        ]
        trace = merge(name, heading, [normalise(run) for run in loaded])
        (traces / f"{name}.txt").write_text(write(trace))


main(*sys.argv[1:])
