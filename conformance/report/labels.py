"""The names of bytes in a report: from the vector's own pieces, else from the reference's spans."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from wireproof.conformance.report.hexview import Row, piece_rows, rest_label, span_rows
from wireproof.reference.cursor import Span
from wireproof.reference.errors import DecodeError, WireError

if TYPE_CHECKING:  # their packages cost more than `wireproof explain` needs
    from wireproof.conformance.model import Case
    from wireproof.conformance.vectors import Piece


def explained(
    type_name: str | None, data: bytes, dialect: str, version: int | None
) -> tuple[tuple[Span, ...], object, DecodeError | None]:
    """`reference.explain` for a report: types that the reference does not know have no spans, and are no error."""
    from wireproof.conformance.oracle.codec import reference_codec  # imported late: a simple report does not need it

    if type_name is None:
        return (), None, None
    try:
        explanation = reference_codec().explain(type_name, data, dialect=dialect, version=version)
    except (NotImplementedError, WireError):
        return (), None, None
    return explanation.spans, explanation.value, explanation.error


def completed(type_name: str | None, value: object, dialect: str, version: int | None) -> object:
    """The value with its defaults filled in, as the judge compares it; unchanged for an unknown type."""
    from wireproof.conformance.oracle.codec import reference_codec

    try:
        return reference_codec().complete(type_name or "", value, dialect=dialect, version=version)
    except (NotImplementedError, WireError):
        return value


def label_rows(
    pieces: Sequence[Piece], data: bytes, type_name: str | None, dialect: str, version: int | None
) -> list[Row]:
    """Rows for `data`, named by the pieces; without labels (in a generated vector) by the reference's spans."""
    if any(piece.label for piece in pieces) and b"".join(piece.data for piece in pieces) == data:
        return piece_rows(pieces)
    spans, _, _ = explained(type_name, data, dialect, version)
    if spans:
        return rows_of(spans, data)
    return [Row(0, data, "")] if data else []


def named_pieces(pieces: Sequence[Piece], case: Case) -> Sequence[Piece]:
    """The pieces if a person named them; none for a generated case, whose spans have better names."""
    return () if case.generated else pieces


def rows_of(spans: Sequence[Span], data: bytes) -> list[Row]:
    """Rows of the spans, and a last row for bytes after them."""
    rows = span_rows(spans, data)
    covered = max((span.end for span in spans), default=0)
    if covered < len(data):
        rows.append(Row(covered, data[covered:], rest_label(spans)))
    return rows


def flat(rows: Sequence[Row]) -> list[Row]:
    """Rows without headings, each with its whole path as label: for layouts without indentation."""
    return [
        Row(row.offset, row.data, " ".join(part for part in (row.path or row.label, row.what) if part))
        for row in rows
        if row.offset is not None
    ]
