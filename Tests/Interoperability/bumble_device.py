"""A Bluetooth stack of its own, on a controller of its own that hears those of bluetoothd."""

import asyncio

from bumble.core import UUID, AdvertisingData, ConnectionError
from bumble.device import Device, DeviceConfiguration
from bumble.hci import HCI_CONNECTION_FAILED_TO_BE_ESTABLISHED_ERROR, Address
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


async def find(device, service, name):
    """The address of who has that service and name; the name may come in a report of its own."""
    services, names, found = set(), {}, asyncio.get_running_loop().create_future()

    def hear(advertisement):
        data, address = advertisement.data, advertisement.address
        for kind in (
            AdvertisingData.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS,
            AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS,
            AdvertisingData.INCOMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS,
        ):
            if UUID(service) in (data.get(kind) or []):
                services.add(address)
        names[address] = data.get(AdvertisingData.COMPLETE_LOCAL_NAME) or names.get(address)
        if address in services and names[address] == name and not found.done():
            found.set_result(address)

    device.on("advertisement", hear)
    await device.start_scanning()
    address = await asyncio.wait_for(found, 30)
    device.remove_listener("advertisement", hear)
    await device.stop_scanning()
    return address


async def connect(device, service, name):
    """A connection to who has that service and name.

    A controller listens until the peer advertises. A virtual one looks once, and fails at once when the peer's kernel
    has just then stopped its advertisement to change it: so the next one is heard first, and tried again.
    """
    async with asyncio.timeout(30):
        while True:
            address = await find(device, service, name)
            try:
                return await device.connect(address)
            except ConnectionError as error:
                if error.error_code != HCI_CONNECTION_FAILED_TO_BE_ESTABLISHED_ERROR:
                    raise
