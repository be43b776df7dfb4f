"""Values of any message, made from its plan: the cases that every message-version is tried with."""

from __future__ import annotations

import functools
import itertools
import uuid
from collections.abc import Iterator
from typing import Any

from reference.plan import Array, Node, Struct
from reference.primitives import Primitive

#: The unknown tag that the case `unknown-tags` puts into every structure that can hold one.
UNKNOWN_TAG = (9999, b"\x01\x02")


class _Leaves:
    """Values that all differ, so that no two fields can be taken for each other."""

    def __init__(self) -> None:
        self._count = itertools.count(1)

    def of(self, name: str) -> Any:
        number = next(self._count)
        match name:
            case "BOOLEAN":
                return True
            case "FLOAT64":
                return number + 0.5
            case "UUID":
                return uuid.UUID(int=number << 64 | number)
            case "INT8":
                return number % 127 + 1
        if name.endswith("STRING"):
            return f"text-{number}"
        if name.endswith("BYTES"):
            return f"bytes-{number}".encode()
        return 0x0101 * (number % 120 + 1) if name in ("INT16", "UINT16") else 0x01010101 + number


def default(node: Node) -> Any:
    """Every field at its default; a structure that is no field's default: of defaults."""
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


def every_field(node: Node, leaves: _Leaves | None = None) -> Any:
    """Every field set, each leaf to a different value, arrays of two."""
    leaves = leaves or _Leaves()
    match node:
        case Struct():
            return {field.name: every_field(field.node, leaves) for field in node.fields}
        case Array():
            return [every_field(node.element, leaves) for _ in range(2)]
        case Primitive():
            return leaves.of(node.name)
    raise TypeError(f"no message has a {type(node).__name__}")


def nulls(node: Node, leaves: _Leaves | None = None) -> Any:
    """Every nullable field null; arrays that can't be null have one element, so that what is inside is null too."""
    leaves = leaves or _Leaves()
    match node:
        case Struct():
            return {field.name: None if _nullable(field.node) else nulls(field.node, leaves) for field in node.fields}
        case Array():
            return [nulls(node.element, leaves)]
        case Primitive():
            return leaves.of(node.name)
    raise TypeError(f"no message has a {type(node).__name__}")


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
            return [only_tagged(node.element, value[0])] if _has_tags(node.element) else []
        case Primitive():
            return node.default
    return value


def _nullable(node: Node) -> bool:
    match node:
        case Struct(marker=marker):
            return marker != "none"
        case Array(nullable=nullable):
            return nullable
        case Primitive(name=name):
            return "NULLABLE" in name
    return False


@functools.cache
def _has_tags(node: Node) -> bool:
    """Whether a tagged field stands anywhere inside."""
    match node:
        case Struct():
            return bool(node.tagged) or any(_has_tags(field.node) for field in node.fields)
        case Array():
            return _has_tags(node.element)
    return False


def _has_nullable(node: Node) -> bool:
    match node:
        case Struct():
            return any(_nullable(field.node) or _has_nullable(field.node) for field in node.fields)
        case Array():
            return _has_nullable(node.element)
    return False


def values(node: Struct) -> Iterator[tuple[str, Any]]:
    """The cases of one message-version, by name; those that say nothing new for it are left out."""
    yield "default", default(node)
    if not node.fields:
        if node.flexible:
            yield "unknown-tags", with_unknown_tags(node, {})
        return
    full = every_field(node)
    yield "set", full
    if _has_nullable(node):
        yield "null", nulls(node)
    if _has_tags(node):
        yield "tagged", only_tagged(node, full)
    if node.flexible:
        yield "unknown-tags", with_unknown_tags(node, full)
