"""Mutations that know the structure of an input: they change one thing in it, and mend what encloses it, or do not.

    mutate(data, "kafka", "MetadataResponse", 12, random)                 # changed in one thing
    apply("tags-reorder", data, "kafka", "MetadataResponse", 12, random)  # in this one; None where there is none

layout        what stands where in an input, as the reference reads it; changed parts, put together again
forms         integers: big-endian, varints, zigzag
mutation      what a mutation is
tags, elements, prefixes, varints, fields, checksums, compressed   the mutations, each with its name

Everything hangs on `random` alone: the same input, seed and Python version give the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from conformance.mutations import checksums, compressed, elements, fields, prefixes, tags, varints
from conformance.mutations.layout import layout_of
from conformance.mutations.mutation import Mutation
from conformance.reference_codec import reference_codec

_PLAIN: Mapping[str, Mutation] = {
    **tags.MUTATIONS,
    **elements.MUTATIONS,
    **prefixes.MUTATIONS,
    **varints.MUTATIONS,
    **fields.MUTATIONS,
}
_MUTATIONS: Mapping[str, Mutation] = {**_PLAIN, **checksums.MUTATIONS, **compressed.changing(_PLAIN)}
#: How mutations are called that take parts from a second input.
_SPLICE = "-splice"
#: How often `mutate` mends what encloses a change.
_MENDED = 0.85
#: So many mutations are tried before bytes are changed without a thought.
_TRIED = 6


def names() -> tuple[str, ...]:
    """The names of all mutations."""
    return tuple(_MUTATIONS)


def apply(
    name: str,
    data: bytes,
    dialect: str,
    type_name: str,
    version: int | None,
    random: Random,
    *,
    other: bytes | None = None,
    mend: bool = True,
) -> bytes | None:
    """The input changed by one named mutation; None where it has nothing of the kind. `other`: a second input of the
    same type, from which parts may be taken. `mend`: sizes and CRCs around the change are put right. Raises KeyError
    for a name that there is not."""
    mutation = _MUTATIONS[name]
    layout = layout_of(data, dialect, type_name, version)
    if layout is None:
        return None
    given = other if name.endswith(_SPLICE) else None
    theirs = None if given is None else layout_of(given, dialect, type_name, version)
    draft = mutation(layout, random, theirs)
    return None if draft is None else draft.data(mend=mend)


def mutate(
    data: bytes, dialect: str, type_name: str, version: int | None, random: Random, other: bytes | None = None
) -> bytes:
    """Any bytes, changed in one thing. `other` as in `apply`. Bytes in which there is nothing to be changed, and those
    of a type that there is not, are changed without regard to what they are."""
    mended = random.random() < _MENDED
    for _ in range(_TRIED):
        name = random.choice(names())
        found = apply(name, data, dialect, type_name, version, random, other=other, mend=mended)
        if found is not None and found != data:
            return found
    return _scrambled(data, random)


def _scrambled(data: bytes, random: Random) -> bytes:
    """A byte changed, put in or left out."""
    at = random.randrange(len(data) + 1)
    byte = bytes([random.randrange(256)])
    if at == len(data) or random.random() < 0.3:
        return data[:at] + byte + data[at:]
    if random.random() < 0.3:
        return data[:at] + data[at + 1 :]
    return data[:at] + bytes([data[at] ^ random.randrange(1, 256)]) + data[at + 1 :]


def other_version(dialect: str, type_name: str, version: int | None, random: Random) -> int | None:
    """Another version of a type, as which its bytes may be read too; None for a type that has but one, or none."""
    span = reference_codec().dialect(dialect).types.get(type_name)
    others = [] if span is None or version is None else [one for one in range(span[0], span[1] + 1) if one != version]
    return random.choice(others) if others else None
