"""Questions that are scripts for a client that runs (`vectors.scripts`): `kafka/unsupported-versions/scripts/<id>`.

A client that gives up counts only if it works with a broker that does nothing unusual: that is the twin of each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wireproof.conformance.model import SCRIPTS, Case, CaseId, Description, Op
from wireproof.conformance.questions.question import Question
from wireproof.conformance.vectors import Also, Vector, VectorKind, scripts
from wireproof.conformance.vectors.scripts import AREA, DIALECT, USUAL, WAITS, ClientScript, Script

#: The rulings about what a client may do where the text leaves it to the client, and within a throttle time.
RULING, THROTTLED = "R-K-41", "R-K-65"


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


def check_offered(question: Question, described: Description) -> None:
    """Raises ValueError, with the reason, for a script that this client is not asked."""
    if scripts.load()[question.vector.id.removeprefix(f"{SCRIPTS}/")].sasl and not described.logs_in:
        raise ValueError("needs a login: --sasl=plain:USER")


def _question(one: Script) -> Question:
    readings = [
        *([(RULING,)] if one.or_ends or one.or_next else []),
        *([(THROTTLED,), (RULING, THROTTLED)] if one.throttles else []),
    ]
    also = tuple(
        Also(rulings, None, refuses=False, expected={"outcome": _expected(one, rulings)}) for rulings in readings
    )
    vector = Vector(
        id=f"{SCRIPTS}/{one.id}",
        dialect=DIALECT,
        area=AREA,
        about=one.about,
        kind=VectorKind.INTERPRET,
        ops=(Op.INTERPRET,),
        source=one.source,
        expected=_expected(one, ()),
        also=also,
    )
    return Question(vector, _case(one), None if one.id == USUAL else _case(scripts.load()[USUAL]))


def _case(one: Script) -> Case:
    path = f"{DIALECT}/{AREA}/{SCRIPTS}/{one.id}"
    return Case(f"{path}#{Op.INTERPRET}", Op.INTERPRET, DIALECT, args={"script": ClientScript(one)})


def _expected(one: Script, rulings: Sequence[str]) -> dict[str, list[str]]:
    """What is allowed by the other readings of these rulings."""
    others = RULING in rulings
    return {
        "ends": [*one.ends, *(one.or_ends if others else ())],
        "next": [*one.next, *(one.or_next if others else ())],
        "waits": [WAITS] if one.throttles and THROTTLED not in rulings else [],
    }
