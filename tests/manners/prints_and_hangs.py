"""Prints a line, and then never answers."""

import time

from program import serve


def act(_: object) -> None:
    print("thinking", flush=True)
    time.sleep(600)


serve(act)
