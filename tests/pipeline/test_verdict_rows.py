"""A verdict as a row of the table `verdicts`, and back."""

from __future__ import annotations

import msgspec

from wireproof.conformance.model import FailureKind, Op, Outcome, Verdict
from wireproof.pipeline import tables
from wireproof.pipeline.verdict_rows import columns_of, verdict_of

#: Every field differs from its default.
FULL = Verdict(
    "gen/kafka/INT8/-/x00#decode",
    "kafka",
    "framing",
    "FetchRequest",
    4,
    Op.DECODE,
    Outcome.FAIL,
    kind=FailureKind.WRONG_VALUE,
    reason="truncated",
    offset=7,
    detail="a text",
    rulings=("R-1", "R-2"),
    note="a note",
    error="ValueError",
    frame="mine:read",
    demanded="bad-count",
    ground="R-3",
    place="topics[].name",
    known="an entry",
)


def test_a_verdict_has_these_columns() -> None:
    columns = columns_of(FULL)
    assert "kind" not in columns  # that of the case, in the table
    assert columns["failure"] == "wrong-value"
    assert (columns["verdict"], columns["offset_bytes"], columns["rulings"]) == ("fail", 7, ["R-1", "R-2"])
    assert columns.keys() < {column.name for column in tables.VERDICTS.columns}


def test_all_but_two_fields_come_back() -> None:
    unset = {field.name for field in msgspec.structs.fields(Verdict) if getattr(FULL, field.name) == field.default}
    assert unset == set()
    assert verdict_of(columns_of(FULL)) == msgspec.structs.replace(FULL, note="", known=None)
    plain = Verdict("a", "kafka", "framing", None, None, Op.RECODE, Outcome.PASS)
    assert verdict_of(columns_of(plain)) == plain
