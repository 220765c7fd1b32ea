"""Registering applications."""

import re

from application import Fault, service
from dbus_fast import Variant
from stage import scenario


@scenario
async def register(stage):
    """An application is registered and leaves, by a call and by leaving the bus."""
    app = await stage.app()
    async with stage.step("RegisterApplication"):
        await app.register()
    async with stage.step("RegisterApplication again"):
        await app.register()
    async with stage.step("UnregisterApplication"):
        await app.unregister()
    async with stage.step("UnregisterApplication again"):
        await app.unregister()
    async with stage.step("RegisterApplication once more"):
        await app.register()
    watcher = await stage.central("watcher", "hci1")
    async with stage.step("the application leaves the bus"):
        app.leave()
    async with stage.step("what is left"):
        await watcher.get_property(watcher.hci, "Adapter1", "UUIDs")


@scenario
async def register_foreign(stage):
    """The application of another."""
    app, other = await stage.app(), await stage.app("other")
    await app.register()
    async with stage.step("UnregisterApplication of another's"):
        await other.unregister()
    async with stage.step("RegisterApplication of the same path"):
        await other.register()
    async with stage.step("UnregisterApplication"):
        await app.unregister()


@scenario
async def register_refusals(stage):
    """Applications that are not as they should be."""
    app = await stage.app()
    for title, tree in wrong_trees().items():
        root = "/" + re.sub(r"\W", "_", title)
        app.trees[root] = tree(root)
        async with stage.step(title):
            await app.register(root=root)
    async with stage.step("GetManagedObjects is refused"):
        app.outcomes["/refusing", "GetManagedObjects"] = Fault("Failed", "not now")
        await app.register(root="/refusing")
    async with stage.step("UnregisterApplication of what never was"):
        await app.unregister("/never")


def wrong_trees():
    """Trees by what is wrong with them; each a function of the root path."""
    characteristic = "org.bluez.GattCharacteristic1"

    def without(name):
        def tree(root):
            tree = service(root, {"answer": ("Answer", ["read"])})
            for interfaces in tree.values():
                interfaces.get(characteristic, {}).pop(name, None)
            return tree

        return tree

    def answer(uuid="Answer", flags=("read",), **extra):
        return lambda root: service(root, {"answer": (uuid, list(flags))}, answer=extra)

    return {
        "no objects": lambda root: {},
        "no service": lambda root: {
            path: interfaces
            for path, interfaces in service(root, {"answer": ("Answer", ["read"])}).items()
            if characteristic in interfaces
        },
        "a service without characteristics": lambda root: service(root, {}),
        "a malformed service UUID": lambda root: service(root, {}, "ball"),
        "a malformed characteristic UUID": answer("answer"),
        "a short UUID": answer("2A19"),
        "an unknown flag": answer(flags=["read", "sing"]),
        "no flags": answer(flags=[]),
        "no UUID": without("UUID"),
        "no Flags": without("Flags"),
        "no Service": without("Service"),
        "a foreign service": answer(Service=Variant("o", "/elsewhere")),
    }


@scenario
async def two_applications(stage):
    """Two applications of one client, and one of another, at the same adapter."""
    app, other = await stage.app(), await stage.app("other", root="/other")
    app.trees["/second"] = service("/second", {"answer": ("Second", ["read"])}, "Second")
    other.tree = service("/other", {"answer": ("Other", ["read"])}, "Other")
    async with stage.step("the first"):
        await app.register()
    async with stage.step("a second of the same client"):
        await app.register(root="/second")
    async with stage.step("one of another client"):
        await other.register()
    async with stage.step("the first goes"):
        await app.unregister()
    async with stage.step("all go"):
        app.leave()
        other.leave()


@scenario
async def register_while_connected(stage):
    """An application goes and comes while a central is connected."""
    app, central, ball = await stage.linked()
    question = central.find("Question", ball)
    async with stage.step("UnregisterApplication"):
        await app.unregister()
        await stage.until(lambda: question not in central.objects, "the service's removal")
    async with stage.step("WriteValue to what is gone"):
        await central.write(question, b"Still there?", type="request")
    async with stage.step("RegisterApplication"):
        await app.register()
        await stage.until(lambda: central.find("Question", ball), "the service")
    async with stage.step("WriteValue"):
        await central.write(central.find("Question", ball), b"Back?", type="request")


@scenario
async def register_without_power(stage):
    """An application is registered while the adapter is off."""
    app = await stage.app()
    peer = await stage.central("peer", "hci1")
    await peer.power(False)
    async with stage.step("RegisterApplication"):
        await app.register()
    async with stage.step("on"):
        await peer.power(True)
