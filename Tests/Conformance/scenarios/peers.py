"""What an adapter knows of a peer, from one link to the next."""

from application import service
from dbus_fast import Variant
from stage import scenario, succeed

from scenarios.discovery import begin_scan

SECOND = {"answer": ("Second", ["read"])}


async def end_link(stage, central, ball, title="Disconnect"):
    async with stage.step(title):
        await central.disconnect(ball)
        await stage.parted(central, ball)


async def scan(stage, central, times=2):
    await begin_scan(stage, central, times)
    await central.stop_discovery()


@scenario
async def glare(stage):
    """Two adapters that advertise connect each other at once."""
    central, back, ball, peer = await two_hosts(stage)
    async with stage.step("both Connect"):
        central.connect(ball, limit=60)
        back.connect(peer, limit=60)
        await stage.resolved(central, ball)
        await stage.resolved(back, peer)
    async with stage.step("both Connect again"):
        await central.connect(ball)
        await back.connect(peer)
    async with stage.step("one disconnects"):
        await central.disconnect(ball)
        await stage.parted(central, ball)
        await stage.parted(back, peer)


@scenario
async def glare_in_turn(stage):
    """A Connect that waits for an advertisement, and one from the other end meanwhile."""
    central, back, ball, peer = await two_hosts(stage)
    app = next(client for client in stage.clients if client.name == "other")
    succeed(await app.stop_advertising())
    async with stage.step("Connect to one that does not advertise", waits=False):
        back.connect(peer, limit=60)
        # A second and what a busy machine takes to connect were 1.5 s now and then: a silence that is told.
        await stage.seconds(0.5)
    async with stage.step("Connect from the other end"):
        await central.connect(ball)
        await stage.resolved(central, ball)
        await stage.resolved(back, peer)
    async with stage.step("Connect again"):
        await back.connect(peer)
    async with stage.step("Disconnect"):
        await back.disconnect(peer)
        await stage.parted(central, ball)


async def two_hosts(stage):
    """Two adapters that serve and advertise, and know each other."""
    await stage.serve()
    tree = service("/other", {"answer": ("Other", ["read"])}, "Other")
    await stage.serve(name="other", adapter="hci0", root="/other", tree=tree)
    central, back = await stage.central(), await stage.central("back", "hci1")
    ball = await stage.discover(central)
    return central, back, ball, await stage.discover(back, "hci0")


@scenario
async def uuids_of_a_peer(stage):
    """A peer advertises other services than it has: UUIDs before, over and after a link."""
    app = await stage.app()
    succeed(await app.register())
    succeed(await app.advertise("other", ServiceUUIDs=Variant("as", ["180f", "180d"])))
    central = await stage.central()
    ball = await stage.discover(central)
    async with stage.step("Connect"):
        await central.connect(ball)
        await stage.resolved(central, ball)
    await end_link(stage, central, ball)
    async with stage.step("a scan"):
        await scan(stage, central)
    async with stage.step("Connect again"):
        await central.connect(ball)
        await stage.resolved(central, ball)


@scenario
async def names_of_a_peer(stage):
    """The advertised name, and that of the peer's adapter, over two links."""
    _, central, ball = await stage.linked()
    await end_link(stage, central, ball)
    async with stage.step("a scan"):
        await scan(stage, central)
    async with stage.step("Connect"):
        await central.connect(ball)
        await stage.resolved(central, ball)


@scenario
async def services_change_between_links(stage):
    """A service comes, and goes, while there is no link."""
    app, central, ball = await stage.linked()
    await end_link(stage, central, ball)
    app.trees["/second"] = service("/second", SECOND, "Second")
    async with stage.step("RegisterApplication"):
        await app.register(root="/second")
    async with stage.step("Connect after one came"):
        await central.connect(ball)
        await stage.resolved(central, ball)
    await end_link(stage, central, ball, "Disconnect again")
    async with stage.step("UnregisterApplication"):
        await app.unregister("/second")
    async with stage.step("Connect after one went"):
        await central.connect(ball)
        await stage.resolved(central, ball)


@scenario
async def service_withdrawn(stage):
    """A service goes over a link and comes back after it: what a scan says of it."""
    app, central, ball = await stage.linked()
    async with stage.step("UnregisterApplication"):
        await app.unregister()
        await stage.until(lambda: not central.find("Ball", ball), "the service's removal")
    await end_link(stage, central, ball)
    async with stage.step("RegisterApplication"):
        await app.register()
    async with stage.step("a scan"):
        await scan(stage, central)
    async with stage.step("RemoveDevice, and a scan"):
        await central.remove(ball)
        await scan(stage, central)
