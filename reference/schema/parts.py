"""The parts of a schema's JSON, each checked: objects, arrays, names, keys, flags, numbers, ranges of versions.

Each function takes parsed JSON and its path, and raises SchemaError.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from typing import Any

from wireproof.reference.errors import SchemaError, shown
from wireproof.reference.schema.model import MAX_VERSION, NONE, Versions

NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_RANGE = re.compile(r"([0-9]{1,5})(?:-([0-9]{1,5})|(\+))?")


def mapping(raw: Any, path: str) -> Mapping[str, Any]:
    """A JSON object. Raises SchemaError."""
    if not isinstance(raw, dict):
        raise SchemaError(f"a JSON object is expected, not {kind_of(raw)}", path)
    return raw


def listing(raw: Any, path: str) -> list[Any]:
    """A JSON array. Raises SchemaError."""
    if not isinstance(raw, list):
        raise SchemaError(f"a JSON array is expected, not {kind_of(raw)}", path)
    return raw


def kind_of(raw: Any) -> str:
    """A short description of JSON in the wrong place, for an error."""
    return "nothing" if raw is None else shown(raw)


def name_of(raw: Mapping[str, Any], path: str) -> str:
    """The name of a message, structure or field. Raises SchemaError."""
    return check_name(raw.get("name"), path)


def check_name(name: Any, path: str) -> str:
    """A name, if it is one. Raises SchemaError."""
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise SchemaError(f"{shown(name)} is no name; letters and digits are expected", path)
    return name


def check_keys(raw: Mapping[str, Any], known: frozenset[str], path: str) -> None:
    """Refuse an unknown key: otherwise a misspelt one would be ignored."""
    for key in raw:
        if key not in known:
            near = difflib.get_close_matches(key, sorted(known), n=1)
            hint = f"is {near[0]} meant?" if near else f"known are {', '.join(sorted(known))}"
            raise SchemaError(f"the key {shown(key)} is not known here; {hint}", path)


def flag(raw: Mapping[str, Any], key: str, path: str) -> bool:
    """true or false, as text too."""
    value = raw.get(key, False)
    if value in ("true", "false"):
        return bool(value == "true")
    if not isinstance(value, bool):
        raise SchemaError(f"{key} is true or false, not {shown(value)}", path)
    return value


def number(raw: Any, high: int, what: str, path: str) -> int | None:
    """An integer from 0 to high, as text too (Kafka 3.9 writes a tag so); None when there is none."""
    if raw is None:
        return None
    number = int(raw) if isinstance(raw, str) and re.fullmatch(r"[0-9]{1,10}", raw) else raw
    if not whole(number, 0, high):
        raise SchemaError(f"{shown(raw)} is no {what}; an integer from 0 to {high} is expected", path)
    return int(number)


def version_range(raw: Any, path: str) -> Versions:
    """A range: none, 3, 0-9 or 3+, as text."""
    if raw == "none":
        return NONE
    match = _RANGE.fullmatch(raw) if isinstance(raw, str) else None
    if not match:
        raise SchemaError(f'{kind_of(raw)} is no range of versions; "0-9", "3+", "3" or "none" is expected', path)
    low = int(match[1])
    high = MAX_VERSION if match[3] else int(match[2] or match[1])
    if low > high or high > MAX_VERSION:
        raise SchemaError(f"{raw!r} is an empty or too large range of versions", path)
    return Versions(low, high)


def whole(raw: Any, low: int, high: int) -> bool:
    """Whether this is an integer from low to high."""
    return isinstance(raw, int) and not isinstance(raw, bool) and low <= raw <= high
