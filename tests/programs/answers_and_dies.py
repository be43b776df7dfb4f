"""Answers, and ends after it."""

import os

from program import answer, serve, value


def act(question: dict[str, object]) -> None:
    answer(value(question))
    os._exit(4)


serve(act)
