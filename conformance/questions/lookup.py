"""Finds the question of an id: of a vector's case, a case of the ledger or of a sweep, a script, a derived or a
generated one. For an unknown id, the error names similar ones."""

from __future__ import annotations

import difflib

from wireproof.conformance import ledger, vectors
from wireproof.conformance.generation import case_ids
from wireproof.conformance.model import CaseId, CaseKind, Op
from wireproof.conformance.questions import conversations, relays, scripts, sweep
from wireproof.conformance.questions.question import Question
from wireproof.conformance.vectors import Vector
from wireproof.errors import WireproofError


class UnknownId(WireproofError):  # noqa: N818 (a wrong id from a user, not a fault of the program)
    """An unknown id. The text says what is wrong with it, and which ids are similar."""


#: Who finds the questions that are made, and stand in no file of vectors.
_ROOMS = {
    CaseKind.SWEEP: sweep.find,
    CaseKind.CONVERSATION: conversations.find,
    CaseKind.SCRIPT: scripts.find,
    CaseKind.RELAY: relays.find,
}


def find(identifier: str, *, similar: bool = True) -> Question:
    """The question with this id. Raises UnknownId; `similar`: whether its text names similar ids, which takes time."""
    wanted = CaseId.parse(identifier)
    if wanted.kind in _ROOMS:
        try:
            return _ROOMS[wanted.kind](identifier)
        except ValueError as error:
            raise UnknownId(str(error)) from None
    if wanted.kind is CaseKind.GENERATED:
        try:
            return Question.of(*case_ids.parse(identifier))
        except (ValueError, NotImplementedError) as error:
            raise UnknownId(str(error)) from None
    stored = ledger.find(identifier)
    if stored is not None:
        return Question.of(*stored)
    path, op = str(wanted._replace(op="")), wanted.op
    vector = _vector(path)
    if vector is None:
        names = _near(path) if similar else []
        near = f" Near it are {', '.join(names)}." if names else ""
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
