"""Questions: a case, the vector with its expectation, and the valid twin that makes a refusal count.

Each case has an id, and `find` makes the question again from its id: for cases of vectors and of the ledger, derived
cases and generated cases. A refusal only counts if the same implementation accepts valid input of the same type,
version and op. So a question names this valid input, its twin, and both are asked.
"""

from __future__ import annotations

import difflib
import functools
import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from wireproof.conformance import ledger, vectors
from wireproof.conformance.generation import case_ids, random_values
from wireproof.conformance.model import Case, Description, Op
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.conformance.questions.positive_control import twin_of
from wireproof.conformance.vectors import Vector, VectorKind
from wireproof.reference.errors import Reason, WireError

#: The ops that can be asked with a type's simplest value.
_OF_TYPES = (Op.DECODE, Op.ENCODE, Op.RECODE)


class UnknownId(ValueError):  # noqa: N818 (a wrong id from a user, not a fault of the program)
    """An unknown id. The text says what is wrong with it, and which ids are similar."""


@dataclass(frozen=True, slots=True)
class Question:
    """A case, the vector with its expectation, and the twin. `twin` is None if no refusal can be right, or if no valid
    input is known."""

    vector: Vector
    case: Case
    twin: Case | None = None

    @classmethod
    def of(cls, vector: Vector, case: Case) -> Question:
        """The question with its twin."""
        return cls(vector, case, twin_case(vector, case))

    def as_recode(self) -> Question | None:
        """The same question as recode, with its twin, for a library that does not show values. None if the question is
        not about refusing bytes."""
        if self.vector.kind is not VectorKind.INVALID or self.case.op is not Op.DECODE:
            return None
        if Op.RECODE not in self.vector.ops and not self.case.made:
            return None
        return Question(self.vector, _recode(self.case), None if self.twin is None else _recode(self.twin))


@dataclass(frozen=True, slots=True)
class Derivation:
    """Derived questions of a message-version: prefixes, and counts that are too large. They are derived from the first
    of `sources` that the implementation reads. If it reads none, the first source is used."""

    sources: tuple[Question, ...]

    def questions(self, source: Question) -> tuple[Question, ...]:
        """All questions derived from one of the sources. The source is the twin of each."""
        return tuple(Question(*made, twin=source.case) for made in ledger.derive(source.vector, source.case.op))


#: Questions that are judged together, or a derivation of such questions.
Questions = Sequence[Question] | Derivation


def _recode(case: Case) -> Case:
    return msgspec.structs.replace(case, id=f"{case.id.rpartition('#')[0]}#{Op.RECODE}", op=Op.RECODE)


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
    return whole or simplest_case(case) or _of_a_version(case)


def _of_a_version(case: Case) -> Case | None:
    """The simplest value of an existing version, for questions about an unknown version."""
    span = reference_codec().dialect(case.dialect).types.get(case.type or "")
    return None if span is None else simplest_case(case, span[0])


def _plain_case(vector: Vector, case: Case) -> Case | None:
    """The first vector of the same kind and type, converted to the same format, that no reading refuses. It is in the
    same file; for a generated case, in any file of its dialect."""
    files = vectors.files([vector.dialect], None if case.made else [vector.area])
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


def simplest_case(case: Case, version: int | None = None) -> Case | None:
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
    return case_ids.vector_of(op, dialect, type_name, version, seed)[1]


def offers(described: Description, question: Question) -> bool:
    """Whether an implementation offers the op, type and version of a question."""
    case = question.case
    return described.offers_op(case.op, case.dialect, case.type, _needed_version(question.vector, case.version))


def offers_vector(described: Description, vector: Vector, op: Op) -> bool:
    """Whether an implementation offers the question that a vector asks with this op. The case need not be made."""
    return described.offers_op(op, vector.dialect, vector.type, _needed_version(vector, vector.version))


def _needed_version(vector: Vector, version: int | None) -> int | None:
    """The version that has to be offered: None (any) in a question about an unknown version, whose reason is
    unsupported-version."""
    about_version = vector.reject is not None and vector.reject.reason is Reason.UNSUPPORTED_VERSION
    return None if about_version else version


def offered_twin(question: Question, offered: Description) -> Case | None:
    """The twin in a form that this implementation offers. If it does not offer the twin's version (the question is then
    about the version), this is the simplest value of an offered version. A question also has a twin if a declared
    reading may demand a refusal."""
    case, twin = question.case, question.twin
    if twin is None and offered.readings and case.op in _OF_TYPES:
        twin = simplest_case(case)
    if twin is None or offered.offers(twin):
        return twin
    span = offered.versions(case.dialect, case.type)
    simplest = None if span is None else simplest_case(case, span[0])
    return simplest if simplest is not None and offered.offers(simplest) else None


# --- By id ------------------------------------------------------------------------------------------------------------


def find(identifier: str, *, similar: bool = True) -> Question:
    """The question with this id. Raises UnknownId; `similar`: whether its text names similar ids, which takes time."""
    if identifier.startswith("gen/"):
        try:
            return Question.of(*case_ids.parse(identifier))
        except (ValueError, NotImplementedError) as error:
            raise UnknownId(str(error)) from None
    stored = ledger.find(identifier)
    if stored is not None:
        return Question.of(*stored)
    path, _, op = identifier.partition("#")
    vector = _vector(path)
    if vector is None:
        near = "".join(f" Near it are {', '.join(names)}." for names in [_near(path) if similar else []] if names)
        raise UnknownId(f"There is no vector {path!r}.{near} An id is DIALECT/AREA/VECTOR#OP, or gen/….")
    asked = [str(one) for one in vector.ops]
    if not op and len(asked) == 1:
        op = asked[0]
    if op not in asked:
        said = f"{path} does not ask {op!r}" if op else f"{path} asks more than one question"
        raise UnknownId(f"{said}: say {' or '.join(f'{path}#{one}' for one in asked)}.")
    return Question.of(vector, vector.case(Op(op)))


def _vector(path: str) -> Vector | None:
    dialect, _, rest = path.partition("/")
    area, _, name = rest.partition("/")
    if vectors.added_folder(path) is not None:
        return vectors.added_vector(path)
    if dialect not in vectors.dialects() or area not in vectors.AREAS:
        return None
    file = vectors.load_file(dialect, area)
    return next((vector for vector in file.vectors if vector.id == name), None) if file is not None else None


def _near(path: str) -> list[str]:
    """A few vectors with a similar path."""
    paths = [vector.path for vector in vectors.load()]
    near = difflib.get_close_matches(path, paths, n=4, cutoff=0.5)
    return near + [one for one in paths if path and path in one and one not in near][: 4 - len(near)]
