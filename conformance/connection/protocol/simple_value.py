"""The value encoding of a decoded value in one pass, for values made only of Python's own types.

That are nearly all values. For any other value, and any that an answer cannot have, `SimpleValue.of` gives None: then
`shapes` makes its normal form or says what is wrong, and `values` its encoding.
"""

from __future__ import annotations

import uuid
from typing import Any, NamedTuple, Self

from wireproof.conformance.connection.protocol.shapes import RESERVED
from wireproof.conformance.values.encoding import SAFE_INTEGER, all_integers, to_json

_TEXT_LIKE = frozenset({str, bool, type(None)})
_OTHERS = frozenset({bytes, float, uuid.UUID})
_TEXT = frozenset({str})


class _NotSimpleError(Exception):
    """The value needs the usual way."""


class SimpleValue(NamedTuple):
    """A value in its value encoding: input for a JSON writer."""

    json: Any

    @classmethod
    def of(cls, value: Any) -> Self | None:
        """Equal to `to_json(plain(value))`; None when the value is not a simple one."""
        try:
            return cls(_json(value))
        except (_NotSimpleError, RecursionError):
            return None


def _json(value: Any) -> Any:
    kind = type(value)
    if kind in _TEXT_LIKE:
        return value
    if kind is dict:
        if (len(value) == 1 and not RESERVED.isdisjoint(value)) or not {*map(type, value)} <= _TEXT:
            raise _NotSimpleError
        return {
            key: item
            if (inner := type(item)) in _TEXT_LIKE or (inner is int and -SAFE_INTEGER <= item <= SAFE_INTEGER)
            else _json(item)
            for key, item in value.items()
        }
    if kind is list or kind is tuple:
        if all_integers(value) and min(value) >= -SAFE_INTEGER and max(value) <= SAFE_INTEGER:
            return value
        return [item if type(item) in _TEXT_LIKE else _json(item) for item in value]
    if kind is int and -SAFE_INTEGER <= value <= SAFE_INTEGER:
        return value
    if kind in _OTHERS:
        return to_json(value)
    raise _NotSimpleError
