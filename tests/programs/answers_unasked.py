"""Answers a question that nobody asked, too."""

from program import answer, serve, value


def act(question: dict[str, object]) -> None:
    answer({"seq": 1_000_000, "value": 0})
    answer(value(question))


serve(act)
