"""The known differences: the table in Docs/Conformance.md under "Known differences".

Each row: versions, scenario, difference, reason. The difference is a piece of code, and stands for
every line of Scripts/conformance that it fits; `*` fits anything, in the scenario's column too. A row
whose reason begins with "Sometimes" need not fit in each run; all others have to.
"""

import fnmatch
import re
from dataclasses import dataclass, field

HEADING = "## Known differences"
ROW = re.compile(r"\| *(?P<versions>[^|]+?) *\| *`(?P<scenario>[^`|]+)` *\| *`(?P<text>[^`]+)` *\| *(?P<reason>.*)")


@dataclass
class Row:
    versions: list
    scenario: str
    text: str
    reason: str
    fitted: set = field(default_factory=set)

    def fits(self, version, name, text):
        return (
            (version in self.versions or "all" in self.versions)
            and matches(name, self.scenario)
            and matches(text, self.text)
        )

    @property
    def is_seen_always(self):
        return not self.reason.startswith("Sometimes")

    def __str__(self):
        return f"{', '.join(self.versions)} {self.scenario}: {self.text}"


def matches(text, pattern):
    """As in a shell, but brackets are only brackets."""
    return fnmatch.fnmatchcase(text, pattern.replace("[", "[[]"))


class Known:
    def __init__(self, rows):
        self.rows = rows

    def excuses(self, version, name, difference):
        """Whether a row says so; it is remembered that it did."""
        fitting = [row for row in self.rows if row.fits(version, name, str(difference))]
        for row in fitting:
            row.fitted.add(version)
        return bool(fitting)

    def unused(self, version, names, whole):
        """The rows that should have fitted something; those for several scenarios when all ran."""
        for row in self.rows:
            meant = version in row.versions or "all" in row.versions
            ran = whole or row.scenario in names
            if row.is_seen_always and meant and ran and version not in row.fitted:
                yield row


def load(file):
    text = file.read_text()
    table = text.split(HEADING, 1)[1].split("\n## ", 1)[0]
    rows = []
    for line in table.splitlines():
        # A bar within the code is written as Markdown wants it.
        match = ROW.match(line.replace(r"\|", "\0"))
        if match:
            rows.append(
                Row(
                    match["versions"].split(", "),
                    match["scenario"],
                    match["text"].replace("\0", "|"),
                    match["reason"].replace("\0", "|"),
                )
            )
        elif line.startswith("| ") and not line.startswith("| bluetoothd"):
            raise ValueError(f"not a row of known differences: {line}")
    return Known(rows)
