"""A finding: all deviations of one group, of whatever type and op, with the smallest input that shows it.

This module imports no other of the kit when it is loaded: a child reads its order before it may import modules that
will be instrumented.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from wireproof.conformance.asking.examiner import Judged
    from wireproof.conformance.model import Verdict

_PLAIN = re.compile(r"[^A-Za-z0-9]+")
#: The maximum length of the readable part of a file name.
_LONGEST = 80


def seed_of(identifier: str) -> bytes:
    """The bytes in the id of a generated case; before them stands a letter."""
    return bytes.fromhex(identifier.rpartition("/")[2].partition("#")[0].partition("+")[0][1:])


class FuzzFinding(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A finding. `group`: the parts of its group, as in a file of known deviations. `row`: the judged question, in the
    format of `conformance.asking.rows`."""

    name: str
    group: dict[str, str]
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


def names_of(verdict: Verdict) -> tuple[str, ...]:
    """The names of the findings that a deviation may belong to, the first if there is none of the others yet: recode
    may write wrong bytes because of what it reads wrong. A name is made from dialect and group, and is a file name."""
    from wireproof.conformance.judging.clusters import causes, group

    found = group(verdict)
    assert found is not None
    return tuple(_name(verdict.dialect, one.row()) for one in (found, *causes(verdict, found)))


def _name(dialect: str, parts: dict[str, str]) -> str:
    readable = "-".join(_PLAIN.sub("-", part).strip("-") for part in (dialect, *parts.values()))[:_LONGEST]
    exact = repr((dialect, *sorted(parts.items())))
    return f"{readable}-{hashlib.sha256(exact.encode()).hexdigest()[:8]}"


def finding_of(judged: Judged, raw: bytes, target: str) -> FuzzFinding:
    """The finding of a deviation. `raw`: the input that caused it."""
    from wireproof.conformance.asking import rows
    from wireproof.conformance.judging.clusters import group

    case, its_group = judged.case, group(judged.verdict)
    parts = {} if its_group is None else its_group.row()
    return FuzzFinding(
        name=_name(case.dialect, parts),
        group=parts,
        target=target,
        dialect=case.dialect,
        id=case.id,
        input=raw.hex(),
        size=len(seed_of(case.id)),
        row=rows.judged_row(judged),
    )
