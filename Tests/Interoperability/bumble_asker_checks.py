"""Askers on Bumble, a stack of its own, ask our ball."""

from check import Check
from world import expect, python

BECAUSE = "a virtual BlueZ has no controllers that Bumble could be heard by"


def bumble_asks_eightball_answer(world):
    ball = world.start("eightball-answer", "--adapter", "hci1", "--name", "Ours", "--json")
    ball.wait(r'"event":"advertising"')
    # The second is no question; the fourth is written in parts, the fifth has too many bytes.
    questions = [
        "Will it rain?",
        "It will rain",
        "Will it rain tomorrow?",
        f"Will it rain {'and rain ' * 40}?",
        f"{'x' * 480}?",
        "Is it over?",
    ]
    output = world.run(*python("bumble_asker.py", "Ours", *questions))
    slug = r"answered SLUG-ANSWER-[01]\d\n"
    rounds = [slug, "refused 0x0E\n", slug, slug, "refused 0x92\n", slug]
    expect("asker: MTU 185\n", output)
    # Write alone; read and notify.
    expect("asker: properties 0x08 0x12\n", output)
    expect("".join(f"asker: {each}" for each in rounds), output)
    told = expect(r"answered (\S+)\nasker: read", output).group(1)
    expect(f"asker: read {told}\n", output)
    for question in questions[0], questions[2], questions[3], questions[5]:
        ball.wait(rf'"event":"question".*"question":"{question[:-1]}')


def bumble_asks_as_the_first_series(world):
    ball = world.start("eightball-answer", "--adapter", "hci1", "--name", "Early", "--json")
    ball.wait(r'"event":"advertising"')
    asker = python("bumble_asker.py", "Early", "--first-series", "Will it rain?")
    expect("asker: cannot ask: it takes no writes without a response", world.run(*asker))
    ball.end()
    options = ("--adapter", "hci1", "--name", "Early", "--json", "--first-series")
    ball = world.start("eightball-answer", *options)
    ball.wait(r'"event":"advertising"')
    output = world.run(*asker)
    # Writes of both kinds; read and notify.
    expect("asker: properties 0x0c 0x12\n", output)
    expect(r"answered SLUG-ANSWER-[01]\d\n", output)


CHECKS = [
    Check("Bumble asks eightball-answer", bumble_asks_eightball_answer, "real", BECAUSE),
    Check(
        "Bumble asks as apps of the first series do",
        bumble_asks_as_the_first_series,
        "real",
        BECAUSE,
    ),
]
