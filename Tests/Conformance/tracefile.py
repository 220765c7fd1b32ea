"""Traces: what several runs of a scenario have in common, and where they vary.

A margin before each line says how far a run may differ from it:
    ?       absent in some runs. With digits: of the lines that tell of the same things, those with
            a digit in common were seen together; 0 says that none of them was seen, too.
    a, b …  a name for the line, so that others can name it.
    ~a,c-f  came before the lines of these names in some runs, after them in others.
    *       a report of a scan: at any time, in any step of the scenario, as often as it likes.
All other lines come always. The order in which they stand is fixed; but what the program itself
sent stands where it was sent once, and is not compared with the rest.
"""

import itertools
import re
from dataclasses import dataclass, field

from normal import Line

MARGIN = 10
WIDTH = 110


@dataclass
class Entry:
    """A line of a trace: which occurrence of its text, and how it may vary."""

    line: Line
    key: tuple
    sets: str | None = None  # None: always there; "": on its own; digits: the sets it is in
    floats: set = field(default_factory=set)  # keys of entries above that it may come before


@dataclass
class Trace:
    scenario: str
    heading: list
    steps: dict  # title -> lane -> [Entry]


def keyed(lines):
    """The lines with their keys: text, and the how manieth of that text."""
    counts = {}
    for line in lines:
        counts[line.text] = counts.get(line.text, 0) + 1
        yield (line.text, counts[line.text]), line


def merge(scenario, heading, runs):
    """One trace of several normalised runs."""
    titles = list(dict.fromkeys(step.title for steps in runs for step in steps))
    trace = Trace(scenario, heading, {})
    for title in titles:
        lanes = {}
        of_runs = [{step.title: step.lanes for step in steps}.get(title, {}) for steps in runs]
        for name in sorted({name for run in of_runs for name in run}):
            lanes[name] = merge_lane([dict(keyed(run.get(name, []))) for run in of_runs])
        trace.steps[title] = lanes
    return trace


def merge_lane(runs):
    lines = {key: line for run in reversed(runs) for key, line in run.items()}
    places = [{key: place for place, key in enumerate(run)} for run in runs]
    before = {
        (one, other): sum(p[one] < p[other] for p in places if one in p and other in p)
        for one, other in itertools.permutations(lines, 2)
    }
    entries = [Entry(lines[key], key) for key in ordered(lines, before, places)]
    for place, entry in enumerate(entries):
        if entry.line.anytime:
            if any(entry.key not in run for run in runs):
                entry.sets = ""
        for above in entries[:place]:
            ordered_pair = entry.line.is_ordered and above.line.is_ordered
            always = before[above.key, entry.key] and not before[entry.key, above.key]
            if ordered_pair and not always:
                entry.floats.add(above.key)
    varying = [
        entry
        for entry in entries
        if not entry.line.anytime and any(entry.key not in run for run in runs)
    ]
    for related in groups(varying):
        mark_sets(related, runs)
    return entries


def groups(entries):
    """The entries in groups that tell of the same things, directly or by way of others."""
    found = []
    for entry in entries:
        near = [
            group
            for group in found
            if any(entry.line.topics & other.line.topics for other in group)
        ]
        found = [group for group in found if group not in near]
        found.append([other for group in near for other in group] + [entry])
    return found


def ordered(lines, before, places):
    """The lines in an order that contradicts no run that the others don't contradict as well."""
    average = {
        key: sum(p[key] / len(p) for p in places if key in p) / sum(key in p for p in places)
        for key in lines
    }
    rest = sorted(lines, key=lambda key: (average[key], key))
    while rest:
        # The first that no other always precedes; there is one, or the first of all will do.
        first = next(
            (
                key
                for key in rest
                if not any(
                    other != key and before[other, key] and not before[key, other] for other in rest
                )
            ),
            rest[0],
        )
        rest.remove(first)
        yield first


def mark_sets(entries, runs):
    seen = list(
        dict.fromkeys(tuple(entry.key for entry in entries if entry.key in run) for run in runs)
    )
    numbers = {keys: str(number) for number, keys in enumerate(sorted(filter(None, seen)), 1)}
    for entry in entries:
        digits = "".join(number for keys, number in numbers.items() if entry.key in keys)
        entry.sets = "" if len(entries) == 1 else ("0" if () in seen else "") + digits


# The text.


def letters(number):
    name = chr(ord("a") + number % 26)
    return name if number < 26 else letters(number // 26 - 1) + name


def spans(chosen, labels):
    """`~a,c-f`: the chosen ones of the labels."""
    found = []
    for place, label in enumerate(labels):
        if not chosen[place]:
            continue
        if place and chosen[place - 1]:
            found[-1] = found[-1].partition("-")[0] + "-" + label
        else:
            found.append(label)
    return "~" + ",".join(found) if found else ""


def spread(text, labels):
    """The labels that such a text stands for."""
    names = list(labels)
    for span in filter(None, text.split(",")):
        first, _, last = span.partition("-")
        yield from names[names.index(first) : names.index(last or first) + 1]


def write(trace):
    text = [f"# {line}".rstrip() for line in trace.heading]
    for title, lanes in trace.steps.items():
        text += ["", f"== {title}"]
        for lane, entries in lanes.items():
            text.append(f"{lane}:")
            named = {key for entry in entries for key in entry.floats}
            labels = {}
            for entry in entries:
                if entry.key in named:
                    labels[entry.key] = letters(len(labels))
            for entry in entries:
                margin = labels.get(entry.key, "")
                margin += "*" if entry.line.anytime else ""
                margin += "" if entry.sets is None else "?" + entry.sets
                margin += spans([key in entry.floats for key in labels], list(labels.values()))
                text += shown(entry.line, margin)
    return "\n".join(text) + "\n"


def shown(line, margin=""):
    """A line; its values follow, as many on a line as fit."""
    lines = [f"{margin:<{MARGIN}} {line.head}"]
    for value in line.values:
        if len(line.values) > 1 and lines == lines[:1] or len(lines[-1]) + len(value) > WIDTH:
            lines.append(f"{'':<{MARGIN}}  ")
        lines[-1] += f" | {value}"
    return lines


ENTRY = re.compile(r"(?P<label>[a-z]*)(?P<anytime>\*?)(\?(?P<sets>\d*))?(~(?P<floats>[a-z,-]+))?")


def parse(scenario, text):
    trace = Trace(scenario, [], {})
    lanes = entries = labels = None
    for line in text.splitlines():
        if line.startswith("#"):
            trace.heading.append(line[2:])
        elif line.startswith("== "):
            lanes = trace.steps[line[3:]] = {}
        elif line and not line.startswith(" ") and line.endswith(":") and "  " not in line:
            entries, labels = lanes.setdefault(line[:-1], []), {}
        elif line.lstrip().startswith("| "):
            entries[-1].line.values += line.lstrip()[2:].split(" | ")
        elif line:
            entries.append(parse_entry(line, labels))
    for lanes in trace.steps.values():
        for entries in lanes.values():
            name(entries)
    return trace


def parse_entry(line, labels):
    margin, _, content = line.partition(" ")
    match = ENTRY.fullmatch(margin)
    head, *values = content.lstrip().split(" | ")
    entry = Entry(Line(head, values, anytime=bool(match["anytime"])), None, match["sets"])
    entry.floats = {labels[label] for label in spread(match["floats"] or "", labels)}
    if match["label"]:
        labels[match["label"]] = id(entry)
    return entry


def name(entries):
    """Gives parsed entries their keys, once their lines are complete."""
    keys = {}
    for entry, (key, _) in zip(entries, keyed([entry.line for entry in entries]), strict=True):
        keys[id(entry)] = entry.key = key
    for entry in entries:
        entry.floats = {keys[above] for above in entry.floats}
