"""Drafts a vector from a finding. A person completes it and puts it in place.

A draft has the fields of its kind (`vectors/FORMAT.md`), with the reference's answer as expectation. Bytes of a type
are divided and labelled by the reference's spans; the frames of a conversation are one piece each.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from wireproof.conformance.asking.examiner import Judged
from wireproof.conformance.connection.protocol.shapes import plain
from wireproof.conformance.model import Op
from wireproof.conformance.report.labels import flat, label_rows
from wireproof.conformance.values.encoding import to_json
from wireproof.conformance.vectors import Piece, Vector, VectorKind

_ABOUT = "found by fuzzing: say what is special here"


def draft(judged: Judged, name: str) -> str:
    """A vector file with the question of a finding. Its `source` is null, and the loader refuses that: a person has to
    look up the place in the specification."""
    vector = judged.vector
    fields: dict[str, Any] = {"id": name.lower(), "about": _ABOUT}
    if vector.type is not None:
        fields["type"] = vector.type
    if vector.version is not None:
        fields["version"] = vector.version
    fields |= _content(vector)
    if vector.kind is VectorKind.VALID and judged.case.op is Op.ENCODE:
        fields["ops"] = [str(Op.ENCODE)]
    if vector.or_reject is not None:
        fields["or_reject"] = {"reason": str(vector.or_reject)}
    if vector.needs:
        fields["needs"] = [*vector.needs]
    file = {
        "format": 1,
        "dialect": vector.dialect,
        "area": vector.area,
        "vectors": [{**fields, "source": None}],
    }
    return json.dumps(file, indent=2, ensure_ascii=False) + "\n"


def _content(vector: Vector) -> dict[str, Any]:
    """What is asked, and the answer that is expected."""
    args = vector.args
    match vector.kind:
        case VectorKind.VALID:
            return {"bytes": _pieces(vector), "value": _json(vector.value), **_written(vector, "canonical")}
        case VectorKind.INVALID:
            return {"bytes": _pieces(vector), **_refused(vector)}
        case VectorKind.UNENCODABLE:
            return {"value": _json(vector.value), **_refused(vector)}
        case VectorKind.LOOKUP:
            found = {"values": _json(vector.expected)} if vector.reject is None else _refused(vector)
            return {"bytes": _pieces(vector), "key": _json(args["key"]), **found}
        case VectorKind.CONVERT:
            gives = _written(vector, "gives") if vector.reject is None else _refused(vector)
            return {"bytes": _pieces(vector), "to": args["to"], **gives}
        case VectorKind.CONSUME:
            found = {"delivers": _json(vector.expected)} if vector.reject is None else _refused(vector)
            return {"bytes": _pieces(vector), **args, **found}
        case VectorKind.PRODUCE:
            found = {"writes": _json(vector.expected)} if vector.reject is None else _refused(vector)
            return {name: _json(value) for name, value in args.items()} | found
        case VectorKind.SERVE:
            sends, closes = vector.expected
            chunks = [_frame(chunk, f"chunk {number}") for number, chunk in enumerate(args["chunks"], 1)]
            return {"chunks": chunks, "sends": sends, "closes": closes}
        case VectorKind.INTERPRET:
            response = None if args["response"] is None else _frame(args["response"], "response")
            return {"request": _frame(args["request"], "request"), "response": response, "outcome": vector.expected}
        case VectorKind.NEGOTIATE:
            return {**args, "chooses": vector.expected}
        case VectorKind.EVOLVE:
            return {**args, "breaks": vector.expected}


def _written(vector: Vector, field: str) -> dict[str, Any]:
    """The bytes that an encoder writes, and how they are compared."""
    fields: dict[str, Any] = {}
    if vector.canonical:
        fields[field] = _labelled(vector, vector.canonical) if field == "canonical" else _plain(vector.canonical)
    if vector.compare_decoded:
        fields["compare"] = "decoded"
    return fields


def _refused(vector: Vector) -> dict[str, Any]:
    assert vector.reject is not None
    reject: dict[str, Any] = {"reason": str(vector.reject.reason)}
    if vector.reject.offset is not None:
        reject["offset"] = vector.reject.offset
    return {"reject": reject, "twin": None}


def _pieces(vector: Vector) -> list[list[str]]:
    return _labelled(vector, vector.pieces)


def _labelled(vector: Vector, pieces: Sequence[Piece]) -> list[list[str]]:
    """Bytes of the vector's type, in pieces, each labelled from the reference's spans."""
    data = b"".join(piece.data for piece in pieces)
    rows = flat(label_rows((Piece(data, ""),), data, vector.type, vector.dialect, vector.version))
    named = [[row.data.hex(), _once(row.label) or vector.type or ""] for row in rows if row.data]
    return named or [["", "nothing"]]


def _once(label: str) -> str:
    """A label without repeated words: a field's path and its span often have the same name."""
    return " ".join(dict.fromkeys(label.split()))


def _plain(pieces: Sequence[Piece]) -> list[list[str]]:
    """Bytes of another type than the vector's, as they are."""
    return [[piece.data.hex(), piece.label] for piece in pieces]


def _frame(data: bytes, label: str) -> list[list[str]]:
    return [[data.hex(), label]]


def _json(value: Any) -> Any:
    return to_json(plain(value))
