"""Makes one small change at a time, and tells which ones no test notices; see Scripts/mutate --help."""

import argparse
import dataclasses
import hashlib
import json
import pathlib
import sys

import mutants
from suites import SUITES, Suites
from tree import BuildFailed, Tree, say

FOLDERS = ["Sources/BLE", "Sources/BLEDBus", "Sources/BlueZ", "Sources/MagicEightBall"]
WORK = pathlib.Path(".build-mutation")
RESULTS = ("test", "crash", "time", "survived")


def arguments():
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--again", action="store_true")
    parser.add_argument("folders", nargs="*", default=FOLDERS)
    return parser.parse_args()


class Results:
    """What became of each mutant, a line each, so that a run that was interrupted goes on."""

    def __init__(self, path):
        self.path = path
        self.made, self.refused, self.runs = [], [], {}
        if not path.is_file():
            return
        for line in path.read_text().splitlines():
            entry = json.loads(line)
            if "made" in entry:
                self.made, self.refused = (
                    [self.mutant(fields) for fields in entry[name]] for name in ("made", "refused")
                )
            else:
                self.runs[entry["number"]] = entry

    @staticmethod
    def mutant(fields):
        return mutants.Mutant(**{**fields, "scope": tuple(fields["scope"])})

    def add(self, **entry):
        with self.path.open("a") as file:
            file.write(json.dumps(entry, ensure_ascii=False) + "\n")

    def choose(self, choice):
        self.made, self.refused = choice.mutants, choice.refused
        self.add(
            made=[dataclasses.asdict(one) for one in self.made],
            refused=[dataclasses.asdict(one) for one in self.refused],
        )

    def record(self, number, run):
        entry = {"number": number, "result": run.result, "by": run.by, "seconds": round(run.seconds, 1)}
        self.runs[number] = entry
        self.add(**entry)

    def print_table(self):
        print("| module | made | noticed by a test | by a crash | by its time | survived | did not compile |")
        print("|---|---|---|---|---|---|---|")
        modules = sorted({one.module for one in self.made})
        for module in [*modules, "all"]:
            here = [
                self.runs[number]["result"]
                for number, one in enumerate(self.made, 1)
                if number in self.runs and module in (one.module, "all")
            ]
            refused = sum(module in (one.module, "all") for one in self.refused)
            counts = [len(here), *(here.count(result) for result in RESULTS), refused]
            print(f"| {module} | " + " | ".join(map(str, counts)) + " |")
        for number, one in enumerate(self.made, 1):
            if self.runs.get(number, {}).get("result") == "survived":
                print(f"survived: {number} {one}")


def main():
    options = arguments()
    folders = [folder.rstrip("/") for folder in options.folders]
    for folder in folders:
        if not any(pathlib.Path(folder).is_relative_to(f"Sources/{known}") for known in SUITES):
            sys.exit(f"mutate: '{folder}' is not in Sources/ of {', '.join(SUITES)}")
    found = mutants.find(WORK / "finder/debug/find-mutants", folders)
    total = sum(map(len, found.values()))
    digest = hashlib.sha256(repr(folders).encode())
    for file in sorted({mutant.file for mutants in found.values() for mutant in mutants}):
        digest.update(pathlib.Path(file).read_bytes())
    results = Results(WORK / f"results-{options.seed}-{options.count}-{digest.hexdigest()[:8]}.jsonl")
    modules = {pathlib.Path(folder).parts[1] for folder in folders}
    wanted = {suite for module in modules for suite in SUITES[module]}
    tree = Tree(".", WORK / "tree", wanted, options.jobs)
    choice = mutants.Choice(found, options.count, options.seed)
    if results.made:
        choice.keep(results.made, results.refused)
    say(f"{total} mutants in {len(folders)} folders; building; results go to {results.path}")
    tree.build(choice)
    if results.made != choice.mutants:
        results.choose(choice)
    tree.build_tests()
    suites = Suites(tree, WORK)
    for number, mutant in enumerate(results.made, 1):
        known = results.runs.get(number)
        if known and not (options.again and known["result"] == "survived"):
            continue
        run = suites.try_mutant(number, mutant.module)
        results.record(number, run)
        print(f"{number}/{len(results.made)} {run.result} ({run.seconds:.0f} s) {mutant} {run.by}", flush=True)
    results.print_table()


try:
    main()
except BuildFailed as error:
    sys.exit(f"mutate: the build fails:\n{error}")
