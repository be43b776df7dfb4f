"""Bytes that have to be refused, made valid: to see whether what is wrong has another cause than the missing refusal.

The reference tells where it stops reading. There a text or a length is changed, or the rest is cut off, and the bytes
are read again, until they can be read to their end. Only messages are repaired: what stands in a batch of records is
known by its checksum, and may be compressed.
"""

from __future__ import annotations

from collections.abc import Iterator

from wireproof.conformance.oracle.codec import reference_codec
from wireproof.reference.codec import Codec, NodeCodec, decode
from wireproof.reference.errors import DecodeError, Reason
from wireproof.reference.rules import DEMANDED

#: The most faults that are repaired in one input.
_FAULTS = 8
#: What stands for a length or a count: of a classic type (INT16, INT32) nothing, of a compact one nothing.
_EMPTY = (bytes(2), bytes(4), b"\x01")
_PLAIN_LETTER = b"a"
_MORE = 0x80


def repaired(data: bytes, dialect: str, type_name: str, version: int | None) -> bytes | None:
    """The bytes without what has to be refused in them. None if they are valid, or are not understood."""
    codec = reference_codec().dialect(dialect).codec(type_name, version)
    if type(codec) is not NodeCodec:
        return None
    first = fault = _fault(codec, data)
    for _ in range(_FAULTS):
        if fault is None:
            return None if first is None else data
        at, reason = fault
        # A repair that is none leaves the fault where it is, or makes one before it.
        for tried in _repairs(data, at, reason):
            then = _fault(codec, tried)
            if then is None or then[0] > at:
                data, fault = tried, then
                break
        else:
            return None
    return None


def _fault(codec: Codec, data: bytes) -> tuple[int, Reason] | None:
    """Where the reference refuses the bytes, and why; None if it reads them."""
    try:
        decode(codec, data, DEMANDED)
    except DecodeError as error:
        return error.offset or 0, error.reason
    return None


def _repairs(data: bytes, at: int, reason: Reason) -> Iterator[bytes]:
    if reason is Reason.TRAILING_BYTES:
        yield data[:at]
    elif reason is Reason.INVALID_UTF8:
        for start, end in _texts(data, at):
            yield data[:start] + _PLAIN_LETTER * (end - start) + data[end:]
    else:
        for empty in _EMPTY:
            yield data[:at] + empty + data[at + len(empty) :]


def _texts(data: bytes, at: int) -> Iterator[tuple[int, int]]:
    """Where the text with a length at `at` starts and ends: a STRING's (INT16), then a COMPACT_STRING's (varint, one
    more than the length). No text ends behind the bytes."""
    start = at + 2
    yield start, min(start + int.from_bytes(data[at:start], "big"), len(data))
    length = shift = 0
    for index, byte in enumerate(data[at : at + 5]):
        length |= (byte & ~_MORE) << shift
        shift += 7
        if not byte & _MORE:
            start = at + index + 1
            yield start, min(start + length - 1, len(data))
