"""Drafts a vector from a finding. A person completes it and puts it in place."""

from __future__ import annotations

import json
from typing import Any

from conformance.asking import Judged
from conformance.connection.shapes import plain
from conformance.model import Op
from conformance.report.labels import label_rows
from conformance.values import to_json
from conformance.vectors import Piece, Vector, VectorKind
from fuzz.errors import FuzzError

_ABOUT = "found by fuzzing: say what is special here"


def draft(judged: Judged, name: str) -> str:
    """A vector file with the question of a finding. Its `source` is null, and the loader refuses that: a person has to
    look up the place in the specification. Raises FuzzError for a question that reads or writes no type."""
    vector = judged.vector
    if vector.kind not in (VectorKind.VALID, VectorKind.INVALID) or judged.case.type is None:
        raise FuzzError(f"{judged.case.id}: only what is decoded or encoded is drafted as a vector")
    file = {
        "format": 1,
        "dialect": vector.dialect,
        "area": vector.area,
        "vectors": [_fields(judged, vector, name)],
    }
    return json.dumps(file, indent=2, ensure_ascii=False) + "\n"


def _fields(judged: Judged, vector: Vector, name: str) -> dict[str, Any]:
    fields: dict[str, Any] = {"id": name.lower(), "about": _ABOUT, "type": vector.type}
    if vector.version is not None:
        fields["version"] = vector.version
    fields["bytes"] = _pieces(vector, vector.data)
    if vector.reject is not None:
        fields["reject"] = {"reason": str(vector.reject.reason), "offset": vector.reject.offset}
        fields["twin"] = None
    else:
        fields["value"] = to_json(plain(vector.value))
        if vector.canonical:
            fields["canonical"] = _pieces(vector, vector.canonical_data)
        if vector.compare_decoded:
            fields["compare"] = "decoded"
        if judged.case.op is Op.ENCODE:
            fields["ops"] = [str(Op.ENCODE)]
    fields["source"] = None
    return fields


def _pieces(vector: Vector, data: bytes) -> list[list[str]]:
    """Bytes in pieces, each labelled from the reference's spans."""
    pieces = (Piece(data, ""),)
    rows = label_rows(pieces, data, vector.type, vector.dialect, vector.version)
    return [[row.data.hex(), row.label or vector.type or ""] for row in rows] or [["", "nothing"]]
