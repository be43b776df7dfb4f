"""Writes four MiB to stderr, and then answers."""

import sys

from program import answer, serve, value


def act(question: dict[str, object]) -> None:
    sys.stderr.write("noise\n" * 700_000)
    answer(value(question))


serve(act)
