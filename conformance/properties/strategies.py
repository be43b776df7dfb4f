"""Hypothesis strategies for the values of all types, and for nearly valid bytes.

`conformance.generation.random_values` makes the values; here hypothesis makes its choices. The number of elements is
drawn before the elements: that is faster than `st.lists`, and examples become smaller.
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Sequence
from typing import Any, TypeVar

from hypothesis import strategies as st

from wireproof.conformance.generation import edge_values, random_values
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.conformance.properties import byte_corruption, invalid_values
from wireproof.reference.codec import Codec
from wireproof.reference.records.produce import ARGUMENTS

T = TypeVar("T")
Values = st.SearchStrategy[Any]

_TEXT = st.text(st.characters(codec="utf-8"), max_size=40) | st.sampled_from(edge_values.TEXTS)
_OCTETS = st.binary(max_size=40) | st.sampled_from(edge_values.OCTETS)
_KEYS = st.sampled_from(edge_values.KEYS) | _TEXT
#: All bit patterns, including NaNs with payloads.
_FLOATS = st.integers(0, 2**64 - 1).map(lambda bits: struct.unpack(">d", struct.pack(">Q", bits))[0]) | st.floats()
_BOOLEANS = st.booleans()
_counts = functools.cache(st.integers)


@functools.cache
def _integers(low: int, high: int) -> st.SearchStrategy[int]:
    """Integers. The boundaries of each varint length and their neighbours are drawn often."""
    return st.sampled_from(edge_values.integers(low, high)) | st.integers(low, high)


class _Choices(random_values.Choices):
    """hypothesis chooses. Examples shrink towards `random_values.simplest`."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw

    def number(self, low: int, high: int) -> int:
        return self._draw(_integers(low, high))

    def float64(self) -> float:
        return self._draw(_FLOATS)

    def text(self) -> str:
        return self._draw(_TEXT)

    def key(self) -> str:
        return self._draw(_KEYS)

    def octets(self) -> bytes:
        return self._draw(_OCTETS)

    def count(self, least: int, most: int) -> int:
        return self._draw(_counts(least, most))

    def among(self, options: Sequence[T]) -> T:
        return self._draw(st.sampled_from(options))

    def plainly(self) -> bool:
        return not self._draw(_BOOLEANS)


@st.composite
def of_codec(draw: st.DrawFn, codec: Codec, dialect: str) -> Any:
    """The values of a codec's type."""
    return random_values.of_codec(codec, dialect, _Choices(draw))


def values(type_name: str, *, dialect: str, version: int | None = None) -> Values:
    """The values of a type. Boundary values are drawn often. Raises UnknownType."""
    return of_codec(reference_codec().dialect(dialect).codec(type_name, version), dialect)


@st.composite
def production(draw: st.DrawFn) -> Any:
    """The arguments of `produce`."""
    return random_values.of_shape(ARGUMENTS, _Choices(draw))


#: A fault: its kind and the function that makes it. The simplest kinds come first: examples shrink towards them.
_FAULTS = st.one_of(
    st.tuples(st.just("insert"), st.binary(min_size=1, max_size=byte_corruption.MOST_INSERTED)),
    st.tuples(st.just("border"), st.sampled_from(byte_corruption.BORDERS)),
    st.tuples(st.just("pad"), st.none()),
    st.tuples(st.just("drop"), st.integers(1, byte_corruption.MOST_DROPPED)),
    st.tuples(st.just("flip"), st.integers(0, 7)),
    st.tuples(st.just("repeat"), st.integers(1, byte_corruption.MOST_REPEATED)),
    st.tuples(st.just("cut"), st.none()),
)


def nearly(canonical: st.SearchStrategy[bytes]) -> st.SearchStrategy[bytes]:
    """Valid bytes with one to three small faults, or random bytes."""
    places = st.integers(0, byte_corruption.LAST_PLACE)
    several = st.lists(st.tuples(_FAULTS, places), min_size=1, max_size=byte_corruption.MOST)
    return st.builds(byte_corruption.put, canonical | st.binary(max_size=byte_corruption.MOST_ODD), several)


def changed(values: Values) -> st.SearchStrategy[invalid_values.Change]:
    """Values with one part that is mostly wrong; what has no such part is not drawn."""
    changes = values.map(invalid_values.changes).filter(bool)
    return st.builds(lambda found, index: found[index % len(found)], changes, st.integers(0, 2**16))
