"""What a ball by Bumble can play: a class each, for what it does at a stage of a question."""

import asyncio

from bumble.att import ATT_Error


class Play:
    """Does nothing: takes the subscription, accepts the question, never answers."""

    def __init__(self, ball, *words):
        self.ball, self.words = ball, words

    async def connected(self):
        """There is a link."""

    async def subscribing(self):
        """The asker subscribes; when this returns it is confirmed."""

    async def subscribed(self):
        """The subscription is confirmed."""

    async def asked(self, text):
        """The question has been written; when this returns it is accepted, else refused."""

    async def accepted(self, text):
        """The asker has been told that its question is accepted."""


class Answers(Play):
    """As the original: a question mark or 0x0E; the answer is told to who has subscribed."""

    async def asked(self, text):
        if not text.endswith("?"):
            raise ATT_Error(0x0E)

    async def accepted(self, text):
        await self.ball.service.tell(self.words[0].encode())


class AnswersBytes(Play):
    """Tells bytes, given in hexadecimal digits."""

    async def accepted(self, text):
        await self.ball.service.tell(bytes.fromhex("".join(self.words)))


class Refuses(Play):
    """Refuses with the code that the question is: 'Code 0x80?'."""

    async def asked(self, text):
        raise ATT_Error(int(text.rstrip("?").split()[-1], 16))


class DeafToSubscriptions(Play):
    async def subscribing(self):
        await asyncio.Event().wait()


class DeafToQuestions(Play):
    async def asked(self, text):
        await asyncio.Event().wait()


class DropsWhenConnected(Play):
    async def connected(self):
        await self.ball.drop()


class DropsWhenSubscribed(Play):
    async def subscribed(self):
        await self.ball.drop()


class DropsWhenAsked(DeafToQuestions):
    """The link goes in place of the reply to the write."""

    async def asked(self, text):
        self.ball.later(self.ball.drop())
        await super().asked(text)


class DropsWhenAccepted(Play):
    """The link goes in place of the answer."""

    async def accepted(self, text):
        await self.ball.drop()


class VanishesWhenAsked(DeafToQuestions):
    async def asked(self, text):
        self.ball.later(self.ball.vanish())
        await super().asked(text)


class WithdrawsWhenAccepted(Play):
    """The service goes away in place of the answer."""

    async def accepted(self, text):
        await self.ball.change(publish=False)


class MovesWhenAccepted(Play):
    """The service gets new handles in place of the answer."""

    async def accepted(self, text):
        await self.ball.change(publish=True)


PLAYS = {
    "answers-the-first-series": Answers,
    "nothing": Play,
    "answers": Answers,
    "answers-bytes": AnswersBytes,
    "refuses": Refuses,
    "deaf-to-subscriptions": DeafToSubscriptions,
    "deaf-to-questions": DeafToQuestions,
    "drops-when-connected": DropsWhenConnected,
    "drops-when-subscribed": DropsWhenSubscribed,
    "drops-when-asked": DropsWhenAsked,
    "drops-when-accepted": DropsWhenAccepted,
    "vanishes-when-asked": VanishesWhenAsked,
    "withdraws-when-accepted": WithdrawsWhenAccepted,
    "moves-when-accepted": MovesWhenAccepted,
}
