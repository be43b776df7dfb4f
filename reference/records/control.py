"""What the records of a control batch say. Source: KIP-98, Control Records; KIP-595, KIP-630, KIP-853.

key    => version:INT16 type:INT16                     ; a later version may add bytes
value  => of end-of-transaction markers: version:INT16 EndTxnMarker; of the others: a message whose first field,
          an INT16, is its version
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reference import codec
from reference.errors import DecodeError, Reason
from reference.framing import MessagePlans
from reference.rules import Rules

#: Bit 5 of a batch's attributes: its records are control records.
CONTROL = 0x20

#: type → what such a record is, and the message that its value holds.
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
    """A control record; `kind` and `value` are None for a type that is not known, which readers pass over."""

    version: int
    type: int
    kind: str | None
    value: Mapping[str, Any] | None


def read_control(record: Mapping[str, Any], messages: MessagePlans, rules: Rules) -> ControlRecord:
    """What a record of a control batch says. Raises DecodeError; offsets count from the key or the value."""
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
    content = value[2:] if name == "EndTxnMarker" else value
    plan = messages.plan(name, value_version)
    return ControlRecord(version, number, kind, codec.decode(codec.NodeCodec(plan), content, rules))
