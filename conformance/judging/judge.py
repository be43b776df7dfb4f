"""The only place where verdicts are made: vector + observation → verdict.

First the answer is compared with the vector's demand: if they are equal, it is a pass. Else the judge looks for another
reading of a contested ruling that explains the answer: one that the vector lists (`also`), or one that the
implementation declares and with which the reference codec does the same. That is contested. All others are failures.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from wireproof import reference
from wireproof.conformance.judging import location
from wireproof.conformance.judging.alternatives import Readings
from wireproof.conformance.judging.rulings import rests_on
from wireproof.conformance.model import DEVIATIONS, FailureKind, Observation, Op, Outcome, Status, Verdict
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.conformance.oracle.types import answered_in
from wireproof.conformance.values.compare import difference, identical, text_key, text_keys
from wireproof.conformance.values.show import show, show_short
from wireproof.conformance.values.undecodable_text import REPLACEMENT, as_expected
from wireproof.conformance.vectors import Also, Reject, Vector, VectorKind
from wireproof.conformance.vectors.configured_reference import configured_reference
from wireproof.conformance.vectors.patterns import mismatch

_WITHOUT_ANSWER = {
    Status.CRASH: Outcome.CRASH,
    Status.HANG: Outcome.HANG,
    Status.OOM: Outcome.OOM,
    Status.VIOLATION: Outcome.VIOLATION,
    Status.NOT_ASKED: Outcome.NOT_ASKED,
    Status.UNSUPPORTED: Outcome.SKIP,
}
#: Ops whose answer is bytes.
_GIVE_BYTES = frozenset({Op.ENCODE, Op.RECODE})
#: Header types, and the functions that turn their keys, which may be bytes, into text.
_HEADERS: Mapping[str, Callable[[Any], Any]] = {"HEADER": text_key, "HEADERS": text_keys}
#: The maximum length of a value in a verdict's detail, in characters.
_SHOWN = 300
_REPLACEMENT = REPLACEMENT.encode()


@functools.cache
def _readings_for(dialect: str, readings: tuple[tuple[str, str], ...]) -> Readings:
    return Readings(dialect, dict(readings), functools.partial(configured_reference, dialect))


def readings_for(dialect: str, readings: Mapping[str, str]) -> Readings:
    """The declared readings of an implementation in one dialect; readings of other dialects' rulings are ignored.

    Raises ValueError for a ruling that no dialect has.
    """
    here = reference.rulings(dialect)
    everywhere = {ruling for name in reference.dialects for ruling in reference.rulings(name)}
    for ruling in readings:
        if ruling not in everywhere:
            raise ValueError(f"readings: there is no ruling {ruling!r}")
    return _readings_for(dialect, tuple(sorted((key, name) for key, name in readings.items() if key in here)))


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
    if _as_demanded(vector, observation, twin):
        return _passed(vector, observation)
    return _Judgement(vector, observation, readings, twin, frozenset(rebuilds)).verdict()


def _as_demanded(vector: Vector, seen: Observation, twin: Observation | None) -> bool:
    """A fast check for the two most frequent passes: a demanded refusal, with an accepted twin; or exactly the expected
    bytes. False: the whole judgement is needed."""
    if seen.status is Status.REJECT:
        return (
            vector.reject is not None
            and twin is not None
            and twin.status is Status.ANSWER
            and (seen.half != "encode" or seen.case.op is not Op.RECODE)
        )
    return (
        seen.status is Status.ANSWER
        and seen.case.op in _GIVE_BYTES
        and vector.kind is VectorKind.VALID
        and bool(seen.answer == vector.canonical_data)
    )


def _passed(vector: Vector, seen: Observation) -> Verdict:
    case = seen.case
    return Verdict(
        id=case.id,
        dialect=case.dialect,
        area=vector.area,
        type=case.type,
        version=case.version,
        op=case.op,
        outcome=Outcome.PASS,
        reason=seen.reason,
        offset=seen.offset,
        note="" if vector.reject is None else _note(vector.reject, seen),
        error=seen.error,
        frame=seen.frame,
    )


def _note(reject: Reject, seen: Observation) -> str:
    """A refusal passes with any reason and offset; a note says if they differ from the vector's."""
    notes = []
    if seen.reason is not None and seen.reason != reject.reason:
        notes.append(f"refused for {seen.reason}, the kit for {reject.reason}")
    offset = seen.offset
    if offset is not None and seen.case.op is not Op.ENCODE and reject.offset not in (None, offset):
        notes.append(f"refused{_at(offset)}, the kit{_at(reject.offset)}")
    return "; ".join(notes)


def compared(vector: Vector, observation: Observation, rebuilds: Iterable[str] = ()) -> tuple[Any, Any] | None:
    """The expected and the actual value in the form in which the judge compares them: with all defaults filled in, and
    without the fields that the implementation's writer sets by itself (`rebuilds`). Written bytes are decoded. None if
    there is nothing to compare, or the bytes cannot be read."""
    return _Judgement(vector, observation, None, None, frozenset(rebuilds)).compared()


class _Judgement:
    def __init__(
        self,
        vector: Vector,
        observation: Observation,
        readings: Readings | None,
        twin: Observation | None,
        rebuilds: frozenset[str],
    ) -> None:
        self.vector = vector
        self.seen = observation
        self.readings = readings
        self.twin = twin
        self.rebuilds = rebuilds
        self.op = observation.case.op

    def verdict(self) -> Verdict:
        seen = self.seen
        if seen.status in _WITHOUT_ANSWER:
            note = "not offered" if seen.status is Status.UNSUPPORTED else ""
            return self._make(_WITHOUT_ANSWER[seen.status], detail=seen.detail, note=note)
        problem = self._problem()
        rulings = () if problem is None else self._contested()
        if problem is not None and not rulings:
            return self._make(Outcome.FAIL, kind=problem[0], detail=problem[1])
        doubt = self._doubt()
        if doubt:
            why = "without a valid question in this form" if self.twin is None else "whose valid twin was not accepted"
            return self._make(Outcome.SKIP, detail=doubt, note=why)
        if problem is not None:
            return self._make(Outcome.CONTESTED, rulings=rulings, detail=problem[1])
        return _passed(self.vector, seen)

    def _make(
        self,
        outcome: Outcome,
        *,
        detail: str,
        kind: FailureKind | None = None,
        rulings: tuple[str, ...] = (),
        note: str = "",
    ) -> Verdict:
        case, seen = self.seen.case, self.seen
        return Verdict(
            id=case.id,
            dialect=case.dialect,
            area=self.vector.area,
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
            **(self._about(kind) if outcome in DEVIATIONS else {}),
        )

    def _about(self, kind: FailureKind | None) -> dict[str, Any]:
        """The subject of a deviation: the demand, its ruling, and the place."""
        vector, case = self.vector, self.seen.case
        reject = vector.reject
        if reject is not None:
            at = location.of_refusal(vector, case)
        elif kind is FailureKind.REFUSED_VALID:
            at = location.of_offset(case, self.seen.offset)
        elif kind in (FailureKind.WRONG_VALUE, FailureKind.WRONG_BYTES):
            at = location.of_answer(vector, self.seen, self.compared())
        else:
            at = ""
        rulings = rests_on(vector, case)
        return {
            "demanded": None if reject is None else str(reject.reason),
            "ground": rulings[0] if rulings else None,
            "place": at,
        }

    def compared(self) -> tuple[Any, Any] | None:
        """See the function of this name."""
        seen, case = self.seen, self.seen.case
        if seen.status is not Status.ANSWER or self._must_refuse():
            return None
        match self.op:
            case Op.DECODE:
                return self._as_compared(self.vector.value, seen.answer)
            case Op.ENCODE | Op.RECODE | Op.CONVERT if case.type is not None:
                try:
                    return self._as_compared(*self._decoded(self.vector.canonical_data, seen.answer))
                except reference.WireError:
                    return None
            case Op.LOOKUP | Op.INTERPRET | Op.NEGOTIATE:
                return self.vector.expected, seen.answer
        return None

    def _doubt(self) -> str:
        """The reason why a refusal does not count: its valid twin was not accepted. Empty if it counts."""
        if not self._refused():
            return ""
        if self.twin is None:
            return "refused, but nothing valid of this type could be asked in this form: such a refusal says nothing"
        if self.twin.status is Status.ANSWER:
            return ""
        did = "refused" if self.twin.status is Status.REJECT else str(self.twin.status)
        return f"twin {did}: {self.twin.case.id} {self.twin.detail}".rstrip()

    def _must_refuse(self) -> bool:
        return self.vector.reject is not None

    def _refused(self) -> bool:
        return self.seen.status is Status.REJECT

    def _read_all_the_same(self) -> bool:
        """Whether this is a recode that failed in its encode half: then it had accepted the bytes."""
        return self._refused() and self.op is Op.RECODE and self.seen.half == "encode"

    # --- The demand ---

    def _problem(self) -> tuple[FailureKind, str] | None:
        """The difference between the observation and the demand; None if there is none."""
        if self._must_refuse():
            return self._not_refused()
        if self._refused():
            if self.vector.or_reject is not None and self.op is Op.ENCODE:
                return None
            return FailureKind.REFUSED_VALID, f"refused: {self._refusal()}"
        answer = self.seen.answer
        match self.op:
            case Op.DECODE:
                return self._wrong_value(self.vector.value, answer)
            case Op.LOOKUP:
                return self._wrong_value(self.vector.expected, answer)
            case Op.ENCODE | Op.RECODE | Op.CONVERT:
                return self._wrong_bytes(self.vector.canonical_data, answer)
            case Op.SERVE:
                return self._wrong_conversation(self.vector.expected, answer)
            case Op.INTERPRET:
                return self._wrong_outcome(self.vector.expected, answer)
            case Op.NEGOTIATE:
                return self._wrong_choice(self.vector.expected, answer)
            case Op.EVOLVE:
                return self._wrong_breaks(self.vector.expected, answer)

    def _not_refused(self) -> tuple[FailureKind, str] | None:
        if self._refused() and not self._read_all_the_same():
            return None
        assert self.vector.reject is not None
        demanded = f"{self.vector.reject.reason}{_at(self.vector.reject.offset)}"
        got = f"read, then refused on write: {self._refusal()}" if self._refused() else _short(self.seen.answer)
        return FailureKind.ACCEPTED_INVALID, f"must be refused: {demanded}; accepted as {got}"

    def _refusal(self) -> str:
        named = f"{self.seen.reason or ''}{_at(self.seen.offset)}"
        return " ".join(part for part in (named, self.seen.detail) if part) or "without a reason"

    def _wrong_value(self, expected: Any, answer: Any) -> tuple[FailureKind, str] | None:
        if identical(expected, answer):
            return None
        difference = self._value_difference(expected, answer)
        if difference is None:
            return None
        where = f" (first difference at {difference})" if difference else ""
        return FailureKind.WRONG_VALUE, f"expected {_short(expected)}, got {_short(answer)}{where}"

    def _value_difference(self, expected: Any, answer: Any) -> str | None:
        return difference(*self._as_compared(expected, answer))

    def _as_compared(self, expected: Any, answer: Any) -> tuple[Any, Any]:
        case = self.seen.case
        if case.type is None or self.op is Op.LOOKUP:
            return expected, answer
        if case.type in _HEADERS:
            answer = _HEADERS[case.type](answer)
        expected, answer = self._complete(expected), self._complete(answer)
        if self.op is Op.DECODE:
            return _without_rebuilt(expected, answer, self.rebuilds), answer
        return _without(expected, self.rebuilds), _without(answer, self.rebuilds)

    def _complete(self, value: Any) -> Any:
        form = answered_in(self.seen.case)
        return reference_codec().complete(form.type, value, dialect=form.dialect, version=form.version)

    def _wrong_bytes(self, expected: bytes, answer: bytes) -> tuple[FailureKind, str] | None:
        if answer == expected:
            return None
        if self.vector.compare_decoded or (self.rebuilds and self.op is not Op.CONVERT):
            return self._wrong_when_decoded(expected, answer)
        at = next((i for i, (a, b) in enumerate(zip(expected, answer, strict=False)) if a != b), None)
        at = min(len(expected), len(answer)) if at is None else at
        return (
            FailureKind.WRONG_BYTES,
            f"expected {_short(expected)}, got {_short(answer)} (first difference at byte {at})",
        )

    def _wrong_when_decoded(self, expected: bytes, answer: bytes) -> tuple[FailureKind, str] | None:
        try:
            values = self._decoded(expected, answer)
        except reference.WireError as error:
            return FailureKind.WRONG_BYTES, f"wrote {_short(answer)}, which does not decode: {error}"
        difference = self._value_difference(*values)
        if difference is None:
            return None
        return FailureKind.WRONG_BYTES, f"wrote {_short(answer)}: differs at {difference}"

    def _decoded(self, *written: bytes) -> list[Any]:
        """The decoded values of these bytes. Raises WireError."""
        form = answered_in(self.seen.case)
        return [
            reference_codec().decode(form.type, data, dialect=form.dialect, version=form.version) for data in written
        ]

    def _wrong_conversation(
        self, expected: tuple[list[Any], bool], answer: tuple[bytes, bool]
    ) -> tuple[FailureKind, str] | None:
        (sends, closes), (sent, closed) = expected, answer
        difference = mismatch(sends, sent, self.vector.dialect)
        if difference is None and closed is not closes:
            happened = "was closed" if closed else "stayed open"
            difference = f"the connection {happened}, it has to {_open_or_close(closes)}"
        if difference is None:
            return None
        return FailureKind.WRONG_ANSWER, f"{difference}; sent {sent.hex() or 'nothing'}"

    @staticmethod
    def _wrong_outcome(expected: Mapping[str, Any], answer: Mapping[str, Any]) -> tuple[FailureKind, str] | None:
        for key in ("outcome", "version", "error", "request"):
            if key == "request" and expected["outcome"] == "malformed" and key not in answer:
                continue  # optional; if it is there, it has to be right
            if key in expected and (key not in answer or difference(expected[key], answer[key]) is not None):
                return FailureKind.WRONG_ANSWER, f"expected {show(expected)}, got {show(answer)}"
        return None

    @staticmethod
    def _wrong_choice(expected: int | None, answer: int | None) -> tuple[FailureKind, str] | None:
        same = difference(expected, answer) is None
        return None if same else (FailureKind.WRONG_ANSWER, f"expected {_version(expected)}, got {_version(answer)}")

    @staticmethod
    def _wrong_breaks(expected: list[Any], answer: list[Any]) -> tuple[FailureKind, str] | None:
        if bool(expected) == bool(answer):
            return None
        return FailureKind.WRONG_ANSWER, f"expected {expected or 'no breaks'}, got {answer or 'no breaks'}"

    # --- Other readings ---

    def _contested(self) -> tuple[str, ...]:
        """The rulings whose other reading explains the observation; of several, a declared one."""
        taken = [also.rulings for also in self.vector.also if self._applies(also) and self._takes(also)]
        if not taken:
            return self.readings.explain(self.seen) if self.readings else ()
        declared = self.readings.declared.keys() if self.readings else set()
        return next((rulings for rulings in taken if declared >= set(rulings)), taken[0])

    def _applies(self, also: Also) -> bool:
        if also.ops is not None:
            return self.op in also.ops
        # A reading of bytes does not explain how a value is written.
        return self.op is not Op.ENCODE or self.vector.kind is VectorKind.UNENCODABLE

    def _takes(self, also: Also) -> bool:
        if also.refuses:
            # A reading of bytes does not explain why they could not be written again, unless the entry names recode.
            return self._refused() and (also.ops is not None or not self._read_all_the_same())
        if self._refused():
            return False
        answer, expected = self.seen.answer, also.expected
        match self.op:
            case Op.DECODE | Op.LOOKUP if "value" in expected:
                return self._value_difference(expected["value"], as_expected(expected["value"], answer)) is None
            case Op.ENCODE | Op.RECODE | Op.CONVERT if "bytes" in expected:
                return self._wrong_bytes(expected["bytes"], answer) is None or self._replaced(expected["bytes"], answer)
            case Op.SERVE if "sends" in expected:
                return self._wrong_conversation(expected["sends"], answer) is None
            case Op.INTERPRET if "outcome" in expected:
                return self._wrong_outcome(expected["outcome"], answer) is None
            case Op.NEGOTIATE if "chooses" in expected:
                return self._wrong_choice(expected["chooses"], answer) is None
            case Op.EVOLVE if "breaks" in expected:
                return self._wrong_breaks(expected["breaks"], answer) is None
        return False

    def _replaced(self, expected: bytes, answer: bytes) -> bool:
        """Whether both are equal except for the number of U+FFFD that replace bytes which are not text."""
        case = self.seen.case
        if case.type is None or not (_REPLACEMENT in expected and _REPLACEMENT in answer):
            return False
        try:
            expected_value, seen = (
                reference_codec().decode(case.type, data, dialect=case.dialect, version=case.version)
                for data in (expected, answer)
            )
        except reference.WireError:
            return False
        return self._value_difference(expected_value, as_expected(expected_value, seen)) is None


def _without(value: Any, fields: frozenset[str]) -> Any:
    """The value without these fields, at every depth."""
    if not fields:
        return value
    match value:
        case dict():
            return {key: _without(item, fields) for key, item in value.items() if key not in fields}
        case list() | tuple():
            return [_without(item, fields) for item in value]
    return value


def _without_rebuilt(expected: Any, answer: Any, fields: frozenset[str]) -> Any:
    """The expected value, without those of these fields that the answer lacks, at every depth."""
    if not fields:
        return expected
    match expected, answer:
        case dict(), dict():
            kept = {key: item for key, item in expected.items() if key in answer or key not in fields}
            return {key: _without_rebuilt(item, answer.get(key), fields) for key, item in kept.items()}
        case (list() | tuple(), list() | tuple()) if len(expected) == len(answer):
            return [*map(_without_rebuilt, expected, answer, itertools.repeat(fields))]
    return expected


def _at(offset: int | None) -> str:
    return "" if offset is None else f" at byte {offset}"


def _version(choice: int | None) -> str:
    return "no version" if choice is None else f"version {choice}"


def _open_or_close(closes: bool) -> str:
    return "close" if closes else "stay open"


def _short(value: Any) -> str:
    return show_short(value, _SHOWN)
