"""Prints a line for debugging before its answer."""

from program import answer, serve, value


def act(question: dict[str, object]) -> None:
    print("\x1b[31mdecoding", question, flush=True)
    answer(value(question))


serve(act)
