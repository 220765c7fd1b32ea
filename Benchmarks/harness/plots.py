"""Draws how measures grow: plots.py JSON DIR, a picture for all that is taken at several numbers of one thing."""

import collections
import json
import pathlib
import re
import statistics
import sys

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot  # noqa: E402


def charts(told):
    """By what there are several of: the rows of each measure."""
    rows = [row for part in told["parts"].values() for row in part["rows"] if row["at"]]
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    for row in rows:
        found[row["at"][1]][row["measure"]].append(row)
    return {
        what: measures
        for what, measures in found.items()
        if all(len(rows) > 1 for rows in measures.values())
    }


def draw(axes, what, measure, rows):
    """A line for each client: the medians of the rounds, and from the least to the greatest."""
    for client in rows[0]["rounds"]:
        numbers = [row["at"][0] for row in rows]
        rounds = [row["rounds"][client] for row in rows]
        medians = [statistics.median(figures) for figures in rounds]
        below = [median - min(figures) for median, figures in zip(medians, rounds, strict=True)]
        above = [max(figures) - median for median, figures in zip(medians, rounds, strict=True)]
        axes.errorbar(numbers, medians, [below, above], label=client, marker="o", capsize=3)
    axes.set_xscale("log")
    axes.set_xticks(numbers, [f"{number:,}" for number in numbers])
    axes.minorticks_off()
    axes.set_ylim(bottom=0)
    axes.set_xlabel(what)
    axes.set_ylabel(f"{measure}, {rows[0]['unit']}" if rows[0]["unit"] else measure)
    axes.legend()


def main(source, folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for what, measures in charts(json.loads(pathlib.Path(source).read_text())).items():
        figure, row = pyplot.subplots(
            1, len(measures), figsize=(4 * len(measures), 3.2), squeeze=False
        )
        for axes, (measure, rows) in zip(row[0], measures.items(), strict=True):
            draw(axes, what, measure, rows)
        figure.tight_layout()
        figure.savefig(folder / (re.sub(r"\W+", "-", what) + ".svg"))


main(*sys.argv[1:])
