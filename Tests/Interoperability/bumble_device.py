"""A Bluetooth stack of its own, on a controller of its own that hears those of bluetoothd."""

from bumble.device import Device, DeviceConfiguration
from bumble.hci import Address
from bumble.transport import open_transport

# An original ball, an iPhone, takes and asks for this much.
MTU = 185


async def open_device(name, address):
    """A Bumble device, powered; and what to close for its controller to vanish."""
    # Each connection to this socket of the virtual controllers' server is one more of them.
    transport = await open_transport("unix-client:/tmp/bt-server-le")
    settings = DeviceConfiguration(name=name, address=Address(address))
    device = Device.from_config_with_hci(settings, transport.source, transport.sink)
    await device.power_on()
    device.gatt_server.max_mtu = MTU
    return device, transport
