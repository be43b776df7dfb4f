"""Which values the record types have, for `reference.shapes`: records, batches, messages, wrappers, sets.

Timestamps are Kafka's usual ones beside any: none (−1), now in milliseconds and, as some producers send it by mistake,
in nanoseconds, and one before 1970. Of the attributes' bits those of the codec are drawn apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from reference.records import CODEC
from reference.records.compression import GZIP, LZ4, NAMES, NONE
from reference.shapes import (
    Among,
    Constant,
    Either,
    Fields,
    Integers,
    Items,
    KeyValues,
    Made,
    Octets,
    Shape,
    Text,
    signed,
)

_MAYBE_OCTETS = Octets(nullable=True)
_USUAL_TIMESTAMPS = Among((-1, 0, 1_600_000_000_123, 1_600_000_000_123_456_789, -62_135_596_800_000))
_TIMESTAMPS = Either((_USUAL_TIMESTAMPS, signed(64)))
#: Offsets that a wrapper's messages can count from.
_OFFSETS = Integers(0, 2**63 - 1)
#: So far apart are the offsets of a drawn wrapper's messages at most.
_STEP = 2**31


def _joined(drawn: Mapping[str, int]) -> int:
    return drawn["bits"] | drawn["codec"]


def _attributes(bits: int) -> Shape:
    """Any bits, and most often no codec."""
    codec = Either((Constant(NONE), Integers(NONE, len(NAMES) - 1)))
    return Made(Fields({"bits": Either((Constant(0), signed(bits, without=CODEC))), "codec": codec}), _joined)


RECORD = Fields(
    {
        "attributes": signed(8),
        "timestampDelta": signed(64),
        "offsetDelta": signed(32),
        "key": _MAYBE_OCTETS,
        "value": _MAYBE_OCTETS,
        "headers": KeyValues(Text(), _MAYBE_OCTETS),
    }
)
BATCH = Fields(
    {
        "baseOffset": signed(64),
        "partitionLeaderEpoch": signed(32),
        "attributes": _attributes(16),
        "lastOffsetDelta": signed(32),
        "baseTimestamp": _TIMESTAMPS,
        "maxTimestamp": _TIMESTAMPS,
        "producerId": signed(64),
        "producerEpoch": signed(16),
        "baseSequence": signed(32),
        "records": Items(RECORD),
    }
)


def _plain(magic: int) -> dict[str, Shape]:
    """A message of magic 0 or 1 that is no wrapper."""
    return {
        "offset": signed(64),
        "attributes": Either((Constant(0), signed(8, without=CODEC))),
        **({"timestamp": _TIMESTAMPS} if magic else {}),
        "key": _MAYBE_OCTETS,
        "value": _MAYBE_OCTETS,
    }


def wrapper(message: Mapping[str, Shape], *, relative: bool, beside: Mapping[str, Shape] | None = None) -> Shape:
    """A wrapper around messages of these fields, with the same fields but its value, and with those of `beside`.
    `relative`: from magic 1 on, the offsets inside depend on its own."""
    fields = {
        **(beside or {}),
        **message,
        "offset": Either((Constant(0), _OFFSETS)) if relative else signed(64),
        "codec": Integers(GZIP, LZ4),
        "messages": Items(Fields(message), least=1),
    }
    del fields["value"]
    return Made(Fields(fields), partial(_consistent, relative))


def _consistent(relative: bool, drawn: Mapping[str, Any]) -> dict[str, Any]:
    """A wrapper whose codec is among its attributes. From magic 1 on its offset is that of its last message, above
    which no other is, or 0, under which they stand as they are."""
    found = dict(drawn)
    found["attributes"] |= found.pop("codec")
    if relative and found["offset"]:
        offset, after = found["offset"], []
        for message in reversed(found["messages"]):
            after.append({**message, "offset": offset})
            offset = max(0, offset - message["offset"] % _STEP)
        found["messages"] = after[::-1]
    return found


def message_set(magic: int) -> Shape:
    """Messages of one magic, wrappers among them."""
    return Items(Either((Fields(_plain(magic)), wrapper(_plain(magic), relative=magic > 0))))


def _with_magic(magic: int) -> tuple[Shape, Shape]:
    """A message and a wrapper that say their magic; the messages inside do not."""
    said: dict[str, Shape] = {"magic": Constant(magic)}
    return Fields(said | _plain(magic)), wrapper(_plain(magic), relative=magic > 0, beside=said)


#: Entries of every magic, mixed.
RECORD_SET = Items(Either((Fields({"magic": Constant(2), **BATCH.fields}), *_with_magic(0), *_with_magic(1))))
