"""Sockets: who else may use what one program holds, and which ends when."""

import os
import socket

from application import BALL, service
from client import Reply
from dbus_fast import Variant
from stage import scenario, succeed


@scenario
async def acquired_and_others(stage):
    """Another program of the same host, while one holds a characteristic's sockets."""
    app, central, ball = await stage.linked()
    other = await stage.central("other")
    wish, answer = central.find("Wish", ball), central.find("Answer", ball)
    writing = stage.socket(succeed(await central.acquire(wish, "Write")))
    reading = stage.socket(succeed(await central.acquire(answer, "Notify")))
    async with stage.step("the other writes"):
        await other.write(wish, b"Mine", type="command")
        await other.acquire(wish, "Write")
    async with stage.step("the other subscribes"):
        await other.start_notify(answer)
        await other.acquire(answer, "Notify")
    async with stage.step("the other reads"):
        await other.read(answer)
    async with stage.step("the other ends what it has not begun"):
        await other.stop_notify(answer)
        await stage.receive(central, reading, 2)
    async with stage.step("a value"):
        app.notify(b"Yes.")
    async with stage.step("the other subscribes then"):
        await other.start_notify(answer)
    writing.close()


@scenario
async def acquire_of_subscribed(stage):
    """AcquireNotify of what another program is subscribed to."""
    app, central, ball = await stage.linked()
    other = await stage.central("other")
    answer = central.find("Answer", ball)
    succeed(await other.start_notify(answer))
    async with stage.step("AcquireNotify"):
        reply = await central.acquire(answer, "Notify")
    async with stage.step("a value"):
        app.notify(b"Yes.")
        if reply.fds:
            await stage.receive(central, stage.socket(reply), 2)
    async with stage.step("the other ends"):
        await other.stop_notify(answer)
    async with stage.step("AcquireNotify then"):
        await central.acquire(answer, "Notify")


@scenario
async def acquire_pending(stage):
    """AcquireNotify twice at once."""
    _, central, ball = await stage.linked()
    answer = central.find("Answer", ball)
    async with stage.step("AcquireNotify twice at once"):
        central.acquire(answer, "Notify")
        central.acquire(answer, "Notify")


@scenario
async def acquired_client_leaves(stage):
    """A program that holds both sockets leaves the bus, but keeps them; then it closes them."""
    app, central, ball = await stage.linked()
    other = await stage.central("other")
    wish, answer = central.find("Wish", ball), central.find("Answer", ball)
    replies = [
        succeed(await central.acquire(wish, "Write")),
        succeed(await central.acquire(answer, "Notify")),
    ]
    async with stage.step("it leaves"):
        central.leave()
    async with stage.step("another one writes"):
        await other.write(wish, b"Mine", type="command")
    async with stage.step("its sockets are closed"):
        for reply in replies:
            os.close(reply.fds[0])
    async with stage.step("another one writes and subscribes"):
        await other.write(wish, b"Mine", type="command")
        await other.start_notify(answer)


@scenario
async def acquired_client_dies(stage):
    """A program that holds both sockets ends: its sockets, and it leaves the bus."""
    app, central, ball = await stage.linked()
    other = await stage.central("other")
    wish, answer = central.find("Wish", ball), central.find("Answer", ball)
    replies = [
        succeed(await central.acquire(wish, "Write")),
        succeed(await central.acquire(answer, "Notify")),
    ]
    async with stage.step("it dies"):
        for reply in replies:
            os.close(reply.fds[0])
        central.leave()
    async with stage.step("another one writes and subscribes"):
        await other.write(wish, b"Mine", type="command")
        await other.start_notify(answer)
    async with stage.step("a value"):
        app.notify(b"Yes.")


SERVED = {"answer": ("Answer", ["read", "notify"]), "wish": ("Wish", ["write-without-response"])}


class Sockets:
    """The ends of an application that gives notifications by sockets, one for each subscriber."""

    def __init__(self, app):
        self.app, self.ours, self.theirs = app, [], []
        self.next()

    def next(self):
        """The pair for the next subscriber."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.ours.append(ours)
        self.theirs.append(theirs)
        self.app.answers("answer", "AcquireNotify", Reply([0, 517], fds=[theirs.fileno()]))

    def handed_over(self):
        for end in self.theirs:
            end.close()

    def feed(self, stage, number, data):
        try:
            stage.feed(self.app, self.ours[number - 1], data)
        except OSError as error:
            stage.tell(self.app, f"socket {number} fails: {os.strerror(error.errno)}")

    async def tell(self, stage, limit=1):
        """Notes what comes out of each."""
        for number, end in enumerate(self.ours, 1):
            stage.tell(self.app, f"socket {number}:")
            await stage.receive(self.app, end, limit)


async def two_subscribers(stage):
    """Two centrals that are connected to an application with sockets; none is subscribed."""
    tree = service("/ball", SERVED, answer={"NotifyAcquired": Variant("b", False)})
    app, first, ball = await stage.linked(tree=tree)
    second = await stage.central("second", "hci2")
    return app, first, ball, second, await stage.link(second), Sockets(app)


@scenario
async def serving_sockets(stage):
    """Two centrals, one socket each: what goes into one; one ends, the other disconnects."""
    app, first, ball, second, same, sockets = await two_subscribers(stage)
    async with stage.step("one subscribes"):
        await first.start_notify(first.find("Answer", ball))
    sockets.next()
    async with stage.step("the other subscribes"):
        await second.start_notify(second.find("Answer", same))
    sockets.handed_over()
    for number in (1, 2):
        async with stage.step(f"bytes into socket {number}"):
            sockets.feed(stage, number, b"Yes.")
    async with stage.step("a value by a signal"):
        app.notify(b"No.")
    async with stage.step("one ends"):
        await first.stop_notify(first.find("Answer", ball))
        await sockets.tell(stage)
    async with stage.step("bytes into both"):
        sockets.feed(stage, 1, b"Still?")
        sockets.feed(stage, 2, b"Still?")
    async with stage.step("the other disconnects"):
        await second.disconnect(same)
        await stage.parted(second, same)
        await stage.parted(app, app.device(stage.addresses["hci2"]))
        await sockets.tell(stage)


@scenario
async def serving_sockets_second_ends(stage):
    """Two centrals, one socket each: the second one disconnects first, then the first."""
    app, first, ball, second, same, sockets = await two_subscribers(stage)
    succeed(await first.start_notify(first.find("Answer", ball)))
    sockets.next()
    succeed(await second.start_notify(second.find("Answer", same)))
    sockets.handed_over()
    async with stage.step("the second disconnects"):
        await second.disconnect(same)
        await stage.parted(second, same)
        await stage.parted(app, app.device(stage.addresses["hci2"]))
        await sockets.tell(stage)
    async with stage.step("bytes into both"):
        sockets.feed(stage, 1, b"Still?")
        sockets.feed(stage, 2, b"Still?")
    async with stage.step("the first disconnects"):
        await first.disconnect(ball)
        await stage.parted(first, ball)
        await stage.parted(app, app.device(stage.addresses["hci0"]))
        await sockets.tell(stage)


@scenario
async def serving_socket_closed(stage):
    """The application closes its end of the socket; the central is still subscribed."""
    app, first, ball, _, _, sockets = await two_subscribers(stage)
    answer = first.find("Answer", ball)
    succeed(await first.start_notify(answer))
    sockets.handed_over()
    async with stage.step("it is closed"):
        sockets.ours.pop().close()
    async with stage.step("a value by a signal"):
        app.notify(b"No.")
    async with stage.step("StopNotify"):
        await first.stop_notify(answer)
    sockets.next()
    async with stage.step("StartNotify"):
        await first.start_notify(answer)


@scenario
async def commands_awaited(stage):
    """Sixty write commands, each after the reply to the one before; then a request."""
    _, central, ball = await stage.linked()
    wish, question = central.find("Wish", ball), central.find("Question", ball)
    async with stage.step("sixty commands"):
        for number in range(60):
            await central.write(wish, f"{number}".encode(), type="command")
        await central.write(question, b"Last?", type="request")


@scenario
async def commands_to_others(stage):
    """Write commands where the property is not there, or the service is gone."""
    tree = service("/ball", BALL | {"stream": ("Stream", ["read", "notify"])})
    app, central, ball = await stage.linked(tree=tree)
    question, wish = central.find("Question", ball), central.find("Wish", ball)
    async with stage.step("write alone"):
        await central.write(question, b"A command", type="command")
    async with stage.step("no write at all"):
        await central.write(central.find("Stream", ball), b"A command", type="command")
    async with stage.step("AcquireWrite with write alone"):
        await central.acquire(question, "Write")
    async with stage.step("Disconnect, and commands meanwhile"):
        going = central.disconnect(ball)
        for number in range(3):
            await central.write(wish, f"{number}".encode(), type="command")
        await going
        await stage.parted(central, ball)
    async with stage.step("a command without a link"):
        await central.write(wish, b"Too late", type="command")


@scenario
async def commands_into_a_loss(stage):
    """Write commands while the peer ends the link."""
    _, central, ball = await stage.linked()
    wish = central.find("Wish", ball)
    server = await stage.central("server", "hci1")
    async with stage.step("the peer disconnects, and commands meanwhile", waits=False):
        going = server.disconnect(server.device(stage.addresses["hci0"]))
        for number in range(3):
            await central.write(wish, f"{number}".encode(), type="command")
        await going
        await stage.parted(central, ball)
    async with stage.step("a command after it"):
        await central.write(wish, b"Too late", type="command")
