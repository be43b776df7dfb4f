"""Prints a line, and then never answers."""

from program import hang, say, serve


def act(_: object) -> None:
    say("thinking")
    hang()


serve(act)
