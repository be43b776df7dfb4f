"""Measures how many small cases per second a Python module in a child process answers.

From the repository's root: `python benchmarks/ask.py [CASES]`. INT32 decode, the median of five rounds.
"""

from __future__ import annotations

import statistics
import struct
import sys
import time
from typing import Any

from conformance.connection import open_connection
from conformance.model import Case, Op

types = {"kafka": {"INT32": None}}
_ROUNDS = 5


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:  # noqa: ARG001
    """The smallest codec there is: it is the way to it that is measured."""
    (value,) = struct.unpack(">i", data)
    return value


def main(count: int) -> None:
    """Ask, and print cases a second."""
    cases = [
        Case(f"kafka/varints/{number}#decode", Op.DECODE, "kafka", "INT32", args={"data": number.to_bytes(4)})
        for number in range(count)
    ]
    rates = []
    with open_connection("benchmarks.ask") as connection:
        connection.ask(cases[:1000])
        for _ in range(_ROUNDS):
            start = time.perf_counter()
            observations = connection.ask(cases)
            rates.append(count / (time.perf_counter() - start))
            assert [observation.answer for observation in observations] == list(range(count))
    rounds = ", ".join(f"{rate:,.0f}" for rate in rates)
    sys.stdout.write(f"{statistics.median(rates):,.0f} cases a second (median; rounds: {rounds})\n")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 50_000)
