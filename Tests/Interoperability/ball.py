"""A ball by bluez-peripheral: answers each question with a sentence, refuses what is none."""

import asyncio
import sys

from bluez_peripheral.advert import Advertisement
from bluez_peripheral.gatt.characteristic import CharacteristicFlags, characteristic
from bluez_peripheral.gatt.service import Service, ServiceCollection
from bluez_peripheral.util import Adapter, get_message_bus

from service import ANSWER, QUESTION, SERVICE


class Ball(Service):
    def __init__(self):
        self.last = b""
        super().__init__(SERVICE, True)

    @characteristic(QUESTION, CharacteristicFlags.WRITE)
    def question(self, options):
        return b""

    @question.setter
    def question(self, value, options):
        print(f"ball: asked {value.decode()!r}", flush=True)
        self.last = b"Outlook good."
        # The reply to the write goes first, the answer behind it.
        asyncio.get_running_loop().call_soon(self.answer.changed, self.last)

    @characteristic(ANSWER, CharacteristicFlags.READ | CharacteristicFlags.NOTIFY)
    def answer(self, options):
        return self.last


async def main(address, ball_name):
    bus = await get_message_bus()
    adapters = {await adapter.get_address(): adapter for adapter in await Adapter.get_all(bus)}
    adapter = adapters[address]
    services = ServiceCollection()
    services.add_service(Ball())
    await services.register(bus, adapter=adapter)
    await Advertisement(ball_name, [SERVICE], 0, 0).register(bus, adapter)
    print("ball: advertising", flush=True)
    await bus.wait_for_disconnect()


asyncio.run(main(*sys.argv[1:]))
