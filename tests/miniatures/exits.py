"""A program that ends, politely, at what it does not understand."""

from __future__ import annotations

import json
import sys

PRODUCES: frozenset[tuple[str, str, str | None]] = frozenset({("framing", "crash", None)})
PROGRAM = True


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    for line in sys.stdin:
        question = json.loads(line)
        answer: dict[str, object]
        if question["op"] == "describe":
            answer = {"name": "exits", "ops": ["decode"], "types": {"kafka": {"BOOLEAN": None}}}
        elif question["op"] == "configure":
            answer = {"seq": question["seq"], "unsupported": "no settings"}
        elif len(question["data"]) != 2:
            sys.exit(f"not a boolean: {question['data']!r}")
        else:
            answer = {"seq": question["seq"], "value": question["data"] != "00"}
        say(json.dumps(answer))


if __name__ == "__main__":
    main()
