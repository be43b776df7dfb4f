"""A program that prints what it thinks on its stdout: at the first byte that is not 00 or 01."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, converse, say

PRODUCES: Produces = frozenset({("framing", "protocol-violation", None)})
PROGRAM = True


def act(question: dict[str, Any]) -> list[dict[str, Any]]:
    data = question["data"]
    if len(data) != 2:
        return [{"reject": {}}]
    if data not in ("00", "01"):
        say(f"odd, a boolean of {data}")
    return [{"value": data != "00"}]


if __name__ == "__main__":
    converse("prints_garbage", "decode", act)
