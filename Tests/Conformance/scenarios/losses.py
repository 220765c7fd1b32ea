"""What is lost, and when."""

from stage import scenario, succeed


async def pending(stage):
    """A write that the application keeps."""
    app, central, ball = await stage.linked()
    succeed(await central.start_notify(central.find("Answer", ball)))
    held = app.hold("question", "WriteValue")
    central.write(central.find("Question", ball), b"What now?", type="request")
    await held
    return app, central, ball, held.result()


@scenario
async def application_leaves(stage):
    """The application leaves the bus while a write is pending."""
    app, central, ball, _ = await pending(stage)
    async with stage.step("it leaves"):
        app.leave()
        await stage.until(lambda: not central.find("Ball", ball), "the service's removal")
    async with stage.step("another one comes"):
        again = await stage.app("again")
        await again.register()
        await stage.until(lambda: central.find("Ball", ball), "the service")


@scenario
async def application_unregisters(stage):
    """The application is unregistered while a write is pending; it replies afterwards."""
    app, central, ball, held = await pending(stage)
    async with stage.step("UnregisterApplication"):
        await app.unregister()
        await stage.until(lambda: not central.find("Ball", ball), "the service's removal")
    async with stage.step("its reply to the write"):
        held.answer()


@scenario
async def client_leaves(stage):
    """The central's program leaves the bus: scanning, connected, subscribed."""
    await stage.serve()
    central, other = await stage.central(), await stage.central("other")
    ball = await stage.link(central)
    succeed(await central.start_notify(central.find("Answer", ball)))
    succeed(await central.start_discovery())
    async with stage.step("it leaves"):
        central.leave()
        await stage.until(lambda: not other.get(other.hci, "Adapter1", "Discovering"), "the end")
    async with stage.step("the next one connects"):
        await other.connect(ball)
        await other.read(other.find("Answer", ball))


@scenario
async def own_power_lost(stage):
    """One's own adapter is turned off while connected and subscribed, and on again."""
    _, central, ball = await stage.linked()
    answer = central.find("Answer", ball)
    succeed(await central.start_notify(answer))
    async with stage.step("off"):
        await central.power(False)
    async with stage.step("calls without power"):
        await central.read(answer)
        await central.start_notify(answer)
        await central.connect(ball)
        await central.disconnect(ball)
    async with stage.step("on"):
        await central.power(True)
    async with stage.step("Connect"):
        await central.connect(ball)
        await stage.resolved(central, ball)


@scenario
async def peer_power_lost(stage):
    """The peer's adapter is turned off while connected and subscribed, and on again."""
    app, central, ball = await stage.linked()
    peer = await stage.central("peer", "hci1")
    succeed(await central.start_notify(central.find("Answer", ball)))
    async with stage.step("off"):
        await peer.power(False)
        await stage.parted(central, ball)
    async with stage.step("on"):
        await peer.power(True)
    async with stage.step("Connect"):
        await central.connect(ball)
        await stage.resolved(central, ball)
    async with stage.step("a value"):
        app.notify(b"Back.")


@scenario
async def adapters_vanish(stage):
    """All adapters go while connected and subscribed, and come back."""
    app, central, ball = await stage.linked()
    answer = central.find("Answer", ball)
    succeed(await central.start_notify(answer))
    async with stage.step("they go"):
        await stage.pull("unplug")
        await stage.until(lambda: central.hci not in central.objects, "the adapter's removal")
    async with stage.step("calls to what is gone"):
        await central.read(answer)
        await central.connect(ball)
        await central.start_discovery()
        await app.register()
    async with stage.step("they come back"):
        await stage.pull("plug")
        await stage.until(lambda: central.get(central.hci, "Adapter1", "Powered"), "the adapter")
        await stage.until(lambda: app.objects.get("/org/bluez/hci1"), "the peer's adapter")
    async with stage.step("the application is registered anew"):
        await app.register()
        await app.advertise()


@scenario
async def bluetoothd_stops(stage):
    """bluetoothd ends in order, and is started again."""
    app, central, ball = await stage.linked()
    answer = central.find("Answer", ball)
    succeed(await central.start_notify(answer))
    async with stage.step("it ends"):
        await stage.pull("stop")
        await stage.until(lambda: not central.is_there, "its end")
    async with stage.step("calls to nobody"):
        await central.read(answer)
    async with stage.step("it starts"):
        await stage.pull("start")
        await stage.returned()
        await stage.until(lambda: central.get(central.hci, "Adapter1", "Powered"), "the adapter")
    async with stage.step("calls to what was"):
        await central.read(answer)
        await app.register()


@scenario
async def bluetoothd_killed(stage):
    """bluetoothd is killed while a write is pending, and started again."""
    app, central, ball, _ = await pending(stage)
    async with stage.step("it is killed"):
        await stage.pull("kill")
        await stage.until(lambda: not central.is_there, "its end")
    async with stage.step("it starts"):
        await stage.pull("start")
        await stage.returned()
        await stage.until(lambda: central.get(central.hci, "Adapter1", "Powered"), "the adapter")
    async with stage.step("all from the beginning"):
        await app.register()
        await app.advertise()
        await central.connect(ball)
        await stage.resolved(central, ball)
        await central.read(central.find("Answer", ball))


@scenario
async def managers_come_back(stage):
    """bluetoothd ends and starts: what is told of /org/bluez."""
    client = await stage.central("agent", "hci9")
    client.sees_root = True
    async with stage.step("it ends"):
        await stage.pull("stop")
        await stage.until(lambda: not client.is_there, "its end")
    async with stage.step("it starts"):
        await stage.pull("start")
        await stage.returned()
        await stage.until(lambda: "/org/bluez" in client.objects, "the managers")
    async with stage.step("RegisterAgent"):
        await client.begin("/org/bluez", "AgentManager1", "RegisterAgent", "os", ["/agent", ""])
