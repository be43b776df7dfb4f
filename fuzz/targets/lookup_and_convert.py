"""The questions of `lookup` and `convert` about the bytes of a type: which key, and which format.

An input holds the bytes alone, so that it is changed like any other. It is converted to each format that the dialect
names for its type. Two keys are looked up: one of those in the value, and one of those that vectors ask for, which need
not be there. The bytes decide which ones.
"""

from __future__ import annotations

import functools
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

from wireproof.conformance import vectors
from wireproof.conformance.model import Op
from wireproof.conformance.oracle.codec import reference_codec

#: The ops that take something beside the bytes of a type.
OPS = frozenset({Op.LOOKUP, Op.CONVERT})


def ops_of(dialect: str, type_name: str) -> frozenset[Op]:
    """Those of `OPS` that a type has in a dialect."""
    looked_up = {Op.LOOKUP} if _keys(dialect, type_name) else set()
    converted = {Op.CONVERT} if type_name in reference_codec().dialect(dialect).formats else set()
    return frozenset(looked_up | converted)


def converted_alone(dialect: str) -> list[str]:
    """The types that are converted, and not read or written."""
    spoken = reference_codec().dialect(dialect)
    return sorted(spoken.formats.keys() - spoken.types.keys())


def read_as(dialect: str, type_name: str) -> tuple[str, str]:
    """The dialect and the type as which the bytes of a type are read: others for what is only converted."""
    if type_name not in converted_alone(dialect):
        return dialect, type_name
    named = (form for forms in reference_codec().dialect(dialect).formats.values() for form in forms.values())
    return next(((form.dialect, form.type) for form in named if form.type == type_name), (dialect, type_name))


def arguments(
    ops: frozenset[Op], dialect: str, type_name: str, data: bytes, value: Any
) -> Iterator[tuple[Op, dict[str, Any]]]:
    """Each op to ask about the bytes, with its arguments. `value`: what the reference reads; None if it refuses."""
    if Op.LOOKUP in ops:
        number = zlib.crc32(data)
        for keys in ([*_of_pairs(value)], _keys(dialect, type_name)):
            if keys:
                yield Op.LOOKUP, {"data": data, "key": keys[number % len(keys)]}
    if Op.CONVERT in ops:
        for name in reference_codec().dialect(dialect).formats.get(type_name, ()):
            yield Op.CONVERT, {"data": data, "to": name}


@functools.cache
def _keys(dialect: str, type_name: str) -> tuple[Any, ...]:
    """The keys that vectors look up in a type."""
    asked = (vector for vector in vectors.load([dialect]) if vector.type == type_name and Op.LOOKUP in vector.ops)
    return tuple(dict.fromkeys(vector.args["key"] for vector in asked))


def _of_pairs(value: Any) -> Iterator[Any]:
    """The keys of all pairs of a key and a value in a value: headers, tags."""
    match value:
        case Mapping():
            for item in value.values():
                yield from _of_pairs(item)
        case [int() | str() as key, bytes() | str() | None]:
            yield key
        case list() | tuple():
            for item in value:
                yield from _of_pairs(item)
