"""Good, as a module and as a program: gives back its data two times over."""

from __future__ import annotations

import json
import sys


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> bytes:
    """Twice the data."""
    return data * 2


if __name__ == "__main__":
    for line in sys.stdin:
        question = json.loads(line)
        if question["op"] == "describe":
            message: dict[str, object] = {"name": "long answers", "ops": ["decode"]}
        else:
            message = {"seq": question["seq"], "value": {"hex": question["data"] * 2}}
        sys.stdout.write(json.dumps(message) + "\n")
        sys.stdout.flush()
