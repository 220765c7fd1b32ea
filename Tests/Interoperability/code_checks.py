"""What a real bluetoothd makes of each code that a ball can refuse with."""

import re

from bumble_asker_checks import BECAUSE
from bumble_ball_checks import NAME, play
from check import Check
from world import python

# Those which bluetoothd tells in words of its own; Tests/BlueZTests has the same table.
TOLD = {
    0x02: "NotPermitted 'Read not permitted'",
    0x03: "NotPermitted 'Write not permitted'",
    0x06: "NotSupported 'Operation is not supported'",
    0x07: "InvalidArguments 'Invalid offset'",
    0x08: "NotAuthorized 'Operation Not Authorized'",
    0x0C: "NotPermitted 'Not paired'",
    0x0D: "InvalidArguments 'Invalid Length'",
}


def unanswered(version):
    """Those after which bluetoothd does something else first, and may never reply."""
    pairs = {0x05, 0x0F}
    # Database out of sync: it sends the request again, as often as the peer says so.
    return pairs | {0x12} if version >= (5, 87) else pairs


def expected(code):
    return "org.bluez.Error." + TOLD.get(
        code, f"Failed 'Operation failed with ATT error: 0x{code:02x}'"
    )


def bluetoothd_tells_every_code(world):
    version = world.version()
    play(world, "refuses")
    codes = [code for code in range(0x01, 0x100) if code not in unanswered(version)]
    output = world.run(*python("codes.py"), NAME, *(f"0x{code:02x}" for code in codes))
    told = {int(code, 16): text for code, text in re.findall(r"code (\S+) (.*)\n", output)}
    wrong = {hex(code): told.get(code) for code in codes if told.get(code) != expected(code)}
    assert not wrong, wrong


CHECKS = [Check("bluetoothd tells every code", bluetoothd_tells_every_code, "real", BECAUSE)]
