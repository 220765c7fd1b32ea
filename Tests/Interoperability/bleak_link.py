"""A link by bleak."""

from bleak import BleakClient
from bleak.exc import BleakError

from daemon import DEVICE, Daemon


async def link(device, adapter, characteristic, **options):
    """A client with a link over which it knows that characteristic.

    bluetoothd may signal that a device is connected after its reply to `Connect`, and that its
    services are known before their objects. bleak 3.1.0 then says "device disconnected" of a link
    that has just been made, or leaves the services out. So another attempt is over a link that is
    there already, with all its objects.
    """
    for attempts_left in reversed(range(4)):
        client = BleakClient(device, bluez={"adapter": adapter}, **options)
        try:
            await client.connect()
            if client.services.get_characteristic(characteristic):
                return client
            why = f"no characteristic {characteristic}"
            await client.disconnect()
        except BleakError as error:
            if "device disconnected" not in str(error) or not attempts_left:
                raise
            why = str(error)
        print(f"once more, as bleak said: {why}", flush=True)
        await connect(device.details["path"])
    raise BleakError(why)


async def connect(path):
    """Makes a link, and waits for its services."""

    def resolved(at, interfaces):
        return at == path and interfaces[DEVICE]["ServicesResolved"].value

    daemon = await Daemon().open()
    await daemon.call(path, DEVICE, "Connect")
    await daemon.until(resolved)
    daemon.bus.disconnect()
