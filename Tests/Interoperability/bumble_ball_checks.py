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
LONGEST, TOO_LONG = (f"Will it r{'a' * count}in?" for count in (170, 171))

# What a ball hears of each question.
LINK = ["connected"]
SUBSCRIPTION = [*LINK, "subscribed"]
WRITE = [*SUBSCRIPTION, "asked"]
ROUND = [*WRITE, "unsubscribed"]

SLOW = r"took longer than 2 s"
GONE = "the link to 'Bumble Ball' was lost"


def play(world, words):
    """The ball, when it plays that and nothing else."""
    ball = world.lasts(*python("bumble_ball.py"))
    ball.say(words)
    ball.wait(f"plays {words}\n")
    return ball


def asks(world, words, status, says, hears, question=QUESTION, options=()):
    """What `eightball-ask` ends with and says, and what the ball hears, in that order."""
    ball = play(world, words)
    ask = world.ask if SLOW in says else world.ask_patiently
    expect(says, ask(NAME, question, *options, status=status))
    for each in hears:
        ball.wait(f"ball: {each}")
    return ball


def ball_check(name, *words, **options):
    run = functools.partial(asks, words=words[0], status=words[1], says=words[2], hears=words[3])
    return Check(
        f"eightball-ask, a ball that {name}", functools.partial(run, **options), "real", BECAUSE
    )


def too_long(world):
    """The question is refused here: an original ball would never reply to its parts."""
    says = "not asked: the question has 183 bytes of UTF-8, and the link carries 182"
    ball = asks(world, "answers x", 65, says, LINK, question=TOO_LONG)
    ball.wait("disconnected")
    assert not any(word in "".join(ball.seen) for word in ("asked", "long write")), ball.seen


def first_series(world):
    """It declares no writes with a response, and cannot refuse."""
    asks(world, "answers-the-first-series Yes.", 0, r"\nYes\.\n", ROUND)
    world.forget()
    asks(world, "answers Again.", 0, r"\nAgain\.\n", ROUND)
    world.forget()


def comes_back(world):
    """bluetoothd would go on to show a ball without service; our asker has it forgotten."""
    asks(
        world,
        "withdraws-when-accepted",
        75,
        "withdrew its service",
        [*WRITE, "told that services"],
    )
    asks(world, "answers Again.", 0, r"\nAgain\.\n", ROUND)


def takes_long_question(world):
    """bluetoothd tells the link's MTU of new objects; those of the second link are known."""
    world.forget()
    for _ in range(2):
        asks(world, "answers Yes.", 0, r"\nYes\.\n", ROUND, question=LONGEST)


def wants_pairing(world):
    """The write is left without a reply; newer versions then refuse others, on later links too.

    The link may end before the asker's time is over, once pairing has failed.
    """
    says = f"last writing the question, {SLOW}|{GONE}"
    try:
        asks(world, "refuses", 75, says, WRITE, question="Code 0x05?")
        if world.version() >= (5, 82):
            asks(world, "answers Yes.", 75, "org.bluez.Error.InProgress", SUBSCRIPTION)
    finally:
        # Else the checks after it were refused as well.
        world.forget()
    asks(world, "answers Yes.", 0, r"\nYes\.\n", ROUND)


def code(number, status, meaning, told=None):
    """bluetoothd may tell another code than the ball's."""
    says = f"was refused with ATT 0x{told or number:02X}: {meaning}"
    question = f"Code {number:#04x}?"
    return ball_check(
        f"refuses with 0x{number:02X}", "refuses", status, says, ROUND, question=question
    )


CHECKS = [
    ball_check("answers with a slug", "answers SLUG-ANSWER-07", 0, r"\nOutlook good\.\n", ROUND),
    ball_check("answers with words", "answers Ask again.", 0, r"\nAsk again\.\n", ROUND),
    Check(
        "eightball-ask, the longest question for one write", takes_long_question, "real", BECAUSE
    ),
    Check("eightball-ask, a question too long for one write", too_long, "real", BECAUSE),
    Check("eightball-ask, a ball of the first series", first_series, "real", BECAUSE),
    ball_check(
        "wants a question mark",
        "answers x",
        65,
        "ATT 0x0E: a question ends in",
        ROUND,
        question="It will rain.",
    ),
    ball_check("answers with nothing", "answers-bytes", 76, "with an empty answer", ROUND),
    ball_check(
        "answers with rubbish", "answers-bytes fffe", 76, "2 bytes that are not UTF-8", ROUND
    ),
    ball_check("never answers", "nothing", 75, f"waiting for the answer, {SLOW}", ROUND),
    ball_check(
        "never confirms a subscription",
        "deaf-to-subscriptions",
        75,
        # The limits of the step and of the question are over at the same time.
        f"subscribing to the answer(s of 'Bumble Ball'|,) {SLOW}",
        LINK,
    ),
    ball_check(
        "never replies to the write",
        "deaf-to-questions",
        75,
        f"last writing the question, {SLOW}",
        WRITE,
    ),
    ball_check("drops the link at once", "drops-when-connected", 75, "Bumble Ball' failed: ", LINK),
    ball_check("drops a subscribed asker", "drops-when-subscribed", 75, GONE, SUBSCRIPTION),
    ball_check("drops the link for a reply", "drops-when-asked", 75, GONE, WRITE),
    ball_check("drops the link for an answer", "drops-when-accepted", 75, GONE, WRITE),
    ball_check("vanishes when asked", "vanishes-when-asked", 75, GONE, [*WRITE, "vanished"]),
    ball_check(
        "moves its service when asked",
        "moves-when-accepted",
        75,
        "withdrew its service",
        [*WRITE, "told that services changed"],
    ),
    Check("eightball-ask, a ball whose service goes and comes back", comes_back, "real", BECAUSE),
    Check("eightball-ask, a ball that wants to be paired with", wants_pairing, "real", BECAUSE),
    ball_check(
        "refuses with 0x01",
        "refuses",
        75,
        "the ball no longer has what it had: ATT 0x01",
        WRITE,
        question="Code 0x01?",
    ),
    code(0x03, 76, "ATT 0x03"),
    # bluetoothd tells 0x06 as it tells that the service goes, so a read is sent to see which it is: of
    # the answer, as this ball never replies to a read of its write-only question.
    code(0x06, 76, "ATT 0x06"),
    code(0x0C, 76, "ATT 0x05", told=0x05),
    code(0x0D, 76, "ATT 0x0D"),
    code(0x0E, 65, "a question ends in"),
    code(0x80, 75, "the ball failed"),
    code(0x90, 75, "the ball is busy"),
    code(0x92, 65, "the text is too long"),
    code(0x97, 75, "the ball's owner does not want to"),
    code(0x9F, 76, "ATT 0x9F"),
    code(0xFF, 76, "ATT 0xFF"),
]
