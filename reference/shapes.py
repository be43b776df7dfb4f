"""What values a type has, for codecs that follow no plan: enough to draw values from, their borders included."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable


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
    """KeyValues of a key and a value, in order, keys twice included."""

    key: Shape
    value: Shape


@dataclass(frozen=True, slots=True)
class KeyValue:
    """One pair of a key and a value."""

    key: Shape
    value: Shape


@dataclass(frozen=True, slots=True)
class Items:
    """A list."""

    item: Shape


@dataclass(frozen=True, slots=True)
class Fields:
    """A mapping that has each of these fields, and no other."""

    fields: Mapping[str, Shape]


Shape = Integers | Text | Octets | KeyValue | KeyValues | Items | Fields


@runtime_checkable
class Shaped(Protocol):
    """A codec that says which values its type has."""

    @property
    def shape(self) -> Shape: ...
