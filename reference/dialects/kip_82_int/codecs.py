"""The codecs of headers, messages and sets, and the values of each.

A module of its own: it imports the compression libraries, which takes time.
"""

from __future__ import annotations

from collections.abc import Mapping

from wireproof.reference.codec import ShapedCodec
from wireproof.reference.dialects.kip_82_int import headers, messages
from wireproof.reference.records import CODEC
from wireproof.reference.records.values import wrapper
from wireproof.reference.schema.shapes import Ascending, Constant, Either, Fields, Items, Octets, Shape, signed

_HEADERS = Ascending(signed(32), Octets())


def _plain(magic: int) -> dict[str, Shape]:
    return {
        "offset": signed(64),
        "magic": Constant(magic),
        "attributes": signed(8, without=CODEC),
        **({"timestamp": signed(64)} if magic else {}),
        "key": Octets(nullable=True),
        "headers": _HEADERS if magic == messages.MAGIC else Constant([]),
        "value": Octets(nullable=True),
    }


def _wrapper(magic: int) -> Shape:
    return wrapper(_plain(magic), relative=magic > 0)


_MAGICS = tuple(reversed(messages.MAGICS))
_MESSAGES = Either((*(Fields(_plain(magic)) for magic in _MAGICS), *map(_wrapper, _MAGICS)))
CODECS: Mapping[str, ShapedCodec] = {
    "HEADERS": ShapedCodec(headers.read_headers, headers.append_headers, _HEADERS),
    "MESSAGE_AND_OFFSET": ShapedCodec(messages.read_message_and_offset, messages.append_message_and_offset, _MESSAGES),
    "MESSAGE_SET": ShapedCodec(messages.read_message_set, messages.append_message_set, Items(_MESSAGES)),
}
