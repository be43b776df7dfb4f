"""Other readings of contested rulings, and whether they explain an answer.

A vector lists other readings with their answers (`also`). An implementation declares the readings that it takes; the
reference answers under these.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from wireproof import reference
from wireproof.conformance.judging.comparison import Comparison
from wireproof.conformance.model import Case, Observation, Op, Status
from wireproof.conformance.oracle.ask import ask
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.conformance.values.compare import equal
from wireproof.conformance.values.undecodable_text import as_expected
from wireproof.conformance.vectors import Also, Piece, Reject, Vector, VectorKind
from wireproof.conformance.vectors.configured_reference import configured_reference
from wireproof.reference.errors import Reason
from wireproof.reference.rules import DEMANDED, accepts_more, refuses_no_more

#: Ops whose answers depend on how one type is read and written.
_CODING = frozenset({Op.DECODE, Op.ENCODE, Op.RECODE})
#: Ops that take bytes.
_OF_BYTES = frozenset({Op.DECODE, Op.RECODE})
#: The key of an op's answer in an `also` entry.
_KEYS: Mapping[Op, str] = {
    Op.DECODE: "value",
    Op.LOOKUP: "value",
    Op.ENCODE: "bytes",
    Op.RECODE: "bytes",
    Op.CONVERT: "bytes",
    Op.SERVE: "sends",
    Op.INTERPRET: "outcome",
    Op.NEGOTIATE: "chooses",
    Op.EVOLVE: "breaks",
}


def refused_to_read(seen: Observation) -> bool:
    """Whether the question was refused. A recode that failed in its encode half had accepted the bytes."""
    return seen.status is Status.REJECT and not (seen.case.op is Op.RECODE and seen.half == "encode")


def explained_by(comparison: Comparison, seen: Observation, readings: Readings | None) -> tuple[str, ...]:
    """The rulings whose other reading explains an observation that is not as demanded; of several in the vector, a
    declared one. Empty if nothing explains it. `readings`: those that the implementation declares; where none of them
    does, those of incidental rulings are tried. The vector of a generated case lists none, so for it each reading that
    there is counts as listed."""
    vector, op = comparison.vector, seen.case.op
    taken = [also.rulings for also in vector.also if applies(also, vector, op) and takes(also, comparison, seen)]
    if not taken:
        explained = (readings.explain(seen) if readings else ()) or _incidental(vector, seen)
        if explained or not seen.case.generated:
            return explained
        found = undeclared(seen, readings.declared if readings else {})
        return () if found is None else (found.partition(":")[0],)
    declared = readings.declared.keys() if readings else set()
    return next((rulings for rulings in taken if declared >= set(rulings)), taken[0])


def _incidental(vector: Vector, seen: Observation) -> tuple[str, ...]:
    """The incidental rulings whose other readings explain what was read or written, alone, or beside a reading that the
    vector lists."""
    if seen.case.op not in _CODING:
        return ()
    beside = frozenset(ruling for also in vector.also for ruling in also.rulings)
    refused = seen.status is Status.REJECT
    told = _Told(configured_reference(vector.dialect), seen)
    explained = (
        readings.explain(seen, told)
        for readings in _incidental_readings(vector.dialect, beside)
        if not (refused and readings.refuse_no_more)
    )
    return next(filter(None, explained), ()) or _sends_some_defaults(vector, seen)


def incidental_entries(vector: Vector) -> tuple[Also, ...]:
    """What the readings of incidental rulings make of a valid vector, each alone, as entries that it could list. They
    are for judges that have no reference to ask."""
    if vector.kind is not VectorKind.VALID:
        return ()
    listed = {ruling for also in vector.also for ruling in also.rulings}
    entries = []
    for readings in _incidental_readings(vector.dialect, frozenset()):
        rulings = tuple(readings.declared)
        for op in vector.ops:
            if len(rulings) > 1 or op not in _CODING or not listed.isdisjoint(rulings):
                continue
            answer = readings.otherwise(vector.case(op))
            if answer is not None:
                entries.append(Also(rulings, frozenset({op}), refuses=False, expected={_KEYS[op]: answer}))
    return tuple(entries)


def _sends_some_defaults(vector: Vector, seen: Observation) -> tuple[str, ...]:
    """The ruling on tags at their default, if the bytes written differ from the demanded ones in such tags alone. Its
    other reading sends all of them; a writer may as well send some."""
    sends = [
        one.id
        for one in reference.rulings(vector.dialect).values()
        if ("tag_at_default", "sent") in one.others.values()
    ]
    demanded, written = vector.canonical_data, seen.answer
    # What has no version has no tagged fields: a record batch that decodes to the same may be compressed wrongly.
    if seen.case.op is Op.DECODE or seen.case.version is None or vector.kind is not VectorKind.VALID:
        return ()
    if not (sends and isinstance(written, bytes)):
        return ()
    if len(written) <= len(demanded):
        return ()
    # What else decodes to the same value is a varint that is too long.
    strict = configured_reference(vector.dialect).under(reference.Rules(overlong_varints="refused"))
    values = [
        ask(strict, msgspec.structs.replace(seen.case, op=Op.DECODE, args={"data": data}))
        for data in (demanded, written)
    ]
    same = all(one.status is Status.ANSWER for one in values) and equal(values[0].answer, values[1].answer)
    return (sends[0],) if same else ()


@functools.cache
def _incidental_readings(dialect: str, beside: frozenset[str]) -> tuple[Readings, ...]:
    """The other readings of each incidental ruling alone, then of two of them, then of one and a ruling of `beside`."""
    rulings = reference.rulings(dialect)
    alone = [(one.id, name) for one in rulings.values() if one.incidental for name in one.others]
    listed = [(ruling, name) for ruling in sorted(beside) for name in rulings[ruling].others]
    pairs = (*itertools.combinations(alone, 2), *itertools.product(alone, listed))
    chosen = [*((one,) for one in alone), *(pair for pair in pairs if pair[0][0] != pair[1][0])]
    return tuple(_readings_for(dialect, taken) for taken in chosen)


def applies(also: Also, vector: Vector, op: Op) -> bool:
    """Whether an entry says what the answer to this op is under its reading. A reading of bytes does not say how a
    value is written, unless the entry names the op."""
    if also.ops is not None and op not in also.ops:
        return False
    if also.ops is None and op is Op.ENCODE and vector.kind is not VectorKind.UNENCODABLE:
        return False
    return also.refuses or _KEYS[op] in also.expected


def takes(also: Also, comparison: Comparison, seen: Observation) -> bool:
    """Whether the observation is what an entry that applies says."""
    if also.refuses:
        # A reading of bytes does not explain why they could not be written again, unless the entry names recode.
        return refused_to_read(seen) or (seen.status is Status.REJECT and also.ops is not None)
    if seen.status is not Status.ANSWER:
        return False
    return comparison.same_with_replaced_text(also.expected[_KEYS[seen.case.op]], seen.answer)


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


@functools.cache
def _readings_for(dialect: str, readings: tuple[tuple[str, str], ...]) -> Readings:
    return Readings(dialect, dict(readings), functools.partial(configured_reference, dialect))


def undeclared(observation: Observation, declared: Mapping[str, str]) -> str | None:
    """A reading that is not declared, but with which the reference does what was observed, as "ruling: name"; None if
    there is none. `declared`: the readings that hold beside it. For a failure: it asks the reference for each reading.
    """
    dialect = observation.case.dialect
    for ruling in reference.rulings(dialect).values():
        for name in ruling.others:
            # Of a ruling that is declared there may be a third reading.
            if declared.get(ruling.id) != name and readings_for(dialect, {**declared, ruling.id: name}).matches(
                observation
            ):
                return f"{ruling.id}: {name}"
    return None


class Readings:
    """Declared readings of one dialect: ruling → the reading's name. Raises ValueError for an unknown reading.

    `configured` returns the reference with the settings of the implementation. It is called when it is first needed."""

    def __init__(
        self,
        dialect: str,
        declared: Mapping[str, str],
        configured: Callable[[], reference.Reference] = reference.Reference,
    ) -> None:
        self.dialect = dialect
        self.declared = dict(sorted(declared.items()))
        self._configured = configured
        self._rules(tuple(self.declared.items()))  # raises early

    def explain(self, observation: Observation, told: _Told | None = None) -> tuple[str, ...]:
        """The rulings whose declared readings explain the observation, because the reference does the same with them: a
        single one if that is enough, else all of them. Empty if nothing explains it, or if the reference does the same
        without them. `told`: what the reference was asked about this observation before."""
        if not self.declared or observation.status not in (Status.ANSWER, Status.REJECT):
            return ()
        told = told or _Told(self._configured(), observation)
        if told.same(DEMANDED):
            return ()
        each = {ruling: self._rules(((ruling, name),)) for ruling, name in self.declared.items()}
        for ruling, rules in each.items():
            if told.same(rules):
                return (ruling,)
        # Readings of which none alone changes anything change nothing together.
        several = any(map(told.changes, each.values()))
        return tuple(each) if several and told.same(self.rules) else ()

    def expectation(self, vector: Vector, case: Case) -> Vector | None:
        """The vector as it is under all declared readings together, if they change what is expected of decode, encode
        or recode; else None. So what is wrong beside a declared reading is seen alone."""
        if not self.declared or case.op not in (Op.DECODE, Op.ENCODE, Op.RECODE):
            return None
        demanded, told = ask(self._under(()), case), ask(self._under(tuple(self.declared.items())), case)
        if told.status not in (Status.ANSWER, Status.REJECT):
            return None
        elsewhere = told.status is Status.REJECT and (told.reason, told.offset) != (demanded.reason, demanded.offset)
        if _does_the_same(demanded, told) and not elsewhere:
            return None
        if told.status is Status.REJECT:
            offset = None if case.op is Op.ENCODE else told.offset
            kind = VectorKind.UNENCODABLE if case.op is Op.ENCODE else VectorKind.INVALID
            reject = Reject(Reason(told.reason or Reason.TRUNCATED), offset)
            return msgspec.structs.replace(vector, kind=kind, reject=reject)
        if case.op is Op.DECODE:
            return msgspec.structs.replace(vector, kind=VectorKind.VALID, reject=None, value=told.answer)
        written = (Piece(told.answer, "under the declared readings"),)
        return msgspec.structs.replace(vector, kind=VectorKind.VALID, reject=None, canonical=written)

    def matches(self, observation: Observation) -> bool:
        """Whether the reference does the same with all declared readings together. It may also do so without them."""
        known = observation.status in (Status.ANSWER, Status.REJECT)
        return known and _does_the_same(ask(self._under(tuple(self.declared.items())), observation.case), observation)

    def otherwise(self, case: Case) -> Any:
        """The reference's answer with all declared readings, if it answers otherwise without them; else None."""
        demanded, other = ask(self._under(()), case), ask(self._under(tuple(self.declared.items())), case)
        return other.answer if other.status is Status.ANSWER and not _does_the_same(demanded, other) else None

    @functools.cached_property
    def rules(self) -> reference.Rules:
        """The rules of the reference under all declared readings together."""
        return self._rules(tuple(self.declared.items()))

    @functools.cached_property
    def refuse_no_more(self) -> bool:
        """Whether they explain no refusal of what is to be accepted."""
        return refuses_no_more(self.rules)

    @functools.cache  # noqa: B019 (a few objects in each run)
    def _rules(self, readings: tuple[tuple[str, str], ...]) -> reference.Rules:
        return reference.rules_with(reference.rulings(self.dialect).values(), dict(readings))

    @functools.cache  # noqa: B019 (a few objects in each run)
    def _under(self, readings: tuple[tuple[str, str], ...]) -> reference.Reference:
        return self._configured().under(self._rules(readings))


class _Told:
    """What the reference does with the case of one observation under other rules. It is asked once for each rules."""

    def __init__(self, configured: reference.Reference, seen: Observation) -> None:
        self._configured = configured
        self._seen = seen
        self._told: dict[reference.Rules, Observation] = {}
        self._same: dict[reference.Rules, bool] = {}

    def same(self, rules: reference.Rules) -> bool:
        """Whether it does then what was observed."""
        if rules != DEMANDED and not self.changes(rules):
            return self.same(DEMANDED)
        if rules not in self._same:
            self._same[rules] = _does_the_same(self._under(rules), self._seen)
        return self._same[rules]

    def changes(self, rules: reference.Rules) -> bool:
        """Whether it does then anything else than with the demanded readings. Rules that only accept more change
        nothing where the bytes are accepted anyway, so it is not asked again."""
        demanded = self._under(DEMANDED)
        accepts = demanded.case.op in _OF_BYTES and demanded.status is Status.ANSWER
        return not (accepts and accepts_more(rules)) and self._under(rules) != demanded

    def _under(self, rules: reference.Rules) -> Observation:
        if rules not in self._told:
            self._told[rules] = ask(self._configured.under(rules), self._seen.case)
        return self._told[rules]


def _does_the_same(by_reference: Observation, observation: Observation) -> bool:
    """Whether the reference's observation of a case is the implementation's too."""
    if observation.case.op is Op.RECODE and observation.half == "encode":
        return by_reference.half == "encode"  # it read the bytes too, and refused to write them
    if by_reference.status is not observation.status:
        return False
    if by_reference.status is Status.REJECT:
        return observation.half is None or by_reference.half in (None, observation.half)
    expected, answer = _comparable(by_reference.answer, observation)
    return equal(expected, as_expected(expected, answer))


def _comparable(by_reference: Any, observation: Observation) -> tuple[Any, Any]:
    case = observation.case
    if case.op is Op.DECODE and case.type is not None:
        return tuple(
            reference_codec().complete(case.type, answer, dialect=case.dialect, version=case.version)
            for answer in (by_reference, observation.answer)
        )
    if case.op is Op.EVOLVE:  # only whether there is an incompatible change is judged
        return bool(by_reference), bool(observation.answer)
    return by_reference, observation.answer
