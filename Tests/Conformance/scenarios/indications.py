"""Indications: when an application is asked to Confirm, and what that says."""

from application import BALL, service
from stage import scenario, succeed

from scenarios.centrals import two_centrals


@scenario
async def indicate_two_centrals(stage):
    """Two centrals are subscribed to indications; one ends, the other disconnects."""
    app, first, ball, second, same = await two_centrals(stage)
    async with stage.step("one subscribes"):
        await first.start_notify(first.find("Alarm", ball))
    async with stage.step("the other subscribes"):
        await second.start_notify(second.find("Alarm", same))
    async with stage.step("a value"):
        app.notify(b"For both.", "alarm")
    async with stage.step("one ends"):
        await first.stop_notify(first.find("Alarm", ball))
    async with stage.step("a value for the other"):
        app.notify(b"For one.", "alarm")
    async with stage.step("the other disconnects"):
        await second.disconnect(same)
        await stage.parted(second, same)
    async with stage.step("a value for nobody"):
        app.notify(b"For nobody.", "alarm")


@scenario
async def indicate_or_notify(stage):
    """A characteristic with `notify` and `indicate`: which of them StartNotify takes."""
    tree = service("/ball", BALL | {"stream": ("Stream", ["notify", "indicate"])})
    app, central, ball = await stage.linked(tree=tree)
    stream = central.find("Stream", ball)
    async with stage.step("StartNotify"):
        await central.start_notify(stream)
    async with stage.step("the configuration is read"):
        await central.read(central.find("00002902-0000-1000-8000-00805f9b34fb", stream))
    async with stage.step("a value"):
        app.notify(b"Yes.", "stream")
    async with stage.step("StopNotify"):
        await central.stop_notify(stream)


@scenario
async def indicate_or_notify_to_others(stage):
    """A characteristic with both, and a central that subscribes to the indications alone."""
    tree = service("/ball", BALL | {"stream": ("Stream", ["notify", "indicate"])})
    app, remote, _ = await remote_central(stage, tree=tree)
    async with stage.step("it subscribes to indications"):
        await remote.subscribe("Stream", 2)
    async with stage.step("a value"):
        app.notify(b"Yes.", "stream")
    async with stage.step("it subscribes to notifications"):
        await remote.subscribe("Stream", 1)
    async with stage.step("another value"):
        app.notify(b"No.", "stream")
    async with stage.step("it subscribes to both"):
        await remote.subscribe("Stream", 3)
    async with stage.step("a third value"):
        app.notify(b"Maybe.", "stream")


@scenario
async def indicate_late_confirmation(stage):
    """A central that confirms late: what waits meanwhile."""
    app, remote, _ = await unconfirming(stage)
    async with stage.step("a value"):
        app.notify(b"One.", "alarm")
    async with stage.step("another value, and a third"):
        app.notify(b"Two.", "alarm")
        app.notify(b"Three.", "alarm")
    for number in ("first", "second", "third"):
        async with stage.step(f"the {number} is confirmed"):
            await remote.confirm()
    async with stage.step("a confirmation of nothing"):
        await remote.confirm()


@scenario
async def indicate_confirmed_twice(stage):
    """A central that confirms when there is nothing to confirm."""
    app, remote, device = await unconfirming(stage)
    async with stage.step("a confirmation of nothing"):
        await remote.confirm()
        await stage.until(lambda: not app.get(device, "Device1", "Connected"), "the end")


@scenario
async def indicate_unconfirmed(stage):
    """A central that never confirms: 30 s."""
    app, _, device = await unconfirming(stage)
    async with stage.step("a value that is never confirmed"):
        app.notify(b"One.", "alarm")
        await stage.until(lambda: not app.get(device, "Device1", "Connected"), "the end", 60)


@scenario
async def indicate_two_unconfirmed(stage):
    """A central that never confirms, and two values."""
    app, _, device = await unconfirming(stage)
    async with stage.step("two values that are never confirmed"):
        app.notify(b"One.", "alarm")
        app.notify(b"Two.", "alarm")
        await stage.until(lambda: not app.get(device, "Device1", "Connected"), "the end", 60)


@scenario
async def indicate_link_lost(stage):
    """A link is lost while an indication is not confirmed, and another one waits."""
    app, remote, device = await unconfirming(stage)
    async with stage.step("two values"):
        app.notify(b"One.", "alarm")
        app.notify(b"Two.", "alarm")
    async with stage.step("the central vanishes"):
        await remote.vanish()
        await stage.until(lambda: not app.get(device, "Device1", "Connected"), "the link's end")


@scenario
async def indicate_central_leaves(stage):
    """A central disconnects while an indication is not confirmed."""
    app, remote, device = await unconfirming(stage)
    async with stage.step("a value"):
        app.notify(b"One.", "alarm")
    async with stage.step("the central disconnects"):
        await remote.disconnect()
        await stage.until(lambda: not app.get(device, "Device1", "Connected"), "the link's end")


@scenario
async def indicate_server_disconnects(stage):
    """The serving side ends the link while an indication is not confirmed."""
    app, _, device = await unconfirming(stage)
    server = await stage.central("server", "hci1")
    async with stage.step("a value"):
        app.notify(b"One.", "alarm")
    async with stage.step("Disconnect"):
        await server.disconnect(device)
        await stage.parted(server, device)


@scenario
async def indicate_power_lost(stage):
    """The serving adapter is turned off while an indication is not confirmed."""
    app, _, device = await unconfirming(stage)
    server = await stage.central("server", "hci1")
    async with stage.step("a value"):
        app.notify(b"One.", "alarm")
    async with stage.step("off"):
        await server.power(False)


@scenario
async def indicate_unsubscribed(stage):
    """A central unsubscribes while an indication is not confirmed, and confirms it then."""
    app, remote, _ = await unconfirming(stage)
    async with stage.step("a value"):
        app.notify(b"One.", "alarm")
    async with stage.step("it unsubscribes"):
        await remote.subscribe("Alarm", 0)
    async with stage.step("it confirms"):
        await remote.confirm()


@scenario
async def indicate_withdrawn(stage):
    """An application goes while an indication is not confirmed; the confirmation comes then."""
    app, remote, _ = await unconfirming(stage)
    async with stage.step("a value"):
        app.notify(b"One.", "alarm")
    async with stage.step("UnregisterApplication"):
        await app.unregister()
    async with stage.step("it confirms"):
        await remote.confirm()


@scenario
async def indicate_withdrawn_again(stage):
    """An application goes while an indication is not confirmed, and comes again before the confirmation."""
    app, remote, _ = await unconfirming(stage)
    async with stage.step("a value"):
        app.notify(b"One.", "alarm")
    async with stage.step("UnregisterApplication"):
        await app.unregister()
    async with stage.step("RegisterApplication"):
        await app.register()
    async with stage.step("it confirms"):
        await remote.confirm()


@scenario
async def indicate_one_of_two(stage):
    """Two centrals are subscribed: one confirms, the other vanishes before it does."""
    app, remote, device = await unconfirming(stage)
    central = await stage.central()
    ball = await stage.link(central)
    succeed(await central.start_notify(central.find("Alarm", ball)))
    async with stage.step("a value"):
        app.notify(b"For both.", "alarm")
    async with stage.step("the one that has not confirmed vanishes"):
        await remote.vanish()
        await stage.until(lambda: not app.get(device, "Device1", "Connected"), "the link's end")
    async with stage.step("a value for the other"):
        app.notify(b"For one.", "alarm")


async def remote_central(stage, **details):
    """An application, and a central of another make that is connected to it."""
    app = await stage.serve(**details)
    remote = await stage.remote()
    await remote.connect(stage.addresses["hci1"])
    device = app.device(stage.addresses["remote"])
    await stage.until(lambda: app.get(device, "Device1", "Connected"), "the link")
    await stage.settle()
    return app, remote, device


async def unconfirming(stage):
    """An application, and a central that is subscribed to its indications and confirms none."""
    app, remote, device = await remote_central(stage)
    await remote.subscribe("Alarm", 2)
    await remote.keep_confirmations()
    await stage.settle()
    return app, remote, device
