"""Patterns: what a broker has to send, with its own ranges left open.

A pattern is {"type", "version", "value"}: an object matches when each named key does, an array when it has as many
elements and each matches, {"contains": element} an array with such an element, anything else when it is equal. Or it is
{"hex": digits}: these bytes, which need not be a frame.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any

import reference
from conformance.values import equal, from_json, show


def mismatch(patterns: Sequence[Mapping[str, Any]], sent: bytes, dialect: str) -> str | None:
    """Why `sent` is not one frame after another as `patterns` says; None when it is."""
    rest = sent
    for index, pattern in enumerate(patterns):
        place = f"answer {index + 1} of {len(patterns)}"
        if "hex" in pattern:
            exact = bytes.fromhex(pattern["hex"])
            if rest[: len(exact)] != exact:
                return f"{place} begins {rest[: len(exact)].hex() or 'nowhere'}; {exact.hex()} is expected"
            rest = rest[len(exact) :]
            continue
        if len(rest) < 4:
            return f"{place} is missing: {len(rest)} bytes are left" if rest else f"{place} is missing"
        size = struct.unpack_from(">i", rest)[0]
        if not 0 <= size <= len(rest) - 4:
            return f"{place} announces {size} bytes, {len(rest) - 4} follow"
        frame, rest = rest[: 4 + size], rest[4 + size :]
        found = _frame_mismatch(pattern, frame, dialect)
        if found is not None:
            return f"{place}: {found}"
    return f"{len(rest)} bytes more than {len(patterns)} answers: {rest[:32].hex()}" if rest else None


def _frame_mismatch(pattern: Mapping[str, Any], frame: bytes, dialect: str) -> str | None:
    type_name, version = pattern["type"], pattern.get("version")
    try:
        value = reference.decode(type_name, frame, dialect=dialect, version=version)
    except reference.WireError as error:
        return f"no {type_name}{'' if version is None else f' {version}'}: {error}"
    return _value_mismatch(pattern["value"], value, "")


def _value_mismatch(pattern: Any, value: Any, path: str) -> str | None:
    match pattern:
        case {"contains": element, **rest} if not rest:
            if isinstance(value, list) and any(_value_mismatch(element, item, path) is None for item in value):
                return None
            return f"{_named(path)} is {show(value)}, which holds nothing like {element}"
        case dict() if isinstance(value, dict):
            for key, inner in pattern.items():
                if key not in value and key != "_tags":
                    return f"{_named(path)} has no {key}"
                found = _value_mismatch(inner, value.get(key, []), f"{path}.{key}" if path else key)
                if found is not None:
                    return found
            return None
        case list() if isinstance(value, list):
            if len(pattern) != len(value):
                return f"{_named(path)} has {len(value)} elements, {len(pattern)} are expected: {show(value)}"
            for index, (inner, item) in enumerate(zip(pattern, value, strict=True)):
                found = _value_mismatch(inner, item, f"{path}[{index}]")
                if found is not None:
                    return found
            return None
    expected = from_json(pattern)
    return None if equal(expected, value) else f"{_named(path)} is {show(value)}, {show(expected)} is expected"


def _named(path: str) -> str:
    return path or "the value"
