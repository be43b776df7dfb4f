"""Patterns for the frames that a broker must send. Some values in them may vary.

A pattern is {"type", "version", "value"}. An object matches if each named key matches. An array matches if it has the
same number of elements and each matches. Other values match if they are equal, or if they fit one of the forms of
`vectors/FORMAT.md`, such as {"greater": …}. Consecutive patterns with {"order": "any"} match the same number of frames
in any order. A pattern can also be {"hex": digits}: exact bytes, not necessarily a frame.

Only a sweep's patterns say {"strict": true}: what a reader has to accept, and nobody may write, does not match; and
{"rewritten": "same"}: a frame whose value gives other bytes when it is written does not match; with "shorter" it
does if it gives fewer bytes: tags at their defaults are left out.
"""

from __future__ import annotations

import itertools
import operator
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from wireproof import reference
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.conformance.values.compare import equal
from wireproof.conformance.values.encoding import from_json
from wireproof.conformance.values.show import show
from wireproof.conformance.vectors import records

#: Name → the value stored by a pattern's {"mark": name}. Later numbers may be compared with one.
Marks = dict[str, Any]


def mismatch(patterns: Sequence[Mapping[str, Any]], sent: bytes, dialect: str) -> str | None:
    """The reason why the frames in `sent` do not match `patterns`; None if they match."""
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
        difference = _group_mismatch(group, frames, marks, dialect)
        if difference is not None:
            where = place if len(group) == 1 else f"answers {first + 1} to {first + len(group)}"
            return f"{where}: {difference}"
    return f"{len(rest)} bytes more than {len(patterns)} answers: {rest[:32].hex()}" if rest else None


def _groups(patterns: Sequence[Mapping[str, Any]]) -> Iterator[tuple[int, list[Mapping[str, Any]]]]:
    """Groups of patterns that match together, each with the index of its first pattern."""
    at = 0
    for together, members in itertools.groupby(patterns, lambda pattern: pattern.get("order") == "any"):
        group = list(members)
        if together:
            yield at, group
        else:
            yield from ((at + index, [pattern]) for index, pattern in enumerate(group))
        at += len(group)


def _frame(rest: bytes) -> bytes | str:
    """The first frame, or the reason why there is none."""
    if len(rest) < 4:
        return f"is missing: {len(rest)} bytes are left" if rest else "is missing"
    size = struct.unpack_from(">i", rest)[0]
    if not 0 <= size <= len(rest) - 4:
        return f"announces {size} bytes, {len(rest) - 4} follow"
    return rest[: 4 + size]


def _group_mismatch(
    group: Sequence[Mapping[str, Any]], frames: Sequence[bytes], marks: Marks, dialect: str
) -> str | None:
    """The reason why the frames do not match a group in any order. None if they match; then their marks are kept."""
    problem: str | None = None
    for order in itertools.permutations(frames):
        seen = Marks(marks)
        for index, (pattern, frame) in enumerate(zip(group, order, strict=True)):
            difference = frame_mismatch(pattern, frame, seen, dialect)
            if difference is not None:
                if len(group) > 1:
                    difference = f"in none of their orders they match: {index + 1}: {difference}"
                problem = problem or difference
                break
        else:
            marks.update(seen)
            return None
    return problem


def frame_mismatch(pattern: Mapping[str, Any], frame: bytes, marks: Marks, dialect: str) -> str | None:
    """The reason why a frame does not match a pattern; None if it does. Values with a mark are added to `marks`."""
    type_name, version = pattern["type"], pattern.get("version")
    codec = reference_codec()
    if "strict" in pattern:
        codec = codec.under(reference.dialect_named(dialect).written)
    try:
        value = codec.decode(type_name, frame, dialect=dialect, version=version)
        written = codec.encode(type_name, value, dialect=dialect, version=version) if "rewritten" in pattern else frame
    except reference.WireError as error:
        return f"no {type_name}{'' if version is None else f' {version}'}: {error}"
    if written != frame and not (pattern.get("rewritten") == "shorter" and len(written) < len(frame)):
        return f"its value is written as {written.hex()}"
    return _value_mismatch(pattern["value"], value, "", marks)


def _value_mismatch(pattern: Any, value: Any, path: str, marks: Marks) -> str | None:
    match pattern:
        case dict() if len(pattern) == 1 and not _CHOICES.isdisjoint(pattern):
            ((form, inner),) = pattern.items()
            return _choice_mismatch(form, inner, value, path, marks)
        case {"mark": name, **rest} if not rest:
            marks[name] = value
            return None
        case dict() if pattern and pattern.keys() <= _COMPARISONS:
            return _number_mismatch(pattern, value, path, marks)
        case dict() if isinstance(value, dict):
            return _fields_mismatch(pattern, value, path, marks)
        case list() if isinstance(value, list):
            if len(pattern) != len(value):
                return f"{_named(path)} has {len(value)} elements, {len(pattern)} are expected: {show(value)}"
            for index, (inner, item) in enumerate(zip(pattern, value, strict=True)):
                difference = _value_mismatch(inner, item, f"{path}[{index}]", marks)
                if difference is not None:
                    return difference
            return None
    expected = from_json(pattern)
    return None if equal(expected, value) else f"{_named(path)} is {show(value)}, {show(expected)} is expected"


#: The forms of a pattern that allow several values.
_CHOICES = frozenset({"any", "contains", "either", "none_of", "records"})


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
        case "records":
            return _records_mismatch(inner, value, path, marks)
        case _:
            return None
    return None if holds else f"{_named(path)} is {show(value)}, {problem}"


def _records_mismatch(pattern: Any, value: Any, path: str, marks: Marks) -> str | None:
    """Compare the records in a partition's bytes."""
    if not isinstance(value, bytes):
        return f"{_named(path)} is {show(value)}, records are expected"
    try:
        found, in_json = records.delivered(value)
    except reference.WireError as error:
        return f"{_named(path)}: these are no records: {error}"
    if isinstance(pattern, list) and _are_equal(pattern, in_json):
        return None
    return _value_mismatch(pattern, found, f"{path}: records", marks)


def _are_equal(pattern: list[Any], found: list[Any]) -> bool:
    """Whether all that is named has just this value: a fast check for the most frequent case."""
    return len(pattern) == len(found) and all(
        isinstance(one, dict) and all(name in record and one[name] == record[name] for name in one)
        for one, record in zip(pattern, found, strict=True)
    )


def _matches(pattern: Any, value: Any, marks: Marks) -> bool:
    """Whether the value matches. If so, the marks are kept."""
    seen = Marks(marks)
    if _value_mismatch(pattern, value, "", seen) is not None:
        return False
    marks.update(seen)
    return True


def _fields_mismatch(pattern: Mapping[str, Any], value: Mapping[str, Any], path: str, marks: Marks) -> str | None:
    for key, inner in pattern.items():
        if key not in value and key != "_tags":
            return f"{_named(path)} has no {key}"
        difference = _value_mismatch(inner, value.get(key, []), f"{path}.{key}" if path else key, marks)
        if difference is not None:
            return difference
    return None


#: The comparisons of numbers.
_HOLDS: Mapping[str, Callable[[int, int], bool]] = {
    "greater": operator.gt,
    "less": operator.lt,
    "other_than": operator.ne,
}
#: The members of a pattern for a number.
_COMPARISONS = frozenset({*_HOLDS, "mark"})


def _number_mismatch(pattern: Mapping[str, Any], value: Any, path: str, marks: Marks) -> str | None:
    """Compare a value with a number, or with a number stored under a name. `mark` stores the value."""
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
    """The comparisons and marks of a pattern, in order: ("greater", name) and similar, ("mark", name)."""
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


#: Objects in a pattern that stand for a value have one of these names alone, or several of the comparisons.
FORMS = _CHOICES | _COMPARISONS | {"marked"}


def _named(path: str) -> str:
    return path or "the value"
