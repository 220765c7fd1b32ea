"""dim-relay: between two of them, and with nodes of both generations of dIM on BlueZ and on Bumble."""

import contextlib
import functools
import json
import tempfile

from bumble_asker_checks import BECAUSE
from check import Check
from world import python


def relay(world, folder, *words):
    """The last event that a command prints."""
    return json.loads(world.run("dim-relay", *words, "--store", folder, "--json").splitlines()[-1])


def messages_go(world):
    world.forget()
    with tempfile.TemporaryDirectory() as alice, tempfile.TemporaryDirectory() as bob:
        links = {
            folder: relay(world, folder, "link", "--name", name)["link"]
            for folder, name in ((alice, "alice"), (bob, "bobby"))
        }
        relay(world, alice, "add", links[bob])
        relay(world, bob, "add", links[alice])
        node = world.start("dim-relay", "node", "--adapter", "hci1", "--store", bob, "--json")
        node.wait('"event":"ready"')
        words = ("send", "bobby", "Hi 👋", "--adapter", "hci0", "--wait", "50")
        assert relay(world, alice, *words)["event"] == "delivered"
        node.wait('"text":"Hi 👋"')


def phone(world, generation, digits):
    """Ours and a phone: each hears the other, over one connection."""
    with ours(world, 0) as (node, folder, link):
        phone = world.start(*python("bumble_dim.py", "oracle", digits, generation, link))
        relay(world, folder, "add", phone.wait(r"link (dim://\S+)").group(1))
        phone.wait("advertises")
        node.wait('"event":"connected"')
        phone.wait("hears")
        to_app(world, folder, "oracle", phone, node)
        to_ours(world, folder, "oracle", phone, node)


def first_generation(world):
    phone(world, "first", "123456")


def second_generation(world):
    phone(world, "second", "1234")


def original(world, number, generation):
    """A node as the app, and its link."""
    digits = {"first": "100000", "second": "1000"}[generation]
    name = f"origin{number}"
    node = world.start(*python("bluez_dim.py", f"hci{number}", name, digits, generation))
    link = node.wait(r"link (dim://\S+)").group(1)
    node.wait("advertises")
    return node, link


def original_pair(world, generation):
    """Ours and a node of the app, over one connection in both directions."""
    world.forget()
    with ours(world, 0) as (node, folder, link):
        app, app_link = original(world, 1, generation)
        app.say("add " + link)
        relay(world, folder, "add", app_link)
        node.wait('"event":"connected"')
        app.wait("hears")
        to_app(world, folder, "origin1", app, node)
        to_ours(world, folder, "origin1", app, node)


@contextlib.contextmanager
def ours(world, number):
    """A node of ours, its store and its link."""
    with tempfile.TemporaryDirectory() as folder:
        link = relay(world, folder, "link", "--name", "alice")["link"]
        words = "node", "--adapter", f"hci{number}", "--store", folder, "--json", "--read-receipts"
        node = world.start("dim-relay", *words)
        node.wait('"event":"ready"')
        yield node, folder, link


def to_app(world, folder, name, app, node):
    """A message from ours to the app, which reads it."""
    sent = relay(world, folder, "send", name, "Hi 👋", "--wait", "50")
    assert sent["event"] == "delivered", sent
    app.wait("message Hi 👋\n")
    app.say("read")
    node.wait('"event":"read"')


def to_ours(world, folder, name, app, node):
    """A message from the app to ours, which reads it."""
    app.say("Hello")
    number = app.wait(r"sent (\d+)").group(1)
    node.wait('"text":"Hello"')
    app.wait(f"receipt ACK/{number}\n")
    relay(world, folder, "messages", name)
    app.wait(f"receipt READ/{number}/\n")


def original_relays(world, generation):
    """Ours, and two of the app, of which the middle one relays."""
    with ours(world, 0) as (node, folder, link):
        middle, _ = original(world, 1, generation)
        app, app_link = original(world, 2, generation)
        app.say("add " + link)
        relay(world, folder, "add", app_link)
        node.wait('"event":"connected"')
        for _ in range(2):
            middle.wait("hears")
        app.wait("hears")
        to_app(world, folder, "origin2", app, node)
        middle.wait("relays")
        to_ours(world, folder, "origin2", app, node)


def ours_relays(world, one, other):
    """Two of the app that do not hear each other, with ours between them."""
    with ours(world, 1) as (node, folder, _):
        apps = [original(world, 0, one), original(world, 2, other)]
        for (app, _), (_, link) in zip(apps, reversed(apps)):
            app.say("add " + link)
        for app, _ in apps:
            node.wait('"event":"connected"')
            app.wait("hears")
        for (sender, _), (receiver, _) in (apps, reversed(apps)):
            sender.say("Hello")
            number = sender.wait(r"sent (\d+)").group(1)
            receiver.wait("message Hello\n")
            sender.wait(f"receipt ACK/{number}\n")
        counters = relay(world, folder, "stats")
        # Two messages, and their receipts.
        assert counters["relayed"] >= 4, counters


def virtual(name, run, *daemon, extra=False, **options):
    because = "the machine has one version and two adapters"
    run = functools.partial(run, **options)
    return Check(f"dim-relay, {name}", run, "virtual", because, daemon, extra)


# In a row, of which the ends do not hear each other.
ROW = "--adapters", "3", "--at", "0s", "SetProximity 0 2 outOfRange"


def row(name, run, extra=True, **options):
    """A row of three on each version: from 5.82 on ours notifies a neighbour alone."""
    for version in "5.66", "5.82", "5.87":
        yield virtual(
            f"{name}, {version}",
            run,
            "--bluez",
            version,
            *ROW,
            extra=extra and version != "5.66",
            **options,
        )


CHECKS = [
    Check("dim-relay, messages go", messages_go),
    *(
        Check(
            f"dim-relay, a node of the {generation} generation on BlueZ",
            functools.partial(original_pair, generation=generation),
        )
        for generation in ("first", "second")
    ),
    *(
        virtual(
            f"a node of the {generation} generation, {version}",
            original_pair,
            "--bluez",
            version,
            generation=generation,
        )
        for generation in ("first", "second")
        for version in ("5.82", "5.87")
    ),
    *row("a relay of the first generation", original_relays, extra=False, generation="first"),
    *row("a relay of the second generation", original_relays, generation="second"),
    *row("between first and first generation", ours_relays, one="first", other="first"),
    *row("between first and second generation", ours_relays, extra=False, one="first", other="second"),
    *row("between second and second generation", ours_relays, one="second", other="second"),
    Check("dim-relay, a phone of the first generation on Bumble", first_generation, "real", BECAUSE),
    Check("dim-relay, a phone of the second generation on Bumble", second_generation, "real", BECAUSE),
]
