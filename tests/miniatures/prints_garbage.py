"""A program that prints what it thinks on its stdout: at the first byte that is not 00 or 01."""

from __future__ import annotations

import json
import sys

PRODUCES: frozenset[tuple[str, str, str | None]] = frozenset({("framing", "protocol-violation", None)})
PROGRAM = True


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    for line in sys.stdin:
        question = json.loads(line)
        answer: dict[str, object]
        if question["op"] == "describe":
            answer = {"name": "prints_garbage", "ops": ["decode"], "types": {"kafka": {"BOOLEAN": None}}}
        elif question["op"] == "configure":
            answer = {"seq": question["seq"], "unsupported": "no settings"}
        else:
            answer = {"seq": question["seq"]} | _decode(question["data"])
        say(json.dumps(answer))


def _decode(data: str) -> dict[str, object]:
    if len(data) != 2:
        return {"reject": {}}
    if data not in ("00", "01"):
        say(f"odd, a boolean of {data}")
    return {"value": data != "00"}


if __name__ == "__main__":
    main()
