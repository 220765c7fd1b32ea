"""A run held against a trace: what is missing, what is too much, what is in another order."""

from collections import Counter
from dataclasses import dataclass

from tracefile import groups, keyed


@dataclass(frozen=True)
class Difference:
    """One of them; its text is what a list of known differences names."""

    step: str
    lane: str
    text: str

    def __str__(self):
        return " · ".join(part for part in (self.step, self.lane, self.text) if part)


def compare(trace, steps):
    found = []
    of_run = {step.title: step.lanes for step in steps}
    reports = {
        entry.line.text
        for lanes in trace.steps.values()
        for entries in lanes.values()
        for entry in entries
        if entry.line.anytime
    }
    missing = []
    for title, lanes in trace.steps.items():
        run = of_run.pop(title, None)
        if run is None:
            missing.append(title)
            continue
        for lane in sorted(lanes.keys() | run.keys()):
            lines = [line for line in run.get(lane, []) if line.text not in reports]
            entries = [entry for entry in lanes.get(lane, []) if not entry.line.anytime]
            differences = compare_lane(entries, lines)
            found += [Difference(title, lane, text) for text in differences]
    for title, run in of_run.items():
        lines = "; ".join(line.head for lines in run.values() for line in lines)
        found.append(Difference(title, "", f"extra: the step, with {lines}"))
    if missing:
        found.append(Difference(missing[0], "", f"missing: this step, {len(missing)} in all"))
    return found


def compare_lane(entries, lines):
    run = dict(keyed(lines))
    trace = {entry.key: entry for entry in entries}
    missing = [entry for entry in entries if entry.key not in run and entry.sets is None]
    extra = [line for key, line in run.items() if key not in trace]
    yield from changed(missing, extra)
    yield from (f"missing: {whole(entry.line)}" for entry in missing)
    yield from (f"extra: {whole(line)}" for line in extra)
    yield from sets(entries, run)
    yield from order(entries, run)


def whole(line):
    """A line in one, with its values as far as they are few."""
    return " | ".join([line.head, *line.values[:4], *(["…"] if len(line.values) > 4 else [])])


def changed(missing, extra):
    """Pairs of the two that are the same message with other values; takes them out of both."""
    for entry in list(missing):
        alike = [line for line in extra if line.head == entry.line.head]
        line = max(alike, key=lambda line: common(entry.line, line), default=None)
        if line is None or not common(entry.line, line):
            continue
        missing.remove(entry)
        extra.remove(line)
        there, here = Counter(entry.line.values), Counter(line.values)
        for value in (there - here).elements():
            yield f"missing in {line.head}: {value}"
        for value in (here - there).elements():
            yield f"extra in {line.head}: {value}"


def common(one, other):
    """How many values of that name both have."""
    names = [{value.split(" ")[0] for value in line.values} for line in (one, other)]
    return len(names[0] & names[1])


def sets(entries, run):
    """Lines that are seen in some runs only, and tell of the same things: which were together?"""
    for related in groups([entry for entry in entries if entry.sets]):
        digits = {digit for entry in related for digit in entry.sets}
        allowed = [
            {entry.key for entry in related if digit in entry.sets} for digit in digits - {"0"}
        ]
        if "0" in digits:
            allowed.append(set())
        seen = [entry for entry in related if entry.key in run]
        if {entry.key for entry in seen} not in allowed:
            yield "never seen so: " + (
                "; ".join(whole(entry.line) for entry in seen)
                or "none of " + "; ".join(whole(entry.line) for entry in related)
            )


def order(entries, run):
    """The fewest lines that stand elsewhere than they should, each with one that it has passed."""
    places = {key: place for place, key in enumerate(run)}
    ours = [entry for entry in entries if entry.key in places and entry.line.is_ordered]
    passed = {entry.key: [] for entry in ours}
    for place, entry in enumerate(ours):
        for above in ours[:place]:
            if above.key not in entry.floats and places[entry.key] < places[above.key]:
                passed[entry.key].append((above, "before"))
                passed[above.key].append((entry, "after"))
    lines = {entry.key: entry.line for entry in ours}
    while any(passed.values()):
        key = max(reversed(passed), key=lambda key: len(passed[key]))
        other, side = passed[key][0]
        yield f"order: {whole(lines[key])} comes {side} {whole(other.line)}"
        for entry, _ in passed.pop(key):
            passed[entry.key] = [pair for pair in passed[entry.key] if pair[0].key != key]
