"""The only place where verdicts are made: vector + observation → verdict.

First the answer is compared with the vector's demand: if they are equal, it is a pass. Else the judge looks for another
reading of a contested ruling that explains the answer: one that the vector lists (`also`), or one that the
implementation declares and with which the reference codec does the same. That is contested. All others are failures.
A refusal passes, or is contested, only if the positive control (`twin`) was accepted; else it is a skip.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from wireproof.conformance.client_run import ClientRun
from wireproof.conformance.judging import location
from wireproof.conformance.judging.alternatives import (
    Readings,
    explained_by,
    explained_in_part,
    listed,
    refused_to_read,
)
from wireproof.conformance.judging.comparison import Comparison, expected_answer, short
from wireproof.conformance.judging.mismatch import Mismatch
from wireproof.conformance.judging.rulings import ground
from wireproof.conformance.judging.unread_fields import unread_field
from wireproof.conformance.model import DEVIATIONS, END, PROCESS, FailureKind, Observation, Op, Outcome, Status, Verdict
from wireproof.conformance.values.compare import identical
from wireproof.conformance.vectors import Reject, Vector
from wireproof.reference.rules import DEMANDED, Rules

_WITHOUT_ANSWER = {
    Status.CRASH: Outcome.CRASH,
    Status.HANG: Outcome.HANG,
    Status.OOM: Outcome.OOM,
    Status.VIOLATION: Outcome.VIOLATION,
    Status.NOT_ASKED: Outcome.NOT_ASKED,
    Status.UNSUPPORTED: Outcome.SKIP,
}


def judge(
    vector: Vector,
    observation: Observation,
    readings: Readings | None = None,
    twin: Observation | None = None,
    rebuilds: Iterable[str] = (),
) -> Verdict:
    """The verdict on one observation.

    `readings`: those that the implementation declares. `twin`: the observation of the question's valid twin; a refusal
    counts only if the twin was accepted. `rebuilds`: fields that the implementation's writer sets by itself. If there
    are any, written bytes are decoded and compared without these fields. A value that was read is compared with these
    fields, except those that it lacks: a library may not show a field that it sets by itself.
    """
    comparison = Comparison(vector, observation.case, frozenset(rebuilds))
    if observation.status in _WITHOUT_ANSWER:
        note = "not offered" if observation.status is Status.UNSUPPORTED else ""
        outcome, rulings = _WITHOUT_ANSWER[observation.status], listed(comparison, observation, readings)
        if rulings:
            outcome, note = Outcome.CONTESTED, f"not refused: {outcome}"
        return _verdict(comparison, observation, outcome, rulings=rulings, detail=observation.detail, note=note)
    mismatch = _mismatch(comparison, observation)
    rulings = () if mismatch is None else explained_by(comparison, observation, readings)
    note, rules = "", DEMANDED
    if mismatch is not None and not rulings and readings is not None:
        declared = readings.expectation(vector, observation.case)
        beside = declared and Comparison(declared, observation.case, comparison.rebuilds)
        if beside and (wrong := _mismatch(beside, observation)) is not None:
            comparison, mismatch = beside, wrong  # what is wrong beside the readings, and where
            note, rules = "as compared with what the declared readings give", readings.rules
            rulings = explained_in_part(comparison, observation)
    if mismatch is not None and not rulings:
        return _verdict(
            comparison,
            observation,
            Outcome.FAIL,
            kind=mismatch.kind,
            detail=mismatch.text,
            note=note,
            rules=rules,
            place=mismatch.place,
        )
    if _refused(observation) and (twin is None or not accepted(twin)):
        return _skip_of_refusal(comparison, observation, twin)
    if mismatch is not None:
        return _verdict(comparison, observation, Outcome.CONTESTED, rulings=rulings, detail=mismatch.text)
    note = _left_out(comparison, observation) if vector.reject is None else _note(vector.reject, observation)
    return _verdict(comparison, observation, Outcome.PASS, note=note)


#: The beginning of the note on an answer that passes only because some fields were not compared.
NOT_COMPARED = "not compared, set by its writer: "


def _left_out(comparison: Comparison, seen: Observation) -> str:
    """The fields that were not compared, in a note; empty if the answer is the expected one without that."""
    if not comparison.rebuilds or seen.status is not Status.ANSWER:
        return ""
    if identical(expected_answer(comparison.vector, seen.case.op), seen.answer):
        return ""
    return NOT_COMPARED + ", ".join(sorted(comparison.rebuilds))


def steady(first: Verdict, second: Verdict) -> Verdict:
    """The verdict on a question that was asked twice: the first, if it was met twice; else that it depends on the
    moment, with what was seen."""
    if (second.outcome, second.kind) == (first.outcome, first.kind):
        return first
    text = f"first {first.kind or first.outcome}: {first.detail}\nasked once more: {second.kind or second.outcome}"
    return Verdict(
        first.id,
        first.dialect,
        first.area,
        first.type,
        first.version,
        first.op,
        Outcome.UNSTEADY,
        detail=f"{text}: {second.detail}" if second.detail else text,
    )


def end_verdict(observation: Observation) -> Verdict:
    """The verdict on an implementation that ended wrongly after its last answer (`Connection.end`): it has its own id,
    because the case that was answered last has its verdict already."""
    case = observation.case
    return Verdict(
        END + case.id,
        case.dialect,
        PROCESS,
        case.type,
        case.version,
        case.op,
        _WITHOUT_ANSWER[observation.status],
        detail=observation.detail,
        error=observation.error,
        frame=observation.frame,
    )


def compared(vector: Vector, observation: Observation, rebuilds: Iterable[str] = ()) -> tuple[Any, Any] | None:
    """The expected and the actual value in the form in which the judge compares them: with all defaults filled in, and
    without the fields that the implementation's writer sets by itself (`rebuilds`). Written bytes are decoded. None if
    there is nothing to compare, or the bytes cannot be read."""
    return _compared(Comparison(vector, observation.case, frozenset(rebuilds)), observation)


def _compared(comparison: Comparison, seen: Observation) -> tuple[Any, Any] | None:
    vector = comparison.vector
    if seen.status is not Status.ANSWER or vector.reject is not None:
        return None
    return comparison.values(expected_answer(vector, seen.case.op), seen.answer)


def _mismatch(comparison: Comparison, seen: Observation) -> Mismatch | None:
    """The difference between the observation and the demand; None if there is none."""
    vector, op = comparison.vector, seen.case.op
    if vector.reject is not None:
        return None if refused_to_read(seen) else _accepted(vector.reject, seen)
    if seen.status is not Status.REJECT:
        return comparison.mismatch(expected_answer(vector, op), seen.answer)
    if vector.or_reject is not None and op is Op.ENCODE:
        return None
    return Mismatch(FailureKind.REFUSED_VALID, f"refused: {_refusal(seen)}")


def _accepted(reject: Reject, seen: Observation) -> Mismatch:
    refused = seen.status is Status.REJECT
    got = f"read, then refused on write: {_refusal(seen)}" if refused else short(seen.answer)
    demanded = f"{reject.reason}{_at(reject.offset)}"
    stays: dict[str, Any] = {"records": [], "position": seen.case.args.get("position")}
    nothing = seen.case.op is Op.CONSUME and stays == stays | seen.answer
    place = location.UNTOLD if nothing else ""
    return Mismatch(FailureKind.ACCEPTED_INVALID, f"must be refused: {demanded}; accepted as {got}", place)


def accepted(twin: Observation) -> bool:
    """Whether this is what a valid twin has to bring, so that a refusal beside it counts."""
    return twin.status is Status.ANSWER and not _refused(twin)


def _refused(seen: Observation) -> bool:
    """Whether it was refused, or a client gave up."""
    return seen.status is Status.REJECT or (isinstance(seen.answer, ClientRun) and seen.answer.gave_up)


def _refusal(seen: Observation) -> str:
    named = f"{seen.reason or ''}{_at(seen.offset)}"
    return " ".join(part for part in (named, seen.detail) if part) or "without a reason"


def _skip_of_refusal(comparison: Comparison, seen: Observation, twin: Observation | None) -> Verdict:
    """The verdict on a refusal that does not count, because the valid twin was not accepted."""
    if twin is None:
        detail = "refused, but nothing valid of this type could be asked in this form: such a refusal says nothing"
        note = "without a valid question in this form"
    else:
        did = "refused" if _refused(twin) else str(twin.status)
        detail = f"twin {did}: {twin.case.id} {twin.detail}".rstrip()
        note = "whose valid twin was not accepted"
    return _verdict(comparison, seen, Outcome.SKIP, detail=detail, note=note)


def _note(reject: Reject, seen: Observation) -> str:
    """A refusal passes with any reason and offset; a note says if they differ from the vector's. A vector that demands
    a refusal to write names no offset."""
    notes = []
    if seen.reason is not None and seen.reason != reject.reason:
        notes.append(f"refused for {seen.reason}, the kit for {reject.reason}")
    if seen.offset is not None and reject.offset not in (None, seen.offset):
        notes.append(f"refused{_at(seen.offset)}, the kit{_at(reject.offset)}")
    return "; ".join(notes)


def _verdict(
    comparison: Comparison,
    seen: Observation,
    outcome: Outcome,
    *,
    kind: FailureKind | None = None,
    detail: str = "",
    rulings: tuple[str, ...] = (),
    note: str = "",
    rules: Rules = DEMANDED,
    place: str = "",
) -> Verdict:
    """`rules`: those under which the answer is not as demanded. `place`: of the deviation, where it is known."""
    case = seen.case
    return Verdict(
        id=case.id,
        dialect=case.dialect,
        area=comparison.vector.area,
        type=case.type,
        version=case.version,
        op=case.op,
        outcome=outcome,
        kind=kind,
        reason=seen.reason,
        offset=seen.offset,
        detail=detail,
        rulings=rulings,
        note=note,
        error=seen.error,
        frame=seen.frame,
        **(_about(comparison, seen, kind, rules, place) if outcome in DEVIATIONS else {}),
    )


def _about(
    comparison: Comparison, seen: Observation, kind: FailureKind | None, rules: Rules, place: str
) -> dict[str, Any]:
    """The subject of a deviation: the demand, its ruling, and the place."""
    vector, case = comparison.vector, seen.case
    reject = vector.reject
    if kind is not None and (unread := unread_field(seen, rules)):
        place = unread
    elif reject is not None:
        place = place or location.of_refusal(vector, case, rules)
    elif kind is FailureKind.REFUSED_VALID:
        place = location.of_offset(case, seen.offset, rules)
    elif kind in (FailureKind.WRONG_VALUE, FailureKind.WRONG_BYTES):
        place = location.of_answer(vector, seen, _compared(comparison, seen), rules)
    return {
        "demanded": None if reject is None else str(reject.reason),
        "ground": ground(vector, case, rules),
        "place": place,
    }


def _at(offset: int | None) -> str:
    return "" if offset is None else f" at byte {offset}"
