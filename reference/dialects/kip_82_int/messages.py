"""Messages with headers: the draft's magic 2, beside the older magic 0 and 1.

    MessageSet       => *MessageAndOffset                                   ; a partial last one is dropped
    MessageAndOffset => Offset:INT64 MessageSize:INT32 Message              ; the size counts what follows it
    Message          => Crc:UINT32 MagicByte:INT8=2 Attributes:INT8 Timestamp:INT64 Key:BYTES
                        [HeadersLength:INT32 Headers] Value:BYTES           ; iff bit 4 of the attributes
    attributes       => bits 0–2 codec, 3 timestamp type, 4 headers; others are kept

`Crc` is the CRC-32 of all bytes after it. A message with a codec is a wrapper, as in magic 1: its value is a compressed
MessageSet, whose messages carry headers (R-82i-11 ‡, other: bytes that are not decompressed). Without headers a message
is as long as one of magic 1.
Source: KIP-82 with int keys, Wire protocol change; R-82i-1 to R-82i-6, R-82i-11 to R-82i-13.
"""

from __future__ import annotations

import functools
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wireproof.reference.cursor import Reader, Span, Writer
from wireproof.reference.dialects.kip_82_int.headers import ReadHeader, append_headers, headers_up_to, read_headers
from wireproof.reference.errors import DecodeError, EncodeError, Reason, join, shown
from wireproof.reference.primitives import (
    append_int8,
    append_int32,
    append_int64,
    append_uint32,
    read_int8,
    read_int32,
    read_int64,
    read_uint32,
    read_window,
)
from wireproof.reference.records import message_set
from wireproof.reference.records.batch import demand_fields
from wireproof.reference.records.compression import LZ4, MASK, deflate
from wireproof.reference.records.fields import (
    append_bytes,
    attributes_appender,
    check_crc,
    check_keys,
    read_bytes,
    sequence,
)
from wireproof.reference.rules import Rules

MAGIC = 2
#: The magics that a reader of this draft knows.
MAGICS = (*message_set.MAGICS, MAGIC)
#: Version of Produce and Fetch → the magic of the messages in it (R-82i-13).
MAGIC_OF: Mapping[int, int] = {0: 0, 1: 0, 2: 1, 3: 2}
#: Bit 4 of the attributes (R-82i-1).
HEADERS_FLAG = 0x10
#: The end offset of each field after MessageSize, with a null key, no headers and a null value.
FIELD_ENDS = message_set.FIELD_ENDS[1]
#: Where the magic stands in a MessageAndOffset.
MAGIC_AT = 16

Message = dict[str, Any]


def read_message_set(reader: Reader, path: str = "", *, skips: bool = False) -> list[Message]:
    """Messages of any magic up to the reader's end. A partial last one is dropped (R-82i-12 ‡, other: refused).
    `skips`: headers are not read, and left out. Raises DecodeError."""
    messages: list[Message] = []
    while reader.remaining:
        where = f"{path}[{len(messages)}]"
        if reader.rules.headed_partial == "dropped" and _is_partial(reader, where):
            message_set.drop_rest(reader, where)
            break
        messages.append(read_message_and_offset(reader, where, skips=skips))
    return messages


def demand_magic(records: bytes, version: int, rules: Rules) -> None:
    """Raises DecodeError unless `records` are messages of the magic that Produce and Fetch of this version carry."""
    magic = MAGIC_OF[version]
    spans: list[Span] = []
    for index, message in enumerate(read_message_set(Reader(records, rules, spans))):
        if message["magic"] != magic:
            path = f"[{index}].magic"
            at = next(span.start for span in spans if span.path == path)
            detail = f"magic {message['magic']}; Produce and Fetch {version} carry magic {magic}"
            raise DecodeError(Reason.UNSUPPORTED_MAGIC, detail, at, path)


def _is_partial(reader: Reader, path: str) -> bool:
    """Whether the next message is partial. A size below its magic's least, or an unknown magic, is refused as soon as
    it can be read."""
    least = message_set.FIELD_ENDS[0][-1]
    if reader.remaining > MAGIC_AT:
        head = reader.peek(MAGIC_AT + 1)
        magic = int.from_bytes(head[MAGIC_AT:], "big", signed=True)
        size = int.from_bytes(head[8:12], "big", signed=True)
        if magic in MAGICS:
            least = message_set.FIELD_ENDS[min(magic, 1)][-1]
        elif size > reader.remaining - 12:
            at = reader.pos + MAGIC_AT
            message_set.note_head(reader, path, at)
            raise reader.error(Reason.UNSUPPORTED_MAGIC, f"magic {magic}; there are 0, 1 and 2", at)
        else:
            return False  # the magic is refused later
    return message_set.is_partial(reader, path, least)


def read_message_and_offset(reader: Reader, path: str = "", *, skips: bool = False) -> Message:
    """One message of any magic; `skips`: without its headers. Raises DecodeError."""
    magic = int.from_bytes(reader.peek(MAGIC_AT + 1)[MAGIC_AT:], "big", signed=True)
    if reader.remaining > MAGIC_AT and magic in message_set.MAGICS:
        return with_headers(message_set.read_message(reader, magic, path, opaque=_opaque(reader.rules)), magic)
    return _Reading(path, skips=skips).message(reader)


def _opaque(rules: Rules) -> bool:
    return rules.headed_wrappers == "kept"


def with_headers(message: Mapping[str, Any], magic: int) -> Message:
    """A message of magic 0 or 1, with the keys of a newer reader: its magic, and no headers (R-82i-9)."""
    ordered: Message = {}
    for name, item in message.items():
        if name == "attributes":
            ordered["magic"] = magic
        if name in ("value", "messages"):
            ordered["headers"] = []
        ordered[name] = item
    if "messages" in ordered:
        ordered["messages"] = [with_headers(inner, magic) for inner in ordered["messages"]]
    return ordered


def lookup(reader: Reader, key: int) -> list[bytes | None]:
    """The values of a header key in one message. All of the message is read but the headers after that key. Raises
    DecodeError."""
    if reader.peek(MAGIC_AT + 1)[MAGIC_AT:] == bytes([MAGIC]):
        message = _Reading("", key).message(reader)
    else:
        message = read_message_and_offset(reader)
    return [value for found_key, value in message["headers"] if found_key == key]


@dataclass(frozen=True, slots=True)
class _Reading:
    """Reads one message of magic 2. `last`: the last header key that is wanted; None: all. `skips`: headers are not
    read."""

    path: str
    last: int | None = None
    skips: bool = False

    def message(self, reader: Reader, *, inside: bool = False) -> Message:
        reader.path = join(self.path, "offset")
        offset = read_int64(reader, "offset")
        reader.path = join(self.path, "size")
        size_at = reader.pos
        window = read_window(reader, read_int32, "size")
        self._check(window, size_at, inside)
        message = {"offset": offset, "magic": MAGIC, **self._inside(window, offset, inside)}
        window.path = join(self.path, "size")
        window.demand_end(Reason.LENGTH_MISMATCH, "the message", size_at)
        return message

    def _check(self, window: Reader, size_at: int, inside: bool) -> None:
        """Checks magic and CRC; the magic first, because the CRC's range depends on it."""
        crc_at = window.pos
        window.path = join(self.path, "crc")
        stored = read_uint32(window, "crc")
        computed = zlib.crc32(window.data[window.pos : window.end])
        window.path = join(self.path, "magic")
        magic_at = window.pos
        magic = read_int8(window, "magic")
        if magic != MAGIC:
            if inside:
                detail = f"magic {magic} inside a wrapper of magic {MAGIC}"
                raise window.error(Reason.INVALID_WRAPPER, detail, magic_at)
            raise window.error(Reason.UNSUPPORTED_MAGIC, f"magic {magic}; there are 0, 1 and 2", magic_at)
        window.path = join(self.path, "size")
        demand_fields(window, size_at + 4, FIELD_ENDS)
        window.path = join(self.path, "crc")
        check_crc(window, crc_at, stored, computed)

    def _inside(self, window: Reader, offset: int, inside: bool) -> Message:
        window.path = join(self.path, "attributes")
        attributes_at = window.pos
        attributes = read_int8(window, "attributes")
        codec = 0 if _opaque(window.rules) else attributes & MASK
        if codec > LZ4:
            raise window.error(Reason.UNSUPPORTED_COMPRESSION, f"magic {MAGIC} has no codec {codec}", attributes_at)
        message: Message = {"attributes": attributes}
        window.path = join(self.path, "timestamp")
        message["timestamp"] = read_int64(window, "timestamp")
        window.path = join(self.path, "key")
        message["key"] = read_bytes(window, read_int32)
        message["headers"] = self._headers(window) if attributes & HEADERS_FLAG else []
        window.path = join(self.path, "value")
        if codec and inside:
            raise window.error(Reason.INVALID_WRAPPER, "a wrapper inside a wrapper", attributes_at)
        if codec:
            where = join(self.path, "messages")
            read = functools.partial(_read_inner, skips=self.skips)
            message["messages"] = message_set.read_wrapped(window, codec, MAGIC, offset, where, read)
        else:
            message["value"] = read_bytes(window, read_int32)
        return message

    def _headers(self, window: Reader) -> list[ReadHeader]:
        """HeadersLength, which can't be null, and the headers."""
        path = join(self.path, "headers")
        window.path = path
        at = window.pos
        block = read_window(window, read_int32, "length of all headers")
        if not block.remaining and window.rules.flag_without_headers == "refused":
            raise window.error(Reason.ZERO_LENGTH_FIELD, "the flag is set, and there are no headers", at)
        if self.skips:
            return []
        return read_headers(block, path) if self.last is None else headers_up_to(block, self.last, path)


def _read_inner(reader: Reader, magic: int, path: str, *, inside: bool = False, skips: bool = False) -> Message:  # noqa: ARG001 (magic 2's own)
    return _Reading(path, skips=skips).message(reader, inside=inside)


# --- Writing ----------------------------------------------------------------------------------------------------------


#: Bits 0 to 4 of the attributes mean something; the others are kept (R-82i-17 ‡, other: written as 0).
_append_known = attributes_appender(append_int8, 0x1F)


def append_message_set(writer: Writer, value: Any, path: str = "") -> None:
    """Append messages, each of its own magic. Raises EncodeError."""
    for index, message in enumerate(sequence(value, path)):
        append_message_and_offset(writer, message, f"{path}[{index}]")


def append_message_and_offset(writer: Writer, value: Any, path: str = "") -> None:
    """Append one message of its `magic`, by default 2. Headers are sorted by key; bit 4 of the attributes is set when
    there are any. Raises EncodeError."""
    magic = MAGIC
    if isinstance(value, Mapping):
        magic = value.get("magic", MAGIC)
        if magic not in MAGICS or isinstance(magic, bool):
            raise EncodeError(Reason.UNSUPPORTED_MAGIC, f"magic {shown(magic)}; there are 0, 1 and 2", path)
    if magic == MAGIC:
        _append(writer, value, MAGIC, path)
    else:
        plain = _without_headers(value, magic, path)
        message_set.append_message(writer, plain, magic, path, opaque=_opaque(writer.rules))


def _append(writer: Writer, value: Any, magic: int, path: str, *, inside: bool = False, base: int = 0) -> None:
    wrapper = not _opaque(writer.rules) and isinstance(value, Mapping) and "messages" in value
    content = "messages" if wrapper else "value"
    check_keys(value, ("offset", "magic", "attributes", "timestamp", "key", "headers", content), path)
    if value.get("magic", magic) != magic:
        detail = f"magic {shown(value['magic'])} inside a wrapper of magic {magic}"
        raise EncodeError(Reason.INVALID_WRAPPER, detail, join(path, "magic"))
    headers = writer.inner()
    append_headers(headers, value.get("headers", []), join(path, "headers"))
    covered = writer.inner()
    append_int8(covered, magic)
    codec = _append_attributes(covered, value.get("attributes", 0), bool(headers.out), join(path, "attributes"))
    if bool(codec) != wrapper or (wrapper and inside):
        what = "a wrapper inside a wrapper" if inside and wrapper else "a codec and `messages` belong together"
        raise EncodeError(Reason.INVALID_WRAPPER, what, path)
    covered.path = join(path, "timestamp")
    append_int64(covered, value.get("timestamp", 0))
    append_bytes(covered, value.get("key"), join(path, "key"), append_int32)
    if headers.out:
        covered.path = join(path, "headers")
        append_int32(covered, len(headers.out))
        covered.out += headers.out
    packed = value.get("value")
    if wrapper:
        whole = message_set.wrapped(writer, value, magic, join(path, "messages"), _append)
        packed = deflate(codec, whole, magic)
    append_bytes(covered, packed, join(path, "value"), append_int32)
    append_int64(writer, message_set.offset_of(writer, value, path) - base)
    writer.path = join(path, "size")
    append_int32(writer, 4 + len(covered.out))
    append_uint32(writer, zlib.crc32(covered.out))
    writer.out += covered.out


def _append_attributes(covered: Writer, attributes: Any, flag: bool, path: str) -> int:
    """Appends the attributes, with bit 4 set if `flag`. Returns their codec, 0 where wrappers are not decompressed."""
    covered.path = path
    append_int8(covered.inner(), attributes)  # raises if it is no INT8
    codec: int = 0 if _opaque(covered.rules) else attributes & MASK
    if codec > LZ4:
        raise EncodeError(Reason.UNSUPPORTED_COMPRESSION, f"magic {MAGIC} has no codec {codec}", path)
    _append_known(covered, attributes & ~HEADERS_FLAG | HEADERS_FLAG * flag)
    return codec


def _without_headers(value: Mapping[str, Any], magic: int, path: str) -> Message:
    """A message with the keys of magic 0 or 1. Raises EncodeError for data that this format can't hold."""
    if sequence(value.get("headers", []), join(path, "headers")):
        raise EncodeError(Reason.FIELD_NOT_IN_VERSION, f"magic {magic} has no headers", join(path, "headers"))
    if magic == 0 and "timestamp" in value:
        raise EncodeError(Reason.FIELD_NOT_IN_VERSION, "magic 0 has no timestamp", join(path, "timestamp"))
    plain = {name: item for name, item in value.items() if name not in ("magic", "headers")}
    if isinstance(plain.get("messages"), (list, tuple)):
        where = join(path, "messages")
        plain["messages"] = [
            _inner_without_headers(inner, magic, f"{where}[{index}]") for index, inner in enumerate(plain["messages"])
        ]
    return plain


def _inner_without_headers(value: Any, magic: int, path: str) -> Any:
    if not isinstance(value, Mapping):
        return value
    if value.get("magic", magic) != magic:
        detail = f"magic {shown(value['magic'])} inside a wrapper of magic {magic}"
        raise EncodeError(Reason.INVALID_WRAPPER, detail, join(path, "magic"))
    return _without_headers(value, magic, path)
