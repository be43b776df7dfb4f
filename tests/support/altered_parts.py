"""The layouts of wire-format with one part changed, for miniatures and for wrong readings planted on purpose."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, Protocol

from wireproof.reference import codec
from wireproof.reference.dialects.wire_format.layouts import codecs
from wireproof.reference.dialects.wire_format.parts import FramePart, NamedParts, Part, PartCodec, Several
from wireproof.reference.rules import Rules

Change = Callable[[Part], Part]


class Decode(Protocol):
    def __call__(self, type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any: ...


class Encode(Protocol):
    def __call__(self, type: str, value: Any, *, dialect: str, version: int | None = None) -> bytes: ...


def altered(change: Change) -> dict[str, PartCodec]:
    """All types, each part of which `change` has seen, from the innermost on."""
    return {name: PartCodec(_walked(found.part, change)) for name, found in codecs().items()}


def _walked(part: Part, change: Change) -> Part:
    match part:
        case FramePart():
            fields = _walked(part.fields, change)
            assert isinstance(fields, NamedParts)
            return change(dataclasses.replace(part, fields=fields))
        case NamedParts():
            return change(NamedParts({name: _walked(inner, change) for name, inner in part.parts.items()}))
        case Several():
            return change(dataclasses.replace(part, element=_walked(part.element, change)))
    return change(part)


def ops(change: Change) -> tuple[Decode, Encode]:
    """decode and encode of these types, as the contract has them."""
    types = altered(change)

    def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
        return codec.decode(types[type], data, Rules())

    def encode(type: str, value: Any, *, dialect: str, version: int | None = None) -> bytes:
        return codec.encode(types[type], value, Rules())

    return decode, encode
