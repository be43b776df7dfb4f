"""Hypothesis strategies for the values of all types, made from their plans, and for nearly valid bytes."""

from __future__ import annotations

import functools
import struct
from typing import Any

from hypothesis import strategies as st

from wireproof.conformance.generation import edge_values
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.conformance.oracle.types import requests_of
from wireproof.conformance.properties import byte_corruption, invalid_values
from wireproof.reference.codec import Codec, NodeCodec
from wireproof.reference.peers.framing import RequestFrame, ResponseFrame, request_plans
from wireproof.reference.primitives import INTEGERS, Primitive
from wireproof.reference.schema.plan import Array, Node, OptionalBuffer, PlannedField, PlannedPair, Struct, TagBuffer
from wireproof.reference.schema.shapes import (
    Among,
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

Values = st.SearchStrategy[Any]


def _integers(low: int, high: int) -> Values:
    """Integers. The boundaries of each varint length and their neighbours are drawn often."""
    return st.sampled_from(edge_values.integers(low, high)) | st.integers(low, high)


_TEXT = st.text(st.characters(codec="utf-8"), max_size=40) | st.sampled_from(edge_values.TEXTS)
_BYTES = st.binary(max_size=40) | st.sampled_from(edge_values.OCTETS)

_HEADER_KEYS = st.sampled_from(edge_values.KEYS) | _TEXT


def _floats() -> Values:
    """All bit patterns, including NaNs with payloads."""
    return st.integers(0, 2**64 - 1).map(lambda bits: struct.unpack(">d", struct.pack(">Q", bits))[0]) | st.floats()


def of_primitive(primitive: Primitive) -> Values:
    """The values of a primitive type."""
    name = primitive.name
    if name in INTEGERS:
        return _integers(*INTEGERS[name])
    match name:
        case "BOOLEAN":
            return st.booleans()
        case "FLOAT64":
            return _floats()
        case "UUID":
            return st.uuids()
    content = _TEXT if name.endswith("STRING") else _BYTES
    return st.none() | content if "NULLABLE" in name else content


def _tags(known: frozenset[int] = frozenset()) -> Values:
    """Unknown tags in ascending order."""
    number = _integers(0, 2**32 - 1).filter(lambda tag: tag not in known)
    return st.dictionaries(number, _BYTES, max_size=edge_values.MOST_PAIRS).map(
        lambda tags: [list(item) for item in sorted(tags.items())]
    )


def _optional_fields(known: frozenset[int] = frozenset()) -> Values:
    """Unknown optional fields with content, in ascending order of their 16-bit tags."""
    number = (st.sampled_from(edge_values.SHORT_TAGS) | st.integers(0, 2**16 - 1)).filter(lambda tag: tag not in known)
    fields = st.dictionaries(number, _BYTES.filter(bool), max_size=edge_values.MOST_PAIRS)
    return fields.map(lambda tags: [list(item) for item in sorted(tags.items())])


def of_node(node: Node) -> Values:
    """The values of a node of a plan."""
    match node:
        case Primitive():
            return of_primitive(node)
        case TagBuffer():
            return _tags()
        case OptionalBuffer():
            return _optional_fields()
        case Array():
            elements = st.lists(of_node(node.element), max_size=edge_values.MOST_ELEMENTS)
            return st.none() | elements if node.nullable else elements
        case PlannedPair(first, second):
            return st.tuples(of_node(first.node), of_node(second.node)).map(list)
        case Struct():
            values = _of_struct(node)
            return st.none() | values if node.marker != "none" else values


def _of_struct(node: Struct) -> Values:
    fields = {field.name: _of_field(field) for field in node.fields}
    optional = {}
    if node.flexible or node.optional:
        optional["_tags"] = (_optional_fields if node.optional else _tags)(frozenset(node.tagged))
    return st.fixed_dictionaries(fields, optional=optional)


def _of_field(field: PlannedField) -> Values:
    values = of_node(field.node)
    return values if field.tag is None else st.just(field.default) | values


def of_shape(shape: Shape) -> Values:
    """The values of a shape."""
    match shape:
        case Constant(value):
            return st.just(value)
        case Among(values):
            return st.sampled_from(values)
        case Integers(low, high, without):
            numbers = _integers(low, high)
            return numbers.map(lambda number: number & ~without) if without else numbers
        case Text():
            return _TEXT
        case Octets(nullable):
            return st.none() | _BYTES if nullable else _BYTES
        case KeyValue() | KeyValues() | Ascending():
            return _of_pairs(shape)
        case Items(item, least):
            return st.lists(of_shape(item), min_size=least, max_size=edge_values.MOST_ELEMENTS)
        case Fields(fields):
            return st.fixed_dictionaries({name: of_shape(field) for name, field in fields.items()})
        case Either(shapes):
            return st.one_of(*map(of_shape, shapes))
        case Made(of, make):
            return of_shape(of).map(make)


def _of_pairs(shape: KeyValue | KeyValues | Ascending) -> Values:
    value = of_shape(shape.value)
    if isinstance(shape, Ascending):
        pairs = st.dictionaries(of_shape(shape.key), value, max_size=edge_values.MOST_PAIRS)
        return pairs.map(lambda drawn: [list(pair) for pair in sorted(drawn.items())])
    pair = st.tuples(_of_key(shape.key), value).map(list)
    return st.lists(pair, max_size=edge_values.MOST_PAIRS) if isinstance(shape, KeyValues) else pair


def _of_key(key: Shape) -> Values:
    return _HEADER_KEYS if isinstance(key, Text) else of_shape(key)


def of_codec(codec: Codec, dialect: str) -> Values:
    """The values of a codec's type."""
    if isinstance(codec, Shaped):
        return of_shape(codec.shape)
    match codec:
        case NodeCodec(node):
            return of_node(node)
        case ResponseFrame(header, body):
            return st.fixed_dictionaries({"header": of_node(header), "body": of_node(body)})
        case RequestFrame():
            return _of_request_frames(codec, dialect)
    raise NotImplementedError(f"no strategy for {codec!r}")


def _of_request_frames(codec: RequestFrame, dialect: str) -> Values:
    """Requests of all apis and versions."""
    frames = []
    for key, version in requests_of(dialect):
        header, body = request_plans(codec.messages, key, version)
        fixed = {"RequestApiKey": key, "RequestApiVersion": version}
        headers = of_node(header).map(functools.partial(_overlaid, fixed))
        frames.append(st.fixed_dictionaries({"header": headers, "body": of_node(body)}))
    return st.one_of(frames)


def _overlaid(fixed: dict[str, Any], value: dict[str, Any]) -> dict[str, Any]:
    return value | fixed


def values(type_name: str, *, dialect: str, version: int | None = None) -> Values:
    """The values of a type. Boundary values are drawn often. Raises UnknownType."""
    return of_codec(reference_codec().dialect(dialect).codec(type_name, version), dialect)


#: A fault: its kind and the function that makes it. The simplest kinds come first: examples shrink towards them.
_FAULTS = st.one_of(
    st.tuples(st.just("insert"), st.binary(min_size=1, max_size=byte_corruption.MOST_INSERTED)),
    st.tuples(st.just("border"), st.sampled_from(byte_corruption.BORDERS)),
    st.tuples(st.just("pad"), st.none()),
    st.tuples(st.just("drop"), st.integers(1, byte_corruption.MOST_DROPPED)),
    st.tuples(st.just("flip"), st.integers(0, 7)),
    st.tuples(st.just("repeat"), st.integers(1, byte_corruption.MOST_REPEATED)),
    st.tuples(st.just("cut"), st.none()),
)


def nearly(canonical: st.SearchStrategy[bytes]) -> st.SearchStrategy[bytes]:
    """Valid bytes with one to three small faults, or random bytes."""
    places = st.integers(0, byte_corruption.LAST_PLACE)
    several = st.lists(st.tuples(_FAULTS, places), min_size=1, max_size=byte_corruption.MOST)
    return st.builds(byte_corruption.put, canonical | st.binary(max_size=byte_corruption.MOST_ODD), several)


def changed(values: Values) -> st.SearchStrategy[invalid_values.Change]:
    """Values with one part that is mostly wrong; what has no such part is not drawn."""
    changes = values.map(invalid_values.changes).filter(bool)
    return st.builds(lambda found, index: found[index % len(found)], changes, st.integers(0, 2**16))
