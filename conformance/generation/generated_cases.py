"""Generated cases by number: a seed and a number decide a whole case, on any machine and in any order.

    case = GeneratedCases(seed=1, dialects=("kafka",)).case(4711)
    case.id    # gen/kafka/MetadataResponse/12/x…#decode

So a job can generate ten cases or 10⁸ in parallel, and any one of them again. Of ten cases three are valid values, one
is a value of boundary values only, and six are valid input with one named change. The dialect, then the type, then the
version are chosen evenly: a type with twenty versions gets no more cases than a record batch. Where a value of the type
that producers write would be asked, a quarter of the cases ask `produce` instead.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from enum import StrEnum
from random import Random

from wireproof import reference
from wireproof.conformance.generation import expectations, further_ops, mutations, random_values
from wireproof.conformance.generation.arguments import seed_of
from wireproof.conformance.model import Op
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.conformance.oracle.types import types_of

#: The probabilities of the kinds of cases.
_VALID, _BOUNDARY = 0.3, 0.1
#: The share of `produce` among the cases with values of what producers write.
_PRODUCED = 0.25


class Kind(StrEnum):
    """The kinds of generated cases."""

    VALID = "valid"
    BOUNDARY = "boundary"
    MUTATED = "mutated"


@dataclass(frozen=True, slots=True)
class GeneratedCase:
    """A case by its number. `type`: None of `produce`. `mutation`: the name of its change, None for unchanged input.
    `size`: of the input, in bytes."""

    number: int
    id: str
    dialect: str
    area: str
    type: str | None
    version: int | None
    op: Op
    kind: Kind
    mutation: str | None
    size: int


@dataclass(frozen=True, slots=True)
class GeneratedCases:
    """The cases of a seed. `dialects` and `types`: only of these; None for all.

    Raises ValueError if there is no such dialect or type.
    """

    seed: int
    dialects: tuple[str, ...] | None = None
    types: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        for name in self.dialects or ():
            if name not in reference.dialects:
                raise ValueError(f"there is no dialect {name!r}; there are {', '.join(reference.dialects)}")
        for name in self.types or ():
            if not _chosen(self.dialects, (name,)):
                raise ValueError(f"there is no type {name!r} in {', '.join(self.dialects or reference.dialects)}")

    def case(self, number: int) -> GeneratedCase:
        """The case with this number, from 0."""
        random = Random(f"{self.seed}/{number}")  # noqa: S311 (cases, not secrets)
        dialect, types = random.choice(_chosen(self.dialects, self.types))
        type_name, versions = random.choice(types)
        version = random.choice(versions)
        kind = _kind(random)
        produced = Op.PRODUCE in further_ops.ops_of(dialect, type_name) and kind is not Kind.MUTATED
        if produced and random.random() < _PRODUCED:
            return _production(number, dialect, kind, random)
        data = _valid(kind, dialect, type_name, version, random)
        mutation = None
        if kind is Kind.MUTATED:
            mutation, data = mutations.named_change(data, dialect, type_name, version, random)
        op = _op(kind, dialect, type_name, data, random)
        shown = "-" if version is None else version
        return GeneratedCase(
            number,
            f"gen/{dialect}/{type_name}/{shown}/x{data.hex()}#{op}",
            dialect,
            expectations.area(dialect, type_name),
            type_name,
            version,
            op,
            kind,
            mutation,
            len(data),
        )


def _production(number: int, dialect: str, kind: Kind, random: Random) -> GeneratedCase:
    args = random_values.production(random, boundary=kind is Kind.BOUNDARY)
    seed = seed_of(Op.PRODUCE, args)
    identifier = f"gen/{dialect}/-/-/x{seed.hex()}#{Op.PRODUCE}"
    area = expectations.AREAS[Op.PRODUCE]
    return GeneratedCase(number, identifier, dialect, area, None, None, Op.PRODUCE, kind, None, len(seed))


#: A dialect, and the names of its types with their versions.
_Of = tuple[str, tuple[tuple[str, tuple[int | None, ...]], ...]]


@functools.cache
def _chosen(dialects: tuple[str, ...] | None, types: tuple[str, ...] | None) -> tuple[_Of, ...]:
    """Each chosen dialect that has any of the types."""
    chosen = []
    for dialect in reference.dialects if dialects is None else dialects:
        versions: dict[str, list[int | None]] = {}
        for name, version in types_of(dialect):
            if types is None or name in types:
                versions.setdefault(name, []).append(version)
        if versions:
            chosen.append((dialect, tuple((name, tuple(every)) for name, every in versions.items())))
    return tuple(chosen)


def _kind(random: Random) -> Kind:
    chance = random.random()
    if chance < _VALID:
        return Kind.VALID
    return Kind.BOUNDARY if chance < _VALID + _BOUNDARY else Kind.MUTATED


def _valid(kind: Kind, dialect: str, type_name: str, version: int | None, random: Random) -> bytes:
    make = random_values.boundary if kind is Kind.BOUNDARY else random_values.value
    value = make(type_name, random, dialect=dialect, version=version)
    return reference_codec().encode(type_name, value, dialect=dialect, version=version)


def _op(kind: Kind, dialect: str, type_name: str, data: bytes, random: Random) -> Op:
    """What is asked. Changed input may be refused, so it is not encoded; written bytes never end with a partial entry,
    so such input is only decoded."""
    options = (Op.DECODE, Op.RECODE) if kind is Kind.MUTATED else (Op.DECODE, Op.ENCODE, Op.RECODE)
    op = random.choice(options)
    if op is Op.RECODE and expectations.has_partial_tail(dialect, type_name, data):
        return Op.DECODE
    return op
