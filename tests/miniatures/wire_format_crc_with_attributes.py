"""Takes the CRC of a message's attributes and payload."""

from __future__ import annotations

import zlib
from typing import Any

from miniatures import Produces, only
from wireproof.reference import decode as _decode
from wireproof.reference import encode as _encode
from wireproof.reference import rejects as rejects

PRODUCES: Produces = frozenset(
    {
        ("framing", "contested", None),
        ("framing", "fail", "accepted-invalid"),
        ("framing", "fail", "refused-valid"),
        ("framing", "fail", "wrong-bytes"),
        ("messages", "contested", None),
        ("messages", "fail", "refused-valid"),
        ("messages", "fail", "wrong-bytes"),
        ("null-encodings", "fail", "refused-valid"),
        ("null-encodings", "fail", "wrong-bytes"),
        ("resource-limits", "contested", None),
        ("resource-limits", "fail", "refused-valid"),
        ("resource-limits", "fail", "wrong-bytes"),
        ("unsupported-versions", "fail", "refused-valid"),
        ("unsupported-versions", "fail", "wrong-bytes"),
    }
)
TAKES = frozenset({"R-WF-14", "R-WF-19"})  # a wrong CRC is no worse than what its wrappers hold

dialects = ("wire-format",)
types = only("MESSAGE_SET", dialect="wire-format")


def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
    return _decode(type, _with_crcs(data, shift=1, wrong=1), dialect=dialect, version=version)


def encode(type: str, value: Any, *, dialect: str, version: int | None = None) -> bytes:
    return _with_crcs(_encode(type, value, dialect=dialect, version=version), shift=0, wrong=0)


def _with_crcs(data: bytes, *, shift: int, wrong: int) -> bytes:
    """Whole messages of magic 1 with a CRC that covers the attributes (`shift` 0), or with the right one where they had
    such a CRC, and else with one that differs in the bits `wrong`."""
    out = bytearray(data)
    at = 0
    while at + 10 <= len(data):
        end = at + 4 + int.from_bytes(data[at : at + 4], signed=True)
        if not at + 10 <= end <= len(data):
            break
        if data[at + 4] == 1:
            attributes, payload = data[at + 5 : at + 6], data[at + 10 : end]
            theirs, right = zlib.crc32(attributes + payload), zlib.crc32(payload)
            found = int.from_bytes(data[at + 6 : at + 10])
            crc = theirs if not shift else right if found == theirs else right ^ wrong
            out[at + 6 : at + 10] = crc.to_bytes(4)
        at = end
    return bytes(out)
