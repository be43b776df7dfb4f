"""The values of the record types, for `reference.schema.shapes`: records, batches, messages, wrappers, sets.

Some timestamps are arbitrary; others are typical: none (−1), a time in milliseconds, in nanoseconds (a producer's
common mistake), and one before 1970. The codec bits of the attributes are drawn separately."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from wireproof.reference.records import CODEC
from wireproof.reference.records.compression import GZIP, LZ4, NAMES, NONE
from wireproof.reference.schema.shapes import (
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
#: Offsets of wrappers, from which those of their messages count.
_OFFSETS = Integers(0, 2**63 - 1)
#: The maximum distance between the offsets of a drawn wrapper's messages.
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
    """A wrapper: messages with these fields, and the same fields except the value, and those of `beside`. `relative`:
    its magic is 1 or more, and the offsets inside depend on its own."""
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
    """A drawn wrapper, made consistent: its codec is put into the attributes. From magic 1 on its offset is the last
    message's, which is the greatest; or it is 0, and the messages' offsets do not change."""
    wrapping = dict(drawn)
    wrapping["attributes"] |= wrapping.pop("codec")
    if relative and wrapping["offset"]:
        offset, after = wrapping["offset"], []
        for message in reversed(wrapping["messages"]):
            after.append({**message, "offset": offset})
            offset = max(0, offset - message["offset"] % _STEP)
        wrapping["messages"] = after[::-1]
    return wrapping


def message_set(magic: int) -> Shape:
    """Messages of one magic, wrappers among them."""
    return Items(Either((Fields(_plain(magic)), wrapper(_plain(magic), relative=magic > 0))))


def _with_magic(magic: int) -> tuple[Shape, Shape]:
    """A message and a wrapper with the key `magic`; the messages inside have no such key."""
    said: dict[str, Shape] = {"magic": Constant(magic)}
    return Fields(said | _plain(magic)), wrapper(_plain(magic), relative=magic > 0, beside=said)


#: Entries of every magic, mixed.
RECORD_SET = Items(Either((Fields({"magic": Constant(2), **BATCH.fields}), *_with_magic(0), *_with_magic(1))))
