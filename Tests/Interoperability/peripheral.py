"""The examples' services by bluez-peripheral: a level that falls each second, and an echo."""

import asyncio
import sys

from bluez_peripheral.advert import Advertisement
from bluez_peripheral.gatt.characteristic import CharacteristicFlags, characteristic
from bluez_peripheral.gatt.service import Service, ServiceCollection
from bluez_peripheral.util import Adapter, get_message_bus

from examples import BATTERY, LEVEL, RX, TX, UART


class Battery(Service):
    def __init__(self):
        self.percent = 42
        super().__init__(BATTERY, True)

    @characteristic(LEVEL, CharacteristicFlags.READ | CharacteristicFlags.NOTIFY)
    def level(self, options):
        return bytes([self.percent])

    async def fall(self):
        while True:
            await asyncio.sleep(1)
            self.percent = (self.percent or 101) - 1
            self.level.changed(bytes([self.percent]))


class Echo(Service):
    def __init__(self):
        super().__init__(UART, True)

    @characteristic(RX, CharacteristicFlags.WRITE | CharacteristicFlags.WRITE_WITHOUT_RESPONSE)
    def rx(self, options):
        return b""

    @rx.setter
    def rx(self, value, options):
        self.tx.changed(value)

    @characteristic(TX, CharacteristicFlags.NOTIFY)
    def tx(self, options):
        return b""


async def main(address, name):
    bus = await get_message_bus()
    adapters = {await adapter.get_address(): adapter for adapter in await Adapter.get_all(bus)}
    battery, services = Battery(), ServiceCollection()
    services.add_service(battery)
    services.add_service(Echo())
    await services.register(bus, adapter=adapters[address])
    await Advertisement(name, [BATTERY, UART], 0, 0).register(bus, adapters[address])
    print("peripheral: advertising", flush=True)
    await battery.fall()


asyncio.run(main(*sys.argv[1:]))
