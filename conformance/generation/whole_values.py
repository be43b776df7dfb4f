"""Whether a value is a whole value of a type: the right question for `encode`.

A whole value has every field of its version and no other, and each part is of the kind that stands there: a number, a
text, bytes, a list, a pair, a structure. It need not be a legal one. A number may be out of range, a text too long,
tags may be out of order, and null may stand in the place of a field's text, bytes, array or structure. What a library
does with a value that is not whole (an unknown key, a tag of three elements) depends on its classes or on its wrapper,
so it says nothing about the protocol.

The plan of a type says what stands where. Types without a plan (records) are compared with values of theirs.
"""

from __future__ import annotations

import functools
import uuid
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from wireproof.conformance.generation import random_values
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.reference.codec import NodeCodec, VersionPrefixed
from wireproof.reference.errors import DecodeError
from wireproof.reference.peers.framing import RequestFrame, ResponseFrame, request_plans
from wireproof.reference.primitives import INTEGERS, Primitive
from wireproof.reference.schema.plan import Array, Node, OptionalBuffer, PlannedPair, Struct, TagBuffer

#: The number of values with which one of a type without a plan is compared.
_SAMPLES = 64
_KINDS = (bool, int, float, str, uuid.UUID)
#: The parts of a wrapper or a batch that stand in it without a length, so that no null can be written.
_OF_A_BATCH = ("records", "messages")


def is_whole(value: Any, type_name: str, *, dialect: str, version: int | None = None) -> bool:
    """Whether `value` is a whole value of the type. Raises UnknownType, and DecodeError(unsupported-version)."""
    codec = reference_codec().dialect(dialect).codec(type_name, version)
    match codec:
        case NodeCodec(Struct() as node):
            return _has_fields(node, value)
        case NodeCodec(node):
            return _fits(node, value, is_field=True)
        case ResponseFrame(header, body):
            return _is_frame(value) and _has_fields(header, value["header"]) and _has_fields(body, value["body"])
        case VersionPrefixed(plans):
            match value:
                case {"version": int(number), "body": body, **rest} if not rest and number in plans:
                    return _has_fields(plans[number], body)
            return False
        case RequestFrame():
            return _is_request(codec, value)
    seen = _samples(type_name, dialect, version)
    return all(_kind(part) in seen.get(path, ()) for path, part in _parts(value))


# --- Plans ------------------------------------------------------------------------------------------------------------


def _fits(node: Node, value: Any, *, is_field: bool) -> bool:
    """Whether a value fits a node. `is_field`: null may stand there, because it is no element of an array."""
    match node:
        case Primitive():
            return _is_primitive(node.name, value, is_field=is_field)
        case TagBuffer() | OptionalBuffer():
            return _are_tags(value)
        case Array():
            if value is None:
                return is_field or node.nullable
            return _is_list(value) and all(_fits(node.element, item, is_field=False) for item in value)
        case PlannedPair(first, second):
            if not _is_list(value) or len(value) != 2:
                return False
            return _fits(first.node, value[0], is_field=False) and _fits(second.node, value[1], is_field=False)
        case Struct():
            if value is None:
                return is_field or node.marker != "none"
            return _has_fields(node, value)


def _has_fields(node: Struct, value: Any) -> bool:
    if not isinstance(value, Mapping):
        return False
    fields = {field.name: field.node for field in node.fields}
    if value.keys() - {"_tags"} != fields.keys():
        return False
    return _are_tags(value.get("_tags", [])) and all(
        _fits(inner, value[name], is_field=True) for name, inner in fields.items()
    )


def _is_primitive(name: str, value: Any, *, is_field: bool) -> bool:
    if name in INTEGERS:
        return type(value) is int
    match name:
        case "BOOLEAN":
            return type(value) is bool
        case "FLOAT64":
            return type(value) is float
        case "UUID":
            return isinstance(value, uuid.UUID)
    if value is None:
        return is_field or "NULLABLE" in name
    return isinstance(value, str if name.endswith("STRING") else bytes)


def _are_tags(value: Any) -> bool:
    return _is_list(value) and all(
        _is_list(pair) and len(pair) == 2 and type(pair[0]) is int and isinstance(pair[1], bytes) for pair in value
    )


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple))


def _is_frame(value: Any) -> bool:
    return isinstance(value, Mapping) and value.keys() == {"header", "body"}


def _is_request(codec: RequestFrame, value: Any) -> bool:
    match value:
        case {"header": {"RequestApiKey": int(key), "RequestApiVersion": int(version)}} if _is_frame(value):
            try:
                header, body = request_plans(codec.messages, key, version)
            except DecodeError:  # there is no such api, or no such version
                return False
            return _has_fields(header, value["header"]) and _has_fields(body, value["body"])
    return False


# --- Values of types without a plan -----------------------------------------------------------------------------------


@functools.lru_cache(256)
def _samples(type_name: str, dialect: str, version: int | None) -> Mapping[str, set[Any]]:
    """The kinds of parts that stand at each path of a type's values."""
    seen: dict[str, set[Any]] = {}
    for seed in range(_SAMPLES):
        value = random_values.value(type_name, Random(seed), dialect=dialect, version=version)  # noqa: S311 (no secrets)
        for path, part in _parts(value):
            seen.setdefault(path, set()).add(_kind(part))
    for path, kinds in seen.items():
        if path.rpartition(".")[2] not in _OF_A_BATCH and not path.endswith("]") and _may_be_null(kinds):
            kinds.add(None)
    return seen


def _may_be_null(kinds: set[Any]) -> bool:
    return bool(kinds & {"bytes", str, "list"})


def _parts(value: Any, path: str = "") -> list[tuple[str, Any]]:
    """All parts of a value with their paths, the same for all elements of a list; a pair's two parts have their own."""
    parts = [(path, value)]
    match value:
        case Mapping():
            for name, item in value.items():
                parts += _parts(item, f"{path}.{name}")
        case list() | tuple():
            pair = is_pair(value)
            for index, item in enumerate(value):
                parts += _parts(item, f"{path}[{index if pair else ''}]")
    return parts


def is_pair(value: Sequence[Any]) -> bool:
    """Whether a list is a header or a tag: a key, and bytes or null."""
    return len(value) == 2 and isinstance(value[0], (int, str)) and (value[1] is None or isinstance(value[1], bytes))


def _kind(part: Any) -> Any:
    """The kind of a part: of a structure its keys, of others their type."""
    match part:
        case None:
            return None
        case Mapping():
            return frozenset(part)
        case bytes() | bytearray() | memoryview():
            return "bytes"
        case list() | tuple():
            return "pair" if is_pair(part) else "list"
    return next((kind for kind in _KINDS if isinstance(part, kind)), type(part))
