"""An add-on by Bumble, as the original apps are one: Keyless ("seed"), or IOX BLE ("head").

As they do, it tells nobody that it has vehicle data.
"""

import asyncio
import sys

from bumble.core import UUID, AdvertisingData
from bumble.gatt import Characteristic, CharacteristicValue, Service

from bumble_device import open_device
from geotab import NOTIFY, SERVICE, SYNC, WRITE, Reader, frame

IDENTIFIERS = {"seed": b"\x5f\x10\x01\x00", "head": b"\x2d\x10\x01\x00"}


def say(text):
    print(f"phone: {text}", flush=True)


class Phone:
    def __init__(self, generation):
        self.generation, self.link, self.reader = generation, None, Reader()
        self.is_subscribed, self.is_known, self.tasks = asyncio.Event(), False, set()

    async def open(self):
        self.device, self.transport = await open_device("Phone", "F0:F1:F2:F3:F4:05")
        self.device.on("connection", self.connected)
        properties, is_seed = Characteristic.Properties, self.generation == "seed"
        self.notify = Characteristic(
            UUID(NOTIFY),
            properties.NOTIFY if is_seed else properties.NOTIFY | properties.READ,
            Characteristic.READABLE,
        )
        self.notify.on("subscription", lambda link, notifies, indicates: self.subscribed(notifies))
        write = Characteristic(
            UUID(WRITE),
            properties.WRITE_WITHOUT_RESPONSE if is_seed else properties.WRITE,
            Characteristic.WRITEABLE,
            CharacteristicValue(write=lambda link, value: self.written(value)),
        )
        self.device.gatt_server.add_service(Service(UUID(SERVICE), [self.notify, write]))
        kinds = AdvertisingData
        service = (kinds.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS, bytes(UUID(SERVICE)))
        names = [] if is_seed else [(kinds.COMPLETE_LOCAL_NAME, b"ioxble")]
        await self.device.start_advertising(
            advertising_data=bytes(AdvertisingData([(kinds.FLAGS, bytes([0x06])), service])),
            scan_response_data=bytes(AdvertisingData(names)),
        )
        say("advertises")

    def connected(self, link):
        self.link = link
        link.on("disconnection", lambda reason: say(f"disconnected 0x{reason:02X}"))

    def subscribed(self, notifies):
        say("subscribed" if notifies else "unsubscribed")
        if notifies:
            self.is_subscribed.set()

    async def send(self, value):
        """In slices of what one notification carries."""
        size = self.link.att_mtu - 3
        for start in range(0, len(value), size):
            part = value[start : start + size]
            await self.device.gatt_server.notify_subscribers(self.notify, part)

    async def written(self, value):
        for kind, body in self.reader.take(value):
            if kind == 0x01:
                say("is asked")
                await self.send(frame(0x81, IDENTIFIERS[self.generation]))
            elif kind == 0x02:
                self.is_known = True
                say("is known")
                await self.send(frame(0x88, b"unlock " + b"x" * 400))
            elif kind == 0x22:
                say(f"result {body.hex()}")
            elif kind == 0x24:
                say("data " + body.decode())
            elif kind == 0x21:
                say(f"vehicle {len(body)}")

    def told(self):
        sys.stdin.readline()
        task = asyncio.create_task(self.link.disconnect())
        self.tasks.add(task)

    async def run(self):
        await self.is_subscribed.wait()
        while not self.is_known:
            await self.send(SYNC)
            await asyncio.sleep(1)
        await asyncio.Event().wait()


async def main(generation):
    phone = Phone(generation)
    await phone.open()
    asyncio.get_running_loop().add_reader(sys.stdin, phone.told)
    await phone.run()


asyncio.run(main(*sys.argv[1:]))
