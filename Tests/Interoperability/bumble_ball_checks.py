"""Our asker asks balls on Bumble: as the original is, and as bad as a ball can be.

One program plays all of them, as starting it takes 10 s in the guest.
"""

import functools

from bumble_asker_checks import BECAUSE
from check import Check
from world import expect, python

NAME = "Bumble Ball"
QUESTION = "Will it rain?"
# A link with an MTU of 185 carries 182 bytes of a question.
LONGEST, TOO_LONG = "Will it r" + "a" * 170 + "in?", "Will it r" + "a" * 171 + "in?"


def play(world, *words):
    """The ball, when it plays that and nothing else."""
    ball = world.lasts(*python("bumble_ball.py"))
    ball.say(" ".join(words))
    ball.wait(f"plays {' '.join(words)}\n")
    return ball


def asks(world, words, question, status, says, hears):
    ball = play(world, *words)
    expect(says, world.ask(NAME, question, status=status))
    for each in hears:
        ball.wait(each)


def ball_check(name, words, status, says, hears=(), question=QUESTION):
    """What `eightball-ask` ends with and says, and what the ball hears, in that order."""
    run = functools.partial(
        asks, words=words.split(" ", 1), question=question, status=status, says=says, hears=hears
    )
    return Check(f"eightball-ask, a ball {name}", run, "real", BECAUSE)


def comes_back(world):
    """bluetoothd knows a ball without service by now, and finds it again under other handles."""
    asks(world, ["withdraws-when-accepted"], QUESTION, 75, "took back its service", [])
    asks(world, ["answers", "SLUG-ANSWER-04"], QUESTION, 0, r"^.*\n", ["subscribed", "asked"])


CHECKS = []
