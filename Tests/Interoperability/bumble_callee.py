"""A callee by Bumble, as the original app is one: it takes texts, answers the first one, and asks its caller to leave after the last."""

import asyncio
import sys

from bumble.core import UUID, AdvertisingData
from bumble.gatt import Characteristic, CharacteristicValue, Service

from bumble_device import open_device
from chat import LEAVE, SERVICE, TO_CALLEE, TO_CALLER


def say(text):
    print(f"callee: {text}", flush=True)


class Callee:
    def __init__(self, name, last):
        self.name, self.last, self.count, self.tasks = name, last, 0, set()

    async def open(self):
        self.device, _ = await open_device("Callee", "F0:F1:F2:F3:F4:07")
        self.device.on("connection", self.connected)
        properties = Characteristic.Properties
        write = Characteristic(
            UUID(TO_CALLEE),
            properties.WRITE,
            Characteristic.WRITEABLE,
            CharacteristicValue(write=lambda link, value: self.written(link, value)),
        )
        self.texts, self.leave = (
            Characteristic(
                UUID(uuid), properties.READ | properties.INDICATE, Characteristic.READABLE
            )
            for uuid in (TO_CALLER, LEAVE)
        )
        for name, each in (("texts", self.texts), ("leave", self.leave)):
            each.on(
                "subscription",
                lambda link, notifies, indicates, name=name: say(
                    f"{name} {int(notifies)} {int(indicates)}"
                ),
            )
        service = Service(UUID(SERVICE), [write, self.texts, self.leave])
        self.device.gatt_server.add_service(service)
        kinds = AdvertisingData
        uuids = (kinds.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS, bytes(UUID(SERVICE)))
        await self.device.start_advertising(
            advertising_data=bytes(AdvertisingData([(kinds.FLAGS, bytes([0x06])), uuids])),
            scan_response_data=bytes(
                AdvertisingData([(kinds.COMPLETE_LOCAL_NAME, self.name.encode())])
            ),
        )
        say("advertises")

    def connected(self, link):
        link.on("disconnection", lambda reason: say(f"disconnected 0x{reason:02X}"))

    def written(self, link, value):
        say("text " + value.decode())
        task = asyncio.create_task(self.answer(value.decode()))
        self.tasks.add(task)

    async def answer(self, text):
        self.count += 1
        if self.count == 1:
            await self.device.gatt_server.indicate_subscribers(self.texts, "Hello 👋".encode())
        if text == self.last:
            await self.device.gatt_server.indicate_subscribers(self.leave, b"\x01")


async def main(name, last=None):
    await Callee(name, last).open()
    await asyncio.Event().wait()


asyncio.run(main(*sys.argv[1:]))
