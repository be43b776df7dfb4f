"""Takes the relative offsets inside of a wrapper of magic 1 for absolute ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from miniatures import Produces
from wireproof.reference import consume as _consume
from wireproof.reference import decode as _decode

PRODUCES: Produces = frozenset({("delivery", "fail", "wrong-answer")})


def consume(
    data: bytes, *, position: int, isolation: str, aborted: Sequence[dict[str, int]], dialect: str
) -> dict[str, Any]:
    delivered = _consume(data, position=position, isolation=isolation, aborted=aborted, dialect=dialect)
    for entry in _decode("RecordSet", data, dialect=dialect) if data[16:17] == b"\x01" else ():
        for message in entry.get("messages", ()):
            for record in delivered["records"]:
                if record["offset"] == message["offset"]:
                    record["offset"] -= entry["messages"][0]["offset"]
    return delivered
