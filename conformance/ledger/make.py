"""Makes the values of a version's ledger cases from its plan, and those of frames."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from typing import Any

from wireproof.conformance.ledger.field_values import Greatest, Leaves, Lowest
from wireproof.reference.primitives import Primitive
from wireproof.reference.records import FIELDS
from wireproof.reference.schema.plan import Array, Node, PlannedField, Struct

#: The unknown tag that the case `unknown-tags` puts into every structure that can hold one.
UNKNOWN_TAG = (9999, b"\x01\x02")


def default(node: Node) -> Any:
    """Every field at its default; a structure without a default has fields at their defaults."""
    match node:
        case Struct(marker="none"):
            return {field.name: field.default for field in node.fields}
        case Struct():
            return None
        case Array():
            return []
        case Primitive():
            return node.default
    raise TypeError(f"no message has a {type(node).__name__}")


def every_field(node: Node, leaves: Leaves | None = None, size: int = 2) -> Any:
    """Every field set, each leaf to a different value, arrays of `size`."""
    leaves = leaves or Leaves()
    match node:
        case Struct():
            return {
                field.name: leaves.records() if field.name in FIELDS else every_field(field.node, leaves, size)
                for field in node.fields
            }
        case Array():
            return [every_field(node.element, leaves, size) for _ in range(size)]
        case Primitive():
            return leaves.of(node.name)
    raise TypeError(f"no message has a {type(node).__name__}")


def elements(node: Node) -> Any:
    """Every field at its default, but structures are present, and arrays have two elements: the first made in the same
    way, the second with all defaults."""
    match node:
        case Struct():
            return {
                field.name: field.default if isinstance(field.node, Primitive) else elements(field.node)
                for field in node.fields
            }
        case Array():
            return [elements(node.element), default(node.element)]
        case Primitive():
            return node.default
    raise TypeError(f"no message has a {type(node).__name__}")


def nulls(node: Node, leaves: Leaves | None = None) -> Any:
    """Every nullable field null; arrays that can't be null have one element, whose nullable fields are null."""
    leaves = leaves or Leaves()
    match node:
        case Struct():
            return {field.name: _null(field, leaves) for field in node.fields}
        case Array():
            return [nulls(node.element, leaves)]
        case Primitive():
            return leaves.of(node.name)
    raise TypeError(f"no message has a {type(node).__name__}")


def _null(field: PlannedField, leaves: Leaves) -> Any:
    if nullable(field.node):
        return None
    return leaves.records() if field.name in FIELDS else nulls(field.node, leaves)


def with_unknown_tags(node: Node, value: Any) -> Any:
    """One unknown tag in every structure of `value` that can hold one."""
    match node:
        case Struct() if value is not None:
            filled = {field.name: with_unknown_tags(field.node, value[field.name]) for field in node.fields}
            return filled | ({"_tags": [list(UNKNOWN_TAG)]} if node.flexible else {})
        case Array() if value is not None:
            return [with_unknown_tags(node.element, item) for item in value]
    return value


def only_tagged(node: Node, value: Any) -> Any:
    """Every tagged field as in `value`, the others at their defaults; arrays with tags inside have one element."""
    match node:
        case Struct() if value is not None:
            return {
                field.name: value[field.name] if field.tag is not None else only_tagged(field.node, value[field.name])
                for field in node.fields
            }
        case Array() if value is not None:
            return [only_tagged(node.element, value[0])] if has_tags(node.element) else []
        case Primitive():
            return node.default
    return value


def nullable(node: Node) -> bool:
    """Whether a node can be null."""
    match node:
        case Struct(marker=marker):
            return marker != "none"
        case Array(nullable=nullable):
            return nullable
        case Primitive(name=name):
            return "NULLABLE" in name
    return False


@functools.cache
def has_tags(node: Node) -> bool:
    """Whether a tagged field stands anywhere inside."""
    match node:
        case Struct():
            return bool(node.tagged) or any(has_tags(field.node) for field in node.fields)
        case Array():
            return has_tags(node.element)
    return False


def _has_nullable(node: Node) -> bool:
    match node:
        case Struct():
            return any(nullable(field.node) or _has_nullable(field.node) for field in node.fields)
        case Array():
            return _has_nullable(node.element)
    return False


def values(node: Struct) -> Iterator[tuple[str, Any]]:
    """The cases of one version: name, value. A case equal to an earlier one is left out."""
    yield "default", default(node)
    if not node.fields:
        if node.flexible:
            yield "unknown-tags", with_unknown_tags(node, {})
        return
    if any(not isinstance(field.node, Primitive) for field in node.fields):
        yield "elements", elements(node)
    full = every_field(node)
    yield "set", full
    if _has_nullable(node):
        yield "null", nulls(node)
    if has_tags(node):
        yield "tagged", only_tagged(node, full)
    yield "lowest", every_field(node, Lowest(), 1)
    yield "greatest", every_field(node, Greatest(), 1)
    if node.flexible:
        yield "unknown-tags", with_unknown_tags(node, every_field(node, size=1))


def framed_versions(plans: Mapping[int, Struct]) -> list[int]:
    """The versions in which a message is asked as a frame: the lowest and the highest, and those on both sides of the
    first flexible one, where the header changes. `plans`: by version, all of them."""
    changes = [
        version
        for version in plans
        if version - 1 in plans and plans[version - 1].flexible is not plans[version].flexible
    ]
    return sorted({min(plans), max(plans), *changes, *(version - 1 for version in changes)})


def frame(header: Struct, body: Struct, said: Mapping[str, int]) -> dict[str, Any]:
    """A frame with every field of header and body set, arrays of one. `said`: what the header says of the body."""
    leaves = Leaves()
    return {"header": every_field(header, leaves) | dict(said), "body": every_field(body, leaves, 1)}
