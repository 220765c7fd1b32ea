"""Several centrals at one peripheral."""

from stage import scenario


async def two_centrals(stage):
    app, first, ball = await stage.linked()
    second = await stage.central("second", "hci2")
    return app, first, ball, second, await stage.link(second)


@scenario
async def centrals_ask(stage):
    """Two centrals ask: the application learns who."""
    _, first, ball, second, same = await two_centrals(stage)
    async with stage.step("one writes"):
        await first.write(first.find("Question", ball), b"I?", type="request")
    async with stage.step("the other writes"):
        await second.write(second.find("Question", same), b"And I?", type="request")
    async with stage.step("both read"):
        await first.read(first.find("Answer", ball))
        await second.read(second.find("Answer", same))


@scenario
async def centrals_write_at_once(stage):
    """Two centrals write to the same characteristic while the application thinks."""
    app, first, ball, second, same = await two_centrals(stage)
    one = app.hold("question", "WriteValue")
    async with stage.step("one writes", waits=False):
        first.write(first.find("Question", ball), b"I?", type="request")
    async with stage.step("the other writes"):
        await second.write(second.find("Question", same), b"And I?", type="request")
        (await one).answer()


@scenario
async def centrals_subscribe(stage):
    """Two centrals subscribe; each hears all; one ends, the other disconnects."""
    app, first, ball, second, same = await two_centrals(stage)
    async with stage.step("one subscribes"):
        await first.start_notify(first.find("Answer", ball))
    async with stage.step("the other subscribes"):
        await second.start_notify(second.find("Answer", same))
    async with stage.step("a value"):
        app.notify(b"For both.")
    async with stage.step("one ends"):
        await first.stop_notify(first.find("Answer", ball))
    async with stage.step("a value for the other"):
        app.notify(b"For one.")
    async with stage.step("the other disconnects"):
        await second.disconnect(same)
        await stage.parted(second, same)


@scenario
async def both_are_central(stage):
    """Each of two adapters serves, and each connects the other."""
    app, central, ball = await stage.linked()
    back = await stage.central("back", "hci1")
    peer = back.device(stage.addresses["hci0"])
    async with stage.step("Connect from the other end"):
        await back.connect(peer)
    async with stage.step("Disconnect from the other end"):
        await back.disconnect(peer)
        await stage.parted(central, ball)
