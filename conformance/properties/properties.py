"""Properties: generated cases, judged against the reference codec.

round-trip        encode writes canonical bytes, decode returns the same value, recode writes the same bytes
prefixes          every proper prefix of a valid input is refused, with two exceptions: a list without a count may lose
                  its last elements, and a set of records may end with a partial one
flipped-bits      a batch or a message with a changed bit is refused if the bit is in the CRC or after it; before the
                  CRC it is refused, or read as a different one
arbitrary-bytes   nearly valid bytes are read or refused as by the reference
wrong-values      a value with one wrong part is refused by encode, or written, as by the reference
produced          what a producer writes for given records is read strictly, and holds them
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
from hypothesis import strategies as st

from wireproof import reference
from wireproof.conformance.asking.examiner import Examiner, Judged
from wireproof.conformance.generation import expectations, further_ops, random_values
from wireproof.conformance.model import DEVIATIONS, UNJUDGED, Case, Description, Op, Outcome, Verdict
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.conformance.oracle.types import types_of
from wireproof.conformance.properties import strategies
from wireproof.conformance.properties.deterministic import each as each_example
from wireproof.conformance.properties.invalid_values import Change
from wireproof.conformance.questions.question import Question
from wireproof.conformance.values.compare import equal
from wireproof.conformance.vectors import Vector, VectorKind
from wireproof.reference.codec import NodeCodec
from wireproof.reference.dialects.base import Entries
from wireproof.reference.primitives import Primitive
from wireproof.reference.schema.plan import Node, Struct

#: The number of prefixes of an input, and of batches and messages: a batch has 61 bytes before its records.
_MOST_PREFIXES, _MOST_OF_ENTRIES = 64, 256
#: A bit is flipped in each of this many bytes from the CRC on.
_MOST_FLIPPED = 128
#: A property ends after this many crashes or hangs.
_ENOUGH = 3

Questions = Iterable[tuple[Vector, Case]]


@dataclass(frozen=True, slots=True)
class Property:
    """One property of one type and version, with the ops that the implementation offers. The type of `produced` is that
    of what is written."""

    name: str
    dialect: str
    type: str
    version: int | None
    ops: frozenset[Op]

    @property
    def id(self) -> str:
        version = "-" if self.version is None else self.version
        return f"gen/{self.dialect}/{self.type}/{version}/{self.name}"


def offered(
    description: Description, dialects: Iterable[str] | None = None, areas: Iterable[str] | None = None
) -> Iterator[Property]:
    """The properties of all types that an implementation offers, in these dialects and areas (None: all)."""
    for dialect in reference.dialects:
        if dialects is not None and dialect not in dialects:
            continue
        for type_name, version in types_of(dialect):
            asked = (
                *(Case("", op, dialect, type_name, version) for op in (Op.DECODE, Op.ENCODE, Op.RECODE)),
                *(Case("", op, dialect) for op in further_ops.ops_of(dialect, type_name) & {Op.PRODUCE}),
            )
            ops = frozenset(case.op for case in asked if description.offers(case))
            found = of_type(dialect, type_name, version, ops)
            yield from (one for one in found if areas is None or _area(one) in areas)


def _area(check: Property) -> str:
    """The area of its verdicts."""
    return expectations.AREAS[Op.PRODUCE] if check.name == "produced" else expectations.area(check.dialect, check.type)


def of_type(dialect: str, type_name: str, version: int | None, ops: frozenset[Op]) -> Iterator[Property]:
    """The properties of a type with these offered ops."""
    read_or_written = ops - {Op.PRODUCE}
    if read_or_written:
        yield Property("round-trip", dialect, type_name, version, read_or_written)
    if ops & {Op.DECODE, Op.RECODE}:
        if not _empty(dialect, type_name, version):
            yield Property("prefixes", dialect, type_name, version, read_or_written)
        if type_name in reference_codec().dialect(dialect).entries:
            yield Property("flipped-bits", dialect, type_name, version, read_or_written)
        yield Property("arbitrary-bytes", dialect, type_name, version, read_or_written)
    if Op.ENCODE in ops and _can_be_wrong(dialect, type_name, version):
        yield Property("wrong-values", dialect, type_name, version, read_or_written)
    if Op.PRODUCE in ops:
        yield Property("produced", dialect, type_name, version, frozenset({Op.PRODUCE}))


def _can_be_wrong(dialect: str, type_name: str, version: int | None) -> bool:
    """Whether `wrong_values` knows a change of the type's values. It has none for a truth value, a float, a UUID."""

    def changes(node: Node) -> bool:
        match node:
            case Primitive():
                return node.name not in ("BOOLEAN", "FLOAT64", "UUID")
            case Struct(flexible=False, optional=False, marker="none"):
                return any(changes(field.node) for field in node.fields)
        return True

    codec = reference_codec().dialect(dialect).codec(type_name, version)
    return changes(codec.node) if isinstance(codec, NodeCodec) else True


def _empty(dialect: str, type_name: str, version: int | None) -> bool:
    """Whether the type has no bytes at all (a request without fields), so that nothing can be cut off."""
    codec = reference_codec().dialect(dialect).codec(type_name, version)
    match codec:
        case NodeCodec(Struct(plain=(), flexible=False, optional=False, marker="none")):
            return True
    return False


def _written(check: Property, value: Any) -> bytes:
    return reference_codec().encode(check.type, value, dialect=check.dialect, version=check.version)


def _round_trip(check: Property, value: Any) -> Questions:
    seed = _written(check, value)
    for op in sorted(check.ops):
        yield expectations.vector_of(op, check.dialect, check.type, check.version, seed)


def _prefixes(check: Property, value: Any) -> Questions:
    seed = _written(check, value)
    most = _MOST_PREFIXES if _entries(check) is None else _MOST_OF_ENTRIES
    for prefix in range(min(len(seed), most)):
        yield from _read(check, seed, prefix)


def _flipped_bits(check: Property, value: Any) -> Questions:
    """One bit in each byte of the first entry."""
    entries = _entries(check)
    assert entries is not None
    seed = _written(check, value)
    whole = reference_codec().decode(check.type, seed, dialect=check.dialect, version=check.version)
    guarded = entries.guarded(seed)
    for at in range(min(guarded.stop, guarded.start + _MOST_FLIPPED)):
        flipped = bytes([*seed[:at], seed[at] ^ 1 << at % 8, *seed[at + 1 :]])
        for vector, case in _read(check, flipped):
            if vector.kind is not VectorKind.INVALID and (at in guarded or equal(whole, vector.value)):
                raise RuntimeError(f"{case.id}: the reference does not notice that a bit was flipped")
            yield vector, case


def _arbitrary(check: Property, data: bytes) -> Questions:
    yield from _read(check, data)


def _wrong_values(check: Property, change: Change) -> Questions:
    """A question, or none if the reference writes something that cannot be compared, or has no JSON for the value."""
    with contextlib.suppress(ValueError):
        yield expectations.vector_of_arguments(
            Op.ENCODE, check.dialect, check.type, check.version, {"value": change.value()}
        )


def _produced(check: Property, args: Mapping[str, Any]) -> Questions:
    yield expectations.vector_of_arguments(Op.PRODUCE, check.dialect, None, None, args)


def _read(check: Property, seed: bytes, prefix: int | None = None) -> Questions:
    """The questions to decode or recode these bytes. recode is not asked if they end with a partial entry."""
    op = _reading(check)
    vector, case = expectations.vector_of(op, check.dialect, check.type, check.version, seed, prefix)
    partial = vector.kind is VectorKind.VALID and expectations.has_partial_tail(check.dialect, check.type, vector.data)
    if not partial or op is not Op.RECODE:
        yield vector, case


def _entries(check: Property) -> Entries | None:
    return reference_codec().dialect(check.dialect).entries.get(check.type)


def _reading(check: Property) -> Op:
    return Op.DECODE if Op.DECODE in check.ops else Op.RECODE


def examples(check: Property) -> st.SearchStrategy[Any]:
    """The examples of a property: values, or nearly valid bytes."""
    if check.name == "produced":
        return strategies.production()
    values = strategies.values(check.type, dialect=check.dialect, version=check.version)
    if check.name in ("prefixes", "flipped-bits") and not _empty(check.dialect, check.type, check.version):
        return values.filter(lambda value: bool(_written(check, value)))  # from no bytes nothing can be taken
    if check.name == "arbitrary-bytes":
        return strategies.nearly(values.map(lambda value: _written(check, value)))
    if check.name == "wrong-values":
        return strategies.changed(values)
    return values


_QUESTIONS: dict[str, Callable[[Property, Any], Questions]] = {
    "round-trip": _round_trip,
    "prefixes": _prefixes,
    "flipped-bits": _flipped_bits,
    "arbitrary-bytes": _arbitrary,
    "wrong-values": _wrong_values,
    "produced": _produced,
}


def questions(check: Property, example: Any) -> list[tuple[Vector, Case]]:
    """The questions of a property about an example."""
    return list(_QUESTIONS[check.name](check, example))


class _Deviates(Exception):  # noqa: N818 (it stops hypothesis, and is no error)
    pass


class _Trial:
    """One run of a property: asks the questions and keeps the judged results."""

    def __init__(self, check: Property, examiner: Examiner) -> None:
        self.check = check
        self.examiner = examiner
        self.seen: dict[str, Judged] = {}
        self.smallest: Judged | None = None
        self.stalls = 0
        self.outcomes: dict[Outcome, Judged] = {}

    def example(self, drawn: Any) -> None:
        """Raises _Deviates when a case of this example deviates."""
        asked = questions(self.check, drawn)
        new = [case for _, case in asked if case.id not in self.seen]
        if new and self.stalls < _ENOUGH:
            self._ask([(vector, case) for vector, case in asked if case.id not in self.seen])
        for _, case in asked:
            verdict = self.seen.get(case.id)
            if verdict is not None and _is_unknown_deviation(verdict):
                self.smallest = verdict
                raise _Deviates

    def _ask(self, questions: list[tuple[Vector, Case]]) -> None:
        asked = (Question.of(vector, case) for vector, case in questions)
        for (_, case), judged in zip(questions, self.examiner.judge(asked), strict=True):
            if judged.verdict.outcome in (Outcome.CRASH, Outcome.HANG, Outcome.OOM):
                self.stalls += 1
            self.seen[case.id] = judged
            self.outcomes.setdefault(judged.verdict.outcome, judged)

    def conclusion(self) -> Judged:
        """One verdict for a property without an unknown deviation: the worst of its verdicts."""
        order = (*sorted(DEVIATIONS), Outcome.CONTESTED, Outcome.PASS, *sorted(UNJUDGED))
        met = next((self.outcomes[outcome] for outcome in order if outcome in self.outcomes), None)
        if met is None:
            raise RuntimeError(f"{self.check.id}: no example was drawn")
        return dataclasses.replace(met, verdict=msgspec.structs.replace(met.verdict, id=self.check.id))


def _of_simplest(check: Property, examiner: Examiner) -> Judged | None:
    """The first answer about the type's simplest value, in the ops of this property, that is an unknown deviation."""
    if check.name == "produced":
        return None
    value = random_values.simplest(check.type, dialect=check.dialect, version=check.version)
    own = {"round-trip": check.ops, "wrong-values": {Op.ENCODE}}.get(check.name) or {_reading(check)}
    asked = (Question.of(vector, case) for vector, case in _round_trip(check, value) if case.op in own)
    return next((one for one in examiner.judge(asked) if _is_unknown_deviation(one)), None)


def _is_unknown_deviation(judged: Judged) -> bool:
    return judged.verdict.outcome in DEVIATIONS and judged.verdict.known is None


def _not_asked(check: Property, deviation: Judged) -> Judged:
    verdict = Verdict(
        check.id,
        check.dialect,
        deviation.verdict.area,
        check.type,
        check.version,
        deviation.verdict.op,
        Outcome.NOT_ASKED,
        detail=f"not asked: the simplest value of the type deviates already, {deviation.case.id}",
    )
    return dataclasses.replace(deviation, verdict=verdict)


def run(check: Property, examiner: Examiner, count: int) -> Judged:
    """Try a property on `count` examples, always the same ones. The smallest counterexample is judged under its own
    id; without one, a single verdict stands for the whole property.

    Where the simplest value of the type already deviates there is nothing to search: it is the counterexample of
    `round-trip`, and the type's other properties are not asked. A library that refuses everything would be searched
    for minutes.
    """
    trial = _Trial(check, examiner)
    deviation = _of_simplest(check, examiner)
    if deviation is not None:
        return deviation if check.name == "round-trip" else _not_asked(check, deviation)

    try:
        each_example(examples(check), count, trial.example)
    except _Deviates:
        assert trial.smallest is not None
        return trial.smallest
    return trial.conclusion()
