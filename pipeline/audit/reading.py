"""Reads a piece of a log or a capture by the reference, and says what is wrong with it.

Text that is not UTF-8 is contested (R-K-11): the specification forbids it, but no broker looks into a record's headers,
and Kafka's own classes put U+FFFD in its place. So such a piece is read again as they do. If nothing else is wrong with
it, it is contested, not malformed; else the other fault is told.

Compressed content above a limit is not inflated: the batch is `unreadable` with the reason `resource-limit`, and not
malformed, for no text has a limit (R-K-35).
"""

from __future__ import annotations

from typing import Any

from wireproof.pipeline.audit.findings import Trouble, beyond_limit, contested, refused
from wireproof.reference import DecodeError, Reason, Reference, Rules

_DIALECT = "kafka"
_MIB = 1 << 20
#: A batch of a log may inflate to more than the kit's limit for one question.
INFLATE_MB = 256


class Reading:
    """Reads by the reference. `inflate_mb`: the MiB to which a batch may inflate."""

    def __init__(self, inflate_mb: int = INFLATE_MB) -> None:
        self.rules = Rules(inflate_limit=inflate_mb * _MIB)
        self._strict = Reference(self.rules)
        self._as_kafka = Reference(Rules(inflate_limit=inflate_mb * _MIB, invalid_text="replaced"))

    def read(self, type_name: str, data: bytes, start: int, version: int | None = None) -> tuple[Any, Trouble | None]:
        """The value, None if it is refused; and what is wrong with it. `start`: the offset of `data` in its file."""
        try:
            return self._strict.decode(type_name, data, dialect=_DIALECT, version=version), None
        except DecodeError as error:
            if error.reason == Reason.RESOURCE_LIMIT:
                return None, beyond_limit(error, start)
            if error.reason != Reason.INVALID_UTF8:
                return None, refused(error, start)
            first = error
        try:
            value = self._as_kafka.decode(type_name, data, dialect=_DIALECT, version=version)
        except DecodeError as error:
            return None, refused(error, start)
        return value, contested(first, start)


#: With the limit that holds where none is named.
USUAL = Reading()
