"""Reads control records. Source: KIP-98, Control Records; KIP-595, KIP-630, KIP-853.

key    => version:INT16 type:INT16                     ; a later version may add bytes
value  => of end-of-transaction markers: version:INT16 EndTxnMarker; of the others: a message whose first field,
          an INT16, is its version
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wireproof.reference import codec
from wireproof.reference.errors import DecodeError, Reason
from wireproof.reference.rules import Rules
from wireproof.reference.schema.plan import MessagePlans

#: Bit 5 of a batch's attributes: its records are control records.
CONTROL = 0x20

#: type → the kind of control record, and the message in its value.
KINDS: Mapping[int, tuple[str, str]] = {
    0: ("abort", "EndTxnMarker"),
    1: ("commit", "EndTxnMarker"),
    2: ("leader change", "LeaderChangeMessage"),
    3: ("snapshot header", "SnapshotHeaderRecord"),
    4: ("snapshot footer", "SnapshotFooterRecord"),
    5: ("kraft version", "KRaftVersionRecord"),
    6: ("kraft voters", "VotersRecord"),
}


@dataclass(frozen=True, slots=True)
class ControlRecord:
    """A control record. `kind` and `value` are None for an unknown type, which readers skip."""

    version: int
    type: int
    kind: str | None
    value: Mapping[str, Any] | None


def read_control(record: Mapping[str, Any], messages: MessagePlans, rules: Rules) -> ControlRecord:
    """The control record in a record of a control batch. Raises DecodeError; offsets count from the key or the
    value."""
    key = record["key"]
    if key is None or len(key) < 4:
        raise DecodeError(Reason.TRUNCATED, "a control record's key has a version and a type, 4 bytes", 0, "key")
    version, number = struct.unpack_from(">hh", key)
    if number not in KINDS:
        return ControlRecord(version, number, None, None)
    kind, name = KINDS[number]
    value = record["value"]
    if value is None or len(value) < 2:
        raise DecodeError(Reason.TRUNCATED, f"the value of a {kind} record has a version, 2 bytes", 0, "value")
    (value_version,) = struct.unpack_from(">h", value)
    before = 2 if name == "EndTxnMarker" else 0
    plan = messages.plan(name, value_version)
    try:
        content = codec.decode(codec.NodeCodec(plan), value[before:], rules)
    except DecodeError as error:
        at = None if error.offset is None else error.offset + before
        raise DecodeError(error.reason, error.detail, at, error.path) from None
    return ControlRecord(version, number, kind, content)
