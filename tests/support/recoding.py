"""Messages as the wrappers of many libraries in Go and Rust offer them: by recode alone, and with three faults.

Nothing but an invalid case shows one of these:

- null where it is not allowed is read as empty;
- a length or count below −1 is read as 0;
- behind the end of a body it reads zeros, up to 64.
"""

from __future__ import annotations

from wireproof import reference
from wireproof.reference import DecodeError, Reason

#: Messages with their versions: what has versions, but for headers, frames and sets of records.
MESSAGES = {
    name: span
    for name, span in reference.types["kafka"].items()
    if span is not None and name not in ("RequestHeader", "ResponseHeader", "MessageSet") and ":" not in name
}
#: So many bytes behind the end are read as zeros.
_BEHIND = 64
#: Of so many faults in the same bytes each is met.
_MOST = 8


def recode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> bytes:
    """What is written for what was read of a message. Raises DecodeError for what this codec, too, refuses."""
    for _ in range(_MOST):
        try:
            return reference.recode(type, data, dialect=dialect, version=version)
        except DecodeError as error:
            if error.offset is None:
                raise
            data = _as_read(data, error, error.offset)
    return reference.recode(type, data, dialect=dialect, version=version)


def _as_read(data: bytes, error: DecodeError, at: int) -> bytes:
    """Bytes without the first fault, where this codec does not see it. Raises the error where it does."""
    match error.reason:
        case Reason.NULL_NOT_ALLOWED | Reason.NEGATIVE_LENGTH:
            return _empty(data, at)
        case Reason.TRUNCATED if not data.endswith(bytes(_BEHIND)):
            return data + bytes(_BEHIND)
        case Reason.TRAILING_BYTES if at >= len(data) - _BEHIND and data.endswith(bytes(_BEHIND)):
            return data[:at]
    raise error


def _empty(data: bytes, at: int) -> bytes:
    """The length or count at a place is that of something empty: 1 where it is compact, 0 in two or four bytes."""
    if data[at] == 0:
        return data[:at] + b"\1" + data[at + 1 :]
    size = 4 if data[at:].startswith(b"\xff" * 3) else 2
    return data[:at] + bytes(size) + data[at + size :]
