"""Connecting, resolving, disconnecting."""

from dbus_fast import Variant
from stage import scenario


@scenario
async def connect(stage):
    """Connecting to a peer, until its services are known; once more when connected; the end."""
    await stage.serve()
    central = await stage.central()
    ball = await stage.discover(central)
    async with stage.step("Connect"):
        await central.connect(ball)
        await stage.resolved(central, ball)
    async with stage.step("Connect when connected"):
        await central.connect(ball)
    async with stage.step("Disconnect"):
        await central.disconnect(ball)
        await stage.parted(central, ball)
    async with stage.step("Disconnect when disconnected"):
        await central.disconnect(ball)


@scenario
async def connect_again(stage):
    """A second connection to the same peer, right after the first: its services are known."""
    _, central, ball = await stage.linked()
    async with stage.step("Disconnect, and Connect with its reply"):
        await central.disconnect(ball)
        await central.connect(ball)
        await stage.resolved(central, ball)


@scenario
async def connect_while_connecting(stage):
    """A second Connect, then a Disconnect, while a Connect to nobody runs."""
    app = await stage.serve()
    central = await stage.central()
    ball = await stage.discover(central)
    await app.stop_advertising()
    async with stage.step("Connect to nobody", waits=False):
        central.connect(ball)
        await stage.seconds(1)
    async with stage.step("Connect again", waits=False):
        await central.connect(ball)
    async with stage.step("Disconnect"):
        await central.disconnect(ball)


@scenario
async def connect_to_nobody(stage):
    """A Connect to a peer that no longer advertises."""
    app = await stage.serve()
    central = await stage.central()
    ball = await stage.discover(central)
    await app.stop_advertising()
    async with stage.step("Connect"):
        await central.connect(ball, limit=60)


@scenario
async def connect_without_power(stage):
    """A Connect when one's own adapter is off, to a trusted peer: others are forgotten then."""
    _, central, ball = await stage.linked()
    await central.set(ball, "Device1", "Trusted", Variant("b", True))
    await central.disconnect(ball)
    await stage.parted(central, ball)
    async with stage.step("the adapter is turned off"):
        await central.power(False)
    async with stage.step("Connect and Disconnect"):
        await central.connect(ball)
        await central.disconnect(ball)
    async with stage.step("the adapter is turned on"):
        await central.power(True)
    async with stage.step("Connect with power"):
        await central.connect(ball)
        await stage.resolved(central, ball)


@scenario
async def connect_while_scanning(stage):
    """A connection while the scan goes on."""
    await stage.serve()
    central = await stage.central()
    ball = await stage.discover(central, stop=False)
    async with stage.step("Connect"):
        await central.connect(ball)
        await stage.resolved(central, ball)
    async with stage.step("StopDiscovery"):
        await central.stop_discovery()


@scenario
async def disconnect_under_way(stage):
    """What a link takes while one's own Disconnect is under way."""
    _, central, ball = await stage.linked()
    answer, question = central.find("Answer", ball), central.find("Question", ball)
    async with stage.step("Disconnect, and calls meanwhile"):
        going = central.disconnect(ball)
        await central.start_notify(answer)
        await central.read(answer)
        await central.write(question, b"Still there?", type="request")
        await central.connect(ball)
        await going
        await stage.parted(central, ball)


@scenario
async def remove_device(stage):
    """RemoveDevice of a connected peer, once more, and of what is no device."""
    _, central, ball = await stage.linked()
    question = central.find("Question", ball)
    async with stage.step("RemoveDevice"):
        await central.remove(ball)
        await stage.until(lambda: ball not in central.objects, "the device's removal")
    async with stage.step("RemoveDevice once more"):
        await central.remove(ball)
    async with stage.step("RemoveDevice of something else"):
        await central.remove("/nothing")
    async with stage.step("calls to what is gone"):
        await central.connect(ball)
        await central.read(question)
        await central.get_all(ball, "Device1")


@scenario
async def peer_disconnects(stage):
    """The peer ends the link; what its attributes say then."""
    app, central, ball = await stage.linked()
    answer, question = central.find("Answer", ball), central.find("Question", ball)
    peer = await stage.central("peer", "hci1")
    async with stage.step("the peer disconnects"):
        await peer.disconnect(peer.device(stage.addresses["hci0"]))
        await stage.parted(central, ball)
    async with stage.step("calls without a link"):
        await central.write(question, b"Still there?", type="request")
        await central.write(question, b"Still there?", type="command")
        await central.read(answer)
        await central.start_notify(answer)
        await central.stop_notify(answer)
        await central.acquire(answer, "Notify")
    async with stage.step("Connect"):
        await central.connect(ball)
        await stage.resolved(central, ball)


@scenario
async def disconnected_central_returns(stage):
    """The serving side ends a central's link, twice; each time the central comes back, and asks."""
    app, central, ball = await stage.linked()
    server = await stage.central("server", "hci1")
    for time in ("once", "again"):
        async with stage.step(f"the server disconnects the central {time}"):
            await server.disconnect(server.device(stage.addresses["hci0"]))
            await stage.parted(central, ball)
        async with stage.step(f"the central connects {time}"):
            await central.connect(ball)
            await stage.resolved(central, ball)
        async with stage.step(f"it asks {time}"):
            await central.start_notify(central.find("Answer", ball))
            await central.write(central.find("Question", ball), b"Still there?", type="request")
            app.notify(b"Yes.")


@scenario
async def device_properties(stage):
    """What of a device can be set."""
    await stage.serve()
    central = await stage.central()
    ball = await stage.discover(central)
    async with stage.step("Alias"):
        await central.set(ball, "Device1", "Alias", Variant("s", "The ball"))
        await central.get_property(ball, "Device1", "Alias")
    async with stage.step("Alias as it was"):
        await central.set(ball, "Device1", "Alias", Variant("s", ""))
        await central.get_property(ball, "Device1", "Alias")
    async with stage.step("Trusted"):
        await central.set(ball, "Device1", "Trusted", Variant("b", True))
    async with stage.step("what can't be set, or is not there"):
        await central.set(ball, "Device1", "Connected", Variant("b", True))
        await central.set(ball, "Device1", "Nothing", Variant("b", True))
        await central.get_property(ball, "Device1", "Nothing")
        await central.get_property(ball, "Nothing1", "Nothing")
