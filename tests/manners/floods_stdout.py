"""Prints lines without end."""

from program import serve


def act(_: object) -> None:
    while True:
        print("all work and no play", flush=False)


serve(act)
