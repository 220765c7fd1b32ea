"""Advertisements that change, end by themselves, or are refused for one property."""

import contextlib
import re

from application import UUIDS, service
from dbus_fast import Variant
from journal import WaitedInVain
from stage import scenario

from scenarios.advertising import shown_to
from scenarios.discovery import heard


@scenario
async def advertise_for_a_time(stage):
    """An advertisement with a Timeout."""
    app = await stage.app()
    manager = app.hci, "LEAdvertisingManager1", "ActiveInstances"
    async with stage.step("10 s"):
        await app.advertise("brief", Timeout=Variant("q", 10))
        await stage.until(lambda: app.get(*manager) == 0, "its end", 20)
    async with stage.step("UnregisterAdvertisement"):
        await app.stop_advertising("brief")
    async with stage.step("RegisterAdvertisement again, without a Timeout"):
        await app.advertise("brief", Timeout=Variant("q", 0))
    async with stage.step("UnregisterAdvertisement again"):
        await app.stop_advertising("brief")


def data_of(central, device):
    data = central.get(device, "Device1", "ManufacturerData") or {}
    return data[0xFFFF].value if data else None


@scenario
async def advertise_changes(stage):
    """The properties of a registered advertisement change while a scan goes on."""
    app, central = await stage.app(), await stage.central()
    await app.advertise()
    ball = await stage.discover(central, stop=False)

    def knows(name, value):
        return lambda: central.get(ball, "Device1", name) == value

    changes = {
        "another name": ({"LocalName": Variant("s", "9-Ball")}, knows("Name", "9-Ball")),
        "data": (
            {"ManufacturerData": Variant("a{qv}", {0xFFFF: Variant("ay", b"\x01\x02")})},
            lambda: data_of(central, ball) == b"\x01\x02",
        ),
        "other data": (
            {"ManufacturerData": Variant("a{qv}", {0xFFFF: Variant("ay", b"\x03")})},
            lambda: data_of(central, ball) == b"\x03",
        ),
        "a name of another kind": ({"LocalName": Variant("b", True)}, None),
        "data that is too long": (
            {"ManufacturerData": Variant("a{qv}", {0xFFFF: Variant("ay", b"x" * 32)})},
            None,
        ),
        "no data": ({"ManufacturerData": None}, None),
        "another service": (
            {"ServiceUUIDs": Variant("as", ["180f"])},
            lambda: len(central.get(ball, "Device1", "UUIDs")) == 2,
        ),
        "a third name": ({"LocalName": Variant("s", "10-Ball")}, knows("Name", "10-Ball")),
        "no name": ({"LocalName": None}, None),
    }
    for title, (properties, claim) in changes.items():
        async with stage.step(title):
            app.readvertise(**properties)
            if claim:
                # Whether it is taken is what this is about.
                with contextlib.suppress(WaitedInVain):
                    await stage.until(claim, title, 5)
            await heard(stage, central, 3)
    async with stage.step("UnregisterAdvertisement"):
        await app.stop_advertising()


@scenario
async def advertise_one_property(stage):
    """Advertisements of which one property may be refused."""
    app = await stage.app()
    for title, properties in {
        "TxPower 20": {"TxPower": Variant("n", 20)},
        "TxPower 50": {"TxPower": Variant("n", 50)},
        "TxPower of another kind": {"TxPower": Variant("q", 4)},
        "intervals of 100 and 200 ms": {
            "MinInterval": Variant("u", 100),
            "MaxInterval": Variant("u", 200),
        },
        "MinInterval of 5 ms": {
            "MinInterval": Variant("u", 5),
            "MaxInterval": Variant("u", 200),
        },
        "MinInterval beyond MaxInterval": {
            "MinInterval": Variant("u", 200),
            "MaxInterval": Variant("u", 100),
        },
        "MinInterval alone": {"MinInterval": Variant("u", 100)},
        "MaxInterval alone": {"MaxInterval": Variant("u", 100)},
        "MinInterval of another kind": {"MinInterval": Variant("q", 100)},
        "SecondaryChannel 1M": {"SecondaryChannel": Variant("s", "1M")},
        "SecondaryChannel 2M": {"SecondaryChannel": Variant("s", "2M")},
        "SecondaryChannel of no name": {"SecondaryChannel": Variant("s", "3M")},
        "Discoverable of another kind": {"Discoverable": Variant("s", "yes")},
        "DiscoverableTimeout": {"DiscoverableTimeout": Variant("q", 60)},
        "DiscoverableTimeout beyond Timeout": {
            "DiscoverableTimeout": Variant("q", 60),
            "Timeout": Variant("q", 30),
        },
        "DiscoverableTimeout of another kind": {"DiscoverableTimeout": Variant("s", "60")},
        "Duration": {"Duration": Variant("q", 2)},
        "Duration of another kind": {"Duration": Variant("s", "2")},
        "Timeout of another kind": {"Timeout": Variant("u", 2)},
        "Includes of another kind": {"Includes": Variant("s", "tx-power")},
        "ServiceUUIDs of another kind": {"ServiceUUIDs": Variant("s", "180f")},
        "SolicitUUIDs": {"ServiceUUIDs": None, "SolicitUUIDs": Variant("as", ["180f"])},
        "a malformed SolicitUUID": {"SolicitUUIDs": Variant("as", ["ball"])},
        "an Appearance of another kind": {"Appearance": Variant("u", 64)},
        "an Appearance, and the adapter's": {
            "Appearance": Variant("q", 64),
            "Includes": Variant("as", ["appearance"]),
        },
        "Data": {
            "ServiceUUIDs": None,
            "Data": Variant("a{yv}", {0x26: Variant("ay", b"\x01\x01")}),
        },
        "Data of another kind": {"Data": Variant("s", "data")},
        "Data of what is told otherwise": {
            "Data": Variant("a{yv}", {0x09: Variant("ay", b"Ball")}),
        },
        "an empty name": {"LocalName": Variant("s", "")},
    }.items():
        name = re.sub(r"\W", "_", title)
        async with stage.step(title):
            reply = await app.advertise(name, **properties)
        if not reply.error:
            await app.stop_advertising(name)


TEXTS = (
    "0x180f",
    "0x180F",
    "0000180f",
    "0x0000180f",
    "12345678",
    "0X180f",
    "18",
    "0x18",
    "0x180g",
    "00180f",
    "0000180f00001000800000805f9b34fb",
    "{0000180f-0000-1000-8000-00805f9b34fb}",
    UUIDS["Ball"].replace("-", "_"),
)


@scenario
async def short_uuids(stage):
    """The texts that are taken for a UUID."""
    app, central = await stage.app(), await stage.central()
    await central.filter()
    for text in TEXTS:
        await shown_to(stage, app, central, f"advertised {text}", ServiceUUIDs=Variant("as", [text]))
    data = Variant("a{sv}", {"0x180f": Variant("ay", b"\x64")})
    await shown_to(stage, app, central, "data of 0x180f", ServiceUUIDs=None, ServiceData=data)
    for text in TEXTS:
        async with stage.step(f"a filter for {text}"):
            await central.filter({"UUIDs": Variant("as", [text])})


@scenario
async def short_uuids_served(stage):
    """The texts that are taken for the UUID of a service, and of a characteristic."""
    app = await stage.app()
    for number, text in enumerate(TEXTS):
        root = f"/text{number}"
        app.trees[root] = service(root, {"answer": (text, ["read"])}, text)
        async with stage.step(f"served {text}"):
            reply = await app.register(root=root)
        if not reply.error:
            await app.unregister(root)
