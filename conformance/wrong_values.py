"""Values with one part that is mostly wrong: a number beyond its bits, a null, a text that is too long, elements in
another order or twice. What an encoder has to do with such a value, the reference says: refuse it, or write it.

Only parts of the same sort are put in, and null: that a library takes 1 for a text is no question about the protocol.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reference.primitives import MAX_STRING

Path = tuple[str | int, ...]
#: Beyond what the integers of each width hold.
_NUMBERS = (-1, *(sign for bits in (8, 16, 32, 64) for sign in (-(1 << bits - 1) - 1, 1 << bits - 1, 1 << bits)))
_LONG = "x" * (MAX_STRING + 1)
#: Lists with more elements are not looked into.
_MOST = 64


class Change:
    """One changed part of a value: its path, and what is put there. (Hypothesis shows its examples; of a dataclass it
    would show the values, which may be long.)"""

    def __init__(self, value: Any, path: Path, part: Any) -> None:
        self._value, self._path, self._part = value, path, part

    def made(self) -> Any:
        """The changed value; the other one stays as it is."""
        return _put(self._value, self._path, self._part)


def changes(value: Any) -> list[Change]:
    """All changes of one part of a value."""
    return [Change(value, path, other) for path, part in _parts(value, ()) for other in _others(part)]


def _parts(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    """All parts of a value with their paths, the whole value first."""
    yield path, value
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from _parts(item, (*path, name))
    elif isinstance(value, (list, tuple)):
        for index, item in enumerate(value[:_MOST]):
            yield from _parts(item, (*path, index))


def _others(part: Any) -> list[Any]:
    """What is put in the place of a part; nothing in that of a null."""
    match part:
        case None:
            return []
        case bool():
            return [None]
        case int():
            return [None, part + 1, part - 1, *_NUMBERS]
        case str():
            return [None, _LONG]
        case list() | tuple():
            return [None, *_of_list(part)]
    return [None]


def _of_list(part: Sequence[Any]) -> Iterator[list[Any]]:
    items = [*part]
    if items:
        yield [*items, items[0]]
        yield items[1:]
    if len(items) > 1:
        yield items[::-1]


def _put(value: Any, path: Path, part: Any) -> Any:
    """A copy of a value with another part at this path."""
    if not path:
        return part
    step, *rest = path
    copy = dict(value) if isinstance(value, Mapping) else list(value)
    copy[step] = _put(value[step], tuple(rest), part)  # type: ignore[index]
    return copy
