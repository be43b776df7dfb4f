"""Questions: a case, the vector with its expectation, and the valid twin that makes a refusal count.

A refusal only counts if the same implementation accepts valid input of the same type, version and op. So a question
names this valid input, its twin (see `positive_control`), and both are asked.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from wireproof import reference
from wireproof.conformance import ledger
from wireproof.conformance.model import Case, Description, Op
from wireproof.conformance.questions.positive_control import offered_twin, twin_case
from wireproof.conformance.vectors import Vector, VectorKind
from wireproof.reference.errors import Reason


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

    def as_offered(self, offered: Description) -> Question:
        """The same question with the twin that this implementation can be asked."""
        twin = offered_twin(self.case, self.twin, offered)
        return self if twin is self.twin else dataclasses.replace(self, twin=twin)

    def as_recode(self) -> Question | None:
        """The same question as recode, with its twin, for a library that does not show values. None if the question is
        not about refusing bytes."""
        if self.vector.kind is not VectorKind.INVALID or self.case.op is not Op.DECODE:
            return None
        if Op.RECODE not in self.vector.ops and self.case.from_file:
            return None
        return Question(self.vector, _recode(self.case), None if self.twin is None else _recode(self.twin))


@dataclass(frozen=True, slots=True)
class Derivation:
    """Derived questions of a message-version: prefixes, and counts that are too large. They are derived from the first
    of `sources` that the implementation reads. If it reads none, the first source is used."""

    sources: tuple[Question, ...]

    def questions(self, source: Question) -> tuple[Question, ...]:
        """All questions derived from one of the sources. The source is the twin of each."""
        return tuple(Question(*derived, twin=source.case) for derived in ledger.derive(source.vector, source.case.op))


#: Questions that are judged together, or a derivation of such questions.
Questions = Sequence[Question] | Derivation


def _recode(case: Case) -> Case:
    return msgspec.structs.replace(case, id=f"{case.id.rpartition('#')[0]}#{Op.RECODE}", op=Op.RECODE)


def offers(described: Description, question: Question) -> bool:
    """Whether an implementation offers the op, type and version of a question."""
    case, vector = question.case, question.vector
    version = _needed_version(vector, case.version)
    return described.offers_op(case.op, case.dialect, case.type, version) and _offers_body(described, vector)


def offers_vector(described: Description, vector: Vector, op: Op) -> bool:
    """Whether an implementation offers the question that a vector asks with this op. The case need not be made."""
    version = _needed_version(vector, vector.version)
    return described.offers_op(op, vector.dialect, vector.type, version) and _offers_body(described, vector)


def _offers_body(described: Description, vector: Vector) -> bool:
    """Whether an implementation offers the version of the request in a RequestFrame, a type without versions. Those of
    the request's body count, or else of the response's frame; who lists none of any api is asked all."""
    if vector.type != "RequestFrame" or vector.kind is not VectorKind.VALID:
        return True
    match vector.value:
        case {"header": {"RequestApiKey": int(key), "RequestApiVersion": int(version)}}:
            api = reference.dialect_named(vector.dialect).apis().get(key)
            listed = (described.types or {}).get(vector.dialect, {})
            span = listed.get(f"{api}Request") or listed.get(f"ResponseFrame:{api}")
            if span is None:
                return not any(name.endswith("Request") or name.startswith("ResponseFrame:") for name in listed)
            return span[0] <= version <= span[1]
    return True


def _needed_version(vector: Vector, version: int | None) -> int | None:
    """The version that has to be offered: None (any) in a question about an unknown version, whose reason is
    unsupported-version."""
    about_version = vector.reject is not None and vector.reject.reason is Reason.UNSUPPORTED_VERSION
    return None if about_version else version
