"""A program that answers every question about `true` two times."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, converse

PRODUCES: Produces = frozenset({("framing", "protocol-violation", None)})
PROGRAM = True


def act(question: dict[str, Any]) -> list[dict[str, Any]]:
    value = question["value"]
    if not isinstance(value, bool):
        return [{"reject": {}}]
    return [{"data": "01"}] * 2 if value else [{"data": "00"}]


if __name__ == "__main__":
    converse("answers_twice", "encode", act)
