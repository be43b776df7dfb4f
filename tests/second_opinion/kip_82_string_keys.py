"""KIP-82 with string keys, declared from its page, its rulings and KIP-98's draft batch header."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from construct import (
    Byte,
    Check,
    Const,
    Construct,
    ConstructError,
    ExprAdapter,
    GreedyBytes,
    GreedyRange,
    If,
    Int8sb,
    Int16sb,
    Int32sb,
    Int32ub,
    Int64sb,
    PascalString,
    Prefixed,
    RawCopy,
    Rebuild,
    RepeatUntil,
    Struct,
    Terminated,
    obj_,
    this,
)


class RefusedError(ValueError):
    """These bytes are not what the draft says."""


def _number(octets: Sequence[int]) -> int:
    groups = [(octet & 0x7F) << 7 * place for place, octet in enumerate(octets)]
    return sum(groups)


def _octets(number: int) -> list[int]:
    groups = [number & 0x7F]
    while number := number >> 7:
        groups.append(number & 0x7F)
    return [*(group | 0x80 for group in groups[:-1]), groups[-1]]


def _leb128(width: int) -> Construct:
    """Groups of seven bits, the least significant first; so many as the width needs, and no bit above it."""
    most = (width + 6) // 7
    fields = Struct(
        "octets" / RepeatUntil(obj_ < 0x80, Byte),
        Check(lambda found: len(found.octets) <= most and _number(found.octets) < 1 << width),
    )
    return ExprAdapter(fields, lambda found, _: _number(found.octets), lambda number, _: {"octets": _octets(number)})


#: `uintVar`, of 32 bits.
UINT_VAR = _leb128(32)
#: `intVar`, of 64 bits: 0, -1, 1, -2 … stand as 0, 1, 2, 3 …
INT_VAR = ExprAdapter(
    _leb128(64),
    lambda found, _: -(found + 1 >> 1) if found % 2 else found >> 1,
    lambda number, _: -2 * number - 1 if number < 0 else 2 * number,
)

#: What the length leaves after the key is the value: it has no length of its own.
HEADER = ExprAdapter(
    Prefixed(UINT_VAR, Struct("key" / PascalString(UINT_VAR, "utf8"), "value" / GreedyBytes)),
    lambda found, _: [found.key, found.value],
    lambda pair, _: {"key": pair[0], "value": pair[1]},
)
#: As many as there are.
HEADERS = GreedyRange(HEADER)


def _presence(message: Any) -> int:
    """The attributes of a message that is written: 1 marks a null key, 2 a null value."""
    nulls = (message.key is None) | (message.value is None) << 1
    return int(message.attributes) & ~3 | nulls


MESSAGE = Prefixed(
    UINT_VAR,
    Struct(
        "attributes" / Rebuild(Int8sb, _presence),
        "timestampDelta" / INT_VAR,
        "offsetDelta" / UINT_VAR,
        "key" / If(this.attributes & 1 == 0, Prefixed(UINT_VAR, GreedyBytes)),
        "value" / If(this.attributes & 2 == 0, Prefixed(UINT_VAR, GreedyBytes)),
        "headers" / HEADERS,
        Terminated,
    ),
)

_COVERED = Struct(
    Const(2, Int8sb),
    "attributes" / Int16sb,
    Check(this.attributes & 7 == 0),
    "lastOffsetDelta" / Int32sb,
    "firstTimestamp" / Int64sb,
    "maxTimestamp" / Int64sb,
    "pid" / Int64sb,
    "epoch" / Int16sb,
    "firstSequence" / Int32sb,
    "records" / GreedyRange(MESSAGE),
    Terminated,
)
#: The CRC-32 is that of all that follows it, from the magic on.
_LAID_OUT = Struct(
    "firstOffset" / Int64sb,
    "rest"
    / Prefixed(
        Int32sb,
        Struct(
            "crc" / Rebuild(Int32ub, lambda found: zlib.crc32(_COVERED.build(found.covered["value"]))),
            "covered" / RawCopy(_COVERED),
            Check(lambda found: zlib.crc32(found.covered.data) == found.crc),
            Terminated,
        ),
    ),
)
BATCH = ExprAdapter(
    _LAID_OUT,
    lambda found, _: {"firstOffset": found.firstOffset, **found.rest.covered.value},
    lambda batch, _: {"firstOffset": batch["firstOffset"], "rest": {"covered": {"value": batch}}},
)

TYPES: Mapping[str, Construct] = {
    "UVARINT": UINT_VAR,
    "INTVAR": INT_VAR,
    "HEADER": HEADER,
    "HEADERS": HEADERS,
    "MESSAGE": MESSAGE,
    "BATCH": BATCH,
}


def decode(type_name: str, data: bytes) -> Any:
    """Raises RefusedError."""
    try:
        return _plain(Struct("it" / TYPES[type_name], Terminated).parse(data).it)
    except (ConstructError, UnicodeDecodeError) as error:
        raise RefusedError(str(error)) from error


def encode(type_name: str, value: Any) -> bytes:
    return bytes(TYPES[type_name].build(value))


def lookup(type_name: str, data: bytes, key: str) -> list[bytes]:
    """All values of a header key, in order."""
    found = decode(type_name, data)
    return [value for name, value in (found["headers"] if type_name == "MESSAGE" else found) if name == key]


def _plain(found: Any) -> Any:
    """construct's containers as dicts, without its own `_io`."""
    if isinstance(found, Mapping):
        return {key: _plain(value) for key, value in found.items() if key != "_io"}
    return [_plain(item) for item in found] if isinstance(found, list) else found
