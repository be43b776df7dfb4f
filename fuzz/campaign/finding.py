"""A finding: all deviations of one signature, with the smallest input that shows it.

This module imports nothing of the kit: a child reads its order before it may import modules that will be instrumented.
"""

from __future__ import annotations

from typing import Any

import msgspec


def seed_of(identifier: str) -> bytes:
    """The bytes in the id of a generated case; before them stands a letter."""
    return bytes.fromhex(identifier.rpartition("/")[2].partition("#")[0].partition("+")[0][1:])


class FuzzFinding(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A finding. `row`: the judged question, in the format of `conformance.asking.rows`."""

    name: str
    signature: dict[str, str | None]
    target: str
    dialect: str
    id: str
    input: str
    size: int
    row: dict[str, Any]

    @property
    def order(self) -> tuple[int, int, str]:
        """A sort key, the smallest first: fewer bytes, then a smaller sum of bytes."""
        return self.size, sum(seed_of(self.id)), self.id
