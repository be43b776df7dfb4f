"""Mutations that know the structure of an input. Each changes one thing; sizes and CRCs around it are corrected or not.

    mutate(data, "kafka", "MetadataResponse", 12, random)                 # one random change
    apply("tags-reorder", data, "kafka", "MetadataResponse", 12, random)  # this change; None where it does not apply

layout        the parts of an input, found by the reference; puts changed parts together again; the type of a mutation
forms         forms of integers: big-endian, varints, zigzag
conversation  mutations of what `serve` and `interpret` take
tags, elements, prefixes, varints, fields, checksums, compressed   the mutations, by name

Results depend only on `random`: the same input, seed and Python version give the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from wireproof.conformance.generation.mutations import checksums, compressed, elements, fields, prefixes, tags, varints
from wireproof.conformance.generation.mutations.layout import Mutation, layout_of
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.reference import fast
from wireproof.reference.codec import NodeCodec

_PLAIN: Mapping[str, Mutation] = {
    **tags.MUTATIONS,
    **elements.MUTATIONS,
    **prefixes.MUTATIONS,
    **varints.MUTATIONS,
    **fields.MUTATIONS,
}
_MUTATIONS: Mapping[str, Mutation] = {**_PLAIN, **checksums.MUTATIONS, **compressed.changing(_PLAIN)}
#: The end of the names of mutations that use parts of a second input.
_SPLICE = "-splice"
#: The probability with which `mutate` corrects sizes and CRCs around a change.
_MENDED = 0.85
#: The name of a change of one random byte.
RANDOM_BYTE = "random-byte"
#: The number of mutations tried before random bytes are changed.
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
    """The input changed by one named mutation; None where that does not apply. `other`: a second input of the same
    type, whose parts may be used. `mend`: correct sizes and CRCs around the change. Raises KeyError for an unknown
    name."""
    mutation = _MUTATIONS[name]
    layout = layout_of(data, dialect, type_name, version)
    if layout is None:
        return None
    second = other if name.endswith(_SPLICE) else None
    theirs = None if second is None else layout_of(second, dialect, type_name, version)
    draft = mutation(layout, random, theirs)
    return None if draft is None else draft.data(mend=mend)


def readable(data: bytes, dialect: str, type_name: str, version: int | None) -> bool:
    """Whether the layout of an input is known to its end, wrong CRCs aside."""
    if _is_refused(data, dialect, type_name, version):
        return False
    layout = layout_of(data, dialect, type_name, version)
    return layout is not None and layout.error is None


def _is_refused(data: bytes, dialect: str, type_name: str, version: int | None) -> bool:
    """Whether the bytes of a message of fields alone, which has no CRC, are refused. That is quicker to know than a
    layout. False also for all that is no such message."""
    try:
        codec = reference_codec().dialect(dialect).codec(type_name, version)
        if type(codec) is NodeCodec:
            fast.reader(codec, reference_codec().rules)(data)
    except NotImplementedError:
        return False
    except fast.REFUSED:
        return True
    return False


def mutate(
    data: bytes, dialect: str, type_name: str, version: int | None, random: Random, other: bytes | None = None
) -> bytes:
    """Any bytes with one change. `other` as in `apply`. Where no mutation applies, and for an unknown type, a random
    byte is changed."""
    return named_change(data, dialect, type_name, version, random, other)[1]


def named_change(
    data: bytes, dialect: str, type_name: str, version: int | None, random: Random, other: bytes | None = None
) -> tuple[str, bytes]:
    """As `mutate`, with the name of the change: one of `names`, or RANDOM_BYTE."""
    mended = random.random() < _MENDED
    for _ in range(_TRIED):
        name = random.choice(names())
        mutation = apply(name, data, dialect, type_name, version, random, other=other, mend=mended)
        if mutation is not None and mutation != data:
            return name, mutation
    return RANDOM_BYTE, _scrambled(data, random)


def _scrambled(data: bytes, random: Random) -> bytes:
    """One byte changed, inserted or removed."""
    at = random.randrange(len(data) + 1)
    byte = bytes([random.randrange(256)])
    if at == len(data) or random.random() < 0.3:
        return data[:at] + byte + data[at:]
    if random.random() < 0.3:
        return data[:at] + data[at + 1 :]
    return data[:at] + bytes([data[at] ^ random.randrange(1, 256)]) + data[at + 1 :]
