"""An asker by Bumble, as the original app is one: asks the questions it is given, in turn."""

import asyncio
import sys

from bumble.att import ATT_Error
from bumble.core import UUID
from bumble.device import Peer
from bumble.gatt import Characteristic

from bumble_device import MTU, connect, open_device
from service import ANSWER, QUESTION, SERVICE


def say(text):
    print(f"asker: {text}", flush=True)


async def ask(peer, question, answer, text):
    """One round: subscribe, write, be told, unsubscribe."""
    answers = asyncio.Queue()
    await peer.subscribe(answer, answers.put_nowait)
    try:
        await peer.write_value(question, text.encode(), with_response=True)
        say("answered " + (await asyncio.wait_for(answers.get(), 10)).decode())
    except ATT_Error as error:
        say(f"refused 0x{error.error_code:02X}")
    await peer.unsubscribe(answer, answers.put_nowait)


async def ask_first(peer, question, answer, text):
    """One round of the first series: write without a response, as the properties allow, then subscribe."""
    if not question.properties & Characteristic.Properties.WRITE_WITHOUT_RESPONSE:
        return say("cannot ask: it takes no writes without a response")
    answers = asyncio.Queue()
    await peer.write_value(question, text.encode(), with_response=False)
    await peer.subscribe(answer, answers.put_nowait)
    say("answered " + (await asyncio.wait_for(answers.get(), 10)).decode())
    await peer.unsubscribe(answer, answers.put_nowait)


async def main(name, *questions):
    is_first_series = questions[0] == "--first-series"
    if is_first_series:
        questions = questions[1:]
    device, transport = await open_device("Bumble", "F0:F1:F2:F3:F4:01")
    peer = Peer(await connect(device, SERVICE, name))
    say(f"found {name} at {peer.connection.peer_address}")
    say(f"MTU {await peer.request_mtu(MTU)}")
    (service,) = await peer.discover_service(UUID(SERVICE))
    characteristics = await service.discover_characteristics([UUID(QUESTION), UUID(ANSWER)])
    found = {characteristic.uuid: characteristic for characteristic in characteristics}
    question, answer = found[UUID(QUESTION)], found[UUID(ANSWER)]
    say(f"properties {int(question.properties):#04x} {int(answer.properties):#04x}")
    for text in questions:
        await (ask_first if is_first_series else ask)(peer, question, answer, text)
    say("read " + (await peer.read_value(answer)).decode())
    await peer.connection.disconnect()
    await transport.close()
    say("done")


asyncio.run(main(*sys.argv[1:]))
