"""Reading and writing."""

from application import BALL, service
from dbus_fast import Variant
from stage import scenario


@scenario
async def read(stage):
    """Reads: the application is asked, the value is told to all."""
    app, central, ball = await stage.linked()
    answer = central.find("Answer", ball)
    async with stage.step("ReadValue"):
        await central.read(answer)
    async with stage.step("the same value again"):
        await central.read(answer)
    async with stage.step("another value"):
        app.answers("answer", "ReadValue", b"Ask again later.")
        await central.read(answer)
    async with stage.step("an empty value"):
        app.answers("answer", "ReadValue", b"")
        await central.read(answer)
    async with stage.step("with offsets"):
        app.answers("answer", "ReadValue", b"0123456789")
        for offset in (4, 10, 11):
            await central.read(answer, offset=offset)


@scenario
async def write(stage):
    """The types of a write, to a characteristic with `write` alone."""
    _, central, ball = await stage.linked()
    question = central.find("Question", ball)
    for kind in ("request", "command", "reliable", "nonsense"):
        async with stage.step(f"type {kind}"):
            await central.write(question, b"Will it?", type=kind)
    async with stage.step("no type"):
        await central.write(question, b"Will it?")
    async with stage.step("no bytes"):
        await central.write(question, b"", type="request")
    async with stage.step("an offset"):
        await central.write(question, b"Will it?", type="request", offset=4)


@scenario
async def write_without_response(stage):
    """The types of a write, to a characteristic with `write-without-response` alone."""
    _, central, ball = await stage.linked()
    wish = central.find("Wish", ball)
    for kind in ("request", "command", "reliable"):
        async with stage.step(f"type {kind}"):
            await central.write(wish, b"A wish", type=kind)
    async with stage.step("no type"):
        await central.write(wish, b"A wish")


@scenario
async def write_with_both_flags(stage):
    """A characteristic with both flags: who learns of a refusal?"""
    app, central, ball = await stage.linked()
    both = central.find("Both", ball)
    for kind in ("request", "command", "reliable"):
        async with stage.step(f"type {kind}"):
            await central.write(both, b"Both", type=kind)
    async with stage.step("no type"):
        await central.write(both, b"Both")
    held = app.hold("both", "WriteValue")
    async with stage.step("a request, and no reply of the application yet"):
        await central.write(both, b"Slowly", type="request")
    async with stage.step("the application refuses"):
        (await held).answer()


@scenario
async def not_permitted(stage):
    """What a characteristic has no flag for."""
    _, central, ball = await stage.linked()
    question, answer = central.find("Question", ball), central.find("Answer", ball)
    async with stage.step("ReadValue without read"):
        await central.read(question)
    async with stage.step("WriteValue without write"):
        for kind in ("request", "command", "reliable"):
            await central.write(answer, b"Mine", type=kind)
    async with stage.step("StartNotify and StopNotify without notify"):
        await central.start_notify(question)
        await central.stop_notify(question)
    async with stage.step("AcquireWrite and AcquireNotify without"):
        await central.acquire(question, "Write")
        await central.acquire(question, "Notify")


@scenario
async def descriptors(stage):
    """Descriptors of an application, and the one that bluetoothd adds."""
    tree = service("/ball", BALL)
    tree["/ball/service/answer/caption"] = {
        "org.bluez.GattDescriptor1": {
            "UUID": Variant("s", "2901"),
            "Characteristic": Variant("o", "/ball/service/answer"),
            "Flags": Variant("as", ["read", "write"]),
        }
    }
    _, central, ball = await stage.linked(tree=tree)
    answer = central.find("Answer", ball)
    caption = central.find("00002901-0000-1000-8000-00805f9b34fb", ball)
    setting = central.find("00002902-0000-1000-8000-00805f9b34fb", answer)
    async with stage.step("ReadValue"):
        await central.read(caption)
    async with stage.step("WriteValue"):
        await central.write(caption, b"What the ball says")
    async with stage.step("the client's configuration"):
        await central.read(setting)
        await central.write(setting, b"\x01\x00")


@scenario
async def requests_at_once(stage):
    """A second request to a characteristic while one is pending, and requests to others."""
    app, central, ball = await stage.linked()
    question, note, answer = (central.find(name, ball) for name in ("Question", "Note", "Answer"))
    first, second = app.hold("question", "WriteValue"), app.hold("note", "WriteValue")
    async with stage.step("a write that waits", waits=False):
        central.write(question, b"One?", type="request")
    async with stage.step("another one to the same"):
        again = central.write(question, b"Two?", type="request")
        await again
        (await first).answer()
    first = app.hold("question", "WriteValue")
    async with stage.step("a write that waits, and one to another that waits", waits=False):
        central.write(question, b"Three?", type="request")
        central.write(note, b"A note", type="request")
    async with stage.step("a read of a third", waits=False):
        central.read(answer)
    async with stage.step("the first is answered", waits=False):
        (await first).answer()
    async with stage.step("the second is answered"):
        (await second).answer()


@scenario
async def reads_at_once(stage):
    """A second read of a characteristic while one is pending."""
    app, central, ball = await stage.linked()
    answer, note = central.find("Answer", ball), central.find("Note", ball)
    held = app.hold("answer", "ReadValue")
    async with stage.step("two reads, one write to the same device"):
        central.read(answer)
        second = central.read(answer)
        await held
        held.result().answer(b"Yes.")
        await second
    held = app.hold("note", "ReadValue")
    async with stage.step("a read, and a write of the same characteristic", waits=False):
        central.read(note)
        await held
        central.write(note, b"Mine", type="request")
    async with stage.step("the read is answered"):
        held.result().answer(b"Yours")


@scenario
async def slow_handler(stage):
    """An application that takes its time with a write: 4 s."""
    app, central, ball = await stage.linked()
    held = app.hold("question", "WriteValue")
    async with stage.step("4 s"):
        central.write(central.find("Question", ball), b"Slowly?", type="request")
        await held
        await stage.seconds(4)
        held.result().answer()


@scenario
async def late_handler(stage):
    """An application that replies too late, 6 s after it was asked; and then in time."""
    app, central, ball = await stage.linked()
    question = central.find("Question", ball)
    held = app.hold("question", "WriteValue")
    async with stage.step("5 s are over"):
        await central.write(question, b"Too late?", type="request")
    async with stage.step("the late reply"):
        await stage.seconds(1)
        (await held).answer()
    async with stage.step("the next write"):
        await central.write(question, b"In time?", type="request")


@scenario
async def silent_handler(stage):
    """An application that never replies to a read."""
    app, central, ball = await stage.linked()
    app.hold("answer", "ReadValue")
    async with stage.step("ReadValue"):
        await central.read(central.find("Answer", ball))
    async with stage.step("ReadValue again"):
        await central.read(central.find("Answer", ball))


@scenario
async def commands_at_once(stage):
    """Write commands that follow each other, each after the reply to the one before."""
    _, central, ball = await stage.linked()
    wish = central.find("Wish", ball)
    async with stage.step("ten commands"):
        for number in range(10):
            await central.write(wish, f"Wish {number}".encode(), type="command")
