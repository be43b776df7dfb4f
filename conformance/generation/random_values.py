"""Generates values of all types: the simplest value, and one for each seed.

One walk over a type's plan (`reference.schema.plan`) or shape (`reference.schema.shapes`) generates all values. It
asks for choices: the number of elements, a number, null or not. `_Simplest` always makes the simplest choice, `_Random`
uses a `random.Random`, and `_Boundary` uses it to choose among boundary values. So a value only depends on the seed and
the Python version.

In `conformance.properties.strategies` hypothesis chooses: it can shrink a value, but this takes much more time. What
need not be shrunk is generated here: the valid twin of an invalid case (the simplest value of its type and version),
thousands of messages to compare two codecs, cases that are generated in several processes.
"""

from __future__ import annotations

import struct
import uuid
from collections.abc import Sequence
from random import Random
from typing import Any, Protocol, TypeVar

from wireproof.conformance.generation import edge_values
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.conformance.oracle.types import requests_of
from wireproof.reference.codec import Codec, NodeCodec, VersionPrefixed
from wireproof.reference.peers.framing import RequestFrame, ResponseFrame, request_plans
from wireproof.reference.primitives import INTEGERS, Primitive
from wireproof.reference.records.produce import ARGUMENTS
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

T = TypeVar("T")

#: The maximum number of elements of arrays, pairs and tags in a generated value; required elements do not count.
MOST_IN_A_VALUE = 48


def simplest(type_name: str, *, dialect: str, version: int | None = None) -> Any:
    """The simplest valid value of a type, always the same: numbers nearest to 0; the shortest text, bytes and lists; no
    nulls; tagged fields at their defaults; no unknown tags; the first option of each choice.

    Raises UnknownType, and DecodeError(unsupported-version).
    """
    return of_codec(reference_codec().dialect(dialect).codec(type_name, version), dialect, _Simplest())


def value(type_name: str, random: Random, *, dialect: str, version: int | None = None) -> Any:
    """A valid value of a type: often boundary values, sometimes null or empty, at most MOST_IN_A_VALUE elements in all.

    Raises as `simplest` does.
    """
    return of_codec(reference_codec().dialect(dialect).codec(type_name, version), dialect, _Random(random))


def boundary(type_name: str, random: Random, *, dialect: str, version: int | None = None) -> Any:
    """A valid value of a type from boundary values only: numbers at the ends of their range and of each varint length,
    text and bytes of the lengths at which prefixes grow; often null, empty, or unlike the default.

    Raises as `simplest` does.
    """
    return of_codec(reference_codec().dialect(dialect).codec(type_name, version), dialect, _Boundary(random))


def production(random: Random, *, boundary: bool) -> Any:
    """The arguments of `produce`. `boundary`: from boundary values only."""
    return of_shape(ARGUMENTS, _Boundary(random) if boundary else _Random(random))


def of_node(node: Node, random: Random) -> Any:
    """A valid value of a node of a plan, generated in the same way as by `value`."""
    return _of_node(node, _Random(random))


# --- Choices ----------------------------------------------------------------------------------------------------------


class Choices(Protocol):
    """What is asked for while a value is made."""

    def number(self, low: int, high: int) -> int:
        """An integer from `low` to `high` (inclusive)."""
        ...

    def float64(self) -> float:
        found: float = struct.unpack(">d", struct.pack(">Q", self.number(0, 2**64 - 1)))[0]
        return found

    def text(self) -> str: ...

    def key(self) -> str:
        """The key of a header."""
        ...

    def octets(self) -> bytes: ...

    def count(self, least: int, most: int) -> int:
        """A number of elements."""
        ...

    def among(self, options: Sequence[T]) -> T: ...

    def plainly(self) -> bool:
        """Whether to use the plain value: not null, or the default."""
        ...


class _Simplest(Choices):
    def number(self, low: int, high: int) -> int:
        return min(max(low, 0), high)

    def text(self) -> str:
        return ""

    def key(self) -> str:
        return ""

    def octets(self) -> bytes:
        return b""

    def count(self, least: int, most: int) -> int:  # noqa: ARG002 (always the minimum)
        return least

    def among(self, options: Sequence[T]) -> T:
        return options[0]

    def plainly(self) -> bool:
        return True


#: The ranges of code points, by the number of their bytes in UTF-8.
_CODE_POINTS = ((0x20, 0x7E), (0x80, 0x7FF), (0x800, 0xD7FF), (0xE000, 0xFFFF), (0x10000, 0x10FFFF))
#: The usual maximum length of text and bytes.
_SHORT = 12


class _Random(Choices):
    def __init__(self, random: Random) -> None:
        self._random = random
        self._left = MOST_IN_A_VALUE

    def number(self, low: int, high: int) -> int:
        if self._random.random() < 0.5:
            return self.among(edge_values.integers(low, high))
        return self._random.randint(low, high)

    def text(self) -> str:
        if self._random.random() < 0.3:
            return self.among(edge_values.TEXTS)
        low, high = self.among(_CODE_POINTS)
        return "".join(chr(self._random.randint(low, high)) for _ in range(self._random.randint(0, _SHORT)))

    def key(self) -> str:
        return self.among(edge_values.KEYS) if self._random.random() < 0.5 else self.text()

    def octets(self) -> bytes:
        if self._random.random() < 0.3:
            return self.among(edge_values.OCTETS)
        return self._random.randbytes(self._random.randint(0, _SHORT))

    def count(self, least: int, most: int) -> int:
        more = self._random.randint(0, min(most - least, self._left))
        self._left -= more
        return least + more

    def among(self, options: Sequence[T]) -> T:
        return self._random.choice(options)

    def plainly(self) -> bool:
        return self._random.random() < 0.7


class _Boundary(_Random):
    def number(self, low: int, high: int) -> int:
        return self.among(edge_values.integers(low, high))

    def text(self) -> str:
        return self.among(edge_values.TEXTS)

    def key(self) -> str:
        return self.among(edge_values.KEYS)

    def octets(self) -> bytes:
        return self.among(edge_values.OCTETS)

    def plainly(self) -> bool:
        return self._random.random() < 0.3


# --- The walk ---------------------------------------------------------------------------------------------------------


def of_codec(codec: Codec, dialect: str, choices: Choices) -> Any:
    """A valid value of a codec's type."""
    if isinstance(codec, Shaped):
        return of_shape(codec.shape, choices)
    match codec:
        case NodeCodec(node):
            return _of_node(node, choices)
        case ResponseFrame(header, body):
            return {"header": _of_node(header, choices), "body": _of_node(body, choices)}
        case VersionPrefixed(plans):
            version = choices.among(sorted(plans))
            return {"version": version, "body": _of_node(plans[version], choices)}
        case RequestFrame():
            key, version = choices.among(list(requests_of(dialect)))
            header, body = request_plans(codec.messages, key, version)
            said = {"RequestApiKey": key, "RequestApiVersion": version}
            return {"header": _of_node(header, choices) | said, "body": _of_node(body, choices)}
    raise NotImplementedError(f"nothing says which values {codec!r} has")


def _of_node(node: Node, choices: Choices) -> Any:
    match node:
        case Primitive():
            return _of_primitive(node.name, choices)
        case TagBuffer():
            return _unknown(frozenset(), choices, optional=False)
        case OptionalBuffer():
            return _unknown(frozenset(), choices, optional=True)
        case Array():
            if node.nullable and not choices.plainly():
                return None
            return [_of_node(node.element, choices) for _ in range(choices.count(0, edge_values.MOST_ELEMENTS))]
        case PlannedPair(first, second):
            return [_of_node(first.node, choices), _of_node(second.node, choices)]
        case Struct():
            return None if node.marker != "none" and not choices.plainly() else _of_struct(node, choices)


def _of_struct(node: Struct, choices: Choices) -> dict[str, Any]:
    fields = {field.name: _of_field(field, choices) for field in node.fields}
    if (node.flexible or node.optional) and not choices.plainly():
        fields["_tags"] = _unknown(frozenset(node.tagged), choices, optional=node.optional)
    return fields


def _of_field(field: PlannedField, choices: Choices) -> Any:
    return field.default if field.tag is not None and choices.plainly() else _of_node(field.node, choices)


def _unknown(known: frozenset[int], choices: Choices, *, optional: bool) -> list[list[Any]]:
    """Unknown tags in ascending order. With `optional`: tags of 16 bits, with content."""
    tags: dict[int, bytes] = {}
    for _ in range(choices.count(0, edge_values.MOST_PAIRS)):
        tag, content = choices.number(0, 2**16 - 1 if optional else 2**32 - 1), choices.octets()
        if tag not in known and (content or not optional):
            tags[tag] = content
    return [list(pair) for pair in sorted(tags.items())]


def _of_primitive(name: str, choices: Choices) -> Any:
    if name in INTEGERS:
        return choices.number(*INTEGERS[name])
    match name:
        case "BOOLEAN":
            return bool(choices.number(0, 1))
        case "FLOAT64":
            return choices.float64()
        case "UUID":
            return uuid.UUID(int=choices.number(0, 2**128 - 1))
    if "NULLABLE" in name and not choices.plainly():
        return None
    return choices.text() if name.endswith("STRING") else choices.octets()


def of_shape(shape: Shape, choices: Choices) -> Any:
    """A value of a shape."""
    match shape:
        case Constant(found):
            return found
        case Among(values):
            return choices.among(values)
        case Integers(low, high, without):
            return choices.number(low, high) & ~without
        case Text():
            return choices.text()
        case Octets(nullable):
            return None if nullable and not choices.plainly() else choices.octets()
        case KeyValue() | KeyValues() | Ascending():
            return _of_pairs(shape, choices)
        case Items(item, least):
            count = choices.count(least, max(least, edge_values.MOST_ELEMENTS))
            return [of_shape(item, choices) for _ in range(count)]
        case Fields(fields):
            return {name: of_shape(field, choices) for name, field in fields.items()}
        case Either(shapes):
            return of_shape(choices.among(shapes), choices)
        case Made(of, make):
            return make(of_shape(of, choices))


def _of_pairs(shape: KeyValue | KeyValues | Ascending, choices: Choices) -> list[Any]:
    if isinstance(shape, KeyValue):
        return _pair(shape, choices)
    pairs = [_pair(shape, choices) for _ in range(choices.count(0, edge_values.MOST_PAIRS))]
    return [list(pair) for pair in sorted(dict(pairs).items())] if isinstance(shape, Ascending) else pairs


def _pair(shape: KeyValue | KeyValues | Ascending, choices: Choices) -> list[Any]:
    key = choices.key() if isinstance(shape.key, Text) else of_shape(shape.key, choices)
    return [key, of_shape(shape.value, choices)]
