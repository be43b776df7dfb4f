"""Prints a line, and then never answers."""

import time

from program import say, serve


def act(_: object) -> None:
    say("thinking")
    time.sleep(600)


serve(act)
