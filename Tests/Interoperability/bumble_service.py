"""The service of a ball by Bumble, that can go away and come back under other handles."""

import struct

from bumble.gatt import Characteristic, CharacteristicValue, Service

from service import ANSWER, QUESTION, SERVICE


class BallService:
    """Calls `asked(text)` and `subscribing()` before it replies, `subscribed(whether)` after."""

    def __init__(self, device, asked, subscribing, subscribed):
        self.device, self.server = device, device.gatt_server
        self.asked, self.subscribed = asked, subscribed
        self.service = None
        # A ball of the original's first series declares writes without a response, and no others.
        self.is_first_series = False
        # No handle is used again.
        self.next_handle = self.server.next_handle()
        self.server.next_handle = lambda: max(
            self.next_handle, *(attribute.handle + 1 for attribute in self.server.attributes)
        )
        write_subscription = self.server.write_cccd

        async def subscribe(bearer, characteristic, value):
            if characteristic is self.answer:
                await subscribing()
            write_subscription(bearer, characteristic, value)

        self.server.write_cccd = subscribe

    def publish(self):
        if self.service:
            return
        properties = Characteristic.Properties
        written = CharacteristicValue(write=lambda link, value: self.asked(value.decode()))
        kind = properties.WRITE_WITHOUT_RESPONSE if self.is_first_series else properties.WRITE
        question = Characteristic(QUESTION, kind, Characteristic.WRITEABLE, written)
        self.answer = Characteristic(
            ANSWER, properties.READ | properties.NOTIFY, Characteristic.READABLE, b""
        )
        self.answer.on("subscription", lambda link, notify, indicate: self.subscribed(notify))
        self.service = Service(SERVICE, [question, self.answer])
        self.server.add_service(self.service)

    def withdraw(self):
        first, last = self.service.handle, self.service.end_group_handle
        kept = [each for each in self.server.attributes if not first <= each.handle <= last]
        self.next_handle = last + 1
        self.server.attributes[:] = kept
        self.server.attributes_by_handle.clear()
        self.server.services.remove(self.service)
        self.service = None

    async def tell(self, value):
        """Notifies who has subscribed."""
        await self.server.notify_subscribers(self.answer, value)

    async def tell_change(self, link):
        """Indicates that services changed, anywhere."""
        changed = self.device.gatt_service.service_changed_characteristic
        await self.server.indicate_subscriber(link, changed, struct.pack("<HH", 0x0001, 0xFFFF))
