"""dim-relay: between two of them, and with phones of both generations of dIM on Bumble."""

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
    with tempfile.TemporaryDirectory() as folder:
        link = relay(world, folder, "link", "--name", "alice")["link"]
        phone = world.start(*python("bumble_dim.py", "oracle", digits, generation, link))
        relay(world, folder, "add", phone.wait(r"link (dim://\S+)").group(1))
        phone.wait("advertises")
        node = world.start("dim-relay", "node", "--adapter", "hci0", "--store", folder, "--json")
        node.wait('"event":"ready"')
        # Each hears the other, over one connection.
        node.wait('"event":"connected"')
        phone.wait("hears")
        sent = relay(world, folder, "send", "oracle", "Hi 👋", "--wait", "50")
        assert sent["event"] == "delivered", sent
        phone.wait("message Hi 👋\n")
        phone.say("Hello")
        number = phone.wait(r"sent (\d+)").group(1)
        node.wait('"text":"Hello"')
        phone.wait(f"receipt ACK/{number}\n")


def first_generation(world):
    phone(world, "first", "123456")


def second_generation(world):
    phone(world, "second", "1234")


CHECKS = [
    Check("dim-relay, messages go", messages_go),
    Check("dim-relay, a phone of the first generation on Bumble", first_generation, "real", BECAUSE),
    Check("dim-relay, a phone of the second generation on Bumble", second_generation, "real", BECAUSE),
]
