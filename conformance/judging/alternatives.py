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
from wireproof.conformance.judging.comparison import Comparison, as_told
from wireproof.conformance.model import Case, Observation, Op, Status
from wireproof.conformance.oracle.ask import ask
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.conformance.oracle.produced import same_produced
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
#: The unknown tags in the value of a structure.
_TAGS = "_tags"
#: The ends of a question that was not refused.
_ACCEPTED = frozenset({Status.ANSWER, Status.REJECT, Status.CRASH, Status.HANG, Status.OOM})
#: The key of an op's answer in an `also` entry.
_KEYS: Mapping[Op, str] = {
    Op.DECODE: "value",
    Op.LOOKUP: "value",
    Op.ENCODE: "bytes",
    Op.RECODE: "bytes",
    Op.CONVERT: "bytes",
    Op.CONSUME: "delivers",
    Op.PRODUCE: "writes",
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
    taken = listed(comparison, seen, readings)
    if taken:
        return taken
    told = _Told(configured_reference(comparison.vector.dialect), seen, comparison)
    explained = (readings.explain(seen, told) if readings else ()) or _incidental(comparison, seen, told)
    if explained or not seen.case.generated:
        return explained
    found = undeclared(seen, readings.declared if readings else {}, comparison)
    return () if found is None else (found.partition(":")[0],)


def listed(comparison: Comparison, seen: Observation, readings: Readings | None) -> tuple[str, ...]:
    """The rulings of the entry of `also` that explains the observation; of several, of one whose readings are declared.
    Empty if none does."""
    vector, op = comparison.vector, seen.case.op
    taken = [also.rulings for also in vector.also if applies(also, vector, op) and takes(also, comparison, seen)]
    declared = readings.declared.keys() if readings else set()
    return next((rulings for rulings in taken if declared >= set(rulings)), taken[0] if taken else ())


def _incidental(comparison: Comparison, seen: Observation, told: _Told) -> tuple[str, ...]:
    """The incidental rulings whose other readings explain what was read or written, alone, or beside a reading of a
    ruling that the case is about."""
    vector = comparison.vector
    if seen.case.op not in _CODING:
        return ()
    beside = _about(vector.dialect, told) if seen.case.generated else _listed_rulings(vector)
    refused = seen.status is Status.REJECT
    explained = (
        readings.explain(seen, told)
        for readings in _incidental_readings(vector.dialect, beside)
        if not (refused and readings.refuse_no_more)
    )
    return next(filter(None, explained), ()) or explained_in_part(comparison, seen)


def _listed_rulings(vector: Vector) -> frozenset[str]:
    return frozenset(ruling for also in vector.also for ruling in also.rulings)


def _about(dialect: str, told: _Told) -> frozenset[str]:
    """The rulings that a case is about: another reading of them, alone, changes what the reference does."""
    rulings = reference.rulings(dialect).values()
    switches = ((one.id, reference.rules_with((one,), {one.id: name})) for one in rulings for name in one.others)
    return frozenset(ruling for ruling, rules in switches if told.changes(rules))


def explained_in_part(comparison: Comparison, seen: Observation) -> tuple[str, ...]:
    """The rulings whose other readings were taken for some tags, if nothing else differs from what is demanded. The
    readings of R-K-3 and R-K-8 drop all unknown tags and send all tags at their default; a library may as well drop
    those of headers alone, or send structures alone."""
    vector, case = comparison.vector, seen.case
    if vector.kind is not VectorKind.VALID or seen.status is not Status.ANSWER or case.op not in _CODING:
        return ()
    drops, sends = (_incidental_ruling(vector.dialect, switch) for switch in _OF_TAGS)
    if case.op is Op.DECODE:
        pair = comparison.values(vector.value, seen.answer)
        return drops if pair is not None and _lacks_only_tags(*pair) else ()
    # What has no version has no tagged fields: a record batch that decodes to the same may be compressed wrongly.
    if case.version is None or not isinstance(seen.answer, bytes):
        return ()
    # What else decodes to the same value is a varint that is too long.
    strict = configured_reference(vector.dialect).under(reference.Rules(overlong_varints="refused"))
    demanded, written = (
        ask(strict, msgspec.structs.replace(case, op=Op.DECODE, args={"data": data}))
        for data in (vector.canonical_data, seen.answer)
    )
    if demanded.status is not Status.ANSWER or written.status is not Status.ANSWER:
        return ()
    again = ask(strict, msgspec.structs.replace(case, op=Op.ENCODE, args={"value": written.answer}))
    if again.status is not Status.ANSWER or not _lacks_only_tags(demanded.answer, written.answer):
        return ()
    fewer, more = not equal(demanded.answer, written.answer), again.answer != seen.answer
    if (fewer and not drops) or (more and (not sends or len(seen.answer) <= len(again.answer))):
        return ()
    return (drops if fewer else ()) + (sends if more else ())


#: The switches of the readings that may be taken for some tags.
_OF_TAGS = (("unknown_tags", "dropped"), ("tag_at_default", "sent"))


def _incidental_ruling(dialect: str, switch: tuple[str, str]) -> tuple[str, ...]:
    """The incidental ruling of which this is another reading, if the dialect has one."""
    rulings = reference.rulings(dialect).values()
    return tuple(one.id for one in rulings if one.incidental and switch in one.others.values())[:1]


def _lacks_only_tags(expected: Any, answer: Any) -> bool:
    """Whether a value is the expected one, but for unknown tags that it lacks, at any depth."""
    match expected, answer:
        case Mapping(), Mapping():
            left = iter(expected.get(_TAGS) or ())
            in_order = all(any(equal(one, tag) for one in left) for tag in answer.get(_TAGS) or ())
            names = (expected.keys() | answer.keys()) - {_TAGS}
            both = names <= expected.keys() & answer.keys()
            return in_order and both and all(_lacks_only_tags(expected[name], answer[name]) for name in names)
        case (list() | tuple(), list() | tuple()) if len(expected) == len(answer):
            return all(map(_lacks_only_tags, expected, answer))
    return equal(expected, answer)


def incidental_entries(vector: Vector) -> tuple[Also, ...]:
    """What the readings of incidental rulings make of a valid vector, each alone, as entries that it could list. They
    are for judges that have no reference to ask."""
    if vector.kind is not VectorKind.VALID:
        return ()
    listed = _listed_rulings(vector)
    demanded = [ask(configured_reference(vector.dialect), vector.case(op)) for op in vector.ops if op in _CODING]
    entries = []
    for readings in _incidental_readings(vector.dialect, frozenset()):
        rulings = tuple(readings.declared)
        if len(rulings) > 1 or not listed.isdisjoint(rulings):
            continue
        for seen in demanded:
            answer = readings.otherwise(seen)
            if answer is not None:
                op = seen.case.op
                entries.append(Also(rulings, frozenset({op}), refuses=False, expected={_KEYS[op]: answer}))
    return tuple(entries)


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
    return also.refuses or also.accepts or _KEYS[op] in also.expected


def takes(also: Also, comparison: Comparison, seen: Observation) -> bool:
    """Whether the observation is what an entry that applies says. What took too much memory or time was not refused:
    the limits are the kit's."""
    if also.accepts:
        return seen.status in _ACCEPTED and not refused_to_read(seen)
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


def undeclared(observation: Observation, declared: Mapping[str, str], comparison: Comparison) -> str | None:
    """A reading that is not declared, but with which the reference does what was observed, as "ruling: name"; None if
    there is none. `declared`: the readings that hold beside it. For a failure: it asks the reference for each reading.
    """
    dialect = observation.case.dialect
    for ruling in reference.rulings(dialect).values():
        for name in ruling.others:
            # Of a ruling that is declared there may be a third reading.
            if declared.get(ruling.id) != name and readings_for(dialect, {**declared, ruling.id: name}).matches(
                observation, comparison
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

    def matches(self, observation: Observation, comparison: Comparison | None = None) -> bool:
        """Whether the reference does the same with all declared readings together. It may also do so without them.
        `comparison`: how the judge compares answers to this case."""
        if observation.status not in (Status.ANSWER, Status.REJECT):
            return False
        told = ask(self._under(tuple(self.declared.items())), observation.case)
        return _does_the_same(told, observation, comparison)

    def otherwise(self, demanded: Observation) -> Any:
        """The reference's answer with all declared readings, if it answers otherwise without them; else None.
        `demanded`: what it does without them."""
        other = ask(self._under(tuple(self.declared.items())), demanded.case)
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
    """What the reference does with the case of one observation under other rules. It is asked once for each rules.
    `comparison`: how the judge compares answers to this case."""

    def __init__(
        self, configured: reference.Reference, seen: Observation, comparison: Comparison | None = None
    ) -> None:
        self._configured = configured
        self._seen = seen
        self._comparison = comparison
        self._told: dict[reference.Rules, Observation] = {}
        self._same: dict[reference.Rules, bool] = {}

    def same(self, rules: reference.Rules) -> bool:
        """Whether it does then what was observed."""
        if rules != DEMANDED and not self.changes(rules):
            return self.same(DEMANDED)
        if rules not in self._same:
            self._same[rules] = _does_the_same(self._under(rules), self._seen, self._comparison)
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


def _does_the_same(by_reference: Observation, observation: Observation, comparison: Comparison | None = None) -> bool:
    """Whether the reference's observation of a case is the implementation's too, except for fields that the
    implementation's writer sets by itself, which `comparison` knows."""
    if observation.case.op is Op.RECODE and observation.half == "encode":
        return by_reference.half == "encode"  # it read the bytes too, and refused to write them
    if by_reference.status is not observation.status:
        return False
    if by_reference.status is Status.REJECT:
        return observation.half is None or by_reference.half in (None, observation.half)
    if observation.case.op is Op.PRODUCE:
        return same_produced(by_reference.answer, observation.answer, observation.case.dialect)
    if comparison is not None and comparison.rebuilds and observation.case.op in _CODING:
        return comparison.same_with_replaced_text(by_reference.answer, observation.answer)
    expected, answer = _comparable(by_reference.answer, observation)
    return equal(expected, as_expected(expected, answer))


def _comparable(by_reference: Any, observation: Observation) -> tuple[Any, Any]:
    case = observation.case
    if case.op is Op.DECODE and case.type is not None:
        return tuple(
            reference_codec().complete(case.type, answer, dialect=case.dialect, version=case.version)
            for answer in (by_reference, observation.answer)
        )
    if case.op is Op.CONSUME:
        return as_told(by_reference, observation.answer)
    if case.op is Op.EVOLVE:  # only whether there is an incompatible change is judged
        return bool(by_reference), bool(observation.answer)
    return by_reference, observation.answer
