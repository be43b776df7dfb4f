"""Which values a type has, for types without a plan. Values are drawn from it, boundary values included."""

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
    """Integers from `low` to `high`, both included; those with a bit of `without` set are none."""

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
    """Pairs of a key and a value, in order, keys twice included."""

    key: Shape
    value: Shape


@dataclass(frozen=True, slots=True)
class Ascending:
    """Pairs of a key and a value, in the order of their keys, none of which comes twice."""

    key: Integers
    value: Shape


@dataclass(frozen=True, slots=True)
class KeyValue:
    """One pair of a key and a value."""

    key: Shape
    value: Shape


@dataclass(frozen=True, slots=True)
class Items:
    """A list of at least so many."""

    item: Shape
    least: int = 0


@dataclass(frozen=True, slots=True)
class Fields:
    """A mapping that has each of these fields, and no other."""

    fields: Mapping[str, Shape]


@dataclass(frozen=True, slots=True)
class Either:
    """What any of the shapes has."""

    shapes: tuple[Shape, ...]


@dataclass(frozen=True, slots=True)
class Made:
    """What `make` makes of a value of another shape, where parts of a value depend on each other."""

    of: Shape
    make: Callable[[Any], Any]


Shape = Constant | Among | Integers | Text | Octets | KeyValue | KeyValues | Ascending | Items | Fields | Either | Made


def signed(bits: int, without: int = 0) -> Integers:
    """The integers of so many bits in two's complement."""
    return Integers(-(1 << bits - 1), (1 << bits - 1) - 1, without)


@runtime_checkable
class Shaped(Protocol):
    """A codec that says which values its type has."""

    @property
    def shape(self) -> Shape: ...
