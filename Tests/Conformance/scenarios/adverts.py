"""Several advertisements, and what a scan says of their data while it changes."""

import contextlib

from application import UUIDS
from dbus_fast import Variant
from journal import WaitedInVain
from stage import scenario

from scenarios.discovery import begin_scan, heard

TWO = {
    "data": {
        "ServiceUUIDs": None,
        "LocalName": None,
        "ManufacturerData": Variant("a{qv}", {0xFFFF: Variant("ay", b"\x01\x02")}),
        "ServiceData": Variant("a{sv}", {"180f": Variant("ay", b"\x64")}),
    },
    "name": {
        "ServiceUUIDs": Variant("as", [UUIDS["Second"]]),
        "LocalName": Variant("s", "9-Ball"),
    },
}


@scenario
async def advertise_two(stage):
    """Two advertisements of one adapter, as a central sees them: one device."""
    app, central = await stage.app(), await stage.central()
    ball = central.device(stage.addresses["hci1"])
    await app.advertise("data", **TWO["data"])
    await central.filter()
    async with stage.step("one is there"):
        await begin_scan(stage, central, 2)
    async with stage.step("another one comes"):
        await app.advertise("name", **TWO["name"])
        await stage.until(lambda: central.get(ball, "Device1", "Name") == "9-Ball", "the name")
        await heard(stage, central, 3)
    async with stage.step("the first goes"):
        await app.stop_advertising("data")
        await heard(stage, central, 3)
    async with stage.step("the second goes"):
        await app.stop_advertising("name")


@scenario
async def advertise_anew(stage):
    """An advertisement ends and is registered again, by the same path and with other data."""
    app, central = await stage.app(), await stage.central()
    ball = central.device(stage.addresses["hci1"])
    await app.advertise("one")
    await central.filter()
    async with stage.step("a scan"):
        await begin_scan(stage, central, 2)
    async with stage.step("UnregisterAdvertisement"):
        await app.stop_advertising("one")
    async with stage.step("RegisterAdvertisement with other data"):
        await app.advertise("one", **TWO["name"])
        await stage.until(lambda: central.get(ball, "Device1", "Name") == "9-Ball", "the name")
        await heard(stage, central, 3)
    async with stage.step("StopDiscovery"):
        await central.stop_discovery()


@scenario
async def advertise_data_changes(stage):
    """Data, appearance and power of a registered advertisement change while a scan goes on."""
    app, central = await stage.app(), await stage.central()
    ball = central.device(stage.addresses["hci1"])
    await app.advertise("one", LocalName=None, ServiceUUIDs=Variant("as", ["180f"]))
    await stage.discover(central, stop=False)

    def service_data(value):
        return Variant("a{sv}", {"180f": Variant("ay", value)})

    def makers(**data):
        return Variant("a{qv}", {int(key[1:], 16): Variant("ay", value) for key, value in data.items()})

    def tells(name):
        value = central.get(ball, "Device1", name)
        return lambda: central.get(ball, "Device1", name) != value

    for title, name, value, shown in (
        ("service data", "ServiceData", service_data(b"\x64"), "ServiceData"),
        ("other service data", "ServiceData", service_data(b"\x63"), "ServiceData"),
        ("no service data", "ServiceData", None, None),
        ("data of a maker", "ManufacturerData", makers(xffff=b"\x01"), "ManufacturerData"),
        ("data of another maker", "ManufacturerData", makers(x004c=b"\x02"), "ManufacturerData"),
        ("data of two makers", "ManufacturerData", makers(xffff=b"\x03", x004c=b"\x04"), "ManufacturerData"),
        ("no data of a maker", "ManufacturerData", None, None),
        ("an appearance", "Appearance", Variant("q", 0x0040), "Appearance"),
        ("another appearance", "Appearance", Variant("q", 0x0080), "Appearance"),
        ("its power", "Includes", Variant("as", ["tx-power"]), "TxPower"),
    ):
        claim = tells(shown) if shown else None
        async with stage.step(title):
            app.readvertise("one", **{name: value})
            if claim:
                # Whether it is taken is what this is about.
                with contextlib.suppress(WaitedInVain):
                    await stage.until(claim, title, 5)
            await heard(stage, central, 3)
    async with stage.step("what is left of what is no longer told"):
        for name in ("ServiceData", "ManufacturerData", "Appearance"):
            await central.get_property(ball, "Device1", name)
