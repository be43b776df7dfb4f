"""What the programs of this folder share: the line protocol for INT32 decode, in plain Python.

Each program answers rightly but for one question, `ffffffff`, at which it does what its name says.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

CULPRIT = "ffffffff"

Question = dict[str, Any]


def say(text: str) -> None:
    """Write a line at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def answer(message: object) -> None:
    """Write an answer at once."""
    say(json.dumps(message))


def describe() -> None:
    """What the program offers."""
    answer({"name": "manners", "language": "python", "ops": ["decode"], "types": {"kafka": {"INT32": None}}})


def hang() -> None:
    """Do nothing for ever, having noted so where the tests look."""
    if noted := os.environ.get("PROGRAMS_HANGING"):
        with Path(noted).open("a") as file:
            file.write(f"{os.getpid()}\n")
    while True:
        time.sleep(60)


def value(question: Question) -> Question:
    """The right answer."""
    return {"seq": question["seq"], "value": int.from_bytes(bytes.fromhex(question["data"]), signed=True)}


def serve(act: Callable[[Question], object]) -> None:
    """Answer until stdin ends, and do `act` at the culprit."""
    for line in sys.stdin:
        question = json.loads(line)
        if question["op"] == "describe":
            describe()
        elif question["op"] == "configure":
            answer({"seq": question["seq"], "unsupported": "no settings"})
        elif question["data"] == CULPRIT:
            act(question)
        else:
            answer(value(question))
