"""The layouts of the frames that `serve` vectors expect, as plain data: an exported test reads an answer by them, and
then compares it with the vector's pattern. docs/reference/export-format.md describes the form.

Only types that follow from a schema have a layout. Frames of other types are read by the implementation's own `decode`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from wireproof.conformance.connection.protocol.shapes import plain
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.conformance.values.encoding import to_json
from wireproof.conformance.vectors import Vector, VectorKind
from wireproof.reference.codec import NodeCodec
from wireproof.reference.dialects.kip_35.layouts import EmptyResponse
from wireproof.reference.peers.framing import ResponseFrame
from wireproof.reference.primitives import Primitive
from wireproof.reference.schema.plan import Array, Node, PlannedField, PlannedPair, Struct

Layout = dict[str, Any]
#: A structure of fields one after another, and nothing else.
_PLAIN: Layout = {"fields": [], "tagged": [], "flexible": False, "marker": "none"}


def layouts(chosen: Iterable[Vector]) -> dict[str, Layout]:
    """`<type>/<version or ->` → its layout, for each type in the patterns of these vectors."""
    named = {
        (vector.dialect, pattern["type"], pattern.get("version"))
        for vector in chosen
        if vector.kind is VectorKind.SERVE
        for sends in _sends(vector)
        for pattern in sends
        if "type" in pattern
    }
    found = {}
    for dialect, type_name, version in sorted(named, key=str):
        codec = reference_codec().dialect(dialect).codec(type_name, version)
        name = f"{type_name}/{'-' if version is None else version}"
        if isinstance(codec, ResponseFrame):
            parts = [{"name": "header", "type": _node(codec.header)}, {"name": "body", "type": _node(codec.body)}]
            found[name] = {"framed": True, "type": _PLAIN | {"fields": parts}}
        elif isinstance(codec, NodeCodec):
            found[name] = {"framed": isinstance(codec, EmptyResponse), "type": _node(codec.node)}
    return found


def _sends(vector: Vector) -> Iterator[Any]:
    """The patterns that are demanded, then those of other readings."""
    yield vector.expected[0]
    for also in vector.also:
        if "sends" in also.expected:
            yield also.expected["sends"][0]


def _node(node: Node) -> Any:
    match node:
        case Primitive():
            return node.name
        case Array():
            return {"array": _node(node.element), "compact": node.compact, "nullable": node.nullable}
        case PlannedPair():
            return {"pair": [_node(node.first.node), _node(node.second.node)]}
        case Struct() if not node.optional:
            return {
                "fields": [_field(field) for field in node.plain],
                "tagged": [
                    {"tag": tag} | _field(field) | {"default": to_json(plain(field.default))}
                    for tag, field in node.tagged.items()
                ],
                "flexible": node.flexible,
                "marker": node.marker,
            }
    raise TypeError(f"a frame with a {type(node).__name__} has no layout")


def _field(field: PlannedField) -> Layout:
    return {"name": field.name, "type": _node(field.node)}
