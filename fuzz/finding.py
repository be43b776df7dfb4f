"""A finding: all deviations of one signature, with the smallest input that shows it.

This module imports nothing of the kit: a child reads its order before it may import modules that will be instrumented.
"""

from __future__ import annotations

from typing import Any

import msgspec


class Finding(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A finding. `row`: the judged question, in the format of `conformance.rows`."""

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
        data = bytes.fromhex(self.id.rpartition("/x")[2].partition("#")[0].partition("+")[0])
        return self.size, sum(data), self.id
