"""Vectors with the catalogue of another Kafka version: which of them are still right.

The vectors were written for the bundled catalogue. With another one a question is asked only if both catalogues agree
on its message versions: the same fields, names and encoding, or neither catalogue has the version. Any other question
would report a difference between two Kafka versions as a bug.
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Iterator
from typing import Any

from wireproof.conformance.model import Op
from wireproof.conformance.vectors import Vector
from wireproof.reference import catalog
from wireproof.reference.catalog import Catalog
from wireproof.reference.dialects import UnknownType
from wireproof.reference.dialects.kafka import CatalogMessages
from wireproof.reference.errors import DecodeError
from wireproof.reference.schema.plan import Array, Node, Struct

_DIALECT = "kafka"
_FRAME = "ResponseFrame:"


def is_bundled() -> bool:
    """Whether the current catalogue is the bundled one, for which all vectors are right."""
    return catalog.current() is catalog.bundled()


def holds(vector: Vector, op: Op) -> bool:
    """Whether the current catalogue agrees with the bundled one on everything in this question."""
    if vector.dialect != _DIALECT or is_bundled():
        return True
    ours, theirs = _messages(catalog.bundled()), _messages(catalog.current())
    if any(ours.api_name(key) != theirs.api_name(key) for key, _ in _requests(vector)):
        return False
    keys = frozenset(_keys(vector.value)) if op is Op.ENCODE else frozenset()
    return all(_alike(theirs, name, version, keys) for name, version in _message_versions(vector, ours))


@functools.cache
def _messages(catalog: Catalog) -> CatalogMessages:
    return CatalogMessages(catalog)


def _message_versions(vector: Vector, ours: CatalogMessages) -> Iterator[tuple[str, int]]:
    """The messages, with their versions, that a vector's type, its requests and its patterns name."""
    patterns = vector.expected[0] if "chunks" in vector.args else ()
    typed = [(vector.type, vector.version), *((pattern["type"], pattern.get("version")) for pattern in patterns)]
    for name, version in typed:
        if name is not None and version is not None:
            yield f"{name.removeprefix(_FRAME)}Response" if name.startswith(_FRAME) else name, version
    for key, version in _requests(vector):
        api = ours.api_name(key)
        if api is not None:
            yield f"{api}Request", version
            yield f"{api}Response", version


def _requests(vector: Vector) -> Iterator[tuple[int, int]]:
    """Api key and version of every request frame in a vector, if its bytes contain them."""
    args = vector.args
    if vector.type == "RequestFrame":
        yield from _framed(vector.data)
        match vector.value:
            case {"header": {"RequestApiKey": int(key), "RequestApiVersion": int(version)}}:
                yield key, version
    if "request" in args:
        yield from _framed(args["request"])
    if "chunks" in args:
        yield from _framed(b"".join(args["chunks"]))


def _framed(data: bytes) -> Iterator[tuple[int, int]]:
    """The messages of consecutive frames: a size, then a header that begins with api key and version."""
    while len(data) >= 8:
        size, key, version = struct.unpack_from(">ihh", data)
        yield key, version
        data = data[4 + max(size, 4) :]


def _keys(value: Any) -> Iterator[str]:
    """All keys in a value, whatever their depth."""
    match value:
        case dict():
            yield from value
            for item in value.values():
                yield from _keys(item)
        case list() | tuple():
            for item in value:
                yield from _keys(item)


@functools.cache
def _alike(theirs: CatalogMessages, name: str, version: int, keys: frozenset[str]) -> bool:
    ours = _messages(catalog.bundled())
    plans = [_plan(messages, name, version) for messages in (ours, theirs)]
    if None in plans:
        return plans == [None, None]
    return _same(plans[0], plans[1], keys)


def _plan(messages: CatalogMessages, name: str, version: int) -> Node | None:
    try:
        return messages.plan(name, version)
    except (UnknownType, DecodeError):
        return None


def _same(one: Node | None, other: Node | None, keys: frozenset[str]) -> bool:
    """Whether two nodes have the same values and bytes. `keys`: what a value to be encoded names, for a field of
    another version is a matter of its own (R-K-13)."""
    match one, other:
        case Struct(), Struct():
            return (
                (one.flexible, one.marker) == (other.flexible, other.marker)
                and _facts(one) == _facts(other)
                and {key: one.foreign.get(key) for key in keys} == {key: other.foreign.get(key) for key in keys}
                and all(_same(a.node, b.node, keys) for a, b in zip(one.fields, other.fields, strict=True))
            )
        case Array(), Array():
            shapes = [(array.compact, array.nullable) for array in (one, other)]
            return shapes[0] == shapes[1] and _same(one.element, other.element, keys)
    return one == other


def _facts(node: Struct) -> list[tuple[Any, ...]]:
    return [(field.name, field.tag, field.default) for field in node.fields]
