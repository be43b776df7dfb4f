"""Sends a tagged structure whose fields all have their defaults: R-K-14's other reading."""

from __future__ import annotations

from typing import Any

from miniatures import Produces, only

from wireproof.reference import decode as decode
from wireproof.reference import encode as _encode

PRODUCES: Produces = frozenset({("tag-ordering", "contested", None)})
TAKES = frozenset({"R-K-8", "R-K-14"})

types = only("UpdateRaftVoterResponse", "FetchResponse")
_DEFAULT = {"LeaderId": -1, "LeaderEpoch": -1, "Host": "", "Port": 0}
#: One tag: 0, of 14 bytes, the default.
_SENT = bytes.fromhex("01000effffffffffffffff010000000000")


def encode(type: str, value: Any, *, dialect: str, version: int | None = None) -> bytes:
    data = _encode(type, value, dialect=dialect, version=version)
    if type == "UpdateRaftVoterResponse" and value["CurrentLeader"] == _DEFAULT:
        return data[:-1] + _SENT
    return data
