"""The examples' services by Bumble: a level that falls each second, and an echo.

It says what reaches it, and leaves "silence" without an echo. Of the lines that it gets "rest" ends
the fall, and "drop" its link.
"""

import asyncio
import sys

from bumble.core import UUID, AdvertisingData
from bumble.gatt import Characteristic, CharacteristicValue, Service

from bumble_device import open_device
from examples import BATTERY, LEVEL, RX, TX, UART

NAME, ADDRESS = "Bumble", "F0:F1:F2:F3:F4:03"


def say(text):
    print(f"Bumble: {text}", flush=True)


class Peripheral:
    def __init__(self):
        self.percent, self.link, self.tasks, self.falls = 42, None, set(), True

    async def open(self):
        # The transport ends with it.
        self.device, self.transport = await open_device(NAME, ADDRESS)
        self.device.on("connection", self.connected)
        properties, server = Characteristic.Properties, self.device.gatt_server
        self.level = Characteristic(
            UUID(LEVEL),
            properties.READ | properties.NOTIFY,
            Characteristic.READABLE,
            CharacteristicValue(read=lambda link: bytes([self.percent])),
        )
        rx = Characteristic(
            UUID(RX),
            properties.WRITE | properties.WRITE_WITHOUT_RESPONSE,
            Characteristic.WRITEABLE,
            CharacteristicValue(write=lambda link, value: self.written(value)),
        )
        self.tx = Characteristic(UUID(TX), properties.NOTIFY, Characteristic.READABLE)
        server.add_service(Service(UUID(BATTERY), [self.level]))
        server.add_service(Service(UUID(UART), [rx, self.tx]))
        await self.advertise()
        say("advertises")

    async def advertise(self):
        kinds = AdvertisingData
        flags = (kinds.FLAGS, bytes([0x06]))
        battery = (kinds.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, bytes(UUID(BATTERY)))
        uart = (kinds.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS, bytes(UUID(UART)))
        name = (kinds.COMPLETE_LOCAL_NAME, NAME.encode())
        await self.device.start_advertising(
            advertising_data=bytes(AdvertisingData([flags, battery, uart])),
            scan_response_data=bytes(AdvertisingData([name])),
        )

    def connected(self, link):
        say("connected")
        self.link = link
        link.on("disconnection", self.disconnected)

    def disconnected(self, reason):
        say(f"disconnected 0x{reason:02X}")
        self.link = None
        self.later(self.advertise())

    async def written(self, value):
        say(f"got {len(value)} bytes")
        if value != b"silence":
            await self.device.gatt_server.notify_subscribers(self.tx, value)

    async def fall(self):
        while self.falls:
            await asyncio.sleep(1)
            self.percent = (self.percent or 101) - 1
            await self.device.gatt_server.notify_subscribers(self.level, bytes([self.percent]))

    def told(self):
        if sys.stdin.readline() == "drop\n":
            self.later(self.link.disconnect())
        else:
            self.falls = False

    def later(self, work):
        task = asyncio.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(lambda task: self.tasks.remove(task) or task.result())


async def main():
    peripheral = Peripheral()
    await peripheral.open()
    asyncio.get_running_loop().add_reader(sys.stdin, peripheral.told)
    await peripheral.fall()
    await asyncio.Event().wait()


asyncio.run(main())
