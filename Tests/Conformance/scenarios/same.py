"""Attributes of the same UUID, and several services."""

from application import UUIDS, service
from dbus_fast import Variant
from stage import scenario

CAPTION = "00002901-0000-1000-8000-00805f9b34fb"


def descriptor(path, *flags):
    return {
        "org.bluez.GattDescriptor1": {
            "UUID": Variant("s", "2901"),
            "Characteristic": Variant("o", path),
            "Flags": Variant("as", list(flags)),
        }
    }


def twins(root):
    """Two services of one UUID; in the first two characteristics of one, each with a descriptor."""
    tree = service(
        root,
        {"answer": ("Answer", ["read", "notify"]), "twin": ("Answer", ["read", "write", "notify"])},
    )
    for name in ("answer", "twin"):
        path = f"{root}/service/{name}"
        tree[f"{path}/caption"] = descriptor(path, "read")
    again = service(f"{root}/again", {"answer": ("Answer", ["read"])})
    return tree | again


def all_of(central, device, uuid):
    """The paths of all attributes of a UUID."""
    uuid = UUIDS.get(uuid, uuid)
    return [
        path
        for path in sorted(central.objects)
        if path.startswith(device)
        and any(properties.get("UUID") == uuid for properties in central.objects[path].values())
    ]


@scenario
async def same_uuids(stage):
    """Characteristics, descriptors and services of the same UUID."""
    app = await stage.serve(tree=twins("/ball"))
    central = await stage.central()
    ball = await stage.discover(central)
    async with stage.step("Connect"):
        await central.connect(ball)
        await stage.resolved(central, ball)
    answers, captions = all_of(central, ball, "Answer"), all_of(central, ball, CAPTION)
    for path in app.tree:
        app.values[path] = path.encode()
    for number, path in enumerate(answers, 1):
        async with stage.step(f"ReadValue of answer {number}"):
            await central.read(path)
    for number, path in enumerate(captions, 1):
        async with stage.step(f"ReadValue of caption {number}"):
            await central.read(path)
    async with stage.step("WriteValue of the second answer and of a caption"):
        await central.write(answers[1], b"Second", type="request")
        await central.write(captions[0], b"Caption")
    async with stage.step("StartNotify of both"):
        await central.start_notify(answers[0])
        await central.start_notify(answers[1])
    async with stage.step("a value of each"):
        app.notify(b"Yes.")
        app.notify(b"No.", "twin")


@scenario
async def descriptor_reads(stage):
    """Reading a descriptor: twice, one that refuses, one that is not there."""
    app, central, ball = await stage.linked(tree=twins("/ball"))
    caption = all_of(central, ball, CAPTION)[0]
    async with stage.step("ReadValue"):
        await central.read(caption)
    async with stage.step("ReadValue again"):
        await central.read(caption)
    async with stage.step("a value of 300 bytes, by offsets"):
        app.reads_by_offset = True
        app.outcomes["/ball/service/answer/caption", "ReadValue"] = b"x" * 300
        await central.read(caption)
    async with stage.step("one that is not there"):
        await central.read(caption[:-4] + "0fff")
    async with stage.step("without a link"):
        await central.disconnect(ball)
        await stage.parted(central, ball)
        await central.read(caption)


@scenario
async def several_services(stage):
    """An application of two services; another of the same client comes and one goes over a link."""
    first = service("/ball/one", {"answer": ("Answer", ["read", "notify"])})
    second = service("/ball/two", {"wish": ("Wish", ["read"])}, "Second")
    app = await stage.serve(tree=first | second)
    central = await stage.central()
    ball = await stage.discover(central)
    async with stage.step("Connect"):
        await central.connect(ball)
        await stage.resolved(central, ball)
    async with stage.step("StartNotify"):
        await central.start_notify(central.find("Answer", ball))
    app.trees["/late"] = service("/late", {"note": ("Note", ["read"])}, "Other")
    async with stage.step("another application comes"):
        await app.register(root="/late")
        await stage.until(lambda: central.find("Note", ball), "its service")
    async with stage.step("all are read"):
        for name in ("Answer", "Wish", "Note"):
            await central.read(central.find(name, ball))
    async with stage.step("the first application goes"):
        await app.unregister()
        await stage.until(lambda: not central.find("Answer", ball), "its services' removal")
    async with stage.step("the other is read"):
        await central.read(central.find("Note", ball))
    async with stage.step("the first application comes back"):
        await app.register()
        await stage.until(lambda: central.find("Answer", ball), "its services")
    async with stage.step("a value, StartNotify, a value"):
        app.emit("/ball/one/service/answer", "Value", Variant("ay", b"Before"))
        await central.start_notify(central.find("Answer", ball))
        app.emit("/ball/one/service/answer", "Value", Variant("ay", b"After"))
