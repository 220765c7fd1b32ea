"""A link by bleak."""

from bleak import BleakClient

from daemon import DEVICE, Daemon


async def link(device, adapter, characteristic, **options):
    """A client with a link over which it knows that characteristic.

    The link is there before, as bluetoothd may signal that a device is connected after its reply to
    `Connect`, and that its services are known before their objects: bleak 3.1.0 takes the one for
    a lost link, and leaves out what comes after the other. It is a new one: that of a program that has
    just ended goes seconds later.
    """
    path = device.details["path"]

    def disconnected(at, interfaces):
        return at == path and not interfaces[DEVICE]["Connected"].value

    def resolved(at, interfaces):
        return at == path and interfaces[DEVICE]["ServicesResolved"].value

    daemon = await Daemon().open()
    await daemon.until(disconnected)
    await daemon.call(path, DEVICE, "Connect")
    await daemon.until(resolved)
    daemon.bus.disconnect()
    client = BleakClient(device, bluez={"adapter": adapter}, **options)
    await client.connect()
    assert client.services.get_characteristic(characteristic), f"no {characteristic}"
    return client
