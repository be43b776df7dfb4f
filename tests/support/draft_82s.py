"""KIP-82 with string keys once more, in small steps that a miniature can get wrong one at a time.

Bytes are taken from the front: each `take_` gives what it read and the rest.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from wireproof import reference
from wireproof.reference.records.compression import CompressionError, deflate, inflate

DIALECT = "kip-82-string-keys"
Header = tuple[str, bytes]
#: The size of a batch's fields between its magic and its messages, and of what stands before its magic.
_FIELDS, _HEAD = 36, 16
#: Where the lower byte of the attributes stands behind the magic.
_BITS = 2


class Draft:
    """A codec that is right. Its public functions are the contract's."""

    def decode(self, type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
        found, rest = self._take(type, data)
        if rest:
            raise ValueError(f"{len(rest)} bytes are left over")
        return found

    def encode(self, type: str, value: Any, *, dialect: str, version: int | None = None) -> bytes:
        match type:
            case "UVARINT":
                return self.put_number(value)
            case "HEADER":
                return self.put_header(*value)
            case "HEADERS":
                return self.put_headers(value)
            case "MESSAGE":
                return self.put_message(value)
            case "BATCH":
                return self.put_batch(value)
        return reference.encode(type, value, dialect=dialect, version=version)

    def lookup(self, type: str, data: bytes, key: str, *, dialect: str, version: int | None = None) -> list[bytes]:
        found = self.decode(type, data, dialect=dialect, version=version)
        headers = found["headers"] if type == "MESSAGE" else found
        return [value for name, value in headers if name == key]

    def _take(self, type: str, data: bytes) -> tuple[Any, bytes]:
        match type:
            case "UVARINT":
                return self.take_number(data)
            case "HEADER":
                return self.take_header(data)
            case "HEADERS":
                return self.take_headers(data), b""
            case "MESSAGE":
                return self.take_message(data)
            case "BATCH":
                return self.take_batch(data), b""
        return reference.decode(type, data, dialect=DIALECT), b""

    # --- Numbers and lengths ---

    def take_number(self, data: bytes) -> tuple[int, bytes]:
        number = 0
        for index, byte in enumerate(data[:5]):
            number |= (byte & 0x7F) << 7 * index
            if byte < 0x80:
                if number >= 1 << 32:
                    break
                return number, data[index + 1 :]
        raise ValueError("no number of 32 bits")

    def put_number(self, number: int) -> bytes:
        if number is None or not 0 <= number < 1 << 32:
            raise ValueError(f"{number} is no number of 32 bits")
        out = bytearray()
        while number > 0x7F:
            out.append(number & 0x7F | 0x80)
            number >>= 7
        return bytes([*out, number])

    def take_sized(self, data: bytes) -> tuple[bytes, bytes]:
        size, rest = self.take_number(data)
        if not 0 <= size <= len(rest):
            raise ValueError(f"{size} bytes, of which {len(rest)} are there")
        return rest[:size], rest[size:]

    def put_sized(self, content: bytes) -> bytes:
        return self.put_number(len(content)) + content

    # --- Headers ---

    def take_header(self, data: bytes) -> tuple[Header, bytes]:
        content, rest = self.take_sized(data)
        key, value = self.take_sized(content)
        return (self.text(key), value), rest

    def put_header(self, key: str, value: bytes) -> bytes:
        if key is None or value is None:
            raise ValueError("headers have no null")
        return self.put_sized(self.put_sized(key.encode()) + value)

    def text(self, data: bytes) -> str:
        return data.decode()

    def take_headers(self, data: bytes) -> list[Header]:
        headers = []
        while data:
            header, data = self.take_header(data)
            headers.append(header)
        return headers

    def put_headers(self, headers: Sequence[Header]) -> bytes:
        if headers is None:
            raise ValueError("headers have no null")
        return b"".join(self.put_header(*header) for header in headers)

    # --- Messages and batches ---

    def nulls(self, attributes: int) -> tuple[bool, bool]:
        """Whether the key is null, and the value."""
        return bool(attributes & 1), bool(attributes & 2)

    def attributes(self, message: Mapping[str, Any]) -> int:
        nulls = (message["key"] is None) | (message["value"] is None) << 1
        return int(message["attributes"]) & ~3 | nulls

    def take_message(self, data: bytes) -> tuple[dict[str, Any], bytes]:
        content, rest = self.take_sized(data)
        attributes = int.from_bytes(content[:1], signed=True)
        if not content:
            raise ValueError("no attributes")
        end = next((index for index, byte in enumerate(content[1:], 2) if byte < 0x80), 0)
        message: dict[str, Any] = {
            "attributes": attributes,
            "timestampDelta": reference.decode("INTVAR", content[1:end], dialect=DIALECT),
        }
        message["offsetDelta"], content = self.take_number(content[end:])
        for name, null in zip(("key", "value"), self.nulls(attributes), strict=True):
            message[name], content = (None, content) if null else self.take_sized(content)
        message["headers"] = self.take_headers(content)
        return message, rest

    def put_message(self, message: Mapping[str, Any]) -> bytes:
        attributes = self.attributes(message)
        out = attributes.to_bytes(1, signed=True)
        out += reference.encode("INTVAR", message["timestampDelta"], dialect=DIALECT)
        out += self.put_number(message["offsetDelta"])
        for name, null in zip(("key", "value"), self.nulls(attributes), strict=True):
            out += b"" if null else self.put_sized(message[name] or b"")
        return self.put_sized(out + self.put_headers(message["headers"]))

    def crc(self, covered: bytes) -> int:
        """The CRC of a batch from its magic on."""
        return zlib.crc32(covered)

    def take_batch(self, data: bytes) -> dict[str, Any]:
        """The fields by the reference, for a batch without messages."""
        covered = data[_HEAD:]
        if int.from_bytes(data[8:12], signed=True) != len(covered) + 4:
            raise ValueError("another length than that of the batch")
        if self.crc(covered) != int.from_bytes(data[12:16]):
            raise ValueError("another CRC")
        fields, rest = covered[: 1 + _FIELDS], covered[1 + _FIELDS :]
        codec = fields[_BITS] & 7
        fields = fields[:_BITS] + bytes([fields[_BITS] & ~7]) + fields[_BITS + 1 :]
        head = data[:8] + (len(fields) + 4).to_bytes(4) + zlib.crc32(fields).to_bytes(4)
        batch: dict[str, Any] = reference.decode("BATCH", head + fields, dialect=DIALECT)
        batch["attributes"] |= codec
        if codec:
            return batch | {"records": self.unpacked(codec, rest)}
        return batch | {"records": self.take_messages(rest)}

    def take_messages(self, data: bytes) -> list[dict[str, Any]]:
        messages = []
        while data:
            message, data = self.take_message(data)
            messages.append(message)
        return messages

    def unpacked(self, codec: int, content: bytes) -> Any:
        """The messages of a batch with a codec."""
        if codec > 3:
            raise ValueError(f"no codec {codec}")
        try:
            return self.take_messages(inflate(codec, content, reference.Rules()))
        except CompressionError as error:
            raise ValueError(error.detail) from None

    def packed(self, codec: int, messages: Any) -> bytes:
        if codec > 3:
            raise ValueError(f"no codec {codec}")
        return deflate(codec, b"".join(map(self.put_message, messages)))

    def put_batch(self, batch: Mapping[str, Any]) -> bytes:
        if batch["records"] is None:
            raise ValueError("messages have no null")
        codec = batch["attributes"] & 7
        plain = {**batch, "attributes": batch["attributes"] & ~7, "records": []}
        covered = bytearray(reference.encode("BATCH", plain, dialect=DIALECT)[_HEAD:])
        covered[_BITS] |= codec
        covered += self.packed(codec, batch["records"]) if codec else b"".join(map(self.put_message, batch["records"]))
        head: bytes = batch["firstOffset"].to_bytes(8, signed=True)
        return head + (len(covered) + 4).to_bytes(4) + self.crc(bytes(covered)).to_bytes(4) + bytes(covered)
