"""The order of what is sent at once, or one right after the other."""

from application import BALL, service
from stage import scenario, scenario_at, succeed


@scenario
async def subscribe_at_once(stage):
    """Two StartNotify of one client, and two StopNotify, for two characteristics."""
    tree = service("/ball", BALL | {"stream": ("Stream", ["notify"])})
    _, central, ball = await stage.linked(tree=tree)
    paths = central.find("Answer", ball), central.find("Stream", ball)
    async with stage.step("two StartNotify"):
        for path in paths:
            central.start_notify(path)
    async with stage.step("two StopNotify"):
        for path in paths:
            central.stop_notify(path)


@scenario
async def notify_long(stage):
    """Twenty long notifications at once."""
    app, central, ball = await stage.linked()
    succeed(await central.start_notify(central.find("Answer", ball)))
    async with stage.step("twenty values"):
        for number in range(20):
            app.notify(bytes([ord("A") + number]) * 300)


@scenario
async def indicate_many(stage):
    """Eight indications at once."""
    app, central, ball = await stage.linked()
    succeed(await central.start_notify(central.find("Alarm", ball)))
    async with stage.step("eight values"):
        for number in range(8):
            app.notify(f"{number}".encode(), "alarm")


@scenario
async def long_commands(stage):
    """Twenty long write commands, each after the reply to the one before."""
    _, central, ball = await stage.linked()
    wish = central.find("Wish", ball)
    async with stage.step("twenty commands"):
        for number in range(20):
            await central.write(wish, bytes([ord("A") + number]) * 300, type="command")


@scenario
async def commands_into_a_socket(stage):
    """Sixty packets into the socket of AcquireWrite."""
    _, central, ball = await stage.linked()
    end = stage.socket(succeed(await central.acquire(central.find("Wish", ball), "Write")))
    async with stage.step("sixty packets"):
        for number in range(60):
            stage.feed(central, end, f"{number}".encode())


@scenario
async def mtu_before_requests(stage):
    """The property MTU before anything was asked, after StartNotify, AcquireNotify and a write."""
    tree = service("/ball", BALL | {"stream": ("Stream", ["notify"])})
    _, central, ball = await stage.linked(tree=tree)
    answer, stream = central.find("Answer", ball), central.find("Stream", ball)
    async with stage.step("before"):
        await central.get_property(answer, "GattCharacteristic1", "MTU")
    async with stage.step("StartNotify"):
        await central.start_notify(answer)
        await central.get_property(answer, "GattCharacteristic1", "MTU")
    async with stage.step("AcquireNotify"):
        await central.acquire(stream, "Notify")
        await central.get_property(stream, "GattCharacteristic1", "MTU")
    async with stage.step("WriteValue"):
        question = central.find("Question", ball)
        await central.write(question, b"How much?", type="request")
        await central.get_property(question, "GattCharacteristic1", "MTU")


@scenario_at(185)
async def sizes_at_mtu_185(stage):
    """Values around an MTU of 185: notified, indicated, written, read."""
    app, central, ball = await stage.linked()
    answer, alarm, wish = (central.find(name, ball) for name in ("Answer", "Alarm", "Wish"))
    succeed(await central.start_notify(answer))
    succeed(await central.start_notify(alarm))
    for name in ("answer", "alarm"):
        async with stage.step(f"{name} tells 300 bytes"):
            app.notify(b"x" * 300, name)
    for size in (176, 177, 178, 179, 180, 181, 182, 183):
        async with stage.step(f"a command of {size} bytes"):
            await central.write(wish, b"x" * size, type="command")
    for size in (182, 183, 400, 508, 509, 512):
        async with stage.step(f"a request of {size} bytes"):
            await central.write(central.find("Question", ball), b"x" * size, type="request")
    for size in (183, 184, 185, 400):
        async with stage.step(f"a read of {size} bytes"):
            app.reads_by_offset = True
            app.answers("answer", "ReadValue", b"x" * size)
            await central.read(answer)
    async with stage.step("a read of 400 bytes, whatever the offset"):
        app.reads_by_offset = False
        await central.read(answer)


@scenario
async def sizes_of_indications(stage):
    """Indications."""
    app, central, ball = await stage.linked()
    succeed(await central.start_notify(central.find("Alarm", ball)))
    for size in (0, 20, 508, 510, 512, 513, 514, 515):
        async with stage.step(f"{size} bytes"):
            app.notify(b"x" * size, "alarm")
