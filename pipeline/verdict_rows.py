"""Verdicts as rows of the table `verdicts`, and back.

The fields of a verdict that have a column in the table are kept there, by their names in files; those of `_COLUMNS`
under another name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from wireproof.conformance.asking import rows
from wireproof.conformance.model import Verdict
from wireproof.pipeline import tables

#: Fields whose column has another name: `kind` is the kind of the case there.
_COLUMNS = {"kind": "failure", "offset": "offset_bytes"}


def _fields() -> dict[str, str]:
    there = {column.name for column in tables.VERDICTS.columns}
    names = (field.encode_name for field in msgspec.structs.fields(Verdict))
    return {name: column for name in names if (column := _COLUMNS.get(name, name)) in there}


#: Field → column. `note` and `known` have none: a note is text for a person, and what is known is looked up again.
_FIELDS = _fields()


def columns_of(verdict: Verdict) -> dict[str, Any]:
    """The columns of a verdict."""
    row = rows.verdict_row(verdict)
    return {column: row[name] for name, column in _FIELDS.items()}


def verdict_of(row: Mapping[str, Any]) -> Verdict:
    """The verdict in a row of the table. Raises RowError."""
    return rows.verdict_of({name: row[column] for name, column in _FIELDS.items()})
