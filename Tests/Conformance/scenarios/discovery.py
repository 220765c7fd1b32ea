"""Scanning."""

import asyncio

from application import UUIDS
from dbus_fast import Variant
from stage import scenario, succeed


async def begin_scan(stage, central, times=1):
    """Begins a scan, and waits until the peer has been heard in it, so many times."""
    # What follows the reply may have come with it, and for a peer that is heard once that is all.
    begin = len(stage.journal.events)
    await central.start_discovery()
    await heard(stage, central, times, begin)


async def heard(stage, central, times=1, begin=None):
    """Waits until the peer has been heard, so many times; from an event on, or from now."""
    device = central.device(stage.addresses["hci1"])
    begin = len(stage.journal.events) if begin is None else begin

    def count():
        return sum(
            event["what"] == "signal"
            and event["path"] == device
            and event["who"] == central.name
            and "'RSSI', {" in str(event["body"])
            for event in stage.journal.events[begin:]
        )

    await stage.until(lambda: count() >= times, f"hci1 is heard {times} times")


@scenario
async def discovery(stage):
    """A scan that finds a peer, and ends."""
    await stage.serve()
    central = await stage.central()
    async with stage.step("SetDiscoveryFilter"):
        await central.filter()
    async with stage.step("StartDiscovery"):
        await begin_scan(stage, central, 2)
    async with stage.step("the peer goes on advertising"):
        await heard(stage, central, 3)
    async with stage.step("StopDiscovery"):
        await central.stop_discovery()


@scenario
async def discovery_of_known_device(stage):
    """A scan that hears a peer whose object is there already."""
    await stage.serve()
    central = await stage.central()
    await stage.discover(central)
    async with stage.step("StartDiscovery"):
        await begin_scan(stage, central, 2)
    async with stage.step("StopDiscovery"):
        await central.stop_discovery()


@scenario
async def discovery_without_duplicates(stage):
    """A scan whose filter doesn't ask for duplicates: what of a peer that goes on advertising?"""
    await stage.serve()
    central = await stage.central()
    succeed(await central.filter({"Transport": Variant("s", "le"), "RSSI": Variant("n", -127)}))
    async with stage.step("StartDiscovery"):
        await begin_scan(stage, central, 3)
    async with stage.step("StopDiscovery"):
        await central.stop_discovery()


@scenario
async def discovery_of_changed_name(stage):
    """A peer changes its name while a scan goes on."""
    app = await stage.serve()
    central = await stage.central()
    ball = await stage.discover(central, stop=False)
    async with stage.step("it advertises with another name"):
        await app.stop_advertising()
        await app.advertise("another", LocalName=Variant("s", "9-Ball"))
        await stage.until(lambda: central.get(ball, "Device1", "Name") == "9-Ball", "the new name")
        await heard(stage, central, 2)


@scenario
async def discovery_of_nothing(stage):
    """A scan when nobody advertises."""
    central = await stage.central()
    async with stage.step("StartDiscovery"):
        await central.start_discovery()
    async with stage.step("StopDiscovery"):
        await central.stop_discovery()


@scenario
async def discovery_without_filter(stage):
    """Scans without a filter: an advertisement that is not discoverable, and one that is."""
    app = await stage.app()
    central = await stage.central()
    for title, discoverable in {"shy": None, "bold": Variant("b", True)}.items():
        async with stage.step(f"a scan of something {title}"):
            await app.advertise(title, Discoverable=discoverable)
            await central.start_discovery()
            await stage.seconds(2)
            await central.stop_discovery()
            await app.stop_advertising(title)


@scenario
async def discovery_by_transport(stage):
    """A filter for LE alone, an advertisement that is not discoverable."""
    app = await stage.app()
    central = await stage.central()
    await central.filter({"Transport": Variant("s", "le")})
    await central.start_discovery()
    async with stage.step("not discoverable"):
        await app.advertise("shy", Discoverable=None)
        await stage.seconds(2)


@scenario
async def discovery_by_pattern(stage):
    """A filter with the beginning of a name or an address."""
    await stage.serve()
    central = await stage.central()
    for pattern in ("9-B", "8-B", "00:AA:01:01"):
        async with stage.step(f"Pattern {pattern}"):
            await central.filter({"Pattern": Variant("s", pattern)})
            await central.start_discovery()
            if pattern == "9-B":
                await stage.seconds(1)
            else:
                await heard(stage, central, 2)
            await central.stop_discovery()


@scenario
async def discovery_filters(stage):
    """What SetDiscoveryFilter takes, and what it refuses."""
    central = await stage.central()
    taken = [
        {},
        {"Transport": Variant("s", "auto")},
        {"Discoverable": Variant("b", True)},
        {"RSSI": Variant("n", -127)},
        {"Pathloss": Variant("q", 100)},
        {"UUIDs": Variant("as", ["180F", UUIDS["Ball"].upper()])},
    ]
    refused = [
        {"Transport": Variant("s", "smoke")},
        {"Transport": Variant("s", "bredr")},
        {"UUIDs": Variant("as", ["ball"])},
        {"Nothing": Variant("b", True)},
        {"RSSI": Variant("n", -60), "Pathloss": Variant("q", 10)},
        {"RSSI": Variant("i", -60)},
        {"DuplicateData": Variant("s", "yes")},
    ]
    async with stage.step("taken"):
        for properties in taken:
            await central.filter(properties)
    async with stage.step("refused"):
        for properties in refused:
            await central.filter(properties)
    async with stage.step("GetDiscoveryFilters"):
        await central.begin(central.hci, "Adapter1", "GetDiscoveryFilters")


@scenario
async def discovery_refusals(stage):
    """StartDiscovery twice, StopDiscovery without one, or of another client's."""
    central, other = await stage.central(), await stage.central("other")
    async with stage.step("StopDiscovery without a scan"):
        await central.stop_discovery()
    async with stage.step("StartDiscovery"):
        await central.start_discovery()
    async with stage.step("StartDiscovery again"):
        await central.start_discovery()
    async with stage.step("StopDiscovery of another's scan"):
        await other.stop_discovery()
    async with stage.step("StopDiscovery"):
        await central.stop_discovery()
    async with stage.step("StopDiscovery again"):
        await central.stop_discovery()


@scenario
async def discovery_by_two_clients(stage):
    """Two clients scan; one ends, then the other leaves the bus."""
    await stage.serve()
    central, other = await stage.central(), await stage.central("other")
    async with stage.step("one begins"):
        await central.filter()
        await begin_scan(stage, central, 2)
    async with stage.step("the other begins"):
        await other.start_discovery()
        await heard(stage, central)
    async with stage.step("one ends"):
        await central.stop_discovery()
    async with stage.step("the other leaves"):
        other.leave()
        await stage.until(
            lambda: not central.get(central.hci, "Adapter1", "Discovering"), "the end of the scan"
        )


async def two_clients(stage):
    """A peer, and two clients that have set the same filter."""
    await stage.serve()
    clients = await stage.central("early"), await stage.central("late")
    for client in clients:
        succeed(await client.filter())
    return clients


@scenario
async def discovery_by_clients_at_once(stage):
    """Two clients begin at once; the early one gets no reply, and then stops, begins and leaves."""
    early, late = await two_clients(stage)
    async with stage.step("both begin"):
        calls = [client.start_discovery(limit=3) for client in (early, late)]
        await heard(stage, late)
        await asyncio.gather(*calls)
    async with stage.step("the early one stops"):
        await early.stop_discovery()
    async with stage.step("and begins again"):
        await early.start_discovery()
    async with stage.step("the late one stops"):
        await late.stop_discovery()
        await heard(stage, early)
    async with stage.step("the early one leaves"):
        early.leave()
        await stage.until(
            lambda: not late.get(late.hci, "Adapter1", "Discovering"), "the end of the scan"
        )


@scenario
async def discovery_by_clients_at_once_without_power(stage):
    """Two clients begin at once; the adapter is turned off, on again, and both begin anew."""
    early, late = await two_clients(stage)
    async with stage.step("both begin", waits=False):
        calls = [client.start_discovery() for client in (early, late)]
        await heard(stage, late)
    async with stage.step("the adapter is turned off"):
        await late.power(False)
        await asyncio.gather(*calls)
    async with stage.step("the adapter is turned on"):
        await late.power(True)
    async with stage.step("the early one begins again"):
        await early.start_discovery()


@scenario
async def discovery_clients_leave(stage):
    """Clients leave the bus that set a filter, scanned before, or scan."""
    watcher = await stage.central("watcher")
    names = ("one", "two", "three", "four", "five")
    one, two, three, four, five = [await stage.central(name) for name in names]
    async with stage.step("one that has set a filter leaves"):
        await one.filter()
        one.leave()
    async with stage.step("one that scanned without a filter leaves"):
        await two.start_discovery()
        await two.stop_discovery()
        two.leave()
    async with stage.step("one that scanned with a filter scans"):
        await three.filter()
        await three.start_discovery()
    async with stage.step("and stops"):
        await three.stop_discovery()
    async with stage.step("and leaves"):
        three.leave()
    async with stage.step("one that scans with a filter begins"):
        await four.filter()
        await four.start_discovery()
    async with stage.step("and leaves, scanning"):
        four.leave()
    async with stage.step("one scans, another sets a filter"):
        await five.start_discovery()
        await watcher.filter()
    async with stage.step("the one that only set it leaves"):
        watcher.leave()
    async with stage.step("the one that scans stops"):
        await five.stop_discovery()


@scenario
async def discovery_without_power(stage):
    """A scan ends with the adapter's power, and is not taken up again."""
    await stage.serve()
    central = await stage.central()
    await stage.discover(central, stop=False)
    async with stage.step("the adapter is turned off"):
        await central.power(False)
    async with stage.step("StartDiscovery and StopDiscovery without power"):
        await central.start_discovery()
        await central.stop_discovery()
        await central.filter()
    async with stage.step("the adapter is turned on"):
        await central.power(True)
    async with stage.step("StopDiscovery"):
        await central.stop_discovery()
    async with stage.step("StartDiscovery"):
        await begin_scan(stage, central)


@scenario
async def removal_after_discovery(stage):
    """A device that is no longer heard goes after a while."""
    app = await stage.serve()
    central = await stage.central()
    ball = await stage.discover(central, stop=False)
    async with stage.step("the peer stops advertising, the scan goes on"):
        await app.stop_advertising()
        await stage.until(lambda: ball not in central.objects, "the removal", 60)


@scenario
async def removal_after_disconnection(stage):
    """A device that is not paired goes a while after it disconnected, with all below it."""
    app, central, ball = await stage.linked()
    peer = app.device(stage.addresses["hci0"])
    async with stage.step("Disconnect"):
        await central.disconnect(ball)
        await stage.parted(central, ball)
    async with stage.step("time passes"):
        await stage.until(lambda: ball not in central.objects, "the removal", 60)
        await stage.until(lambda: peer not in app.objects, "the removal at the other end", 60)
    async with stage.step("Connect"):
        await central.connect(ball)
