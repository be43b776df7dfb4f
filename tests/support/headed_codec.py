"""A small codec of messages with headers under int keys, with one or more of the faults that such codecs have.

It shares nothing with the reference but the compression libraries: the miniatures of `kip-82-int-keys` are made of it.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from wireproof.reference import Rules
from wireproof.reference.records.compression import CompressionError, deflate, inflate

#: The contract's `types` of what this codec reads.
TYPES: dict[str, dict[str, tuple[int, int] | None]] = {
    "kip-82-int-keys": dict.fromkeys(("HEADERS", "MESSAGE_AND_OFFSET", "MESSAGE_SET"))
}


#: What all deviate in that read and write no message with headers as the draft has it.
OTHER_BYTES = frozenset(
    (area, "fail", kind)
    for area in (
        "null-encodings",
        "header-multimaps",
        "unsupported-versions",
        "framing",
        "resource-limits",
        "messages",
    )
    for kind in ("refused-valid", "wrong-bytes")
) | {("header-multimaps", "contested", None), ("framing", "contested", None)}
#: The rulings by which a refusal of some messages may be another reading.
REFUSED_UNDER = frozenset({"R-82i-2", "R-82i-3", "R-82i-12"})


class RefusedError(ValueError):
    """Bytes or a value that are refused."""


@dataclass(frozen=True)
class Headed:
    """The codec. `flag`: the bit for headers. `crc_of_all`: the CRC is of the headers too. `counted`: so many bytes
    more than the headers have HeadersLength counts. `clears`: a writer clears the flag where there are no headers.
    `nulls`: a length −1 of a header's value is null, one of all headers none. `order`: "signed", "unsigned", or "any".
    `sorts`: a writer sorts. `empty`: a flag without headers is read. `last`: the headers stand behind the value.
    `stops_at_once`: a lookup looks at the first key alone. `reads_behind`: a lookup reads all headers.
    `wanted`: a lookup's key, behind which nothing else is read. `opaque`: a wrapper's value is bytes, whatever
    its codec. `partial`: what is left at a set's end of a message is passed over. `keeps_the_flag`: a message that is
    converted to an older magic keeps bit 4."""

    flag: int = 0x10
    crc_of_all: bool = True
    counted: int = 0
    clears: bool = True
    nulls: bool = False
    order: str = "signed"
    sorts: bool = True
    empty: bool = True
    last: bool = False
    stops_at_once: bool = False
    opaque: bool = False
    partial: bool = True
    keeps_the_flag: bool = False
    reads_behind: bool = False
    wanted: int | None = None

    # --- The contract's functions ---

    def decode(self, type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
        match type:
            case "HEADERS":
                return self.headers(_Bytes(data))
            case "MESSAGE_AND_OFFSET":
                found = self.messages(data)
                if len(found) != 1:
                    raise RefusedError(f"{len(found)} messages; one is expected")
                return found[0]
        return self.messages(data, partial=self.partial)

    def encode(self, type: str, value: Any, *, dialect: str, version: int | None = None) -> bytes:
        try:
            match type:
                case "HEADERS":
                    return self.written_headers(value)
                case "MESSAGE_AND_OFFSET":
                    return self.written(value)
            return b"".join(map(self.written, value))
        except (struct.error, TypeError, KeyError) as error:
            raise RefusedError(str(error)) from None

    def recode(self, type: str, data: bytes, *, dialect: str, version: int | None = None) -> bytes:
        return self.encode(type, self.decode(type, data, dialect=dialect), dialect=dialect, version=version)

    def lookup(self, type: str, data: bytes, key: int, *, dialect: str, version: int | None = None) -> list[bytes]:
        reading = self if self.reads_behind else replace(self, wanted=key)
        found = reading.decode(type, data, dialect=dialect, version=version)
        pairs = found if type == "HEADERS" else found["headers"]
        if self.stops_at_once:
            pairs = pairs[:1]
        return [value for own, value in pairs if own == key]

    def convert(self, type: str, data: bytes, to: str, *, dialect: str, version: int | None = None) -> bytes:
        magic = int(to.removeprefix("magic-"))
        return b"".join(
            self.written(self.converted(message, magic)) for message in self.messages(data, partial=self.partial)
        )

    def converted(self, message: dict[str, Any], magic: int) -> dict[str, Any]:
        if message["magic"] == magic:
            return message
        found = {**message, "magic": magic, "headers": []}
        if 2 in (magic, message["magic"]) and not self.keeps_the_flag:
            found["attributes"] &= ~self.flag
        if 0 in (magic, message["magic"]):
            found["attributes"] &= ~0x08
            found.pop("timestamp", None)
            found |= {"timestamp": -1} if magic else {}
        if "messages" in message:
            found["messages"] = [self.converted(inner, magic) for inner in message["messages"]]
        return found

    # --- Reading ---

    def headers(self, data: _Bytes) -> list[tuple[int, Any]]:
        pairs: list[tuple[int, Any]] = []
        while data.rest:
            key = data.integer(4)
            if pairs and self.order != "any" and self.rank(key) <= self.rank(pairs[-1][0]):
                raise RefusedError(f"key {key} is out of order")
            if self.wanted is not None and self.rank(key) > self.rank(self.wanted):
                break
            pairs.append((key, data.sized(self.nulls)))
        return pairs

    def rank(self, key: int) -> int:
        return key & 0xFFFFFFFF if self.order == "unsigned" else key

    def messages(self, data: bytes, wrapper: int | None = None, *, partial: bool = False) -> list[dict[str, Any]]:
        rest = _Bytes(data)
        found = []
        while rest.rest:
            if partial and self.is_partial(rest.rest):
                break
            offset = rest.integer(8)
            found.append(self.message(offset, _Bytes(rest.take(rest.length())), wrapper))
        return found

    @staticmethod
    def is_partial(data: bytes) -> bool:
        size = int.from_bytes(data[8:12], "big", signed=True)
        if len(data) >= 12 and (size < 14 or (len(data) > 16 and data[16] > 2)):
            raise RefusedError("what is there can be no message")
        return len(data) < 17 or size > len(data) - 12

    def message(self, offset: int, data: _Bytes, wrapper: int | None) -> dict[str, Any]:
        crc = data.integer(4) & 0xFFFFFFFF
        body = data.rest
        magic, attributes = data.integer(1), data.integer(1)
        if magic not in (0, 1, 2) or wrapper not in (None, magic):
            raise RefusedError(f"magic {magic}")
        message: dict[str, Any] = {"offset": offset, "magic": magic, "attributes": attributes}
        if magic:
            message["timestamp"] = data.integer(8)
        message["key"] = data.sized(nullable=True)
        message["headers"] = []
        block = b""
        flagged = magic == 2 and bool(attributes & self.flag)
        content = data.sized(nullable=True) if self.last else None
        if flagged:
            start = data.rest
            message["headers"] = self.block(data)
            block = start[: len(start) - len(data.rest)]
        if not self.last:
            content = data.sized(nullable=True)
        if data.rest:
            raise RefusedError("bytes are left over")
        covered = body if self.crc_of_all else body.replace(block, b"", 1)
        if crc != zlib.crc32(covered):
            raise RefusedError("the CRC is another one")
        codec = 0 if self.opaque else attributes & 0x07
        if codec > 3 or (codec and (wrapper is not None or not content)):
            raise RefusedError(f"codec {codec}")
        if codec:
            message["messages"] = self.unwrapped(codec, content or b"", magic, offset)
        else:
            message["value"] = content
        return message

    def block(self, data: _Bytes) -> list[tuple[int, Any]]:
        length = data.integer(4)
        if length == -1 and self.nulls:
            return []
        if length - self.counted < 0 or (length == 0 and not self.empty):
            raise RefusedError(f"headers of length {length}")
        return self.headers(_Bytes(data.take(length - self.counted)))

    def unwrapped(self, codec: int, content: bytes, magic: int, offset: int) -> list[dict[str, Any]]:
        try:
            messages = self.messages(inflate(codec, content, Rules(), magic), magic)
        except CompressionError as error:
            raise RefusedError(error.detail) from None
        if not messages:
            raise RefusedError("a wrapper around nothing")
        base = offset - messages[-1]["offset"] if magic and offset else 0
        if base < 0:
            raise RefusedError("the wrapper's offset is too low")
        return [{**message, "offset": message["offset"] + base} for message in messages]

    # --- Writing ---

    def written_headers(self, pairs: Sequence[Any]) -> bytes:
        if len({key for key, _ in pairs}) < len(pairs):
            raise RefusedError("a key comes twice")
        ordered = sorted(pairs, key=lambda pair: self.rank(pair[0])) if self.sorts else pairs
        return b"".join(struct.pack(">i", key) + self.sized(value, self.nulls) for key, value in ordered)

    @staticmethod
    def sized(value: bytes | None, nullable: bool = True) -> bytes:
        if value is None and not nullable:
            raise RefusedError("null")
        return b"\xff\xff\xff\xff" if value is None else struct.pack(">i", len(value)) + value

    def written(self, value: Any, wrapper: int | None = None, base: int = 0) -> bytes:
        magic, attributes, pairs = value["magic"], value["attributes"], value["headers"]
        codec = 0 if self.opaque else attributes & 0x07
        wraps = "messages" in value
        if magic not in (0, 1, 2) or (pairs and magic != 2) or (magic == 0 and "timestamp" in value):
            raise RefusedError(f"magic {magic}")
        if codec > 3 or bool(codec) != wraps or (wrapper is not None and (wraps or wrapper != magic)):
            raise RefusedError(f"codec {codec}")
        block = self.written_headers(pairs)
        if magic == 2:
            if pairs:
                attributes |= self.flag
            elif self.clears:
                attributes &= ~self.flag
        if pairs or (magic == 2 and attributes & self.flag):
            block = struct.pack(">i", len(block) + self.counted) + block
        content = self.sized(self.wrapped(value, codec, magic) if wraps else value["value"])
        head = struct.pack(">bb", magic, attributes) + (struct.pack(">q", value["timestamp"]) if magic else b"")
        head += self.sized(value["key"])
        body = head + (content + block if self.last else block + content)
        crc = zlib.crc32(body if self.crc_of_all else head + content)
        return struct.pack(">qiI", value["offset"] - base, 4 + len(body), crc) + body

    def wrapped(self, value: Any, codec: int, magic: int) -> bytes:
        messages = value["messages"]
        if not messages or (magic and value["offset"] not in (0, messages[-1]["offset"])):
            raise RefusedError("no such wrapper")
        base = messages[0]["offset"] if magic and value["offset"] else 0
        return deflate(codec, b"".join(self.written(message, magic, base) for message in messages), magic)


class _Bytes:
    """What is left to be read."""

    def __init__(self, data: bytes) -> None:
        self.rest = data

    def take(self, count: int) -> bytes:
        if not 0 <= count <= len(self.rest):
            raise RefusedError(f"{count} bytes are not there")
        taken, self.rest = self.rest[:count], self.rest[count:]
        return taken

    def integer(self, width: int) -> int:
        return int.from_bytes(self.take(width), "big", signed=True)

    def length(self) -> int:
        return self.integer(4)

    def sized(self, nullable: bool) -> bytes | None:
        length = self.length()
        return None if length == -1 and nullable else self.take(length)
