"""What a bluetoothd may not survive: the last scenarios of all."""

from application import BALL, UUIDS, service
from dbus_fast import Variant
from stage import scenario

from scenarios.losses import pending


async def survives(stage, client, seconds=6):
    """Tells whether bluetoothd is still there after some seconds."""
    try:
        await stage.until(lambda: not client.is_there, "", seconds)
    except Exception:
        pass
    stage.tell(client, "bluetoothd is " + ("still there" if client.is_there else "gone"))


@scenario
async def encryption_without_agent(stage):
    """A characteristic that wants encryption, and no agent that could pair."""
    tree = service("/ball", BALL | {"sealed": ("Sealed", ["encrypt-read", "encrypt-write"])})
    _, central, ball = await stage.linked(tree=tree)
    async with stage.step("ReadValue"):
        await central.read(central.find("Sealed", ball), limit=10)


@scenario
async def discovery_by_uuid(stage):
    """A filter with a UUID, and a peer that advertises it."""
    await stage.serve()
    central = await stage.central()
    ball = central.device(stage.addresses["hci1"])
    async with stage.step("another UUID"):
        await central.filter({"UUIDs": Variant("as", [UUIDS["Other"]])})
        await central.start_discovery()
        await stage.seconds(1)
        await central.stop_discovery()
    async with stage.step("its UUID, in capitals"):
        await central.filter({"UUIDs": Variant("as", [UUIDS["Ball"].upper()])})
        await central.start_discovery()
        await stage.until(lambda: ball in central.objects or not central.is_there, "the ball")
        await central.stop_discovery()


@scenario
async def own_power_lost_while_writing(stage):
    """One's own adapter is turned off while a write is pending."""
    _, central, _, _ = await pending(stage)
    async with stage.step("off"):
        await central.power(False)
        await survives(stage, central)


@scenario
async def adapters_vanish_while_writing(stage):
    """All adapters go while a write is pending."""
    _, central, _, _ = await pending(stage)
    async with stage.step("they go"):
        await stage.pull("unplug")
        await stage.until(lambda: central.hci not in central.objects, "the adapter's removal")
        await survives(stage, central)


@scenario
async def peer_disconnects_while_writing(stage):
    """The peer ends the link before its application has replied to a write."""
    _, central, ball, _ = await pending(stage)
    peer = await stage.central("peer", "hci1")
    async with stage.step("the peer disconnects"):
        await peer.disconnect(peer.device(stage.addresses["hci0"]))
        await survives(stage, central)


@scenario
async def disconnect_while_writing(stage):
    """The central ends the link before the application has replied to its write."""
    app, central, ball, held = await pending(stage)
    peer = app.device(stage.addresses["hci0"])
    async with stage.step("Disconnect"):
        await central.disconnect(ball)
        await stage.parted(central, ball)
        await stage.parted(app, peer)
        held.answer()
        await survives(stage, central)
