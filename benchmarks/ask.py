"""Measures how many small cases per second an implementation answers: by default a Python module in a child process.

From the repository's root: `python benchmarks/ask.py [CASES [SPEC…]]`, with what `--impl` takes. INT32 decode, the
median of five rounds.
"""

from __future__ import annotations

import os
import statistics
import struct
import sys
import time
from typing import Any

from wireproof.conformance.connection import ImplementationError, open_connection
from wireproof.conformance.model import Case, Op

types = {"kafka": {"INT32": None}}
_ROUNDS = 5


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:  # noqa: ARG001
    """The smallest codec there is: it is the way to it that is measured."""
    (value,) = struct.unpack(">i", data)
    return value


def main(count: int, specs: list[str]) -> None:
    """Ask, and print cases a second."""
    cases = [
        Case(f"kafka/varints/{number}#decode", Op.DECODE, "kafka", "INT32", args={"data": number.to_bytes(4)})
        for number in range(count)
    ]
    for spec in specs or ["benchmarks.ask"]:
        try:
            rate = statistics.median(_rates(spec, cases))
        except ImplementationError as error:
            sys.stderr.write(f"{error}\n")
            sys.exit(2)
        sys.stdout.write(f"{rate:,.0f} cases a second, {spec} (load {os.getloadavg()[0]:.1f})\n")


def _rates(spec: str, cases: list[Case]) -> list[float]:
    """Cases a second, by round. Raises ImplementationError for an implementation that cannot be asked these cases."""
    rates = []
    with open_connection(spec) as connection:
        if not connection.description.offers(cases[0]):
            raise ImplementationError(
                f"{connection.description.name} does not offer what is asked here, the op decode of INT32 in the "
                "dialect kafka; measure an implementation that does"
            )
        connection.ask(cases[:1000])
        for _ in range(_ROUNDS):
            start = time.perf_counter()
            observations = connection.ask(cases)
            rates.append(len(cases) / (time.perf_counter() - start))
            if [observation.answer for observation in observations] != [*range(len(cases))]:
                raise ImplementationError(
                    f"{connection.description.name} reads an INT32 as another number, or not at all"
                )
    return rates


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000, sys.argv[2:])
