"""The simplest valid input of a type: what a refusal of other input of that type is measured by."""

from __future__ import annotations

import functools
from typing import Any

from conformance.ledger.making import default
from conformance.own import own
from reference.codec import NodeCodec
from reference.errors import DecodeError
from reference.framing import RequestFrame, ResponseFrame, request_plans
from reference.plan import Struct
from reference.primitives import Primitive
from reference.shapes import (
    Ascending,
    Constant,
    Either,
    Fields,
    Integers,
    Items,
    KeyValue,
    KeyValues,
    Made,
    Octets,
    Shape,
    Shaped,
    Text,
)


@functools.cache
def simplest_bytes(dialect: str, type_name: str, version: int | None) -> bytes | None:
    """The canonical bytes of the simplest value; None for a type or version that there is not, or without values."""
    try:
        codec = own().dialect(dialect).codec(type_name, version)
    except (NotImplementedError, DecodeError):
        return None
    match codec:
        case NodeCodec(Struct() as node):
            value = default(node)
        case NodeCodec(Primitive(default=plain)):
            value = plain
        case NodeCodec():
            value = []
        case ResponseFrame(header, body):
            value = {"header": default(header), "body": default(body)}
        case RequestFrame():
            value = _request(codec, dialect)
            if value is None:
                return None
        case Shaped(shape=shape):
            value = _simplest(shape)
        case _:
            return None
    return own().encode(type_name, value, dialect=dialect, version=version)


def _request(codec: RequestFrame, dialect: str) -> Any:
    """The request of the dialect's first api, at its lowest version."""
    found = own().dialect(dialect)
    for key in sorted(found.apis()):
        span = found.api_versions(key)
        if span is not None:
            header, body = request_plans(codec.messages, key, span[0])
            fixed = {"RequestApiKey": key, "RequestApiVersion": span[0]}
            return {"header": default(header) | fixed, "body": default(body)}
    return None


def _simplest(shape: Shape) -> Any:
    match shape:
        case Constant(value=value):
            return value
        case Integers(low=low, high=high):
            return 0 if low <= 0 <= high else low
        case Text():
            return ""
        case Octets():
            return b""
        case KeyValues() | Ascending():
            return []
        case KeyValue(key=key, value=value):
            return (_simplest(key), _simplest(value))
        case Items(item=item, least=least):
            return [_simplest(item)] * least
        case Fields(fields=fields):
            return {name: _simplest(inner) for name, inner in fields.items()}
        case Either(shapes=shapes):
            return _simplest(shapes[0])
        case Made(of=of, make=make):
            return make(_simplest(of))
