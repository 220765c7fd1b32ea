"""A callee by bluez-peripheral, as the original app is one: it takes texts, answers the first one, and asks its caller to leave after the last."""

import asyncio
import sys

from bluez_peripheral.advert import Advertisement
from bluez_peripheral.gatt.characteristic import CharacteristicFlags, characteristic
from bluez_peripheral.gatt.service import Service, ServiceCollection
from bluez_peripheral.util import Adapter, get_message_bus

from chat import LEAVE, SERVICE, TO_CALLEE, TO_CALLER
from daemon import DEVICE, HCI1, Daemon

FLAGS = CharacteristicFlags


def say(text):
    print(f"callee: {text}", flush=True)


class Callee(Service):
    def __init__(self, last):
        self.last, self.count = last, 0
        self.asked = asyncio.Event()
        super().__init__(SERVICE, True)

    @characteristic(TO_CALLEE, FLAGS.WRITE)
    def input(self, options):
        return b""

    @input.setter
    def input(self, value, options):
        say(f"text {len(value)} {value.decode()}")
        self.count += 1
        if self.count == 1:
            self.output.changed("Hello 👋".encode())
        if value.decode() == self.last:
            self.leave.changed(b"\x01")
            self.asked.set()

    @characteristic(TO_CALLER, FLAGS.READ | FLAGS.INDICATE)
    def output(self, options):
        return b""

    @characteristic(LEAVE, FLAGS.READ | FLAGS.INDICATE)
    def leave(self, options):
        return b""


async def main(name, last):
    bus = await get_message_bus()
    adapters = {await adapter.get_address(): adapter for adapter in await Adapter.get_all(bus)}
    adapter, callee = adapters["00:AA:01:01:00:01"], Callee(last)
    services = ServiceCollection()
    services.add_service(callee)
    await services.register(bus, adapter=adapter)
    await Advertisement(name, [SERVICE], 0, 0).register(bus, adapter)
    say("advertises")
    daemon = await Daemon().open()
    await callee.asked.wait()
    # Its caller is to end the link.
    await daemon.until(
        lambda path, interfaces: path.startswith(HCI1 + "/")
        and DEVICE in interfaces
        and not interfaces[DEVICE]["Connected"].value
    )
    say("is left")
    await asyncio.Event().wait()


asyncio.run(main(*sys.argv[1:]))
