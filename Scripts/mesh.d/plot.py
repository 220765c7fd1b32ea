"""Merges what parts of a series have printed into a table and plots: plot.py DIR FILE …"""

import collections
import csv
import json
import pathlib
import statistics
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

PLOTS = [
    ("deliveredPerMille", "delivered, of 1000", False),
    ("delay95Milliseconds", "delay of 95 of 100, ms", True),
    ("copiesPerMessage", "copies a message", True),
    ("airSeconds", "seconds on the air", True),
]


def read(files):
    runs = {}
    for file in files:
        for line in pathlib.Path(file).read_text().splitlines():
            run = json.loads(line)
            key = (run["nodes"], run["kept"], run["mobility"], run["densityTenths"], run["seed"])
            runs[key] = run
    return [runs[key] for key in sorted(runs)]


def main():
    out = pathlib.Path(sys.argv[1])
    runs = read(sys.argv[2:])
    if not runs:
        sys.exit("plot.py: the files have no run")
    with open(out / "mesh.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=[name for name in runs[0] if name != "event"], extrasaction="ignore")
        writer.writeheader()
        writer.writerows(runs)
    groups = collections.defaultdict(list)
    for run in runs:
        groups[run["mobility"], run["densityTenths"] / 10].append(run)
    movements = sorted({movement for movement, _ in groups})
    for name, title, is_logarithmic in PLOTS:
        figure, axes = plt.subplots(figsize=(7, 4.5))
        for movement in movements:
            densities = sorted(density for other, density in groups if other == movement)
            values = [[run[name] for run in groups[movement, density]] for density in densities]
            middle = [statistics.median(each) for each in values]
            below = [m - min(each) for m, each in zip(middle, values)]
            above = [max(each) - m for m, each in zip(middle, values)]
            axes.errorbar(densities, middle, yerr=[below, above], marker="o", capsize=3, label=movement)
        axes.set_xlabel("nodes in reach")
        axes.set_ylabel(title)
        axes.set_xscale("log", base=2)
        axes.set_xticks([4, 8, 16], ["4", "8", "16"])
        if is_logarithmic:
            axes.set_yscale("log")
        axes.grid(alpha=0.3)
        axes.legend()
        figure.tight_layout()
        figure.savefig(out / f"mesh-{name}.png", dpi=100)
        plt.close(figure)
    print("| movement | in reach | runs | delivered, of 1000 | delay, middle and 95 of 100 | copies | air, s |")
    print("|---|---|---|---|---|---|---|")
    for (movement, density), each in sorted(groups.items()):
        low, high = (pick(run["deliveredPerMille"] for run in each) for pick in (min, max))
        median = {name: statistics.median(run[name] for run in each) for name in each[0] if isinstance(each[0][name], int)}
        print(
            f"| {movement} | {density:g} | {len(each)} | {median['deliveredPerMille']:g} ({low} to {high}) "
            f"| {median['delayMedianMilliseconds'] / 1000:.1f}, {median['delay95Milliseconds'] / 1000:.1f} s "
            f"| {median['copiesPerMessage']:g} | {median['airSeconds']:g} |"
        )


main()
