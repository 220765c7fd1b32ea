"""The objects of org.bluez, and how they refuse."""

from dbus_fast import Variant
from stage import scenario

SETTING = "00002902-0000-1000-8000-00805f9b34fb"


@scenario
async def objects(stage):
    """All objects, with an application and an advertisement on hci1."""
    await stage.serve()
    central = await stage.central()
    async with stage.step("GetManagedObjects"):
        await central.get_objects()
    async with stage.step("the interfaces of an adapter, one by one"):
        for interface in ("Adapter1", "GattManager1", "LEAdvertisingManager1"):
            await central.get_all(central.hci, interface)


@scenario
async def objects_of_peer_handles(stage):
    """All objects while a peer is connected, with the handles that their paths are made of."""
    _, central, _ = await stage.linked()
    async with stage.step("GetManagedObjects"):
        await central.get_objects()


@scenario
async def adapter_properties(stage):
    """What of an adapter can be set."""
    central = await stage.central()
    settings = {
        "Alias": Variant("s", "Mine"),
        "Discoverable": Variant("b", True),
        "Pairable": Variant("b", True),
        "DiscoverableTimeout": Variant("u", 60),
    }
    for name, value in settings.items():
        async with stage.step(name):
            await central.set(central.hci, "Adapter1", name, value)
            await central.get_property(central.hci, "Adapter1", name)
    async with stage.step("the Alias as it was"):
        await central.set(central.hci, "Adapter1", "Alias", Variant("s", ""))
        await central.get_property(central.hci, "Adapter1", "Alias")
    async with stage.step("what can't be set, is not there, or is of another type"):
        await central.set(central.hci, "Adapter1", "Address", Variant("s", "00:00:00:00:00:00"))
        await central.set(central.hci, "Adapter1", "Nothing", Variant("b", True))
        await central.set(central.hci, "Adapter1", "Powered", Variant("s", "yes"))


@scenario
async def adapter_power(stage):
    """An adapter is turned off and on, each of it twice."""
    central = await stage.central()
    for on in (False, False, True, True):
        async with stage.step(f"Powered is set to {on} ({len(stage.journal.steps)})"):
            await central.power(on)


@scenario
async def power_off_forgets_found_devices(stage):
    """A device that was found, but never connected, when the adapter is turned off."""
    await stage.serve()
    central = await stage.central()
    ball = await stage.discover(central)
    async with stage.step("off"):
        await central.power(False)
    async with stage.step("Connect"):
        await central.connect(ball)
    async with stage.step("on"):
        await central.power(True)


@scenario
async def unknown_calls(stage):
    """Calls to paths, interfaces and methods that are not there, or with other arguments."""
    central = await stage.central()
    async with stage.step("paths"):
        await central.begin("/org/bluez/hci9", "Adapter1", "StartDiscovery")
        await central.connect(central.hci + "/dev_00_00_00_00_00_00")
        await central.get_all("/org/bluez/hci9", "Adapter1")
    async with stage.step("interfaces and methods"):
        await central.begin(central.hci, "Device1", "Connect")
        await central.begin(central.hci, "Adapter1", "Nothing")
        await central.get_all(central.hci, "Device1")
    async with stage.step("arguments"):
        await central.begin(central.hci, "Adapter1", "StartDiscovery", "s", ["now"])
        await central.begin(central.hci, "Adapter1", "RemoveDevice", "s", ["/nothing"])


@scenario
async def introspection(stage):
    """What each kind of object says of itself."""
    _, central, ball = await stage.linked()
    objects = {
        "the root": "/",
        "/org": "/org",
        "/org/bluez": "/org/bluez",
        "an adapter": central.hci,
        "a device": ball,
        "a service": central.find("Ball", ball),
        "a characteristic that notifies": central.find("Answer", ball),
        "a characteristic that is written": central.find("Wish", ball),
        "a descriptor": central.find(SETTING, ball),
    }
    for title, path in objects.items():
        async with stage.step(title):
            await central.begin(path, "Introspectable", "Introspect")
