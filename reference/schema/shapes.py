"""Shapes describe the values of types without a plan. Values are drawn from them, boundary values included."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class Constant:
    """One value alone."""

    value: Any


@dataclass(frozen=True, slots=True)
class Among:
    """One of these values, the simplest first."""

    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Integers:
    """Integers from `low` to `high`, both included, except those with a bit of `without` set."""

    low: int
    high: int
    without: int = 0


@dataclass(frozen=True, slots=True)
class Text:
    """Text that UTF-8 can hold."""


@dataclass(frozen=True, slots=True)
class Octets:
    """Bytes; with `nullable`, null too."""

    nullable: bool = False


@dataclass(frozen=True, slots=True)
class KeyValues:
    """Pairs of a key and a value, in order; keys may repeat."""

    key: Shape
    value: Shape


@dataclass(frozen=True, slots=True)
class Ascending:
    """Pairs of a key and a value, sorted by key; keys are unique."""

    key: Integers
    value: Shape


@dataclass(frozen=True, slots=True)
class KeyValue:
    """One pair of a key and a value."""

    key: Shape
    value: Shape


@dataclass(frozen=True, slots=True)
class Items:
    """A list of at least `least` items."""

    item: Shape
    least: int = 0


@dataclass(frozen=True, slots=True)
class Fields:
    """A mapping that has each of these fields, and no other."""

    fields: Mapping[str, Shape]


@dataclass(frozen=True, slots=True)
class Either:
    """A value of any of the shapes."""

    shapes: tuple[Shape, ...]


@dataclass(frozen=True, slots=True)
class Made:
    """The result of `make` for a value of another shape, where parts of a value depend on each other."""

    of: Shape
    make: Callable[[Any], Any]


Shape = Constant | Among | Integers | Text | Octets | KeyValue | KeyValues | Ascending | Items | Fields | Either | Made


def signed(bits: int, without: int = 0) -> Integers:
    """The integers of this many bits in two's complement."""
    return Integers(-(1 << bits - 1), (1 << bits - 1) - 1, without)


@runtime_checkable
class Shaped(Protocol):
    """A codec that describes the values of its type."""

    @property
    def shape(self) -> Shape: ...
