"""Two hosts that both serve and connect: one link, two roles."""

from application import service
from stage import scenario, scenario_at, succeed

OTHER = {"answer": ("Other", ["read", "notify"]), "note": ("Note", ["read", "write"])}


async def hosts(stage):
    """Two adapters that serve; the one of `central` connects to that of `back`."""
    app = await stage.serve()
    tree = service("/other", OTHER, "Other")
    other = await stage.serve(name="other", adapter="hci0", root="/other", tree=tree)
    central, back = await stage.central(), await stage.central("back", "hci1")
    ball = await stage.link(central)
    peer = back.device(stage.addresses["hci0"])
    await stage.resolved(back, peer)
    await stage.settle()
    return app, other, central, back, ball, peer


@scenario
async def both_roles(stage):
    """The called host connects as well, and uses the caller's services; the caller disconnects."""
    app, other, central, back, ball, peer = await hosts(stage)
    async with stage.step("Connect from the called end"):
        await back.connect(peer)
    async with stage.step("both subscribe"):
        await central.start_notify(central.find("Answer", ball))
        await back.start_notify(back.find("Other", peer + "/service"))
    async with stage.step("both read"):
        await central.read(central.find("Answer", ball))
        await back.read(back.find("Note", peer))
    async with stage.step("a value of each"):
        app.notify(b"Yes.")
        other.notify(b"No.")
    async with stage.step("the caller disconnects"):
        await central.disconnect(ball)
        await stage.parted(central, ball)
        await stage.parted(back, peer)


@scenario
async def both_roles_called_ends(stage):
    """As before, but the called host disconnects, while both are subscribed."""
    app, other, central, back, ball, peer = await hosts(stage)
    succeed(await back.connect(peer))
    succeed(await central.start_notify(central.find("Answer", ball)))
    succeed(await back.start_notify(back.find("Other", peer + "/service")))
    async with stage.step("the called end disconnects"):
        await back.disconnect(peer)
        await stage.parted(central, ball)
        await stage.parted(back, peer)


@scenario
async def both_roles_requests(stage):
    """Each has a request pending at the other when one disconnects."""
    app, other, central, back, ball, peer = await hosts(stage)
    succeed(await back.connect(peer))
    question, note = app.hold("question", "WriteValue"), other.hold("note", "WriteValue")
    async with stage.step("both write", waits=False):
        central.write(central.find("Question", ball), b"Will it?", type="request")
        back.write(back.find("Note", peer), b"A note", type="request")
        await question
        await note
    async with stage.step("the caller disconnects"):
        await central.disconnect(ball)
        await stage.parted(central, ball)
        await stage.parted(back, peer)


@scenario
async def called_back_at_once(stage):
    """One disconnects; the other end calls back as soon as the link is gone."""
    _, _, central, back, ball, peer = await hosts(stage)
    async with stage.step("Disconnect, and Connect from the other end"):
        central.disconnect(ball)
        await stage.parted(back, peer)
        await back.connect(peer, limit=60)
        await stage.resolved(back, peer)
        await stage.resolved(central, ball)


@scenario
async def called_back_later(stage):
    """One disconnects; the other end calls back 1 s after the link is gone."""
    _, _, central, back, ball, peer = await hosts(stage)
    async with stage.step("Disconnect"):
        await central.disconnect(ball)
        await stage.parted(back, peer)
    async with stage.step("Connect from the other end"):
        await stage.seconds(1)
        await back.connect(peer, limit=60)
        await stage.resolved(back, peer)
        await stage.resolved(central, ball)


@scenario
async def called_back_under_way(stage):
    """One disconnects; the other end calls while that is under way."""
    _, _, central, back, ball, peer = await hosts(stage)
    async with stage.step("Disconnect, and Connect from the other end meanwhile"):
        going = central.disconnect(ball)
        await stage.seconds(0.2)
        await back.connect(peer, limit=60)
        await going
        await stage.parted(central, ball)


async def mtu(client, device, name):
    await client.get_property(client.find(name, device), "GattCharacteristic1", "MTU")


async def mtu_of_two_links(stage):
    """The property MTU at both ends: at once when known, later, without a link, on the next one."""
    await stage.serve()
    tree = service("/other", OTHER, "Other")
    await stage.serve(name="other", adapter="hci0", root="/other", tree=tree)
    central, back = await stage.central(), await stage.central("back", "hci1")
    ball = await stage.discover(central)
    peer = back.device(stage.addresses["hci0"])
    for time in ("Connect", "Connect again"):
        async with stage.step(time):
            await central.connect(ball)
            await stage.resolved(central, ball)
            await stage.resolved(back, peer)
        async with stage.step(f"MTU, {time}"):
            await mtu(central, ball, "Answer")
            await mtu(back, peer, "Note")
        async with stage.step(f"MTU after a request of each, {time}"):
            await central.read(central.find("Answer", ball))
            await back.read(back.find("Note", peer))
            await mtu(central, ball, "Answer")
            await mtu(back, peer, "Note")
        async with stage.step(f"Disconnect after {time}"):
            await central.disconnect(ball)
            await stage.parted(central, ball)
            await stage.parted(back, peer)
        async with stage.step(f"MTU without a link, {time}"):
            await mtu(central, ball, "Answer")
            await mtu(back, peer, "Note")


@scenario
async def mtu_at_both_ends(stage):
    """The property MTU at both ends of two links, which take 517."""
    await mtu_of_two_links(stage)


@scenario_at(185)
async def mtu_at_both_ends_at_185(stage):
    """The property MTU at both ends of two links, which take 185."""
    await mtu_of_two_links(stage)
