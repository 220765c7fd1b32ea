"""Where a scenario plays: its programs, its steps, the world's levers, what it waits for."""

import asyncio
import contextlib
import os
import socket
import time

from application import UUIDS, Application
from central import Central
from journal import Journal, plain

SCENARIOS = {}


def scenario(function, mtu=517):
    """Makes a scenario known by its name; its documentation says what it is about."""
    function.mtu = mtu
    SCENARIOS[function.__name__] = function
    return function


def scenario_at(mtu):
    """A scenario over links of that MTU."""
    return lambda function: scenario(function, mtu)


class Stage:
    def __init__(self, world):
        self.world = world
        self.journal = Journal(world.quiet)
        self.clients = []
        self.remotes = []
        self.pinging = None
        self.addresses = {}

    async def eyes(self):
        """Learns the adapters' addresses."""
        client = Central(self.journal, "eyes", None)
        self.pinging = await client.open(self.world.bus())
        self.addresses = {
            path.rsplit("/", 1)[1]: interfaces["org.bluez.Adapter1"]["Address"]
            for path, interfaces in client.objects.items()
            if "org.bluez.Adapter1" in interfaces
        }
        self.journal.events.clear()

    async def ping(self):
        with contextlib.suppress(asyncio.TimeoutError):
            await self.pinging.send("org.bluez", "/", "org.freedesktop.DBus.Peer", "Ping", limit=5)

    async def add(self, kind, name, adapter, **details):
        client = kind(self.journal, name, adapter, **details)
        await client.open(self.world.bus())
        self.clients.append(client)
        return client

    def names(self):
        """What the trace has names for."""
        return {"adapters": self.addresses, "uuids": UUIDS}

    def leave(self):
        for remote in self.remotes:
            remote.leave()
        for client in [self.pinging, *self.clients]:
            if client and not client.has_left:
                client.end()

    # What many scenarios begin with; before the first step it is not part of the trace.

    async def app(self, name="app", adapter="hci1", **details):
        return await self.add(Application, name, adapter, **details)

    async def central(self, name="central", adapter="hci0"):
        return await self.add(Central, name, adapter)

    async def serve(self, **details):
        """An application that is registered and advertises."""
        app = await self.app(**details)
        succeed(await app.register())
        succeed(await app.advertise())
        return app

    async def remote(self, name="remote"):
        """A central without a bluetoothd; it tells what comes to it."""

        def hear(kind, value):
            shown = f"{len(value)} bytes" if len(value) > 40 else repr(value.decode())
            self.journal.note(name, "tells", text=f"{kind} of {shown}")

        remote = self.world.remote(hear)
        self.remotes.append(remote)
        self.addresses[name] = await remote.open()
        return remote

    async def discover(self, central, adapter="hci1", stop=True):
        """Scans until the central knows that adapter."""
        device = central.device(self.addresses[adapter])
        succeed(await central.filter())
        succeed(await central.start_discovery())
        await self.until(
            lambda: central.get(device, "Device1", "RSSI") is not None,
            f"{central.name} finds {adapter}",
        )
        if stop:
            succeed(await central.stop_discovery())
            await self.until(
                lambda: not central.get(central.hci, "Adapter1", "Discovering"), "the scan's end"
            )
        return device

    async def link(self, central, adapter="hci1", found=False):
        """Discovers, connects, and waits for the services."""
        device = central.device(self.addresses[adapter])
        if not found:
            await self.discover(central, adapter)
        succeed(await central.connect(device))
        await self.resolved(central, device)
        return device

    async def resolved(self, central, device):
        await self.until(
            lambda: central.get(device, "Device1", "ServicesResolved"), f"the services of {device}"
        )

    async def linked(self, **details):
        """An application and a central that is connected to it."""
        app = await self.serve(**details)
        central = await self.central()
        return app, central, await self.link(central)

    async def until(self, claim, what, limit=15):
        await self.journal.until(claim, what, limit)

    async def parted(self, central, device):
        await self.until(lambda: not central.get(device, "Device1", "Connected"), "the link's end")

    async def reconnect(self, central, device):
        """A new connection, a second after the end of the one that is there."""
        await central.disconnect(device)
        await self.parted(central, device)
        await self.seconds(1)
        await central.connect(device)
        await self.resolved(central, device)

    # Steps and levers

    @contextlib.asynccontextmanager
    async def step(self, title, waits=True):
        """One stimulus, and all that follows from it, until it is quiet again."""
        await self.settle()
        self.journal.steps.append(title)
        yield
        calls = [call for client in self.clients for call in client.calls]
        if waits and calls:
            await asyncio.wait(calls)
        # What it did last may be nothing that is noted, as is the closing of a socket.
        self.journal.touched = time.monotonic()
        await self.settle()

    async def settle(self):
        """Waits until nothing happens any more, and bluetoothd has done what it was asked."""
        while True:
            await self.journal.settle()
            touched = self.journal.touched
            await self.ping()
            if self.journal.touched == touched:
                return

    async def seconds(self, number):
        """Lets time pass, where time is what matters."""
        await asyncio.sleep(number)

    async def pull(self, lever, *arguments):
        self.journal.note("world", "lever", lever=lever, arguments=list(arguments))
        await getattr(self.world, lever)(*arguments)

    async def returned(self):
        """Waits until org.bluez is there for all, and reads the objects anew."""
        await self.until(lambda: all(client.is_there for client in self.clients), "org.bluez")

    # Sockets

    def socket(self, reply):
        return socket.socket(fileno=os.dup(reply.fds[0]))

    def tell(self, client, what):
        """Notes what a program found out by other means than the bus."""
        self.journal.note(client.name, "tells", text=what)

    def feed(self, client, end, data):
        """Sends bytes into a socket."""
        self.journal.note(client.name, "feeds", value=plain(data))
        end.send(data)

    async def receive(self, client, end, limit=5):
        """Notes what comes from a socket."""
        end.setblocking(False)
        loop = asyncio.get_running_loop()
        try:
            data = await asyncio.wait_for(loop.sock_recv(end, 1024), limit)
            shown = f"{len(data)} bytes" if len(data) > 40 else repr(data.decode())
            self.tell(client, f"the socket gives {shown}" if data else "the socket has ended")
        except TimeoutError:
            self.tell(client, f"the socket gives nothing for {limit} s")
        except OSError as error:
            self.tell(client, f"the socket fails: {os.strerror(error.errno)}")


def succeed(reply):
    """For calls of the preparation: they are not what the scenario is about."""
    if reply.error:
        raise PreparationFailed(f"{reply.error[0]}: {reply.error[1]}")
    return reply


class PreparationFailed(Exception):
    """A call before the first step failed."""
