"""Writes the offset 0 into each message of a wrapper of magic 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from miniatures import Produces
from wireproof import reference

PRODUCES: Produces = frozenset({("delivery", "fail", "wrong-answer")})


def produce(
    records: Sequence[dict[str, Any]], *, magic: int, codec: str, options: dict[str, Any], dialect: str
) -> bytes:
    written = reference.produce(records, magic=magic, codec=codec, options=options, dialect=dialect)
    if magic != 1 or codec == "none":
        return written
    (wrapper,) = reference.decode("MessageSet", written, dialect=dialect, version=1)
    messages = [message | {"offset": 0} for message in wrapper["messages"]]
    value = [wrapper | {"offset": 0, "messages": messages}]
    return reference.encode("MessageSet", value, dialect=dialect, version=1)
