"""What the bytes of a report are called: by the vector's own pieces, else by the reference's spans."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from conformance.report.hexview import Row, piece_rows, rest_label, span_rows
from reference.cursor import Span
from reference.errors import DecodeError, WireError

if TYPE_CHECKING:  # their packages cost more than `wireproof explain` needs
    from conformance.model import Case
    from conformance.vectors import Piece


def explained(
    type_name: str | None, data: bytes, dialect: str, version: int | None
) -> tuple[tuple[Span, ...], object, DecodeError | None]:
    """`reference.explain` for a report: what the reference does not know has no spans, and is no error here."""
    from conformance.reference_codec import reference_codec  # here, because it costs what a plain report does not need

    if type_name is None:
        return (), None, None
    try:
        found = reference_codec().explain(type_name, data, dialect=dialect, version=version)
    except (NotImplementedError, WireError):
        return (), None, None
    return found.spans, found.value, found.error


def completed(type_name: str | None, value: object, dialect: str, version: int | None) -> object:
    """The value with its defaults filled in, as the judge compares it; as it is where there is no such type."""
    from conformance.reference_codec import reference_codec

    try:
        return reference_codec().complete(type_name or "", value, dialect=dialect, version=version)
    except (NotImplementedError, WireError):
        return value


def label_rows(
    pieces: Sequence[Piece], data: bytes, type_name: str | None, dialect: str, version: int | None
) -> list[Row]:
    """Rows for `data`. A generated vector has no labelled pieces: then the spans name its bytes."""
    if any(piece.label for piece in pieces) and b"".join(piece.data for piece in pieces) == data:
        return piece_rows(pieces)
    spans, _, _ = explained(type_name, data, dialect, version)
    if spans:
        return rows_of(spans, data)
    return [Row(0, data, "")] if data else []


def named_pieces(pieces: Sequence[Piece], case: Case) -> Sequence[Piece]:
    """The pieces, where a person named them: those of a generated case are not worth more than the spans."""
    return () if case.id.startswith("gen/") else pieces


def rows_of(spans: Sequence[Span], data: bytes) -> list[Row]:
    """Span rows, and a last one for the bytes that no span covers."""
    rows = span_rows(spans, data)
    covered = max((span.end for span in spans), default=0)
    if covered < len(data):
        rows.append(Row(covered, data[covered:], rest_label(spans)))
    return rows


def flat(rows: Sequence[Row]) -> list[Row]:
    """Rows without headings, each under its whole path: for columns where there is no room to indent."""
    return [
        Row(row.offset, row.data, " ".join(part for part in (row.path or row.label, row.what) if part))
        for row in rows
        if row.offset is not None
    ]
