"""Questions that are scripts for a client that runs (`vectors.scripts`): `kafka/unsupported-versions/scripts/<id>`.

A client that gives up counts only if it works with a broker that does nothing unusual: that is the twin of each.
"""

from __future__ import annotations

from collections.abc import Iterator

from wireproof.conformance.model import SCRIPTS, Case, CaseId, Op
from wireproof.conformance.questions.question import Question
from wireproof.conformance.vectors import Also, Vector, VectorKind, scripts
from wireproof.conformance.vectors.scripts import AREA, DIALECT, USUAL, ClientScript, Script

#: The ruling about what a client may do where the text leaves it to the client.
RULING = "R-K-41"


def questions() -> Iterator[Question]:
    """One for each script."""
    return map(_question, scripts.load().values())


def find(identifier: str) -> Question:
    """The question with an id of this kind. Raises ValueError."""
    wanted = CaseId.parse(identifier)
    one = scripts.load().get(wanted.path.removeprefix(f"{DIALECT}/{AREA}/{SCRIPTS}/"))
    if one is None or wanted.op not in ("", Op.INTERPRET):
        raise ValueError(f"there is no script {identifier}")
    return _question(one)


def _question(one: Script) -> Question:
    also = (Also((RULING,), None, refuses=False, expected={"outcome": _expected(one, others=True)}),)
    vector = Vector(
        id=f"{SCRIPTS}/{one.id}",
        dialect=DIALECT,
        area=AREA,
        about=one.about,
        kind=VectorKind.INTERPRET,
        ops=(Op.INTERPRET,),
        source=one.source,
        expected=_expected(one, others=False),
        also=also if one.or_ends or one.or_next else (),
    )
    return Question(vector, _case(one), None if one.id == USUAL else _case(scripts.load()[USUAL]))


def _case(one: Script) -> Case:
    path = f"{DIALECT}/{AREA}/{SCRIPTS}/{one.id}"
    return Case(f"{path}#{Op.INTERPRET}", Op.INTERPRET, DIALECT, args={"script": ClientScript(one)})


def _expected(one: Script, *, others: bool) -> dict[str, list[str]]:
    return {
        "ends": [*one.ends, *(one.or_ends if others else ())],
        "next": [*one.next, *(one.or_next if others else ())],
    }
