"""Plays scenarios in the world that is there, and writes down what was seen.

play.py --world virtual|guest --into FOLDER [--times N] [NAME…]
"""

import argparse
import asyncio
import pathlib
import sys
import time
import traceback

import scenarios  # noqa: F401, which makes them known
from application import UUIDS
from journal import WaitedInVain
from stage import SCENARIOS, Stage
from world import GuestWorld, VirtualWorld

LIMIT = 150


async def play(name, world):
    """Plays one; what keeps it from its end is part of what was seen."""
    await world.reset()
    stage = Stage(world, world.quiet)
    try:
        await stage.eyes()
        await asyncio.wait_for(SCENARIOS[name](stage), LIMIT)
    except WaitedInVain as error:
        stage.journal.note("world", "gave up", text=f"waited in vain for {error}")
    except Exception as error:
        traceback.print_exc()
        text = f"{type(error).__name__}: {error}"
        stage.journal.note("world", "gave up", text=text)
    finally:
        stage.leave()
    names = {"adapters": getattr(stage, "addresses", {}), "uuids": UUIDS}
    return stage.journal.text(name, SCENARIOS[name].__doc__, names)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--world", choices=["virtual", "guest"], required=True)
    arguments.add_argument("--into", type=pathlib.Path, required=True)
    arguments.add_argument("--times", type=int, help="play all so often, into folders 1, 2, …")
    arguments.add_argument("names", nargs="*")
    arguments = arguments.parse_args()
    world = VirtualWorld() if arguments.world == "virtual" else GuestWorld()
    folders = [arguments.into / str(number + 1) for number in range(arguments.times or 0)]
    for folder in folders or [arguments.into]:
        folder.mkdir(parents=True, exist_ok=True)
        for name in arguments.names or SCENARIOS:
            begin = time.monotonic()
            text = asyncio.run(play(name, world))
            (folder / f"{name}.json").write_text(text)
            print(f"{name} {time.monotonic() - begin:.1f} s", file=sys.stderr, flush=True)


main()
