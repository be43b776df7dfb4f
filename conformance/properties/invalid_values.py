"""Values with one part that is mostly wrong: a number beyond its bits, a null, a text that is too long, elements in
another order or twice, a tag where a version may have none. What an encoder has to do with such a value, the reference
says: refuse it, or write it.

Only parts of the same sort are put in: that a library takes 1 for a text is no question about the protocol. Null is put
in the place of texts, bytes, arrays and structures that are fields, as some of them may be null on the wire. It is not
put in the place of a number, an element of an array, a tag, a whole message or the records of a batch, and a pair stays
one: the types of most libraries have no such values, so that only the wrapper would be asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wireproof.conformance.generation.whole_values import is_pair
from wireproof.reference.primitives import MAX_STRING

Path = tuple[str | int, ...]
#: Beyond what the integers of each width hold.
_NUMBERS = (-1, *(sign for bits in (8, 16, 32, 64) for sign in (-(1 << bits - 1) - 1, 1 << bits - 1, 1 << bits)))
_LONG = "x" * (MAX_STRING + 1)
#: Lists with more elements are not looked into.
_MOST = 64
_TAGS = "_tags"
#: The number of a tag that no message knows.
_UNKNOWN = 9_999
_OF_A_FRAME = (("header",), ("body",))
#: The parts of a batch and of a wrapper that stand in them without a length of their own.
_OF_A_BATCH = ("records", "messages")


class Change:
    """One changed part of a value: its path, and what is put there. (Hypothesis shows its examples; of a dataclass it
    would show the values, which may be long.)"""

    def __init__(self, value: Any, path: Path, part: Any) -> None:
        self._value, self._path, self._part = value, path, part

    def value(self) -> Any:
        """The changed value; the other one stays as it is."""
        return _put(self._value, self._path, self._part)


def changes(value: Any) -> list[Change]:
    """All changes of one part of a value."""
    return [Change(value, path, other) for path, part in _parts(value, ()) for other in _others(path, part)]


def _may_be_null(path: Path, part: Any) -> bool:
    """Whether the question of a null there is one about the protocol."""
    if not path:
        listed = isinstance(part, list) and bool(part) and _is_plain(part[0]) and not is_pair(part)
        return listed or isinstance(part, (str, bytes))
    if _TAGS in path or path in _OF_A_FRAME or path[-1] in _OF_A_BATCH:
        return False
    return isinstance(path[-1], str) and isinstance(part, (str, bytes, list, tuple, Mapping))


def _is_plain(element: Any) -> bool:
    """Whether this is an element of an array, not a tag, a record or a message."""
    return not isinstance(element, (list, tuple, Mapping))


def _parts(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    """All parts of a value with their paths, the whole value first."""
    yield path, value
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from _parts(item, (*path, name))
    elif isinstance(value, (list, tuple)):
        for index, item in enumerate(value[:_MOST]):
            yield from _parts(item, (*path, index))


def _others(path: Path, part: Any) -> list[Any]:
    """What is put in the place of a part; nothing in that of a null."""
    null = [None] if _may_be_null(path, part) else []
    match part:
        case bool():
            return []
        case int():
            near = () if path[-1:] == ("magic",) else (part + 1, part - 1)  # another magic has other fields
            return [*near, *_NUMBERS]
        case str():
            return [*null, _LONG]
        case list() | tuple():
            pair = is_pair(part) or (bool(path) and isinstance(path[-1], int))  # a tag, a header: a key and its value
            return null if pair else [*null, *_of_list(part)]
        case Mapping() if _is_message(part) and not part.get(_TAGS):
            return [*null, {**part, _TAGS: [[_UNKNOWN, b""]]}]
        case None:
            return []
    return null


def _is_message(part: Mapping[str, Any]) -> bool:
    """Whether these are the fields of a schema, which may have tags in some versions: their names are in upper case,
    those of records and frames are not."""
    return any(name[:1].isupper() for name in part)


def _of_list(part: Sequence[Any]) -> Iterator[list[Any]]:
    items = [*part]
    if items:
        yield [*items, items[0]]
        yield items[1:]
    if len(items) > 1:
        yield []
        yield items[::-1]


def _put(value: Any, path: Path, part: Any) -> Any:
    """A copy of a value with another part at this path."""
    if not path:
        return part
    step, *rest = path
    copy = dict(value) if isinstance(value, Mapping) else list(value)
    copy[step] = _put(value[step], tuple(rest), part)  # type: ignore[index]
    return copy
