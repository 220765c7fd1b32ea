"""An add-on by Bumble, as the original apps are one."""

import asyncio
import sys

from bumble.core import UUID, AdvertisingData
from bumble.gatt import Characteristic, CharacteristicValue, Service

from bumble_device import open_device
from geotab import NOTIFY, SERVICE, WRITE, Phone


class BumblePhone(Phone):
    def __init__(self, generation):
        super().__init__(generation)
        self.link, self.is_subscribed, self.tasks = None, asyncio.Event(), set()

    async def open(self):
        self.device, self.transport = await open_device("Phone", "F0:F1:F2:F3:F4:05")
        self.device.on("connection", self.connected)
        properties, is_seed = Characteristic.Properties, self.generation == "seed"
        self.characteristic = Characteristic(
            UUID(NOTIFY),
            properties.NOTIFY if is_seed else properties.NOTIFY | properties.READ,
            Characteristic.READABLE,
        )
        self.characteristic.on(
            "subscription", lambda link, notifies, indicates: self.subscribed(notifies)
        )
        write = Characteristic(
            UUID(WRITE),
            properties.WRITE_WITHOUT_RESPONSE if is_seed else properties.WRITE,
            Characteristic.WRITEABLE,
            CharacteristicValue(write=lambda link, value: self.written(value)),
        )
        self.device.gatt_server.add_service(Service(UUID(SERVICE), [self.characteristic, write]))
        kinds = AdvertisingData
        service = (kinds.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS, bytes(UUID(SERVICE)))
        names = [] if is_seed else [(kinds.COMPLETE_LOCAL_NAME, b"ioxble")]
        await self.device.start_advertising(
            advertising_data=bytes(AdvertisingData([(kinds.FLAGS, bytes([0x06])), service])),
            scan_response_data=bytes(AdvertisingData(names)),
        )
        self.say("advertises")

    def connected(self, link):
        self.link = link
        link.on("disconnection", lambda reason: self.say(f"disconnected 0x{reason:02X}"))

    def subscribed(self, notifies):
        self.say("subscribed" if notifies else "unsubscribed")
        if notifies:
            self.is_subscribed.set()

    @property
    def size(self):
        return self.link.att_mtu - 3

    async def notify(self, part):
        await self.device.gatt_server.notify_subscribers(self.characteristic, part)

    def told(self):
        sys.stdin.readline()
        task = asyncio.create_task(self.link.disconnect())
        self.tasks.add(task)

    async def run(self):
        await self.is_subscribed.wait()
        await self.sync()
        await asyncio.Event().wait()


async def main(generation):
    phone = BumblePhone(generation)
    await phone.open()
    asyncio.get_running_loop().add_reader(sys.stdin, phone.told)
    await phone.run()


asyncio.run(main(*sys.argv[1:]))
