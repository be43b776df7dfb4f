"""The positive control of a refusal: valid input that the same implementation has to accept, asked in the same op.
Vectors, and texts for people, call it the twin.

Each choice stands here. In order:

1. the vector names its twin, of its own file or of the ledger
2. a question about no type: a vector of the same kind that no reading refuses
3. a generated prefix: the whole input
4. else the simplest value of the type in the same version, else in its lowest version

A question has no twin if nobody demands a refusal, or if the type has no values. `offered_twin` then replaces a twin
that an implementation does not offer.
"""

from __future__ import annotations

import functools
import itertools

from wireproof.conformance import ledger, vectors
from wireproof.conformance.generation import case_ids, expectations, random_values
from wireproof.conformance.model import Case, Description, Op
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.conformance.vectors import Vector
from wireproof.reference.errors import WireError

#: The ops that can be asked with a type's simplest value.
_OF_TYPES = (Op.DECODE, Op.ENCODE, Op.RECODE)


def twin_of(vector: Vector) -> Vector | None:
    """A vector's twin: of its own file, or the ledger's case that it is derived from. None for one that needs none."""
    if vector.twin is None:
        return None
    if vector.folder:
        return vectors.added_vector(f"{vector.folder}/{vector.area}/{vector.twin}")
    return _by_id(vector.dialect, vector.area).get(vector.twin) or ledger.vector(vector.twin, vector.dialect)


@functools.cache
def _by_id(dialect: str, area: str) -> dict[str, Vector]:
    file = vectors.load_file(dialect, area)
    return {} if file is None else {vector.id: vector for vector in file.vectors}


def twin_case(vector: Vector, case: Case) -> Case | None:
    """The valid case that must be accepted before a refusal of `case` counts: the twin that its vector names, else the
    simplest value of its type and version. None if no refusal can count, or if the type has no values."""
    if not _refusal_counts(vector):
        return None
    named = twin_of(vector)
    if named is not None and case.op in named.ops:
        return named.case(case.op)
    if case.op not in _OF_TYPES:
        return _plain_case(vector, case)
    whole = case_ids.whole(case)
    return whole or _simplest_case(case) or _of_a_version(case)


def _of_a_version(case: Case) -> Case | None:
    """The simplest value of an existing version, for questions about an unknown version."""
    span = reference_codec().dialect(case.dialect).types.get(case.type or "")
    return None if span is None else _simplest_case(case, span[0])


def _plain_case(vector: Vector, case: Case) -> Case | None:
    """The first vector of the same kind and type, converted to the same format, that no reading refuses. It is in the
    same file; for a derived or generated case, in any file of its dialect."""
    files = vectors.files([vector.dialect], [vector.area] if case.from_file else None)
    alike = (
        one
        for one in itertools.chain.from_iterable(file.vectors for file in files)
        if (one.kind, one.type, one.version) == (vector.kind, vector.type, vector.version)
        if case.op in one.ops and one.reject is None and not any(also.refuses for also in one.also)
        if one.args.get("to") == vector.args.get("to")
    )
    plain = next(alike, None)
    return None if plain is None else plain.case(case.op)


def _refusal_counts(vector: Vector) -> bool:
    """Whether the kit or another reading demands a refusal."""
    if vector.reject is not None or vector.or_reject is not None:
        return True
    return any(also.refuses for also in vector.also)


def _simplest_case(case: Case, version: int | None = None) -> Case | None:
    """The simplest valid input with the type and op of `case`, and its version unless `version` is given. None for a
    type without this version, or without values."""
    if case.type is None or case.op not in _OF_TYPES:
        return None
    return _simplest(case.op, case.dialect, case.type, case.version if version is None else version)


@functools.cache
def _simplest(op: Op, dialect: str, type_name: str, version: int | None) -> Case | None:
    try:
        value = random_values.simplest(type_name, dialect=dialect, version=version)
        seed = reference_codec().encode(type_name, value, dialect=dialect, version=version)
    except (NotImplementedError, WireError):
        return None
    return expectations.vector_of(op, dialect, type_name, version, seed)[1]


def offered_twin(case: Case, twin: Case | None, offered: Description) -> Case | None:
    """The twin of a case in a form that this implementation offers. If it does not offer the twin's version (the
    question is then about the version), this is the simplest value of the lowest version that it offers: any would do,
    and reports name it. A question also has a twin if another reading may demand a refusal: a declared one or, for a
    generated case, any."""
    if twin is None and (offered.readings or case.generated) and case.op in _OF_TYPES:
        twin = _simplest_case(case)
    if twin is None or offered.offers(twin):
        return twin
    span = offered.versions(case.dialect, case.type)
    simplest = None if span is None else _simplest_case(case, span[0])
    return simplest if simplest is not None and offered.offers(simplest) else None
