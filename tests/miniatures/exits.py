"""A program that ends, politely, at what it does not understand."""

from __future__ import annotations

import sys
from typing import Any

from miniatures import Produces, converse

PRODUCES: Produces = frozenset({("framing", "crash", None)})
PROGRAM = True


def act(question: dict[str, Any]) -> list[dict[str, Any]]:
    if len(question["data"]) != 2:
        sys.exit(f"not a boolean: {question['data']!r}")
    return [{"value": question["data"] != "00"}]


if __name__ == "__main__":
    converse("exits", "decode", act)
