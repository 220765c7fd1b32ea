"""Notifications and indications, by signals and by sockets."""

import os
import socket

from application import Fault, service
from client import Reply
from dbus_fast import Variant
from stage import scenario, succeed


@scenario
async def notify(stage):
    """Subscribing, three notifications, two of them the same, and the end."""
    app, central, ball = await stage.linked()
    answer = central.find("Answer", ball)
    async with stage.step("StartNotify"):
        await central.start_notify(answer)
    for value in (b"Yes.", b"Yes.", b"No."):
        async with stage.step(f"the application tells a value ({len(stage.journal.steps)})"):
            app.notify(value)
    async with stage.step("StopNotify"):
        await central.stop_notify(answer)
    async with stage.step("a value that nobody is subscribed to"):
        app.notify(b"Maybe.")


@scenario
async def notify_many(stage):
    """Sixty notifications at once."""
    app, central, ball = await stage.linked()
    succeed(await central.start_notify(central.find("Answer", ball)))
    async with stage.step("sixty values"):
        for number in range(60):
            app.notify(f"{number}".encode())


@scenario
async def notify_refusals(stage):
    """StopNotify without StartNotify, StartNotify again and twice at once."""
    _, central, ball = await stage.linked()
    answer = central.find("Answer", ball)
    async with stage.step("StopNotify without StartNotify"):
        await central.stop_notify(answer)
    async with stage.step("StartNotify twice at once"):
        central.start_notify(answer)
        central.start_notify(answer)
    async with stage.step("StartNotify again"):
        await central.start_notify(answer)
    async with stage.step("StopNotify"):
        await central.stop_notify(answer)
    async with stage.step("StopNotify again"):
        await central.stop_notify(answer)


@scenario
async def notify_two_clients(stage):
    """Two clients of one daemon subscribe; one ends, the other leaves the bus."""
    app, central, ball = await stage.linked()
    other = await stage.central("other")
    answer = central.find("Answer", ball)
    async with stage.step("one subscribes"):
        await central.start_notify(answer)
    async with stage.step("the other ends what it has not begun"):
        await other.stop_notify(answer)
    async with stage.step("the other subscribes"):
        await other.start_notify(answer)
    async with stage.step("a value"):
        app.notify(b"Yes.")
    async with stage.step("one ends"):
        await central.stop_notify(answer)
    async with stage.step("a value for the other"):
        app.notify(b"No.")
    async with stage.step("the other leaves"):
        other.leave()


@scenario
async def notify_over_disconnection(stage):
    """A subscription outlives the link."""
    app, central, ball = await stage.linked()
    answer = central.find("Answer", ball)
    succeed(await central.start_notify(answer))
    async with stage.step("Disconnect"):
        await central.disconnect(ball)
        await stage.parted(central, ball)
    async with stage.step("Notifying and StartNotify without a link"):
        await central.get_property(answer, "GattCharacteristic1", "Notifying")
        await central.start_notify(answer)
    async with stage.step("Connect"):
        await central.connect(ball)
        await stage.resolved(central, ball)
    async with stage.step("a value"):
        app.notify(b"Yes.")
    async with stage.step("StopNotify"):
        await central.stop_notify(answer)


@scenario
async def notify_refused(stage):
    """The application refuses StartNotify."""
    app, central, ball = await stage.linked()
    answer = central.find("Answer", ball)
    app.answers("answer", "StartNotify", Fault("Failed", "0x80"))
    async with stage.step("StartNotify"):
        await central.start_notify(answer)
    async with stage.step("a value"):
        app.notify(b"Yes.")


@scenario
async def indicate(stage):
    """Indications: the application is told that they arrived."""
    app, central, ball = await stage.linked()
    alarm = central.find("Alarm", ball)
    async with stage.step("StartNotify"):
        await central.start_notify(alarm)
    async with stage.step("a value"):
        app.notify(b"Now!", "alarm")
    async with stage.step("StopNotify"):
        await central.stop_notify(alarm)


@scenario
async def answer_before_reply(stage):
    """An answer that is told before the write is replied to."""
    app, central, ball = await stage.linked()
    succeed(await central.start_notify(central.find("Answer", ball)))
    held = app.hold("question", "WriteValue")
    async with stage.step("the question and its answer", waits=False):
        central.write(central.find("Question", ball), b"Now?", type="request")
        await held
        app.notify(b"Now.")
    async with stage.step("the reply"):
        held.result().answer()


@scenario
async def acquire_write(stage):
    """A central writes by a socket."""
    _, central, ball = await stage.linked()
    wish = central.find("Wish", ball)
    async with stage.step("AcquireWrite"):
        reply = await central.acquire(wish, "Write")
    end = stage.socket(reply)
    async with stage.step("bytes into the socket"):
        stage.feed(central, end, b"A wish")
    async with stage.step("WriteValue and AcquireWrite meanwhile"):
        await central.write(wish, b"Another wish", type="command")
        await central.acquire(wish, "Write")
    async with stage.step("the socket is closed"):
        close(end, reply)
    async with stage.step("WriteValue"):
        await central.write(wish, b"Another wish", type="command")


def close(end, reply):
    end.close()
    os.close(reply.fds[0])


@scenario
async def acquire_notify(stage):
    """A central gets notifications by a socket."""
    app, central, ball = await stage.linked()
    answer = central.find("Answer", ball)
    async with stage.step("AcquireNotify"):
        reply = await central.acquire(answer, "Notify")
    end = stage.socket(reply)
    async with stage.step("a value"):
        app.notify(b"Yes.")
        await stage.receive(central, end)
    async with stage.step("StartNotify and AcquireNotify meanwhile"):
        await central.start_notify(answer)
        await central.acquire(answer, "Notify")
    async with stage.step("the socket is closed"):
        close(end, reply)
    async with stage.step("AcquireNotify while subscribed"):
        await central.start_notify(answer)
        await central.acquire(answer, "Notify")
        await central.stop_notify(answer)


@scenario
async def acquired_over_disconnection(stage):
    """Both sockets of a central when the link ends."""
    _, central, ball = await stage.linked()
    sending = stage.socket(succeed(await central.acquire(central.find("Wish", ball), "Write")))
    reply = succeed(await central.acquire(central.find("Answer", ball), "Notify"))
    receiving = stage.socket(reply)
    async with stage.step("Disconnect"):
        await central.disconnect(ball)
        await stage.parted(central, ball)
        await stage.receive(central, sending)
        await stage.receive(central, receiving)


@scenario
async def application_with_sockets(stage):
    """An application that takes writes and gives notifications by sockets."""
    tree = service(
        "/ball",
        {"wish": ("Wish", ["write-without-response"]), "answer": ("Answer", ["notify"])},
        wish={"WriteAcquired": Variant("b", False)},
        answer={"NotifyAcquired": Variant("b", False)},
    )
    app, central, ball = await stage.linked(tree=tree)
    wish, answer = central.find("Wish", ball), central.find("Answer", ball)
    pairs = {
        name: socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        for name in ("wish", "answer")
    }
    app.answers("wish", "AcquireWrite", Reply([0, 517], fds=[pairs["wish"][1].fileno()]))
    app.answers("answer", "AcquireNotify", Reply([0, 517], fds=[pairs["answer"][1].fileno()]))
    async with stage.step("WriteValue"):
        await central.write(wish, b"A wish", type="command")
        await stage.receive(app, pairs["wish"][0])
    async with stage.step("StartNotify"):
        await central.start_notify(answer)
    async with stage.step("bytes into the socket"):
        stage.feed(app, pairs["answer"][0], b"Yes.")
        await stage.until(lambda: central.get(answer, "GattCharacteristic1", "Value"), "a value")
    for pair in pairs.values():
        pair[1].close()
    async with stage.step("StopNotify"):
        await central.stop_notify(answer)
    async with stage.step("Disconnect"):
        await central.disconnect(ball)
        await stage.parted(central, ball)
        for name, pair in pairs.items():
            stage.tell(app, f"the socket of {name}:")
            await stage.receive(app, pair[0], 1)
