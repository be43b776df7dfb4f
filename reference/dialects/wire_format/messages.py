"""Message sets of Kafka 0.7, which the proposals carry.

    message_set => *( size:INT32 message )      ; size counts the message
    message     => magic:INT8=0 crc:UINT32 payload
                 | magic:INT8=1 attributes:INT8 crc:UINT32 payload
    attributes  => bits 0–1 codec: 0 none, 1 gzip, 2 snappy; others are kept

`crc` is the CRC-32 of the payload alone. The payload of a message with a codec is a compressed message_set, which is
kept as bytes (R-WF-14 ‡, other: it is read, as Kafka 0.7's deep iterator did).

Source: Kafka 0.7's message format; R-WF-10, R-WF-14.
"""

from __future__ import annotations

import zlib
from typing import Any

from wireproof.reference.cursor import Reader, Writer
from wireproof.reference.errors import DecodeError, EncodeError, Reason, join, shown
from wireproof.reference.primitives import (
    append_int8,
    append_int32,
    append_uint32,
    read_int8,
    read_int32,
    read_uint32,
    read_window,
)
from wireproof.reference.records.fields import attributes_appender, bytes_of, check_crc, check_keys, sequence
from wireproof.reference.rules import Rules

MAGICS = (0, 1)
#: Bits 0–1 of the attributes.
CODEC = 0x03
#: The other bits are kept (R-WF-24 ‡, other: written as 0).
_append_attributes = attributes_appender(append_int8, CODEC)
NONE, GZIP, SNAPPY = 0, 1, 2
PARTIAL = "partial"
#: The size of the field `size`.
_SIZE = 4

_NO_MAGIC = "magic {}; there are 0 and 1"
_NO_CODEC = "codec 3; there are 0 (none), 1 (gzip) and 2 (snappy)"
#: The maximum depth of nested wrappers: a few bytes can be a wrapper that contains itself without end.
_DEEPEST = 8


def guarded(data: bytes) -> range:
    """The range of the first message's CRC and payload, in valid bytes."""
    size, magic = int.from_bytes(data[:4], "big"), data[4]
    return range(6 if magic else 5, 4 + size)


def read_message_set(
    reader: Reader, *, depth: int = 0, whole: bool = False, checked: bool = True
) -> list[dict[str, Any]]:
    """Messages up to the reader's end: {"magic", "attributes" (magic 1), "payload"} each, and {"partial"} for one that
    was cut off (R-WF-19 ‡, others: left out, refused). `depth`: the number of wrappers around; `whole`: a partial
    message is refused; `checked`: CRCs are. Raises DecodeError."""
    messages: list[dict[str, Any]] = []
    residue = depth > 0 or reader.rules.first_residue == "kept"
    while reader.remaining:
        reader.steps.append(len(messages))
        behind = not (whole or (depth == 0 and reader.rules.partial_message == "refused")) and (
            bool(messages) or (residue and reader.remaining < _SIZE)
        )
        if behind and is_partial(reader.peek(_SIZE), reader.remaining):
            partial = _read_partial(reader)
            if depth or reader.rules.partial_message != "dropped":
                messages.append({PARTIAL: partial})
        else:
            messages.append(_read_message(reader, depth, checked))
        reader.steps.pop()
    return messages


def is_partial(size: bytes, there: int) -> bool:
    """Whether a message, with its size field, needs more than the `there` bytes left. `size`: the first four bytes, or
    fewer at the end."""
    return there < _SIZE or int.from_bytes(size, signed=True) > there - _SIZE


def _read_partial(reader: Reader) -> bytes:
    start = reader.pos
    rest = reader.take(reader.remaining, start, "partial message")
    reader.note(start, "partial message", rest)
    return rest


def _read_message(reader: Reader, depth: int, checked: bool) -> dict[str, Any]:
    steps = reader.steps
    steps.append("size")
    size_at = reader.pos
    window = read_window(reader, read_int32, "size")
    steps[-1] = "magic"
    start = window.pos
    magic = read_int8(window, "magic")
    if magic not in MAGICS:
        raise window.error(Reason.UNSUPPORTED_MAGIC, _NO_MAGIC.format(magic), start)
    message: dict[str, Any] = {"magic": magic}
    if magic == 1:
        message["attributes"] = _read_attributes(window)
    message["payload"] = _read_payload(window, checked)
    codec = message.get("attributes", 0) & CODEC
    if codec and window.rules.wrappers == "read":
        steps[-1] = "payload"
        _look_inside(window, codec, message["payload"], size_at, depth)
    steps.pop()
    return message


def _read_attributes(window: Reader) -> int:
    window.steps[-1] = "attributes"
    start = window.pos
    attributes = read_int8(window, "attributes")
    if attributes & CODEC > SNAPPY:
        raise window.error(Reason.UNSUPPORTED_COMPRESSION, _NO_CODEC, start)
    return attributes


def _read_payload(window: Reader, checked: bool) -> bytes:
    """Reads crc and payload: the rest of the message."""
    window.steps[-1] = "crc"
    crc_at = window.pos
    stored = read_uint32(window, "crc")
    if checked:
        check_crc(window, crc_at, stored, zlib.crc32(window.peek(window.remaining)))
    window.steps[-1] = "payload"
    start = window.pos
    payload = window.take(window.remaining, start, "payload")
    if payload:
        window.note(start, "payload", payload)
    return payload


def _look_inside(window: Reader, codec: int, payload: bytes, size_at: int, depth: int) -> None:
    """Refuse a wrapper whose content is no message set. Bytes inside have no offset of their own, so the error has the
    offset of the content; without content, of the size."""
    if not payload:
        raise window.error(Reason.INVALID_WRAPPER, "a wrapper without content", size_at)
    try:
        unwrap(codec, payload, window.rules, depth)
    except DecodeError as error:
        path = f"{window.path}{error.path}"
        raise DecodeError(error.reason, error.detail, window.pos - len(payload), path) from None


def unwrap(codec: int, payload: bytes, rules: Rules, depth: int = 0) -> list[dict[str, Any]]:
    """The messages inside of a wrapper at this depth. Raises DecodeError; its offset is in the inflated content."""
    from wireproof.reference.records.compression import (  # slow to import, and only needed for wrappers
        CompressionError,
        inflate,
    )

    if depth == _DEEPEST:
        raise DecodeError(Reason.RESOURCE_LIMIT, f"more than {_DEEPEST} wrappers inside of each other", 0)
    try:
        content = Reader(inflate(codec, payload, rules), rules)
    except CompressionError as error:
        raise DecodeError(error.reason, error.detail, 0) from None
    return read_message_set(content, depth=depth + 1)


def append_message_set(writer: Writer, value: Any, path: str = "", *, whole: bool = False) -> None:
    """Append messages; the last one may be partial, unless all have to be `whole`. Raises EncodeError."""
    messages = sequence(value, path)
    for index, message in enumerate(messages):
        where = f"{path}[{index}]"
        if isinstance(message, dict) and PARTIAL in message:
            check_keys(message, (PARTIAL,), where)
            if whole or writer.rules.partial_message == "refused":
                raise EncodeError(Reason.TRUNCATED, "a partial message", where)
            if index != len(messages) - 1:
                raise EncodeError(Reason.TRUNCATED, "a partial message stands last", where)
            _append_partial(writer, message[PARTIAL], join(where, PARTIAL), first=index == 0)
        else:
            _append_message(writer, message, where)


def _append_partial(writer: Writer, value: Any, path: str, *, first: bool) -> None:
    data = _bytes_of(value, path)
    if first and not (writer.rules.first_residue == "kept" and len(data) < _SIZE):
        raise EncodeError(Reason.TRUNCATED, "a partial message stands behind a whole one", path)
    if not data or not is_partial(data[:4], len(data)):
        detail = f"{len(data)} bytes, which are no part of a message: it would need more of them"
        raise EncodeError(Reason.LENGTH_MISMATCH, detail, path)
    writer.out += data


def _bytes_of(value: Any, path: str) -> bytes:
    if value is None:
        raise EncodeError(Reason.NULL_NOT_ALLOWED, "these bytes have no null", path)
    return bytes_of(value, path)


def _append_message(writer: Writer, value: Any, path: str) -> None:
    check_keys(value, ("magic", "attributes", "payload"), path)
    magic, attributes = value.get("magic"), value.get("attributes", 0)
    inner = writer.inner()
    inner.path = join(path, "magic")
    append_int8(inner, magic)
    if magic not in MAGICS:
        raise EncodeError(Reason.UNSUPPORTED_MAGIC, _NO_MAGIC.format(shown(magic)), inner.path)
    inner.path = join(path, "attributes")
    if magic == 1:
        _append_attributes(inner, attributes)
        if attributes & CODEC > SNAPPY:
            raise EncodeError(Reason.UNSUPPORTED_COMPRESSION, _NO_CODEC, inner.path)
    elif attributes != 0:
        raise EncodeError(Reason.FIELD_NOT_IN_VERSION, "magic 0 has no attributes", inner.path)
    payload = _bytes_of(value.get("payload", b""), join(path, "payload"))
    if attributes & CODEC and writer.rules.wrappers == "read":
        _check_wrapper(writer, attributes & CODEC, payload, join(path, "payload"))
    append_uint32(inner, zlib.crc32(payload))
    inner.out += payload
    writer.path = join(path, "size")
    append_int32(writer, len(inner.out))
    writer.out += inner.out


def _check_wrapper(writer: Writer, codec: int, payload: bytes, path: str) -> None:
    """Refuse a wrapper that a reader would refuse."""
    if not payload:
        raise EncodeError(Reason.INVALID_WRAPPER, "a wrapper without content", path)
    try:
        unwrap(codec, payload, writer.rules)
    except DecodeError as error:
        raise EncodeError(error.reason, error.detail, f"{path}{error.path}") from None
