"""A vehicle's device by bleak, as the original central of an add-on is one."""

import asyncio
import sys

from bleak_link import find, link
from geotab import NOTIFY, SERVICE, WRITE, Vehicle

PROPERTIES = {"read": 0x02, "write-without-response": 0x04, "write": 0x08, "notify": 0x10}


def properties(client, uuid):
    found = client.services.get_characteristic(uuid).properties
    return f"{sum(PROPERTIES[name] for name in found):#04x}"


async def main(name):
    advertised = None

    def is_add_on(device, advertisement):
        nonlocal advertised
        advertised = advertisement
        is_named = not name or advertisement.local_name == name
        return is_named and SERVICE.lower() in advertisement.service_uuids

    device = await find(is_add_on, "hci0")
    uuids = ", ".join(advertised.service_uuids)
    Vehicle.say(f"hears '{advertised.local_name or ''}' with {uuids}")
    client = await link(device, "hci0", NOTIFY)
    Vehicle.say(f"properties {properties(client, NOTIFY)} {properties(client, WRITE)}")
    write = client.services.get_characteristic(WRITE)
    needs_response = "write-without-response" not in write.properties

    async def send(part):
        await client.write_gatt_char(write, part, response=needs_response)

    # As much as any MTU carries.
    vehicle = Vehicle(send, 20)
    await client.start_notify(NOTIFY, lambda _, value: vehicle.take(bytes(value)))
    await vehicle.play()
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)
    await client.disconnect()
    Vehicle.say("done")


asyncio.run(main(*sys.argv[1:]))
