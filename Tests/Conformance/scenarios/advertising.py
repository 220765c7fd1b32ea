"""Advertisements."""

import re

from application import UUIDS, Fault
from dbus_fast import Variant
from stage import scenario


@scenario
async def advertise(stage):
    """An advertisement is registered, refused, and goes."""
    app = await stage.app()
    async with stage.step("RegisterAdvertisement"):
        await app.advertise()
    async with stage.step("RegisterAdvertisement again"):
        await app.advertise()
    async with stage.step("UnregisterAdvertisement"):
        await app.stop_advertising()
    async with stage.step("UnregisterAdvertisement again"):
        await app.stop_advertising()


@scenario
async def advertise_foreign(stage):
    """The advertisement of another; the owner leaves the bus."""
    app, other = await stage.app(), await stage.app("other")
    await app.advertise()
    async with stage.step("UnregisterAdvertisement of another's"):
        await other.stop_advertising()
    async with stage.step("RegisterAdvertisement of the same path"):
        await other.advertise()
    async with stage.step("the owner leaves the bus"):
        app.leave()


@scenario
async def advertise_many(stage):
    """As many advertisements as fit, and one more."""
    app = await stage.app()
    for number in range(1, 7):
        async with stage.step(f"number {number}"):
            await app.advertise(f"number{number}")
    async with stage.step("one goes"):
        await app.stop_advertising("number1")
    async with stage.step("the one that had no room"):
        await app.advertise("number6")


async def shown_to(stage, app, central, title, **properties):
    """How a central sees an advertisement with these properties, if it is taken at all."""
    name = re.sub(r"\W", "_", title)
    device = central.device(stage.addresses["hci1"])
    async with stage.step(title):
        reply = await app.advertise(name, **properties)
        if reply.error:
            return
        await central.start_discovery()
        await stage.until(lambda: central.get(device, "Device1", "RSSI") is not None, title)
        await central.stop_discovery()
    await app.stop_advertising(name)
    await central.remove(device)


@scenario
async def advertise_names(stage):
    """Names around the limit."""
    app, central = await stage.app(), await stage.central()
    await central.filter()
    for size in (1, 26, 27, 28, 29, 30, 40):
        await shown_to(stage, app, central, f"{size} bytes", LocalName=Variant("s", "n" * size))
    await shown_to(stage, app, central, "no name", LocalName=None)


@scenario
async def advertise_contents(stage):
    """What fits into an advertisement, and how it is seen."""
    app, central = await stage.app(), await stage.central()
    await central.filter()
    ball, second = UUIDS["Ball"], UUIDS["Second"]
    for title, properties in {
        "no UUID, no name": {"ServiceUUIDs": None, "LocalName": None},
        "a short UUID": {"ServiceUUIDs": Variant("as", ["180f"])},
        "a UUID in capitals": {"ServiceUUIDs": Variant("as", [ball.upper()])},
        "two short UUIDs": {"ServiceUUIDs": Variant("as", ["180f", "180d"])},
        "two long UUIDs": {"ServiceUUIDs": Variant("as", [ball, second])},
        "manufacturer data": {
            "ServiceUUIDs": None,
            "ManufacturerData": Variant("a{qv}", {0xFFFF: Variant("ay", b"\x01\x02")}),
        },
        "service data": {
            "ServiceUUIDs": None,
            "ServiceData": Variant("a{sv}", {"180f": Variant("ay", b"\x64")}),
        },
        "an appearance": {"Appearance": Variant("q", 0x0040)},
        "transmit power": {"Includes": Variant("as", ["tx-power"])},
        "the adapter's name": {"LocalName": None, "Includes": Variant("as", ["local-name"])},
        "not discoverable": {"Discoverable": Variant("b", False)},
    }.items():
        await shown_to(stage, app, central, title, **properties)


@scenario
async def advertise_refusals(stage):
    """Advertisements that are not as they should be."""
    app = await stage.app()
    for title, properties in {
        "malformed UUID": {"ServiceUUIDs": Variant("as", ["ball"])},
        "unknown type": {"Type": Variant("s", "loud")},
        "no type": {"Type": None},
        "a type of another kind": {"Type": Variant("b", True)},
        "a name of another kind": {"LocalName": Variant("b", True)},
        "unknown include": {"Includes": Variant("as", ["smoke"])},
        "a name, and the adapter's": {"Includes": Variant("as", ["local-name"])},
        "manufacturer data of another kind": {"ManufacturerData": Variant("s", "data")},
        "manufacturer data that is too long": {
            "ServiceUUIDs": None,
            "ManufacturerData": Variant("a{qv}", {0xFFFF: Variant("ay", b"x" * 32)}),
        },
        "unknown property": {"Song": Variant("s", "la")},
        "broadcast": {"Type": Variant("s", "broadcast"), "Discoverable": None},
        "broadcast and discoverable": {"Type": Variant("s", "broadcast")},
    }.items():
        name = re.sub(r"\W", "_", title)
        async with stage.step(title):
            reply = await app.advertise(name, **properties)
        if not reply.error:
            await app.stop_advertising(name)
    async with stage.step("GetAll is refused"):
        app.outcomes["/ball/refusing", "GetAll"] = Fault("Failed", "not now")
        await app.advertise("refusing")
    async with stage.step("UnregisterAdvertisement of what never was"):
        await app.stop_advertising("never")


@scenario
async def advertise_without_power(stage):
    """An advertisement outlives its adapter's power, but does not begin without it."""
    app = await stage.app()
    peer = await stage.central("peer", "hci1")
    await app.advertise()
    async with stage.step("off"):
        await peer.power(False)
    async with stage.step("RegisterAdvertisement without power"):
        await app.advertise("another")
    async with stage.step("on"):
        await peer.power(True)
    async with stage.step("UnregisterAdvertisement"):
        await app.stop_advertising()


@scenario
async def advertise_while_connected(stage):
    """A second central finds and connects a peripheral that is connected already."""
    _, central, ball = await stage.linked()
    second = await stage.central("second", "hci2")
    ball = second.device(stage.addresses["hci1"])
    async with stage.step("it is found"):
        await second.filter()
        await second.start_discovery()
        await stage.until(lambda: second.get(ball, "Device1", "RSSI") is not None, "the ball")
        await second.stop_discovery()
    async with stage.step("and connected"):
        await second.connect(ball)
        await stage.resolved(second, ball)
