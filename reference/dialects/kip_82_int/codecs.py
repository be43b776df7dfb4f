"""The codecs of headers, messages and sets, and which values each has; apart from the package, for messages load the
compression libraries, which takes time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reference.codec import ShapedCodec
from reference.dialects.kip_82_int import headers, messages
from reference.records.compression import GZIP, LZ4, MASK
from reference.shapes import Ascending, Constant, Either, Fields, Integers, Items, Made, Octets, Shape, signed

_HEADERS = Ascending(signed(32), Octets())
_OFFSETS = Integers(0, 2**63 - 1)
#: So far apart are the offsets of a drawn wrapper's messages at most.
_STEP = 2**31


def _plain(magic: int) -> dict[str, Shape]:
    return {
        "offset": signed(64),
        "magic": Constant(magic),
        "attributes": signed(8, without=MASK),
        **({"timestamp": signed(64)} if magic else {}),
        "key": Octets(nullable=True),
        "headers": _HEADERS if magic == messages.MAGIC else Constant([]),
        "value": Octets(nullable=True),
    }


def _wrapper(magic: int) -> Shape:
    fields = {
        **_plain(magic),
        "offset": Either((Constant(0), _OFFSETS)) if magic else signed(64),
        "codec": Integers(GZIP, LZ4),
        "messages": Items(Fields(_plain(magic)), least=1),
    }
    del fields["value"]
    return Made(Fields(fields), _consistent)


def _consistent(drawn: Mapping[str, Any]) -> dict[str, Any]:
    """A wrapper whose codec is among its attributes. From magic 1 on its offset is that of its last message, above
    which no other is, or 0, under which they stand as they are."""
    wrapper = dict(drawn)
    wrapper["attributes"] |= wrapper.pop("codec")
    if wrapper["magic"] and wrapper["offset"]:
        offset, after = wrapper["offset"], []
        for message in reversed(wrapper["messages"]):
            after.append({**message, "offset": offset})
            offset = max(0, offset - message["offset"] % _STEP)
        wrapper["messages"] = after[::-1]
    return wrapper


_MAGICS = tuple(reversed(messages.MAGICS))
_MESSAGES = Either((*(Fields(_plain(magic)) for magic in _MAGICS), *map(_wrapper, _MAGICS)))
CODECS: Mapping[str, ShapedCodec] = {
    "HEADERS": ShapedCodec(headers.read_headers, headers.append_headers, _HEADERS),
    "MESSAGE_AND_OFFSET": ShapedCodec(messages.read_message_and_offset, messages.append_message_and_offset, _MESSAGES),
    "MESSAGE_SET": ShapedCodec(messages.read_message_set, messages.append_message_set, Items(_MESSAGES)),
}
