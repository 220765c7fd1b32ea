"""What was measured: rows of a table, and of JSON."""

import statistics


def median(values):
    return statistics.median(values)


def percentile(values, part):
    """The value below which that part of all values is."""
    values = sorted(values)
    return values[min(len(values) - 1, int(part * len(values)))]


def fairness(shares):
    """Jain's index: 1 when all have the same share, 1/n when one has all."""
    squares = sum(share * share for share in shares)
    return sum(shares) ** 2 / (len(shares) * squares) if squares else 0


class Row:
    """A measure: for each client its figure in each round.

    Each of `judged` is a client, another one to divide by or None, and a goal or None: of the median of the
    rounds' ratios, as the machine is not quiet, and its state is that of a round. A measure that is taken at
    several numbers of something says at which: `at`, the number and of what.
    """

    def __init__(self, name, unit, rounds, *judged, at=None):
        self.measure, self.at = name, at
        self.name = f"{at[0]} {at[1]}: {name}" if at else name
        self.unit, self.rounds = unit, rounds
        self.verdicts = [self.judge(*words) for words in judged]

    def judge(self, client, other, goal=None):
        values = self.rounds[client]
        if other:
            values = [a / b for a, b in zip(values, self.rounds[other], strict=True) if b]
        verdict = {
            "what": f"{client} ÷ {other}" if other else client,
            "min": min(values),
            "median": median(values),
            "max": max(values),
        }
        if goal:
            sign, limit = goal.split()
            missed = (
                verdict["median"] > float(limit)
                if sign == "≤"
                else verdict["median"] < float(limit)
            )
            verdict |= {"goal": goal, "met": not missed}
        return verdict

    def json(self):
        return {
            "name": self.name,
            "measure": self.measure,
            "at": self.at,
            "unit": self.unit,
            "rounds": self.rounds,
            "verdicts": self.verdicts,
        }


def number(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def table(title, rows):
    """The rows with the medians of each client's rounds, a line for each verdict."""
    clients = list(dict.fromkeys(client for row in rows for client in row.rounds))
    lines = [[title, "unit", *clients, "", "min", "median", "max", "goal", ""]]
    for row in rows:
        cells = [row.name, row.unit]
        cells += [number(median(row.rounds[c])) if c in row.rounds else "" for c in clients]
        for verdict in row.verdicts or [None]:
            if verdict:
                goal = verdict.get("goal", "")
                cells += [
                    verdict["what"],
                    *(number(verdict[key]) for key in ("min", "median", "max")),
                ]
                cells += [goal, ("met" if verdict["met"] else "missed") if goal else ""]
            lines.append(cells + [""] * (len(lines[0]) - len(cells)))
            cells = [""] * (len(clients) + 2)
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if at in (0, 1, len(clients) + 2) else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )
