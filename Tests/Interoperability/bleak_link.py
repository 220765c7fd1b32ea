"""A link by bleak."""

from bleak import BleakClient
from bleak.exc import BleakError


async def link(device, adapter, **options):
    """A client with a link.

    bluetoothd does not always signal that a device is connected, and without that signal bleak says
    "device disconnected" of a link that has just been made.
    """
    for attempts_left in reversed(range(4)):
        client = BleakClient(device, bluez={"adapter": adapter}, **options)
        try:
            await client.connect()
            return client
        except BleakError as error:
            if "device disconnected" not in str(error) or not attempts_left:
                raise
            print(f"once more, as bleak said: {error}", flush=True)
