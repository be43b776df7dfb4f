"""Messages of magic 0 and 1, before record batches.

    MessageSet => *Entry                                    ; a partial last entry is dropped
    Entry      => offset:INT64 size:INT32 Message           ; size counts what follows it
    Message    => crc:UINT32 magic:INT8 attributes:INT8 [timestamp:INT64 ; magic 1] key:BYTES value:BYTES
    attributes => bits 0–2 codec, 3 timestamp type (magic 1); others are kept

`crc` is the CRC-32 of the bytes after it. A message with a codec is a wrapper: its value is a compressed MessageSet of
the same magic, without partial messages or wrappers. In magic 1 the inner offsets are relative: the last inner message
has the wrapper's offset.
Source: the Kafka protocol guide, Old Message Format; KIP-31, KIP-32; R-K-22, R-K-26, R-K-27, R-K-33, R-K-36.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import Any, Protocol

from wireproof.reference.cursor import Reader, Writer
from wireproof.reference.errors import DecodeError, EncodeError, Reason, join
from wireproof.reference.primitives import (
    INTEGERS,
    append_int8,
    append_int32,
    append_int64,
    append_uint32,
    integer,
    read_int8,
    read_int32,
    read_int64,
    read_uint32,
    read_window,
)
from wireproof.reference.records import LOG_APPEND_TIME, batch
from wireproof.reference.records.batch import demand_fields
from wireproof.reference.records.compression import LZ4, MASK, NAMES, CompressionError, deflate, inflate
from wireproof.reference.records.fields import (
    append_bytes,
    attributes_appender,
    check_crc,
    check_keys,
    read_bytes,
    read_length,
    sequence,
)
from wireproof.reference.rules import Rules

MAGICS = (0, 1)
_LEAST_OFFSET, _GREATEST_OFFSET = -(2**63), 2**63 - 1
#: By magic, the end of each field after `size`, with a null key and value. The last one is the least size of a message.
FIELD_ENDS = {0: (4, 5, 6, 10, 14), 1: (4, 5, 6, 14, 18, 22)}
#: By magic, what appends a message's attributes: bit 3 means something from magic 1 on.
_APPEND_ATTRIBUTES = {0: attributes_appender(append_int8, 0x07), 1: attributes_appender(append_int8, 0x0F)}
#: An entry that ends before its magic is partial.
UP_TO_MAGIC = 17


class ReadMessage(Protocol):
    """`read_message`, or a reader of another format's messages."""

    def __call__(self, reader: Reader, magic: int, path: str, *, inside: bool = False) -> dict[str, Any]: ...


class AppendMessage(Protocol):
    """`append_message`, or a writer of another format's messages."""

    def __call__(
        self, writer: Writer, value: Any, magic: int, path: str, *, inside: bool = False, base: int = 0
    ) -> None: ...


def read_message_set(reader: Reader, magic: int, path: str = "") -> list[dict[str, Any]]:
    """The messages of a set, all of this magic. A partial one at the end is dropped, unless its magic is there and
    unknown. Raises DecodeError."""
    entries: list[dict[str, Any]] = []
    while reader.remaining:
        where = f"{path}[{len(entries)}]"
        if is_partial(reader, where, FIELD_ENDS[magic][-1]):
            if reader.remaining >= UP_TO_MAGIC:
                known_magic(reader, where)
            drop_rest(reader, where)
            break
        entries += in_place(read_message(reader, magic, where), reader.rules)
    return entries


def in_place(message: dict[str, Any], rules: Rules) -> list[dict[str, Any]]:
    """R-K-33 ‡: a wrapper is kept; other: its messages stand in its place."""
    inner: list[dict[str, Any]] | None = message.get("messages")
    return [message] if inner is None or rules.wrapped_messages == "wrapper" else inner


def is_partial(reader: Reader, path: str, least: int) -> bool:
    """Whether the next entry is partial. An impossible size is refused as soon as it can be read."""
    if reader.remaining < 12:
        return True
    start = reader.pos
    size = int.from_bytes(reader.data[start + 8 : start + 12], "big", signed=True)
    if size < 0:
        note_head(reader, path, start + 12)
        raise reader.error(Reason.NEGATIVE_LENGTH, f"an entry of size {size}", start + 8)
    if size < least:
        ends = FIELD_ENDS[0] if least <= FIELD_ENDS[0][-1] else FIELD_ENDS[1]
        at = min(start + 12 + max((end for end in ends if end <= size), default=0), reader.end)
        note_head(reader, path, at)
        raise reader.error(Reason.TRUNCATED, f"size {size}; an entry has at least {least} bytes", at)
    if reader.remaining < UP_TO_MAGIC:
        return True
    return size > reader.remaining - 12


def known_magic(reader: Reader, path: str) -> int:
    """The next entry's magic, of any known format. At least `UP_TO_MAGIC` bytes must remain. Raises DecodeError."""
    at = reader.pos + UP_TO_MAGIC - 1
    magic = int.from_bytes(reader.data[at : at + 1], "big", signed=True)
    if magic not in (*MAGICS, batch.MAGIC):
        note_head(reader, path, at)
        raise reader.error(Reason.UNSUPPORTED_MAGIC, f"magic {magic}; there are 0, 1 and 2", at)
    return magic


def note_head(reader: Reader, path: str, fault: int) -> None:
    """Adds spans for an entry up to its fault, where the fault is found before the entry is read."""
    if reader.spans is not None:
        reader.path = join(path, "offset")
        read_int64(reader, "offset")
        reader.path = join(path, "size")
        read_int32(reader, "size")
        start = reader.pos
        if fault > start:
            reader.path = path
            reader.note(start, "what follows", reader.take(fault - start, start, "what follows"))
    reader.path = path


def drop_rest(reader: Reader, path: str) -> None:
    """Pass over a partial entry."""
    start = reader.pos
    rest = bytes(reader.take(reader.remaining, start, "partial entry"))
    reader.path = path
    reader.note(start, "partial entry, dropped", rest)


def read_message(
    reader: Reader, magic: int, path: str, *, inside: bool = False, opaque: bool = False
) -> dict[str, Any]:
    """One complete message. `inside`: it is in a wrapper, so it can't be one itself. `opaque`: a wrapper's value is
    kept as bytes."""
    reader.path = join(path, "offset")
    offset = read_int64(reader, "offset")
    reader.path = join(path, "size")
    size_at = reader.pos
    window = read_window(reader, read_int32, "size")
    window.path = join(path, "crc")
    crc_at = window.pos
    stored = read_uint32(window, "crc")
    computed = zlib.crc32(window.data[window.pos : window.end])
    window.path = join(path, "magic")
    magic_at = window.pos
    actual_magic = read_int8(window, "magic")
    if inside:
        magic = _inner_magic(window, actual_magic, magic, magic_at)
    elif actual_magic != magic:
        raise window.error(Reason.UNSUPPORTED_MAGIC, f"magic {actual_magic}; {magic} is expected", magic_at)
    window.path = join(path, "size")
    demand_fields(window, size_at + 4, FIELD_ENDS[magic])
    window.path = join(path, "crc")
    check_crc(window, crc_at, stored, computed)
    window.path = join(path, "attributes")
    attributes_at = window.pos
    attributes = read_int8(window, "attributes")
    codec = 0 if opaque else attributes & MASK
    if codec > LZ4:
        raise window.error(Reason.UNSUPPORTED_COMPRESSION, f"magic {magic} has no codec {codec}", attributes_at)
    message: dict[str, Any] = {"offset": offset, "attributes": attributes}
    if magic == 1:
        window.path = join(path, "timestamp")
        message["timestamp"] = read_int64(window, "timestamp")
    window.path = join(path, "key")
    message["key"] = read_bytes(window, read_int32)
    window.path = join(path, "value")
    if codec and inside:
        raise window.error(Reason.INVALID_WRAPPER, "a wrapper inside a wrapper", attributes_at)
    if codec:
        message["messages"] = read_wrapped(window, codec, magic, offset, join(path, "messages"), read_message)
        if window.rules.log_append_time == "outer" and magic == 1 and attributes & LOG_APPEND_TIME:  # R-K-36 ‡, other
            for inner in message["messages"]:
                if "timestamp" in inner:
                    inner["timestamp"] = message["timestamp"]
    else:
        message["value"] = read_bytes(window, read_int32)
    window.path = join(path, "size")
    window.demand_end(Reason.LENGTH_MISMATCH, "the message", size_at)
    return message


def _inner_magic(window: Reader, actual_magic: int, magic: int, at: int) -> int:
    """The magic of an inner message. R-K-27 ‡: it is its wrapper's; other: it may be the other one."""
    if actual_magic != magic and (actual_magic not in MAGICS or window.rules.inner_magic == "same"):
        raise window.error(Reason.INVALID_WRAPPER, f"magic {actual_magic} inside a wrapper of magic {magic}", at)
    return actual_magic


def read_wrapped(
    window: Reader, codec: int, magic: int, offset: int, path: str, read: ReadMessage
) -> list[dict[str, Any]]:
    """The messages inside a wrapper, read by `read`, with absolute offsets (from magic 1 on the stored ones are
    relative). A fault inside has the offset of the content's start."""
    length_at = window.pos
    length = read_length(window, read_int32)
    if not length:
        raise window.error(Reason.INVALID_WRAPPER, "a wrapper without content", length_at)
    start = window.pos
    packed = bytes(window.take(length, start, "content"))
    try:
        content = inflate(codec, packed, window.rules, magic)
        messages = _read_inner(Reader(content, window.rules), magic, offset, path, read)
    except CompressionError as error:
        raise window.error(error.reason, error.detail, start) from None
    except DecodeError as error:
        error.offset = start  # bytes inside of compressed content have no offset of their own
        raise
    window.note(start, f"{NAMES[codec]} content", content)
    return messages


def _read_inner(reader: Reader, magic: int, offset: int, path: str, read: ReadMessage) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    while reader.remaining:
        where = f"{path}[{len(messages)}]"
        if reader.rules.inner_partial == "dropped" and is_partial(reader, where, FIELD_ENDS[0][-1]):
            break
        messages.append(read(reader, magic, where, inside=True))
    reader.path = path
    if not messages:
        raise reader.error(Reason.INVALID_WRAPPER, "a wrapper without messages", 0)
    if magic != 0 and offset != 0:
        base = offset - messages[-1]["offset"]
        if base < 0:
            detail = f"its offset {offset} is below that of its last message, {messages[-1]['offset']}"
            raise reader.error(Reason.INVALID_WRAPPER, detail, 0)
        for message in messages:
            message["offset"] += base
            if message["offset"] > _GREATEST_OFFSET:
                detail = f"a message in it has the offset {message['offset']}, which is no INT64"
                raise reader.error(Reason.INVALID_WRAPPER, detail, 0)
    return messages


def append_message_set(writer: Writer, value: Any, magic: int, path: str = "") -> None:
    """Append messages, all of this magic. Raises EncodeError."""
    for index, message in enumerate(sequence(value, path)):
        append_message(writer, message, magic, f"{path}[{index}]")


def append_message(
    writer: Writer, value: Any, magic: int, path: str, *, inside: bool = False, base: int = 0, opaque: bool = False
) -> None:
    """Append one message. `base`: its offset is written relative to this. `opaque`: a wrapper has its value as
    bytes."""
    wrapper = not opaque and isinstance(value, dict) and "messages" in value
    check_keys(
        value, ("offset", "attributes", *(["timestamp"] * magic), "key", "messages" if wrapper else "value"), path
    )
    covered = writer.inner()
    append_int8(covered, magic)
    covered.path = join(path, "attributes")
    attributes = value.get("attributes", 0)
    _APPEND_ATTRIBUTES[magic](covered, attributes)
    codec = 0 if opaque else attributes & MASK
    if codec > LZ4:
        raise EncodeError(Reason.UNSUPPORTED_COMPRESSION, f"magic {magic} has no codec {codec}", covered.path)
    if bool(codec) != wrapper or (wrapper and inside):
        what = "a wrapper inside a wrapper" if inside and wrapper else "a codec and `messages` belong together"
        raise EncodeError(Reason.INVALID_WRAPPER, what, path)
    if magic == 1:
        covered.path = join(path, "timestamp")
        append_int64(covered, value.get("timestamp", 0))
    append_bytes(covered, value.get("key"), join(path, "key"), append_int32)
    if wrapper:
        content = wrapped(writer, value, magic, join(path, "messages"), append_message)
        append_bytes(covered, deflate(codec, content, magic), join(path, "value"), append_int32)
    else:
        append_bytes(covered, value.get("value"), join(path, "value"), append_int32)
    append_int64(writer, offset_of(writer, value, path) - base)
    writer.path = join(path, "size")
    append_int32(writer, 4 + len(covered.out))
    append_uint32(writer, zlib.crc32(covered.out))
    writer.out += covered.out


def offset_of(writer: Writer, message: Mapping[str, Any], path: str) -> int:
    """A message's offset, or an EncodeError."""
    writer.path = join(path, "offset")
    return integer(writer, message.get("offset", 0), "offset", *INTEGERS["INT64"])


def wrapped(writer: Writer, value: Any, magic: int, path: str, append: AppendMessage) -> bytes:
    """The messages of a wrapper, written by `append`, before compression.

    From magic 1 on their offsets are relative to the first one's. They are written as they are where the wrapper's
    offset is 0, or where such a difference would be too large: a reader adds what the last one's lacks of the
    wrapper's, never less than 0."""
    messages = sequence(value["messages"], path)
    if not messages:
        raise EncodeError(Reason.INVALID_WRAPPER, "a wrapper without messages", path)
    base = 0
    if magic != 0 and value.get("offset", 0) != 0:
        offsets = [
            offset_of(writer, message, f"{path}[{index}]")
            for index, message in enumerate(messages)
            if isinstance(message, Mapping)
        ]
        if offsets and offsets[-1] != value["offset"]:
            detail = f"its offset {value['offset']} is not that of its last message, {offsets[-1]}"
            raise EncodeError(Reason.INVALID_WRAPPER, detail, path)
        if offsets and offsets[0] >= 0 and min(offsets) - offsets[0] >= _LEAST_OFFSET:
            base = offsets[0]
    inner = writer.inner()
    for index, message in enumerate(messages):
        append(inner, message, magic, f"{path}[{index}]", inside=True, base=base)
    return bytes(inner.out)
