"""Patterns: what a broker has to send, where some values are its own choice.

A pattern is {"type", "version", "value"}: an object matches when each named key does, an array when it has as many
elements and each matches, anything else when it is equal; or the value is one of the forms of `vectors/FORMAT.md`, such
as {"greater": …}. Patterns that stand together and say {"order": "any"} match as many frames in any order. Or a pattern
is {"hex": digits}: these bytes, which need not be a frame.
"""

from __future__ import annotations

import itertools
import operator
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import reference
from conformance.reference_codec import reference_codec
from conformance.values import equal, from_json, show

#: Name → the number that a pattern's {"mark": name} saw. Those that follow may be compared with it.
Marks = dict[str, int]


def mismatch(patterns: Sequence[Mapping[str, Any]], sent: bytes, dialect: str) -> str | None:
    """Why `sent` is not one frame after another as `patterns` says; None when it is."""
    rest, marks = sent, Marks()
    for first, group in _groups(patterns):
        place = f"answer {first + 1} of {len(patterns)}"
        if "hex" in group[0]:
            exact = bytes.fromhex(group[0]["hex"])
            if rest[: len(exact)] != exact:
                return f"{place} begins {rest[: len(exact)].hex() or 'nowhere'}; {exact.hex()} is expected"
            rest = rest[len(exact) :]
            continue
        frames = []
        for index in range(len(group)):
            frame = _frame(rest)
            if isinstance(frame, str):
                return f"answer {first + index + 1} of {len(patterns)} {frame}"
            frames.append(frame)
            rest = rest[len(frame) :]
        found = _group_mismatch(group, frames, marks, dialect)
        if found is not None:
            return f"{place}: {found}" if len(group) == 1 else f"answers {first + 1} to {first + len(group)}: {found}"
    return f"{len(rest)} bytes more than {len(patterns)} answers: {rest[:32].hex()}" if rest else None


def _groups(patterns: Sequence[Mapping[str, Any]]) -> Iterator[tuple[int, list[Mapping[str, Any]]]]:
    """Patterns that match together, and where the first of them stands."""
    at = 0
    for together, found in itertools.groupby(patterns, lambda pattern: pattern.get("order") == "any"):
        group = list(found)
        if together:
            yield at, group
        else:
            yield from ((at + index, [pattern]) for index, pattern in enumerate(group))
        at += len(group)


def _frame(rest: bytes) -> bytes | str:
    """The first frame; what is wrong where there is none."""
    if len(rest) < 4:
        return f"is missing: {len(rest)} bytes are left" if rest else "is missing"
    size = struct.unpack_from(">i", rest)[0]
    if not 0 <= size <= len(rest) - 4:
        return f"announces {size} bytes, {len(rest) - 4} follow"
    return rest[: 4 + size]


def _group_mismatch(
    group: Sequence[Mapping[str, Any]], frames: Sequence[bytes], marks: Marks, dialect: str
) -> str | None:
    """Why the frames, in whatever order, are not those of a group; None when they are, and their marks are kept."""
    problem: str | None = None
    for order in itertools.permutations(frames):
        seen = Marks(marks)
        for index, (pattern, frame) in enumerate(zip(group, order, strict=True)):
            found = _frame_mismatch(pattern, frame, seen, dialect)
            if found is not None:
                message = found if len(group) == 1 else f"in none of their orders they match: {index + 1}: {found}"
                problem = problem or message
                break
        else:
            marks.update(seen)
            return None
    return problem


def _frame_mismatch(pattern: Mapping[str, Any], frame: bytes, marks: Marks, dialect: str) -> str | None:
    type_name, version = pattern["type"], pattern.get("version")
    try:
        value = reference_codec().decode(type_name, frame, dialect=dialect, version=version)
    except reference.WireError as error:
        return f"no {type_name}{'' if version is None else f' {version}'}: {error}"
    return _value_mismatch(pattern["value"], value, "", marks)


def _value_mismatch(pattern: Any, value: Any, path: str, marks: Marks) -> str | None:
    match pattern:
        case dict() if len(pattern) == 1 and not _CHOICES.isdisjoint(pattern):
            ((form, inner),) = pattern.items()
            return _choice_mismatch(form, inner, value, path, marks)
        case dict() if pattern and pattern.keys() <= _COMPARISONS:
            return _number_mismatch(pattern, value, path, marks)
        case dict() if isinstance(value, dict):
            return _fields_mismatch(pattern, value, path, marks)
        case list() if isinstance(value, list):
            if len(pattern) != len(value):
                return f"{_named(path)} has {len(value)} elements, {len(pattern)} are expected: {show(value)}"
            for index, (inner, item) in enumerate(zip(pattern, value, strict=True)):
                found = _value_mismatch(inner, item, f"{path}[{index}]", marks)
                if found is not None:
                    return found
            return None
    expected = from_json(pattern)
    return None if equal(expected, value) else f"{_named(path)} is {show(value)}, {show(expected)} is expected"


#: What a pattern leaves open.
_CHOICES = frozenset({"any", "contains", "either", "none_of"})


def _choice_mismatch(form: str, inner: Any, value: Any, path: str, marks: Marks) -> str | None:
    match form:
        case "contains":
            holds = isinstance(value, list) and any(_matches(inner, item, marks) for item in value)
            problem = f"which holds nothing like {inner}"
        case "either":
            holds = any(_matches(choice, value, marks) for choice in inner)
            problem = f"one of {inner} is expected"
        case "none_of":
            holds = not any(_matches(choice, value, marks) for choice in inner)
            problem = "which it must not be"
        case _:
            return None
    return None if holds else f"{_named(path)} is {show(value)}, {problem}"


def _matches(pattern: Any, value: Any, marks: Marks) -> bool:
    """Whether it does; then its marks are kept."""
    seen = Marks(marks)
    if _value_mismatch(pattern, value, "", seen) is not None:
        return False
    marks.update(seen)
    return True


def _fields_mismatch(pattern: Mapping[str, Any], value: Mapping[str, Any], path: str, marks: Marks) -> str | None:
    for key, inner in pattern.items():
        if key not in value and key != "_tags":
            return f"{_named(path)} has no {key}"
        found = _value_mismatch(inner, value.get(key, []), f"{path}.{key}" if path else key, marks)
        if found is not None:
            return found
    return None


#: How a number is compared.
_HOLDS: Mapping[str, Callable[[int, int], bool]] = {
    "greater": operator.gt,
    "less": operator.lt,
    "other_than": operator.ne,
}
#: All that a pattern says of a number.
_COMPARISONS = frozenset({*_HOLDS, "mark"})


def _number_mismatch(pattern: Mapping[str, Any], value: Any, path: str, marks: Marks) -> str | None:
    """What it is compared with is a number, or the name of one that was marked; `mark` keeps this one."""
    if not isinstance(value, int) or isinstance(value, bool):
        return f"{_named(path)} is {show(value)}, a number is expected"
    for key, holds in _HOLDS.items():
        if key in pattern:
            against = pattern[key]
            number = marks[against] if isinstance(against, str) else against
            if not holds(value, number):
                name = f" ({against})" if isinstance(against, str) else ""
                return f"{_named(path)} is {value}; {key.replace('_', ' ')} {number}{name} is expected"
    if "mark" in pattern:
        marks[pattern["mark"]] = value
    return None


def marks_of(pattern: Any) -> Iterator[tuple[str, str]]:
    """What a pattern's comparisons name, in its order: ("greater", name) and such, ("mark", name)."""
    match pattern:
        case dict() if pattern and pattern.keys() <= _COMPARISONS:
            yield from ((key, pattern[key]) for key in _HOLDS if isinstance(pattern.get(key), str))
            if "mark" in pattern:
                yield "mark", pattern["mark"]
        case dict():
            for inner in pattern.values():
                yield from marks_of(inner)
        case list():
            for inner in pattern:
                yield from marks_of(inner)


def _named(path: str) -> str:
    return path or "the value"
