"""Answers one question two times."""

from program import answer, serve, value


def act(question: dict[str, object]) -> None:
    answer(value(question))
    answer(value(question))


serve(act)
