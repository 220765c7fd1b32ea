"""A vehicle's device by Bumble, as the original central of an add-on is one."""

import asyncio
import sys

from bumble.core import UUID
from bumble.device import Peer
from bumble.gatt import Characteristic

from bumble_device import MTU, connect, open_device
from geotab import NOTIFY, SERVICE, WRITE, Vehicle


async def main(name):
    device, transport = await open_device("Vehicle", "F0:F1:F2:F3:F4:04")
    peer = Peer(await connect(device, SERVICE, name or None))
    await peer.request_mtu(MTU)
    (service,) = await peer.discover_service(UUID(SERVICE))
    characteristics = await service.discover_characteristics([UUID(NOTIFY), UUID(WRITE)])
    found = {characteristic.uuid: characteristic for characteristic in characteristics}
    notify, write = found[UUID(NOTIFY)], found[UUID(WRITE)]
    Vehicle.say(f"properties {int(notify.properties):#04x} {int(write.properties):#04x}")
    needs_response = not write.properties & Characteristic.Properties.WRITE_WITHOUT_RESPONSE

    async def send(part):
        await peer.write_value(write, part, with_response=needs_response)

    vehicle = Vehicle(send, MTU - 3)
    await peer.subscribe(notify, vehicle.take)
    await vehicle.play()
    # It stays until it is told to leave: what came of its last frame is looked at first.
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)
    await peer.connection.disconnect()
    await transport.close()
    Vehicle.say("done")


asyncio.run(main(*sys.argv[1:]))
