"""Reads and writes the count of a record's headers as an INT32."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, only
from wireproof.reference import decode as _decode
from wireproof.reference import encode as _encode

_AREAS = ("header-multimaps", "varints", "null-encodings", "resource-limits")
PRODUCES: Produces = frozenset(
    {("header-multimaps", "fail", "accepted-invalid")}
    | {(area, "fail", kind) for area in _AREAS for kind in ("refused-valid", "wrong-bytes")}
)

types = only("Record")


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    length, start = _number(data, 0)
    at = _count_at(data, start)
    if length != len(data) - start or at + 4 > len(data):
        raise ValueError("the record ends before its count of headers, or goes on behind its length")
    fields = data[start:at] + _varint(int.from_bytes(data[at : at + 4], "big", signed=True)) + data[at + 4 :]
    return _decode(type, _varint(len(fields)) + fields, dialect=dialect, version=version)


def encode(type: str, value: Any, *, dialect: str, version: int | None = None) -> bytes:
    data = _encode(type, value, dialect=dialect, version=version)
    _, start = _number(data, 0)
    at = _count_at(data, start)
    count, end = _number(data, at)
    fields = data[start:at] + count.to_bytes(4, "big") + data[end:]
    return _varint(len(fields)) + fields


def _count_at(data: bytes, start: int) -> int:
    """Where the count stands: behind attributes, two deltas, key and value."""
    at = start + 1
    for _ in range(2):
        _, at = _number(data, at)
    for _ in range(2):
        size, at = _number(data, at)
        at += max(size, 0)
    return at


def _number(data: bytes, at: int) -> tuple[int, int]:
    """The VARLONG at a place, and the place behind it. Raises WireError."""
    end = next((end for end in range(at, len(data)) if data[end] < 0x80), len(data)) + 1
    number: int = _decode("VARLONG", data[at:end], dialect="kafka")
    return number, end


def _varint(number: int) -> bytes:
    return _encode("VARINT", number, dialect="kafka")
