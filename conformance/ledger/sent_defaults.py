"""Bytes in which tagged fields are sent although they have their default. No encoder writes such bytes, but every
decoder has to read them."""

from __future__ import annotations

import dataclasses
from typing import Any

from wireproof.conformance.ledger.make import every_field, has_tags, only_tagged
from wireproof.reference.codec import NodeCodec, encode
from wireproof.reference.rules import Rules
from wireproof.reference.schema.plan import Array, Node, Struct


def explicit(node: Struct) -> tuple[Any, bytes] | None:
    """A value whose tagged fields all have their defaults, and bytes in which each of them is sent; None without any.

    To get the bytes, the structure is encoded without its tagged fields, which are given as unknown tags.
    """
    if not has_tags(node):
        return None
    value = only_tagged(node, every_field(node))
    plain, as_unknown = _untagged(node, _at_defaults(node, value))
    return _at_defaults(node, value), encode(NodeCodec(plain), as_unknown, Rules())


def _at_defaults(node: Node, value: Any) -> Any:
    """`value` with every tagged field at its default."""
    match node:
        case Struct() if value is not None:
            return {
                field.name: field.default if field.tag is not None else _at_defaults(field.node, value[field.name])
                for field in node.fields
            }
        case Array() if value is not None:
            return [_at_defaults(node.element, item) for item in value]
    return value


def _untagged(node: Node, value: Any) -> tuple[Node, Any]:
    """The node without its tagged fields, and the value with these as unknown tags."""
    match node:
        case Struct() if value is not None:
            fields, as_unknown = [], {}
            for field in node.plain:
                inner, as_unknown[field.name] = _untagged(field.node, value[field.name])
                fields.append(dataclasses.replace(field, node=inner))
            if node.tagged:
                as_unknown["_tags"] = [
                    [tag, encode(NodeCodec(field.node), value[field.name], Rules())]
                    for tag, field in node.tagged.items()
                ]
            return dataclasses.replace(node, fields=tuple(fields), plain=tuple(fields), tagged={}), as_unknown
        case Array(element=element) if value and has_tags(element):
            pairs = [_untagged(element, item) for item in value]
            return dataclasses.replace(node, element=pairs[0][0]), [item for _, item in pairs]
    return node, value
