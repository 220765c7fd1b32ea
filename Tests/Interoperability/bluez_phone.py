"""An add-on by bluez-peripheral, as the original apps are one."""

import asyncio
import sys

from bluez_peripheral.advert import Advertisement
from bluez_peripheral.gatt.characteristic import CharacteristicFlags, characteristic
from bluez_peripheral.gatt.service import Service, ServiceCollection
from bluez_peripheral.util import Adapter, get_message_bus

from daemon import HCI1, Daemon
from geotab import NOTIFY, SERVICE, WRITE, Phone

FLAGS = CharacteristicFlags
PROPERTIES = {
    "seed": (FLAGS.NOTIFY, FLAGS.WRITE_WITHOUT_RESPONSE),
    "head": (FLAGS.NOTIFY | FLAGS.READ, FLAGS.WRITE),
}


def service(generation):
    notify_flags, write_flags = PROPERTIES[generation]

    class AddOn(Service, Phone):
        # As much as any MTU carries to another BlueZ.
        size = 18

        def __init__(self):
            Phone.__init__(self, generation)
            self.values = asyncio.Queue()
            Service.__init__(self, SERVICE, True)

        @characteristic(NOTIFY, notify_flags)
        def output(self, options):
            return b""

        @characteristic(WRITE, write_flags)
        def input(self, options):
            return b""

        @input.setter
        def input(self, value, options):
            self.values.put_nowait(bytes(value))

        async def notify(self, part):
            self.output.changed(part)

        async def run(self):
            while True:
                await self.written(await self.values.get())

    return AddOn()


async def leave():
    """Ends the link, as an app does that is closed."""
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)
    daemon = await Daemon().open()
    await daemon.end_links(HCI1)


async def main(generation):
    bus = await get_message_bus()
    adapters = {await adapter.get_address(): adapter for adapter in await Adapter.get_all(bus)}
    adapter, add_on = adapters["00:AA:01:01:00:01"], service(generation)
    services = ServiceCollection()
    services.add_service(add_on)
    await services.register(bus, adapter=adapter)
    name = "" if generation == "seed" else "ioxble"
    await Advertisement(name, [SERVICE], 0, 0).register(bus, adapter)
    Phone.say("advertises")
    await asyncio.gather(add_on.sync(), add_on.run(), leave())


asyncio.run(main(*sys.argv[1:]))
