"""Two values: their first difference, both sides of it, and its surroundings."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any, Literal

from rich.text import Text

from wireproof.conformance.report.hexview import BAD, DIM, GOOD, LABEL, join, steps
from wireproof.conformance.report.hints import hint, same_kind, type_name
from wireproof.conformance.report.text import brief, middle, safe, wrap
from wireproof.conformance.values.compare import difference

#: The number of neighbours shown before and after the difference.
_AROUND = 3
#: The number of characters or bytes shown before and after the difference in a long text.
_WINDOW = 10


class _Nothing:
    """Stands for a missing key or element."""


NOTHING = _Nothing()


def compare_values(
    expected: Any,
    actual: Any,
    *,
    width: int,
    titles: tuple[str, str] = ("expected", "actual"),
    hints: Literal["read", "written", "none"] = "read",
) -> Text:
    """The first difference of two values, its surroundings, and a guess at its cause. `hints`: whether `actual` was
    read from the bytes of `expected`, or written for it."""
    path = difference(expected, actual)
    if path is None:
        return Text("no difference")
    parts = steps(path)
    left, right = at(expected, parts), at(actual, parts)
    if left is NOTHING and right is NOTHING:  # a key that cannot be told from a path
        parts, left, right = [], expected, actual
    out = Text()
    if parts:
        out.append("first difference at ").append(safe(join(parts)), LABEL).append("\n")
    typed = NOTHING not in (left, right) and not same_kind(left, right)
    margin = max(len(title) for title in titles) + 2
    for title, value, style in zip(titles, (left, right), (GOOD, BAD), strict=True):
        other = right if value is left else left
        _append_block(out, title, margin, _shown(value, other, typed, width), style, width)
    note = None if hints == "none" else _hint(expected, actual, parts, hints == "written")
    if note:
        for line in wrap(note, width):
            out.append(f"{line}\n", "italic")
    if parts:
        _append_surroundings(out, expected, actual, parts, width)
    out.rstrip()
    return out


def at(value: Any, parts: list[str]) -> Any:
    """The value at this path, or NOTHING."""
    for part in parts:
        if part.startswith("["):
            index = int(part[1:-1])
            if not isinstance(value, (list, tuple)) or index >= len(value):
                return NOTHING
            value = value[index]
        elif isinstance(value, Mapping) and part in value:
            value = value[part]
        else:
            return NOTHING
    return value


def _hint(expected: Any, actual: Any, parts: list[str], written: bool) -> str | None:
    """A hint about the difference: for the value itself, else for the arrays around it."""
    for length in range(len(parts), -1, -1):
        left, right = at(expected, parts[:length]), at(actual, parts[:length])
        if left is NOTHING or right is NOTHING or (length < len(parts) and not isinstance(left, (list, tuple))):
            continue
        note = hint(left, right, written=written)
        if note:
            return note
    return None


def _shown(value: Any, other: Any, typed: bool, width: int) -> str:
    if value is NOTHING:
        return "(nothing: it is missing)"
    if not typed and isinstance(value, (str, bytes)) and brief(value) == brief(other):
        return _window(value, other)
    return brief(value, 3 * width) + (f"   ({type_name(value)})" if typed and value is not None else "")


def _window(value: Any, other: Any) -> str:
    """The part of long text or bytes in which the two differ."""
    shared = enumerate(zip(value, other, strict=False))
    place = next((index for index, (one, two) in shared if one != two), min(len(value), len(other)))
    start, end = max(0, place - _WINDOW), place + _WINDOW
    part = f"{'…' if start else ''}{brief(value[start:end])}{'…' if end < len(value) else ''}"
    what = "character" if isinstance(value, str) else "byte"
    return f"{part} (from {what} {start} of {len(value)} on; they differ from {what} {place} on)"


def _append_block(out: Text, title: str, margin: int, text: str, style: str, width: int) -> None:
    first, *rest = wrap(text, width - margin) or [""]
    out.append(f"{title:<{margin}}").append(f"{first}\n", style)
    for line in rest:
        out.append(" " * margin).append(f"{line}\n", style)


def _append_surroundings(out: Text, expected: Any, actual: Any, parts: list[str], width: int) -> None:
    """The neighbours of the difference in the value that holds it; `-` is expected, `+` actual."""
    above, key = parts[:-1], parts[-1]
    if above and _is_pair(at(expected, above)):
        above, key = above[:-1], above[-1]
    left, right = at(expected, above), at(actual, above)
    entries = _entries(left)
    others = _entries(right)
    if len(entries) < 2 and len(others) < 2:
        return
    keys = list(dict.fromkeys([*entries, *others]))
    position = keys.index(key)
    near = keys[max(0, position - _AROUND) : position + _AROUND + 1]
    out.append(f"in {safe(join(above)) or 'the value'}:\n", DIM)
    name_width = min(max(len(safe(name)) for name in near), 32)
    if keys[0] != near[0]:
        out.append(f"    … {position - _AROUND} before …\n", DIM)
    for name in near:
        label = f"{middle(safe(name), name_width):<{name_width}}"
        room = max(width - name_width - 6, 20)
        one, other = entries.get(name, NOTHING), others.get(name, NOTHING)
        if name != key:
            out.append(f"    {label}  {brief(one if one is not NOTHING else other, room)}\n", DIM)
            continue
        if one is not NOTHING:
            out.append(f"  - {label}  {brief(one, room)}\n", GOOD)
        if other is not NOTHING:
            out.append(f"  + {label}  {brief(other, room)}\n", BAD)
    if keys[-1] != near[-1]:
        out.append(f"    … {len(keys) - position - _AROUND - 1} after …\n", DIM)


def _is_pair(value: Any) -> bool:
    """A header or a tag: its key and its value belong on one line."""
    return isinstance(value, (list, tuple)) and len(value) == 2 and isinstance(value[0], (int, str, bytes, uuid.UUID))


def _entries(value: Any) -> dict[str, Any]:
    match value:
        case Mapping():
            return {str(key): item for key, item in value.items()}
        case list() | tuple():
            return {f"[{index}]": item for index, item in enumerate(value)}
    return {}
