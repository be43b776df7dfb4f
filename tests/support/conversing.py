"""Common code of the tests of conversations: the side of the process, without pipes."""

from __future__ import annotations

import json

from wireproof.conformance.connection.process.endings import Ending
from wireproof.conformance.connection.protocol.conversation import Conversation
from wireproof.conformance.model import Case, Observation, Op, Status

#: No conversation of these tests takes as many rounds.
MOST_STEPS = 2_000
DEATH = Ending(Status.CRASH, "SIGABRT", "the process was ended by SIGABRT")


def cases_of(count: int, *, derived: bool = False) -> list[Case]:
    suffix = "+prefix:1" if derived else ""
    return [Case(f"{n}{suffix}", Op.DECODE, "kafka", "INT32", args={"data": n.to_bytes(4)}) for n in range(count)]


class Side:
    """The process's side: what it has been asked and has not answered, by number."""

    def __init__(self, talk: Conversation) -> None:
        self.talk = talk
        self.open: dict[int, int] = {}
        self.asked: list[int] = []

    def take(self) -> list[int]:
        """The numbers of what is asked now."""
        questions = [json.loads(line) for line in self.talk.data_to_send().splitlines()]
        for question in questions:
            self.open[question["seq"]] = int(question["data"], 16)
        self.asked += [int(question["data"], 16) for question in questions]
        return [question["seq"] for question in questions]

    def answer(self, seq: int) -> bool:
        value = self.open.pop(seq)
        return self.say(seq=seq, value=value)

    def say(self, **message: object) -> bool:
        return self.talk.hear(json.dumps(message).encode())

    def die(self) -> None:
        self.open.clear()
        self.talk.ended(DEATH)

    def answer_all(self) -> None:
        for _ in range(MOST_STEPS):
            if self.talk.done:
                return
            self.take()
            for seq in list(self.open):
                self.answer(seq)
        raise AssertionError("it does not end")


def told(observations: list[Observation]) -> list[str]:
    return [
        str(observation.answer) if observation.status is Status.ANSWER else observation.error or observation.status
        for observation in observations
    ]


def begun(count: int, *, ordered: bool = True) -> tuple[Conversation, Side]:
    talk = Conversation(ordered=ordered)
    talk.begin(cases_of(count))
    return talk, Side(talk)
