"""The headers of a message: a map from int32 keys to bytes.

    Headers => *( Key:INT32 ValueLength:INT32 Value )       ; no count: to the end of the window; keys ascend

Source: KIP-82 with int keys, Wire protocol of the headers bytes; R-82i-3, R-82i-4, R-82i-10.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wireproof.reference.cursor import Reader, Writer
from wireproof.reference.errors import EncodeError, Reason, join, shown
from wireproof.reference.primitives import append_int32
from wireproof.reference.records.fields import append_bytes, bytes_of, sequence
from wireproof.reference.rules import Rules

Header = tuple[int, bytes]
#: A header as it is read; its value may be null under R-82i-4's other reading.
ReadHeader = tuple[int, bytes | None]


def rank(key: int, rules: Rules) -> int:
    """The sort order of a key (R-82i-3 ‡: as a signed number; other: as an unsigned one)."""
    return key if rules.int_key_order == "signed" else key & 0xFFFFFFFF


def read_headers(reader: Reader, path: str = "") -> list[ReadHeader]:
    """All headers up to the reader's end. Raises DecodeError."""
    return list(_each(reader, None, path))


def headers_up_to(reader: Reader, last: int, path: str = "") -> list[ReadHeader]:
    """The headers with keys up to `last`. Reading stops at the first greater key (R-82i-10 ‡), and faults after it stay
    unseen (others: all headers are read; reading stops behind `last` itself). Raises DecodeError."""
    if reader.rules.behind_the_key == "read":
        wanted = rank(last, reader.rules)
        return [header for header in read_headers(reader, path) if rank(header[0], reader.rules) <= wanted]
    return list(_each(reader, last, path))


def _each(reader: Reader, last: int | None, path: str) -> Iterator[ReadHeader]:
    before: int | None = None
    count = 0
    while reader.remaining:
        where = f"{path}[{count}]"
        reader.path = join(where, "key")
        at = reader.pos
        key = _read_int32(reader, "key")
        if before is not None and rank(key, reader.rules) <= rank(before, reader.rules):
            reason = Reason.KEY_DUPLICATE if key == before else Reason.KEY_ORDER
            raise reader.error(reason, f"key {key} stands behind {before}; keys ascend, and none comes twice", at)
        if last is not None and rank(key, reader.rules) > rank(last, reader.rules):
            return
        reader.path = join(where, "value")
        yield key, _read_value(reader)
        if key == last and reader.rules.behind_the_key == "unread-at-once":
            return
        before = key
        count += 1


def _read_int32(reader: Reader, what: str) -> int:
    """Reads these four bytes and no others."""
    start = reader.pos
    value = int.from_bytes(reader.take(4, start, what), "big", signed=True)
    reader.note(start, what, value)
    return value


def _read_value(reader: Reader) -> bytes | None:
    start = reader.pos
    length = _read_int32(reader, "length")
    if length == -1 and reader.rules.header_value_null == "null":
        return None
    if length < 0:
        reason = Reason.NULL_NOT_ALLOWED if length == -1 else Reason.NEGATIVE_LENGTH
        raise reader.error(reason, f"length {length}; a header's value is never null", start)
    at = reader.pos
    value = bytes(reader.take(length, start, "value"))
    if length:
        reader.note(at, "bytes", value)
    return value


def append_headers(writer: Writer, value: Any, path: str = "") -> None:
    """Append headers, sorted by key. Raises EncodeError."""
    by_key: dict[int, bytes | None] = {}
    for index, pair in enumerate(sequence(value, path)):
        where = f"{path}[{index}]"
        key, content = _with_null(pair, where) if writer.rules.header_value_null == "null" else checked(pair, where)
        if key in by_key and writer.rules.int_key_twice == "refused":
            raise EncodeError(Reason.KEY_DUPLICATE, f"key {key} comes twice; the headers are a map", where)
        by_key[key] = content
    for key in sorted(by_key, key=lambda key: rank(key, writer.rules)):
        writer.path = path
        append_int32(writer, key)
        append_bytes(writer, by_key[key], path, append_int32)


def _with_null(pair: Any, path: str) -> ReadHeader:
    """A header's key and value, which may be null. Raises EncodeError."""
    if isinstance(pair, (list, tuple)) and len(pair) == 2 and pair[1] is None:
        return checked((pair[0], b""), path)[0], None
    return checked(pair, path)


def checked(pair: Any, path: str = "") -> Header:
    """A header's key and value. Raises EncodeError for other types or numbers."""
    if not isinstance(pair, (list, tuple)) or len(pair) != 2:
        raise EncodeError(Reason.OUT_OF_RANGE, f"a header is a list of two, key and value, not {shown(pair)}", path)
    key, value = pair
    if not isinstance(key, int) or isinstance(key, bool) or not -(2**31) <= key < 2**31:
        raise EncodeError(Reason.OUT_OF_RANGE, f"{shown(key)} is no int32", join(path, "key"))
    if value is None:
        raise EncodeError(Reason.NULL_NOT_ALLOWED, "a header's value is never null", join(path, "value"))
    return key, bytes_of(value, join(path, "value"))
