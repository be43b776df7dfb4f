"""The codecs of the types, and the values of each.

A module of its own: it imports the compression libraries, which takes time.
"""

from __future__ import annotations

from collections.abc import Mapping

from wireproof.reference.codec import ShapedCodec
from wireproof.reference.dialects.kip_82_string_keys import batch, messages, numbers
from wireproof.reference.records import CODEC
from wireproof.reference.records.compression import LZ4
from wireproof.reference.schema.shapes import Fields, Integers, Items, KeyValue, KeyValues, Made, Octets, Text, signed

_UINT_VAR = Integers(0, 2**32 - 1)
_HEADERS = KeyValues(Text(), Octets())
_MESSAGE = Fields(
    {
        "attributes": signed(8),
        "timestampDelta": signed(64),
        "offsetDelta": _UINT_VAR,
        "key": Octets(nullable=True),
        "value": Octets(nullable=True),
        "headers": _HEADERS,
    }
)


def _joined(drawn: Mapping[str, int]) -> int:
    return drawn["bits"] | drawn["codec"]


_BATCH = Fields(
    {
        "firstOffset": signed(64),
        "attributes": Made(Fields({"bits": signed(16, without=CODEC), "codec": Integers(0, LZ4)}), _joined),
        "lastOffsetDelta": signed(32),
        "firstTimestamp": signed(64),
        "maxTimestamp": signed(64),
        "pid": signed(64),
        "epoch": signed(16),
        "firstSequence": signed(32),
        "records": Items(_MESSAGE),
    }
)
CODECS: Mapping[str, ShapedCodec] = {
    "UVARINT": ShapedCodec(numbers.read_uint_var, numbers.append_uint_var, _UINT_VAR),
    "INTVAR": ShapedCodec(numbers.read_int_var, numbers.append_int_var, signed(64)),
    "HEADER": ShapedCodec(messages.read_header, messages.append_header, KeyValue(Text(), Octets())),
    "HEADERS": ShapedCodec(messages.read_headers, messages.append_headers, _HEADERS),
    "MESSAGE": ShapedCodec(messages.read_message, messages.append_message, _MESSAGE),
    "BATCH": ShapedCodec(batch.read_batch, batch.append_batch, _BATCH),
}
