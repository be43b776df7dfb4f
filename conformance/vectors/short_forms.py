"""Short forms of JSON in a vectors file. They are written out before anything else is read.

    {"named": "batch"}              what stands under this name in the file's `named`
    {"repeat": "61", "times": 300}  a text or an array, this many times
    {"join": ["0a", {"repeat": …}]} texts or arrays, one after another

They may stand wherever JSON stands in `named`, `settings` and `vectors`, at any depth. Their size is known before they
are written out, and it is limited, for each and for a whole file, so that a few bytes cannot take all memory. So is the
depth of what is written out.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from wireproof.conformance.vectors.model import VectorError

#: The most characters and JSON values that one vector, or one entry of `named`, may be when it is written out.
MOST = 2**22
#: The most that all vectors and settings of a file may be together.
MOST_OF_FILE = 16 * MOST
#: The most arrays and objects within one another.
DEEPEST = 100

#: JSON text with none of these has no short form.
FORM_WORDS = (b'"named"', b'"repeat"', b'"join"')
_REPEAT = frozenset({"repeat", "times"})


class _Sized(NamedTuple):
    """JSON without short forms, and its size: its characters of text and its JSON values. `depth`: the number of arrays
    and objects within one another."""

    json: Any
    size: int
    depth: int = 0


class ShortForms:
    """Writes out the short forms of one file."""

    def __init__(self, named: Mapping[str, Any]) -> None:
        """`named`: the file's names; what stands under one may use those before it. Raises VectorError."""
        self._named: dict[str, _Sized] = {}
        self._written = 0
        for name, value in named.items():
            try:
                self._named[name] = self._sized(value)
            except VectorError as error:
                raise VectorError(f"named {name!r}: {error}") from None

    def written_out(self, value: Any) -> Any:
        """JSON with each short form replaced by what it stands for. Raises VectorError for a wrong form, an unknown
        name, for more than MOST or DEEPEST, and for more than MOST_OF_FILE in all."""
        sized = self._sized(value)
        self._written += sized.size
        if self._written > MOST_OF_FILE:
            raise VectorError(f"the file's vectors up to here have a size of more than {MOST_OF_FILE}, written out")
        return sized.json

    def _sized(self, value: Any) -> _Sized:
        kind = type(value)
        if kind is dict:
            return self._object(value)
        if kind is list:
            sized = [self._sized(item) for item in value]
            return _around([item.json for item in sized], sized)
        return _Sized(value, len(value) if kind is str else 1)

    def _object(self, value: dict[str, Any]) -> _Sized:
        match value:
            case {"named": name, **rest} if not rest:
                if not isinstance(name, str) or name not in self._named:
                    raise VectorError(f"{value!r:.80}: the file's `named` has no such name")
                return self._named[name]
            case {"repeat": one, **rest} if rest.keys() <= _REPEAT:
                return self._repeat(self._sized(one), rest.get("times"))
            case {"join": parts, **rest} if not rest:
                return self._join(parts)
        sized = {key: self._sized(item) for key, item in value.items()}
        return _around({key: item.json for key, item in sized.items()}, sized.values())

    def _repeat(self, one: _Sized, times: Any) -> _Sized:
        if not isinstance(one.json, (str, list)) or type(times) is not int or times < 0:
            raise VectorError('a repetition is {"repeat": a text or an array, "times": a number from 0 on}')
        _check(one.size * times, one.depth)
        return _Sized(one.json * times, one.size * times, one.depth)

    def _join(self, parts: Any) -> _Sized:
        sized = self._sized(parts)
        match sized.json:
            case [str(), *_] if all(isinstance(part, str) for part in sized.json):
                return _Sized("".join(sized.json), sized.size)  # of depth 0
            case [list(), *_] if all(isinstance(part, list) for part in sized.json):
                return _Sized([item for part in sized.json for item in part], sized.size, sized.depth - 1)
        raise VectorError('{"join": …} takes texts, or arrays')


def _around(json: Any, items: Collection[_Sized]) -> _Sized:
    """An array or object with these items."""
    size, depth = 1 + sum(item.size for item in items), 1 + max((item.depth for item in items), default=0)
    _check(size, depth)
    return _Sized(json, size, depth)


def _check(size: int, depth: int) -> None:
    if size > MOST:
        raise VectorError(f"written out, it would have a size of {size}; at most {MOST} characters and values are read")
    if depth > DEEPEST:
        raise VectorError(f"it is nested too deeply: at most {DEEPEST} arrays and objects within one another are read")
