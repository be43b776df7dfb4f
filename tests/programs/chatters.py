"""Prints a line for debugging before its answer."""

from program import answer, say, serve, value


def act(question: dict[str, object]) -> None:
    say(f"\x1b[31mdecoding {question}")
    answer(value(question))


serve(act)
