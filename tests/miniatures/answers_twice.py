"""A program that answers every question about `true` two times."""

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
            answer = {"name": "answers_twice", "ops": ["encode"], "types": {"kafka": {"BOOLEAN": None}}}
        elif question["op"] == "configure":
            answer = {"seq": question["seq"], "unsupported": "no settings"}
        else:
            answer = {"seq": question["seq"]} | _encode(question["value"])
        for _ in range(2 if answer.get("data") == "01" else 1):
            say(json.dumps(answer))


def _encode(value: object) -> dict[str, object]:
    return {"data": "01" if value else "00"} if isinstance(value, bool) else {"reject": {}}


if __name__ == "__main__":
    main()
