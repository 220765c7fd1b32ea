"""Plays scenarios in the world that is there, and writes down what was seen.

play.py --world virtual|guest --into FOLDER [--times N] [NAME…]
"""

import argparse
import asyncio
import json
import pathlib
import sys
import time

import scenarios  # noqa: F401, which makes them known
from journal import WaitedInVain
from stage import SCENARIOS, Stage
from world import GuestWorld, VirtualWorld

LIMIT = 150


async def play(name, world):
    """What is seen in a scenario, for JSON; what keeps it from its end is part of that."""
    await world.reset(SCENARIOS[name].mtu)
    stage = Stage(world)
    try:
        await stage.eyes()
        await asyncio.wait_for(SCENARIOS[name](stage), LIMIT)
    except WaitedInVain as error:
        stage.journal.note("world", "gave up", text=f"waited in vain for {error}")
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
        stage.journal.note("world", "gave up", text=text)
    finally:
        run = stage.journal.run(name, SCENARIOS[name].__doc__, stage.names())
        stage.leave()
        await world.leave()
    return run


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--world", choices=["virtual", "guest"], required=True)
    arguments.add_argument("--into", type=pathlib.Path, required=True)
    arguments.add_argument("--times", type=int, help="play all so often, into folders 1, 2, …")
    arguments.add_argument("names", nargs="*")
    arguments = arguments.parse_args()
    world = VirtualWorld("5.66") if arguments.world == "virtual" else GuestWorld()
    folders = [arguments.into / str(number + 1) for number in range(arguments.times or 0)]
    for folder in folders or [arguments.into]:
        folder.mkdir(parents=True, exist_ok=True)
        for name in arguments.names or SCENARIOS:
            begin = time.monotonic()
            run = asyncio.run(play(name, world))
            (folder / f"{name}.json").write_text(json.dumps(run, indent=0))
            print(f"{name} {time.monotonic() - begin:.1f} s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
