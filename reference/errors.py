"""The errors of bytes, values and schemas, and the closed list of their reasons."""

from __future__ import annotations

from enum import StrEnum

from wireproof.errors import WireproofError


class Reason(StrEnum):
    """Why something is refused. This closed list is part of the public contract."""

    TRUNCATED = "truncated"
    TRAILING_BYTES = "trailing-bytes"
    LENGTH_MISMATCH = "length-mismatch"
    VARINT_OVERFLOW = "varint-overflow"
    NEGATIVE_LENGTH = "negative-length"
    NULL_NOT_ALLOWED = "null-not-allowed"
    STRING_TOO_LONG = "string-too-long"
    INVALID_UTF8 = "invalid-utf8"
    INVALID_MARKER = "invalid-marker"
    TAG_ORDER = "tag-order"
    TAG_DUPLICATE = "tag-duplicate"
    KEY_ORDER = "key-order"
    KEY_DUPLICATE = "key-duplicate"
    ZERO_LENGTH_FIELD = "zero-length-field"
    COUNT_MISMATCH = "count-mismatch"
    CRC_MISMATCH = "crc-mismatch"
    UNSUPPORTED_MAGIC = "unsupported-magic"
    UNSUPPORTED_COMPRESSION = "unsupported-compression"
    CORRUPT_COMPRESSION = "corrupt-compression"
    INVALID_WRAPPER = "invalid-wrapper"
    RESOURCE_LIMIT = "resource-limit"
    UNSUPPORTED_VERSION = "unsupported-version"
    UNKNOWN_API = "unknown-api"
    # Only on encode:
    UNKNOWN_FIELD = "unknown-field"
    FIELD_NOT_IN_VERSION = "field-not-in-version"
    TAGS_NOT_ALLOWED = "tags-not-allowed"
    KNOWN_TAG = "known-tag"
    OUT_OF_RANGE = "out-of-range"
    # Only for schemas:
    INVALID_SCHEMA = "invalid-schema"


def shown(value: object) -> str:
    """Any value as short text, for an error."""
    if isinstance(value, int) and value.bit_length() > 256:
        return f"an integer of {value.bit_length()} bits"
    if isinstance(value, str):
        return f"{value[:60]!r}…" if len(value) > 60 else repr(value)
    if value is None or isinstance(value, (int, float)):
        return repr(value)
    return f"a {type(value).__name__}"


class WireError(WireproofError):
    """Bytes, a value or a schema that the protocol does not allow.

    `reason` says what is wrong, `path` where in the value ("ApiKeys[2].MinVersion", "" = the whole),
    `detail` the actual and the expected form, for a person.
    """

    def __init__(self, reason: Reason, detail: str, path: str = "") -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail
        self.path = path
        self.half: str | None = None  # of a recode: which step refused

    def __str__(self) -> str:
        place = f" at {self.path}" if self.path else ""
        return f"{self.reason}{place}: {self.detail}"


class DecodeError(WireError):
    """Bytes that are refused. `offset` is the first byte of the smallest field at fault,
    counted from the start of the input; None when no byte is at fault (a version argument).
    `what`: the field that is cut off, named as in its span; empty for other errors."""

    def __init__(self, reason: Reason, detail: str, offset: int | None, path: str = "") -> None:
        super().__init__(reason, detail, path)
        self.offset = offset
        self.what = ""

    def __str__(self) -> str:
        where = "" if self.offset is None else f" (byte {self.offset})"
        return super().__str__() + where


class EncodeError(WireError):
    """A value that has no byte form."""


class SchemaError(WireError):
    """A message schema that is refused; `path` names the place in it."""

    def __init__(self, detail: str, path: str = "") -> None:
        super().__init__(Reason.INVALID_SCHEMA, detail, path)

    @property
    def text(self) -> str:
        """The text without the reason, which is always the same."""
        return f"{self.path}: {self.detail}" if self.path else self.detail


def join(path: str, name: str) -> str:
    """The path of a part of the value at `path`."""
    return f"{path}.{name}" if path else name
