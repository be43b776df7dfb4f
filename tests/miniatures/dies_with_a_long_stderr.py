"""A program that panics as Go's do, with the stack of each goroutine: its first line says why, its last ones too."""

from __future__ import annotations

import sys
from typing import Any, NoReturn

from miniatures import Produces, converse

PRODUCES: Produces = frozenset({("framing", "crash", None)})
PROGRAM = True

_GOROUTINES = 5000


def act(question: dict[str, Any]) -> list[dict[str, Any]]:
    if len(question["data"]) != 2:
        _panic()
    return [{"value": question["data"] != "00"}]


def _panic() -> NoReturn:
    sys.stderr.write("panic: index out of range [0]\n\n")
    for number in range(1, _GOROUTINES + 1):
        sys.stderr.write(f"goroutine {number} [running]:\n\tcodec/boolean.go:{number}\n")
    sys.exit("exit status 2")


if __name__ == "__main__":
    converse("dies with a long stderr", "decode", act)
