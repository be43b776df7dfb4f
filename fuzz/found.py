"""A finding: what deviations of one signature have in common, with the smallest input that shows it.

This imports nothing of the kit: a child reads its order before anything that is to be instrumented is imported.
"""

from __future__ import annotations

from typing import Any

import msgspec


class Found(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A finding as it is told when it is made. `row`: the judged question, as `conformance.rows` has it."""

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
        """What is smaller comes first: fewer bytes, fewer that are not zero."""
        data = bytes.fromhex(self.id.rpartition("/x")[2].partition("#")[0].partition("+")[0])
        return self.size, sum(data), self.id
