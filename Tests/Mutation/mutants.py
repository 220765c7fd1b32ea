"""Which mutants there are, which are taken, and how a file reads with them."""

import dataclasses
import json
import pathlib
import random
import subprocess


@dataclasses.dataclass(frozen=True)
class Mutant:
    file: str
    line: int
    column: int
    kind: str
    form: str
    begin: int
    end: int
    original: str
    changed: str
    scope: tuple

    @property
    def module(self):
        return pathlib.Path(self.file).parts[1]

    @property
    def place(self):
        return (self.file, self.begin, self.end)

    def __str__(self):
        original = " ".join(self.original.split())
        changed = " ".join(self.changed.split()) or "nothing"
        return f"{self.file}:{self.line}:{self.column}: {self.kind}: {original} → {changed}"


def find(finder, folders):
    """All mutants below the folders, each folder's in an order of its own."""
    found = {folder: [] for folder in folders}
    modules = sorted({"/".join(pathlib.Path(folder).parts[:2]) for folder in folders})
    output = subprocess.run([finder, *modules], check=True, stdout=subprocess.PIPE).stdout
    for line in output.splitlines():
        file = json.loads(line)
        text = pathlib.Path(file["path"]).read_bytes()
        for fields in file["mutants"]:
            fields["scope"] = tuple(fields["scope"])
            original = text[fields["begin"] : fields["end"]].decode()
            mutant = Mutant(file=file["path"], original=original, **fields)
            for folder in folders:
                if pathlib.Path(mutant.file).is_relative_to(folder):
                    found[folder].append(mutant)
    return found


class Choice:
    """So many mutants from each folder, by a seed; what does not compile makes place for the next."""

    def __init__(self, found, count, seed):
        self.waiting = {}
        self.shares = {}
        for index, (folder, mutants) in enumerate(sorted(found.items())):
            ordered = sorted(mutants, key=lambda one: (one.place, one.kind, one.changed))
            random.Random(f"{seed} {folder}").shuffle(ordered)
            self.waiting[folder] = ordered
            self.shares[folder] = (count + index) // len(found)
        self.taken = {folder: [] for folder in found}
        self.refused = []

    @property
    def mutants(self):
        return [mutant for folder in sorted(self.taken) for mutant in self.taken[folder]]

    def fill(self):
        places = {mutant.place for mutant in [*self.mutants, *self.refused]}
        for folder, waiting in self.waiting.items():
            while waiting and len(self.taken[folder]) < self.shares[folder]:
                mutant = waiting.pop(0)
                if mutant.place not in places:
                    places.add(mutant.place)
                    self.taken[folder].append(mutant)

    def keep(self, made, refused):
        """What an earlier run has chosen, and nothing else."""
        self.waiting = {}
        for folder, taken in self.taken.items():
            taken[:] = [mutant for mutant in made if pathlib.Path(mutant.file).is_relative_to(folder)]
        self.refused = list(refused)

    def refuse(self, mutants):
        for taken in self.taken.values():
            taken[:] = [mutant for mutant in taken if mutant not in mutants]
        self.refused += mutants


def render(text, mutants):
    """A file's text with mutants, and each one's first and last line in it.

    `mutants` are pairs of a number and a mutant. One within another stays in the other's original:
    only one of them is ever chosen.
    """
    lines = {}

    def between(begin, end, inner, line):
        parts = []
        position = begin
        while inner:
            number, outer = inner[0]
            within = [one for one in inner[1:] if one[1].end <= outer.end]
            inner = inner[1 + len(within) :]
            before = text[position : outer.begin]
            parts.append(before)
            line += before.count(b"\n")
            head, foot = wrapping(number, outer)
            first = line
            line += head.count(b"\n")
            original = between(outer.begin, outer.end, within, line)
            parts += [head, original, foot]
            line += original.count(b"\n") + foot.count(b"\n")
            lines[number] = (first, line)
            position = outer.end
        parts.append(text[position:end])
        return b"".join(parts)

    ordered = sorted(mutants, key=lambda pair: (pair[1].begin, -pair[1].end))
    return between(0, len(text), ordered, 1), lines


def wrapping(number, mutant):
    chosen = f"mutantOf{mutant.module}({number})"
    head, foot = {
        "choice": (f"({chosen} ? ({mutant.changed}) : (", "))"),
        "removal": (f"if !{chosen} {{ ", " }"),
        "exchange": (f"if {chosen} {{ {mutant.changed} }} else {{ ", " }"),
    }[mutant.form]
    return head.encode(), foot.encode()
