"""The handles that applications get, and what a central learns of them."""

from application import service
from dbus_fast import Variant
from stage import scenario

PAIR = {"question": ("Question", ["write"]), "answer": ("Answer", ["read", "notify"])}


def asking(root, handle, characteristics=None, uuid="Second"):
    """An application whose service asks for a handle."""
    tree = service(root, PAIR if characteristics is None else characteristics, uuid)
    tree[f"{root}/service"]["org.bluez.GattService1"]["Handle"] = Variant("q", handle)
    return tree


@scenario
async def asked_handles(stage):
    """Applications that ask for handles, free ones and such as others have."""
    app, central, ball = await stage.linked(tree=service("/ball", PAIR))
    trees = {
        "free ones": ("/free", asking("/free", 0x0200)),
        "any, after these": ("/any", service("/any", PAIR, "Other")),
        "taken ones, for another service": ("/another", asking("/another", 0x0200, uuid="Other")),
        "taken ones, for fewer attributes": (
            "/fewer",
            asking("/fewer", 0x0200, {"answer": ("Answer", ["read"])}),
        ),
        "some of the taken ones": ("/some", asking("/some", 0x0203)),
        "taken ones, for the same service": ("/same", asking("/same", 0x0200)),
        "free ones again": ("/again", asking("/again", 0x0200)),
        "more than there are": ("/beyond", asking("/beyond", 0xFFFE)),
    }
    for title, (root, tree) in trees.items():
        app.trees[root] = tree
        async with stage.step(title):
            await app.register(root=root)
    async with stage.step("what the central knows"):
        await central.get_property(ball, "Device1", "UUIDs")


@scenario
async def last_handles(stage):
    """Services that come and go beyond the handle 1,023."""
    app, central, ball = await stage.linked(tree=service("/ball", PAIR))
    app.trees["/high"] = asking("/high", 0x0400)
    app.trees["/next"] = service("/next", PAIR, "Second")
    async with stage.step("one comes"):
        await app.register(root="/high")
    answer = central.find("Second", ball)
    async with stage.step("it goes"):
        await app.unregister("/high")
    async with stage.step("what the central knows"):
        await central.get_property(ball, "Device1", "UUIDs")
    if answer:
        async with stage.step("ReadValue"):
            await central.read(f"{answer}/char0403")
    async with stage.step("another one comes"):
        await app.register(root="/next")
    async with stage.step("it goes, too"):
        await app.unregister("/next")
    async with stage.step("the first one goes"):
        await app.unregister()
    async with stage.step("Disconnect and Connect"):
        await stage.reconnect(central, ball)


@scenario
async def service_changed_heard(stage):
    """A central's program listens to Service Changed, no longer, and again: services that come and go."""
    app, central, ball = await stage.linked(tree=service("/ball", PAIR))
    changed = central.find("00002a05-0000-1000-8000-00805f9b34fb", ball)
    async with stage.step("StartNotify"):
        await central.start_notify(changed)
    for number, title in enumerate(["one", "another one", "a third one"], start=1):
        root = f"/at{number}"
        app.trees[root] = asking(root, 0x0100 * number)
        async with stage.step(f"{title} comes"):
            await app.register(root=root)
        async with stage.step(f"{title} goes"):
            await app.unregister(root)
        if title == "another one":
            async with stage.step("StartNotify again"):
                await central.start_notify(changed)
        else:
            async with stage.step("StopNotify" if number == 1 else "StopNotify again"):
                await central.stop_notify(changed)
    async with stage.step("the first one goes"):
        await app.unregister()
    async with stage.step("Disconnect and Connect"):
        await stage.reconnect(central, ball)
