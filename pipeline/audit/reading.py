"""Reads a piece of a log or a capture by the reference, and says what is wrong with it.

Text that is not UTF-8 is contested (R-K-11): the specification forbids it, but no broker looks into a record's headers,
and Kafka's own classes put U+FFFD in its place. So such a piece is read again as they do. If nothing else is wrong with
it, it is contested, not malformed; else the other fault is told.

Compressed content of more than 256 MiB is not inflated: the batch is `unreadable` with the reason `resource-limit`, and
not malformed, for no text has a limit (R-K-35).
"""

from __future__ import annotations

from typing import Any

from wireproof.pipeline.audit.findings import Trouble, beyond_limit, contested, refused
from wireproof.reference import DecodeError, Reason, Reference, Rules

_DIALECT = "kafka"
#: In bytes. A batch of a log may inflate to more than the kit's limit for one question.
_INFLATE_LIMIT = 1 << 28
RULES = Rules(inflate_limit=_INFLATE_LIMIT)
_REFERENCE = Reference(RULES)
_AS_KAFKA = Reference(Rules(inflate_limit=_INFLATE_LIMIT, invalid_text="replaced"))


def read(type_name: str, data: bytes, start: int, version: int | None = None) -> tuple[Any, Trouble | None]:
    """The value, None if it is refused; and what is wrong with it. `start`: the offset of `data` in its file."""
    try:
        return _REFERENCE.decode(type_name, data, dialect=_DIALECT, version=version), None
    except DecodeError as error:
        if error.reason == Reason.RESOURCE_LIMIT:
            return None, beyond_limit(error, start)
        if error.reason != Reason.INVALID_UTF8:
            return None, refused(error, start)
        first = error
    try:
        value = _AS_KAFKA.decode(type_name, data, dialect=_DIALECT, version=version)
    except DecodeError as error:
        return None, refused(error, start)
    return value, contested(first, start)
