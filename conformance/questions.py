"""Questions: a case, the vector that says what is expected of it, and the valid twin that makes a refusal count.

Every kind of case has an id, and `find` makes the question of an id again: of a vector, of a ledger's case, of a case
that is derived from one, of a generated case. A refusal says something only when the same implementation accepts valid
input of the same type, version and op. So a question names that twin itself, and whoever asks the question asks both.
"""

from __future__ import annotations

import dataclasses
import difflib
import functools
import itertools
from dataclasses import dataclass

from conformance import generated, ledger, seeded, vectors
from conformance.model import Case, Description, Op
from conformance.reference_codec import reference_codec
from conformance.twins import twin_of
from conformance.vectors import Vector, VectorKind
from reference.errors import Reason, WireError

#: The ops that a type's simplest value can be asked in.
_OF_TYPES = (Op.DECODE, Op.ENCODE, Op.RECODE)


class UnknownId(ValueError):  # noqa: N818 (a name that is none, not a fault)
    """An id that no question has. The text says what is wrong with it, and which ids are near it."""


@dataclass(frozen=True, slots=True)
class Question:
    """A case, the vector with its expectation, and the twin. `twin` is None where no refusal can be right, or where no
    valid input is known."""

    vector: Vector
    case: Case
    twin: Case | None = None

    @classmethod
    def of(cls, vector: Vector, case: Case) -> Question:
        """The question with its twin."""
        return cls(vector, case, twin_case(vector, case))

    @property
    def must_refuse(self) -> bool:
        """Whether a refusal is what is demanded."""
        return self.vector.reject is not None

    def as_recode(self) -> Question | None:
        """The same question as recode, its twin too, for a library that does not show values. None where the question
        is not about refusing bytes."""
        if self.vector.kind is not VectorKind.INVALID or self.case.op is not Op.DECODE:
            return None
        if Op.RECODE not in self.vector.ops and not self.case.made:
            return None
        return Question(self.vector, _recode(self.case), None if self.twin is None else _recode(self.twin))


@dataclass(frozen=True, slots=True)
class Derivation:
    """What is derived from a message-version: prefixes, and counts that are too large. It is derived from the first of
    `sources` that the implementation reads; if it reads none, from the first."""

    sources: tuple[Question, ...]

    def questions(self, source: Question) -> tuple[Question, ...]:
        """All that is derived from one of the sources, which is the twin of each."""
        return tuple(Question(*made, twin=source.case) for made in ledger.derive(source.vector, source.case.op))


def _recode(case: Case) -> Case:
    return dataclasses.replace(case, id=f"{case.id.rpartition('#')[0]}#{Op.RECODE}", op=Op.RECODE)


def twin_case(vector: Vector, case: Case) -> Case | None:
    """The valid case whose acceptance makes a refusal of `case` count: the one that its vector names, else the simplest
    value of its type and version. None where no refusal can count, and for a type without values."""
    if not _refusal_counts(vector):
        return None
    named = twin_of(vector)
    if named is not None and case.op in named.ops:
        return named.case(case.op)
    if case.op not in _OF_TYPES:
        return _plain_case(vector, case)
    whole = generated.whole(case)
    return whole or simplest_case(case) or _of_a_version(case)


def _of_a_version(case: Case) -> Case | None:
    """The simplest value of a version that there is, where the version is the question."""
    span = reference_codec().dialect(case.dialect).types.get(case.type or "")
    return None if span is None else simplest_case(case, span[0])


def _plain_case(vector: Vector, case: Case) -> Case | None:
    """The first vector of the same kind and type, converted to the same format, that no reading refuses: of the same
    file, or for a generated case, which is in none, of any file of its dialect."""
    files = vectors.files([vector.dialect], None if case.made else [vector.area])
    alike = (
        one
        for one in itertools.chain.from_iterable(file.vectors for file in files)
        if (one.kind, one.type, one.version) == (vector.kind, vector.type, vector.version)
        if case.op in one.ops and one.reject is None and not any(also.refuses for also in one.also)
        if one.args.get("to") == vector.args.get("to")
    )
    found = next(alike, None)
    return None if found is None else found.case(case.op)


def _refusal_counts(vector: Vector) -> bool:
    """Whether a refusal can be what is demanded, or what another reading demands."""
    if vector.reject is not None or vector.or_reject is not None:
        return True
    return any(also.refuses for also in vector.also)


def simplest_case(case: Case, version: int | None = None) -> Case | None:
    """The simplest valid input of the type of `case` (and its version, unless another is given), asked in the same op.
    None for a type that has no such version, or no values."""
    if case.type is None or case.op not in _OF_TYPES:
        return None
    return _simplest(case.op, case.dialect, case.type, case.version if version is None else version)


@functools.cache
def _simplest(op: Op, dialect: str, type_name: str, version: int | None) -> Case | None:
    try:
        value = seeded.simplest(type_name, dialect=dialect, version=version)
        seed = reference_codec().encode(type_name, value, dialect=dialect, version=version)
    except (NotImplementedError, WireError):
        return None
    return generated.vector_of(op, dialect, type_name, version, seed)[1]


def offers(described: Description, question: Question) -> bool:
    """Whether an implementation is asked a question: it offers the op and type at its version. Where the version is the
    question (its reason is unsupported-version), that need not lie in the range that is offered."""
    case, reject = question.case, question.vector.reject
    if reject is not None and reject.reason is Reason.UNSUPPORTED_VERSION:
        case = dataclasses.replace(case, version=None)
    return described.offers(case)


def offered_twin(question: Question, offered: Description) -> Case | None:
    """The twin as this implementation can be asked it. When the twin has a version that it does not offer (the question
    is about the version then), it is the simplest value of one that it offers. A question also has a twin where a
    reading that the implementation declares may demand a refusal."""
    case, twin = question.case, question.twin
    if twin is None and offered.readings and case.op in _OF_TYPES:
        twin = simplest_case(case)
    if twin is None or offered.offers(twin):
        return twin
    span = offered.versions(case.dialect, case.type)
    found = None if span is None else simplest_case(case, span[0])
    return found if found is not None and offered.offers(found) else None


# --- By id ------------------------------------------------------------------------------------------------------------


def find(identifier: str) -> Question:
    """The question of an id. Raises UnknownId."""
    if identifier.startswith("gen/"):
        try:
            return Question.of(*generated.parse(identifier))
        except (ValueError, NotImplementedError) as error:
            raise UnknownId(str(error)) from None
    stored = ledger.find(identifier)
    if stored is not None:
        return Question.of(*stored)
    path, _, op = identifier.partition("#")
    vector = _vector(path)
    if vector is None:
        near = "".join(f" Near it are {', '.join(found)}." for found in [_near(path)] if found)
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
    """A few vectors whose path is like this one."""
    paths = [vector.path for vector in vectors.load()]
    near = difflib.get_close_matches(path, paths, n=4, cutoff=0.5)
    return near + [one for one in paths if path and path in one and one not in near][: 4 - len(near)]
