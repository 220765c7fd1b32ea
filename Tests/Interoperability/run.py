"""Foreign programs beside ours: each check prints a line; exits 1 if one fails.

What failed runs once more when the others are done. If it passes then, a line `unstable: NAME` says so, and it counts as
passed.

usage: run.py [--world virtual|real] [--only WORDS] [--all]

The real world is the one in a guest of Scripts/bluez-vm, where this has to be run then. Virtual ones are apart from each
other, and several checks run at a time, each in its own.
"""

import argparse
import concurrent.futures
import subprocess
import sys
import time

import bumble_asker_checks
import bumble_ball_checks
import bus_checks
import chat_checks
import code_checks
import example_checks
import relay_checks
import socket_checks
from world import RealWorld, VirtualWorld

CHECKS = [
    *bus_checks.CHECKS,
    # An example asks the first ball that is heard: before the balls on Bumble, which may be heard long after
    # their programs have ended.
    *example_checks.CHECKS,
    *bumble_asker_checks.CHECKS,
    *bumble_ball_checks.CHECKS,
    *code_checks.CHECKS,
    *example_checks.BUMBLE_CHECKS,
    *socket_checks.CHECKS,
    *chat_checks.CHECKS,
    *relay_checks.CHECKS,
]
WORLDS = {world.name: world for world in (VirtualWorld, RealWorld)}


def passes(check, world):
    began = time.monotonic()
    result, because = "ok     ", ""
    try:
        with world.round(*check.daemon):
            check.run(world)
    except (AssertionError, OSError, subprocess.TimeoutExpired) as error:
        result, because = "failed ", f"{error}\n"
    print(f"{because}{result} {check.name} ({time.monotonic() - began:.0f} s)", flush=True)
    return not because


def failures(checks, world):
    """Those that fail."""
    with concurrent.futures.ThreadPoolExecutor(world.count) as pool:
        results = pool.map(lambda check: passes(check, world.another()), checks)
        return [check for check, result in zip(checks, results) if not result]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--world", choices=WORLDS, default=VirtualWorld.name)
    parser.add_argument("--only", default="", help="checks whose names have these words")
    parser.add_argument("--all", action="store_true", help="those, too, that are left out else")
    options = parser.parse_args()
    world = WORLDS[options.world]()
    named = [check for check in CHECKS if options.only in check.name]
    wanted = [check for check in named if options.all or not check.extra]
    here, left_to_all = (
        [check for check in checks if check.only in (None, world.name)]
        for checks in (wanted, [check for check in named if check not in wanted])
    )
    try:
        failed = failures(here, world)
        unstable = [check for check in failed if passes(check, world.another())]
    finally:
        world.close()
    left_out = [check for check in wanted if check not in here]
    for because in dict.fromkeys(check.because for check in left_out):
        names = [check.name for check in left_out if check.because == because]
        print(f"left to the other world, as {because}: {'; '.join(names)}")
    if left_to_all:
        print(f"left to --all: {'; '.join(check.name for check in left_to_all)}")
    for check in unstable:
        print(f"unstable: {check.name}")
    failed = len(failed) - len(unstable)
    passed = len(here) - failed
    print(f"{world.name} world: {passed} passed, {failed} failed, {len(left_out)} left out")
    sys.exit(failed > 0 or not here)


main()
