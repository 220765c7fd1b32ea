"""The normal form: a run as lines that are the same wherever and whenever it is played.

Docs/Conformance.md tells its rules; each function here is one of them.
"""

import json
import re
from dataclasses import dataclass, field
from xml.etree import ElementTree

from dbus_fast import SignatureTree
from journal import Journal

PATH = re.compile(
    r"/org/bluez/(hci\d+)(/dev(?:_[0-9A-F]{2}){6})?((?:/(?:service|char|desc)\w{4})*)"
)
ADDRESS = re.compile(r"\b[0-9A-F]{2}(?:([:_-])[0-9A-F]{2}){5}\b")
BASE_UUID = re.compile(r"0000([0-9a-f]{4})-0000-1000-8000-00805f9b34fb")
HASH = "00002b2a-0000-1000-8000-00805f9b34fb"
# The bus's words, where a service may or may not be started by a call.
NOBODY = re.compile(r"org\.freedesktop\.DBus\.Error\.(ServiceUnknown|Spawn\..*)")
# What bluetoothd reads from a peer once its services are known, or while they become so.
LATE = (("Alias", "Name"), ("Modalias",))
# Seconds: until when a length of time counts as which.
CLASSES = [
    (1.5, None),
    (3.3, 2),
    (4.6, 4),
    (5.7, 5),
    (8, 6),
    (13, 10),
    (25, 15),
    (35.5, 30),
    (46, 40),
    (100, 60),
]


@dataclass
class Line:
    """One event: what it is, and the values that belong to it."""

    head: str
    values: list = field(default_factory=list)
    anytime: bool = False

    @property
    def text(self):
        return "\n".join([self.head, *self.values])

    @property
    def is_ordered(self):
        """Whether its place is bluetoothd's doing: not what the program itself sent."""
        own = ("call", "answers", "emits", "sends", "leaves", "lever", "finds:")
        return not self.anytime and self.head.split(" ")[0] not in own

    @property
    def topics(self):
        """What it tells of: properties of an object, an object, a call, a call of bluetoothd."""
        kind, *rest = self.head.split("(")[0].split(" ")
        if kind == "changed":
            return {(*rest[:2], value.split(" ")[0]) for value in self.values}
        if kind in ("added", "removed"):
            return {rest[0]}
        if kind in ("signal", "asked", "answers", "call"):
            return {(kind, *rest[:2])}
        return {(kind, *rest[:1])}


@dataclass
class Step:
    title: str
    lanes: dict = field(default_factory=dict)


class Names:
    """Addresses, UUIDs and paths → the names under which a trace shows them."""

    def __init__(self, names, shows_handles=False):
        self.adapters = {address: adapter for adapter, address in names["adapters"].items()}
        self.uuids = {uuid: name for name, uuid in names["uuids"].items()}
        self.known = {}
        self.seen = {}
        self.shows_handles = shows_handles

    def know(self, path, uuid):
        """An attribute gets a name; another path with the same UUID on that device a number."""
        device = path[: path.index("/service")]
        kind = re.match(r"[a-z]+", path.rsplit("/", 1)[1]).group()
        # Descriptors of different characteristics share their UUIDs.
        scope = path.rsplit("/", 1)[0] if kind == "desc" else device
        paths = self.seen.setdefault((scope, uuid), [])
        if path not in paths:
            paths.append(path)
        number = paths.index(path) + 1
        name = f"{kind}:{self.uuid(uuid)}" + (f"#{number}" if number > 1 else "")
        self.known[path] = f"<{name}>"

    def uuid(self, text):
        if match := BASE_UUID.fullmatch(text):
            return "0x" + match.group(1)
        return self.uuids.get(text, text)

    def path(self, text):
        match = PATH.fullmatch(text)
        if not match:
            return text
        adapter, device, attributes = match.groups()
        shown = adapter
        if device:
            shown += "/" + self.address(device[5:].replace("_", ":"))
        full = f"/org/bluez/{adapter}{device or ''}"
        for part in attributes.split("/")[1:]:
            full += "/" + part
            name = self.known.get(full, f"<{part}>")
            shown += "/" + (part if self.shows_handles else "") + name
        return shown

    def address(self, text):
        return f"<{self.adapters[text]}>" if text in self.adapters else text

    def text(self, text):
        """A text that may have an address in it, as an Alias does."""

        def shown(match):
            address = match.group().replace(match.group(1), ":")
            return self.address(address) if address in self.adapters else match.group()

        return json.dumps(ADDRESS.sub(shown, text), ensure_ascii=False)


class Normaliser:
    def __init__(self, run):
        self.names = Names(run["names"], shows_handles=run["scenario"].endswith("_handles"))
        self.steps = [Step(title) for title in run["steps"]]
        self.events = run["events"]
        self.ordinals = {}
        self.begin = 0
        self.latest = {}

    def steps_of_lines(self):
        step = before = None
        for event in self.events:
            if event["what"] == "known":
                self.names.know(event["path"], event["uuid"])
                continue
            if event["step"] != step:
                step, self.ordinals = event["step"], {}
                self.begin, self.latest = before or event["at"], {}
            lines = getattr(self, event["what"].replace(" ", "_"))(event)
            if event["what"] == "lever":
                self.begin = None
            if not Journal.is_report(event):
                self.latest[event["who"]] = before = event["at"]
            if step < 0 and event["what"] != "gave up":
                continue
            if step < 0:
                self.steps.insert(0, Step("before the first step"))
                step = 0
            lane = self.steps[step].lanes.setdefault(event["who"], [])
            for line in lines if isinstance(lines, list) else [lines]:
                if not line.anytime or all(line.text != other.text for other in lane):
                    lane.append(line)
        return self.steps

    # One method for each kind of event.

    def call(self, event):
        call = self.ordinal(event)
        return Line(f"call {call}({self.arguments(event)})")

    def reply(self, event):
        head = f"{self.ordinal(event)} returned{self.after(event['at'] - event['sent'])}"
        if event["signature"] == "a{oa{sa{sv}}}":
            return Line(head, self.tree(event["body"][0]))
        if event["signature"] == "a{sv}":
            return Line(head, self.properties(event["body"][0]))
        if event["member"] == "Introspect":
            return Line(head, self.introspection(event["path"], event["body"][0]))
        return Line(f"{head} ({self.arguments(event)})")

    def error(self, event):
        name, text = event["error"]
        failed = f"failed{self.after(event['at'] - event['sent'])}"
        if NOBODY.match(name):
            return Line(f"{self.ordinal(event)} failed: nobody has the name org.bluez")
        return Line(f"{self.ordinal(event)} {failed}: {name} {self.names.text(text)}")

    def silence(self, event):
        return Line(f"{self.ordinal(event)} has no reply for {event['limit']} s")

    def ordinal(self, event):
        """A call's name; the second of its kind in a step has a number."""
        member = f"{self.interface(event['interface'])}.{event['member']}"
        name = f"{member} {self.names.path(event['path'])}"
        serials = self.ordinals.setdefault((event["who"], name), [])
        if event["serial"] not in serials:
            serials.append(event["serial"])
        number = serials.index(event["serial"]) + 1
        return name + (f" #{number}" if number > 1 else "")

    def signal(self, event):
        body, member, path = event["body"], event["member"], self.names.path(event["path"])
        after = self.after_silence(event)
        if member == "InterfacesAdded":
            return Line(f"added {path}", self.interfaces(body[1]))
        if member == "InterfacesRemoved":
            gone = sorted(self.interface(name) for name in body[1])
            return Line(f"removed {path}{after}", gone)
        if member == "PropertiesChanged":
            head = f"changed {path} {self.interface(body[0])}"
            values = self.properties(body[1]) + sorted(f"{name} is gone" for name in body[2])
            if Journal.is_report(event):
                return Line(head, values, anytime=True)
            return [Line(head + after, part) for part in told_apart(values)]
        member = f"{self.interface(event['interface'])}.{member}"
        return Line(f"signal {path} {member}({self.arguments(event)})")

    def asked(self, event):
        member = f"{self.interface(event['interface'])}.{event['member']}"
        return Line(f"asked {event['path']} {member}({self.arguments(event)})")

    def answers(self, event):
        if "error" in event:
            name, text = event["error"]
            outcome = f"{name} {self.names.text(text)}"
        else:
            outcome = f"({self.arguments(event)})"
        return Line(f"answers {event['path']} {event['member']}: {outcome}")

    def emits(self, event):
        if event["value"] is None:
            return Line(f"emits {event['path']} {event['property']} is gone")
        shown = self.value(event["value"], event["property"])
        return Line(f"emits {event['path']} {event['property']} = {shown}")

    def owner(self, event):
        shown = "is there" if event["there"] else "is gone"
        return Line(f"org.bluez {shown}")

    def leaves(self, event):
        return Line("leaves the bus")

    def lever(self, event):
        return Line(" ".join(["lever", event["lever"], *map(str, event["arguments"])]))

    def feeds(self, event):
        return Line(f"sends into the socket {self.value(event['value'])}")

    def tells(self, event):
        return Line(f"finds: {event['text']}")

    def gave_up(self, event):
        return Line(f"the scenario ends here: {self.names.text(event['text'])}")

    # Values.

    def after(self, seconds):
        """Lengths of time are only told apart as the daemon's limits are."""
        kind = next((kind for limit, kind in CLASSES if seconds < limit), "many")
        return f" after {kind} s" if kind else ""

    def after_silence(self, event):
        """How long the program had heard and done nothing; a lever takes the machine's time."""
        if self.begin is None:
            return ""
        return self.after(event["at"] - self.latest.get(event["who"], self.begin))

    @staticmethod
    def interface(name):
        return name.removeprefix("org.bluez.").removeprefix("org.freedesktop.DBus.")

    def arguments(self, event):
        types = [kind.signature for kind in SignatureTree(event["signature"]).types]
        return ", ".join(
            self.value(value, "", kind) for value, kind in zip(event["body"], types, strict=False)
        )

    def tree(self, objects):
        lines = []
        for path, interfaces in sorted(objects["entries"], key=lambda entry: entry[0]):
            shown = self.names.path(path)
            lines += [f"{shown} {line}" for line in self.interfaces(interfaces)]
        return lines

    def interfaces(self, interfaces):
        lines = []
        for name, properties in sorted(interfaces["entries"], key=lambda entry: entry[0]):
            uuid = dict((key, value["value"]) for key, value in properties["entries"]).get("UUID")
            lines.append(self.interface(name))
            lines += [
                f"{self.interface(name)}.{line}" for line in self.properties(properties, uuid)
            ]
        return lines

    def introspection(self, path, text):
        """What an object says of its interfaces and of what is below it, a line for each member."""
        lines = []
        for item in ElementTree.fromstring(text):
            if item.tag == "node":
                below = f"{path.rstrip('/')}/{item.get('name')}"
                lines.append(f"node {self.names.path(below)}")
                continue
            name = self.interface(item.get("name"))
            lines.append(name)
            lines += [f"{name} {self.member(member)}" for member in item]
        return sorted(lines)

    @staticmethod
    def member(member):
        if member.tag == "annotation":
            return f"annotation {member.get('name')}={member.get('value')}"
        if member.tag == "property":
            shown = [f"property {member.get('name')} {member.get('type')} {member.get('access')}"]
        else:
            arguments = [
                " ".join(filter(None, (part.get("direction"), part.get("type"), part.get("name"))))
                for part in member.iter("arg")
            ]
            shown = [f"{member.tag} {member.get('name')}({', '.join(arguments)})"]
        shown += [
            part.get("name").rpartition(".")[2] + "=" + part.get("value")
            for part in member.iter("annotation")
        ]
        return " ".join(shown)

    def properties(self, properties, uuid=None):
        return [
            f"{name} = "
            + ("<hash>" if uuid == HASH and name == "Value" else self.value(value, name))
            for name, value in sorted(properties["entries"], key=lambda entry: entry[0])
        ]

    def value(self, value, name="", kind=None):
        if isinstance(value, dict) and "$" in value:
            return self.value(value["value"], name, value["$"])
        if isinstance(value, dict) and "bytes" in value:
            return shown_bytes(bytes.fromhex(value["bytes"]))
        if isinstance(value, dict):
            return (
                "{" + ", ".join(self.properties(value)) + "}"
                if kind == "a{sv}" or not kind
                else (
                    "{"
                    + ", ".join(f"{key}: {self.value(item)}" for key, item in value["entries"])
                    + "}"
                )
            )
        if name == "RSSI":
            return "<rssi>"
        if name == "Handle":
            return "<handle>" if not self.names.shows_handles else f"0x{value:04x}"
        if isinstance(value, bool):
            return "true" if value else "false"
        if kind == "h":
            return "<socket>"
        if isinstance(value, int):
            return {"y": "byte ", "n": "int16 ", "q": "uint16 ", "u": "uint32 "}.get(
                kind, ""
            ) + str(value)
        if isinstance(value, list):
            shown = [self.value(item, name, kind and kind[1:]) for item in value]
            return "[" + ", ".join(sorted(shown) if name.endswith("UUIDs") else shown) + "]"
        return self.string(value, name, kind)

    def string(self, value, name, kind):
        if kind == "o" or PATH.fullmatch(value):
            return self.names.path(value)
        if name == "UUID" or name.endswith("UUIDs"):
            return self.names.uuid(value)
        if name == "Address":
            return self.names.address(value)
        return self.names.text(value)


def told_apart(values):
    """Changed properties without, and with what is read from the peer in its own time."""
    names = {value.split(" ")[0]: value for value in values}
    if "RSSI" in names:
        return [values]
    parts = [[names.pop(name) for name in late if name in names] for late in LATE]
    return [part for part in ([*names.values()], *parts) if part]


def shown_bytes(value):
    """Text where it is text; a long value of one byte as its number."""
    if len(value) > 24 and len(set(value)) == 1:
        return f"{len(value)} × {shown_bytes(value[:1])}"
    if value and all(32 <= byte < 127 for byte in value):
        return json.dumps(value.decode())
    return "[" + value.hex(" ") + "]"


def normalise(run):
    return Normaliser(run).steps_of_lines()
