"""Properties: generated cases, judged against the reference codec.

round-trip        what encode writes is canonical, decode gives the value back, recode writes the same bytes
prefixes          every proper prefix of a valid input is refused; a list without a count may lose its last elements,
                  and a set of records a part of one
flipped-bits      a batch or a message in which a bit differs is refused from where its CRC stands on; before that it
                  is refused, or read as another one
arbitrary-bytes   bytes that are nearly right are read as the reference reads them, or refused where it refuses
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import msgspec
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import reference
from conformance import generated, strategies
from conformance.all_types import types_of
from conformance.asking import Examiner, Judged
from conformance.model import DEVIATIONS, Case, Description, Op, Outcome
from conformance.questions import Question
from conformance.reference_codec import reference_codec
from conformance.values import equal
from conformance.vectors import Vector, VectorKind
from reference.codec import NodeCodec
from reference.dialects.base import Entries
from reference.plan import Struct

#: How many prefixes of a seed are asked, and of batches and messages: a batch has 61 bytes before its records.
_MOST_PREFIXES, _MOST_OF_ENTRIES = 64, 256
#: In how many bytes from the CRC on a bit is flipped.
_MOST_FLIPPED = 128
#: After how many crashes or hangs a property ends.
_ENOUGH = 3

Questions = Iterable[tuple[Vector, Case]]


@dataclass(frozen=True, slots=True)
class Property:
    """One property of one type at one version, over the ops that the implementation offers."""

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
    """The properties of all types that an implementation offers, of these dialects and areas (None: all)."""
    for dialect in reference.dialects:
        if dialects is not None and dialect not in dialects:
            continue
        for type_name, version in types_of(dialect):
            if areas is not None and generated.area(dialect, type_name) not in areas:
                continue
            ops = frozenset(
                op
                for op in (Op.DECODE, Op.ENCODE, Op.RECODE)
                if description.offers(Case("", op, dialect, type_name, version))
            )
            if ops:
                yield Property("round-trip", dialect, type_name, version, ops)
            if ops & {Op.DECODE, Op.RECODE}:
                if not _empty(dialect, type_name, version):
                    yield Property("prefixes", dialect, type_name, version, ops)
                if type_name in reference_codec().dialect(dialect).entries:
                    yield Property("flipped-bits", dialect, type_name, version, ops)
                yield Property("arbitrary-bytes", dialect, type_name, version, ops)


def _empty(dialect: str, type_name: str, version: int | None) -> bool:
    """Whether the type takes no bytes at all (a request without fields): then nothing can be cut off."""
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
        yield generated.vector_of(op, check.dialect, check.type, check.version, seed)


def _prefixes(check: Property, value: Any) -> Questions:
    seed = _written(check, value)
    most = _MOST_PREFIXES if _entries(check) is None else _MOST_OF_ENTRIES
    for prefix in range(min(len(seed), most)):
        yield from _read(check, seed, prefix)


def _flipped_bits(check: Property, value: Any) -> Questions:
    """A bit of every byte of the first entry."""
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


def _read(check: Property, seed: bytes, prefix: int | None = None) -> Questions:
    """How these bytes are read, or recoded, which is not asked where they end with a partial entry."""
    op = _reading(check)
    vector, case = generated.vector_of(op, check.dialect, check.type, check.version, seed, prefix)
    partial = vector.kind is VectorKind.VALID and generated.has_partial_tail(check.dialect, check.type, vector.data)
    if not partial or op is not Op.RECODE:
        yield vector, case


def _entries(check: Property) -> Entries | None:
    return reference_codec().dialect(check.dialect).entries.get(check.type)


def _reading(check: Property) -> Op:
    return Op.DECODE if Op.DECODE in check.ops else Op.RECODE


def _examples(check: Property) -> st.SearchStrategy[Any]:
    values = strategies.values(check.type, dialect=check.dialect, version=check.version)
    if check.name in ("prefixes", "flipped-bits") and not _empty(check.dialect, check.type, check.version):
        return values.filter(lambda value: bool(_written(check, value)))  # from no bytes nothing can be taken
    if check.name == "arbitrary-bytes":
        return strategies.nearly(values.map(lambda value: _written(check, value)))
    return values


_QUESTIONS: dict[str, Callable[[Property, Any], Questions]] = {
    "round-trip": _round_trip,
    "prefixes": _prefixes,
    "flipped-bits": _flipped_bits,
    "arbitrary-bytes": _arbitrary,
}


class _Deviates(Exception):  # noqa: N818 (how a drawn example stops hypothesis)
    pass


class _Trial:
    """One property while it is tried: asks, judges, and keeps what it saw."""

    def __init__(self, check: Property, examiner: Examiner) -> None:
        self.check = check
        self.examiner = examiner
        self.seen: dict[str, Judged] = {}
        self.smallest: Judged | None = None
        self.stalls = 0
        self.outcomes: dict[Outcome, Judged] = {}

    def example(self, drawn: Any) -> None:
        """Raises _Deviates when a case of this example deviates."""
        questions = list(_QUESTIONS[self.check.name](self.check, drawn))
        new = [case for _, case in questions if case.id not in self.seen]
        if new and self.stalls < _ENOUGH:
            self._ask([(vector, case) for vector, case in questions if case.id not in self.seen])
        for _, case in questions:
            found = self.seen.get(case.id)
            if found is not None and found.verdict.verdict in DEVIATIONS and found.verdict.known is None:
                self.smallest = found
                raise _Deviates

    def _ask(self, questions: list[tuple[Vector, Case]]) -> None:
        asked = (Question.of(vector, case) for vector, case in questions)
        for (_, case), judged in zip(questions, self.examiner.judge(asked), strict=True):
            if judged.verdict.verdict in (Outcome.CRASH, Outcome.HANG, Outcome.OOM):
                self.stalls += 1
            self.seen[case.id] = judged
            self.outcomes.setdefault(judged.verdict.verdict, judged)

    def conclusion(self) -> Judged:
        """One verdict for a property that found no unknown deviation: the least good of those that it met."""
        order = (*sorted(DEVIATIONS), Outcome.CONTESTED, Outcome.PASS, Outcome.SKIP, Outcome.NOT_ASKED)
        met = next((self.outcomes[outcome] for outcome in order if outcome in self.outcomes), None)
        if met is None:
            raise RuntimeError(f"{self.check.id}: no example was drawn")
        return dataclasses.replace(met, verdict=msgspec.structs.replace(met.verdict, id=self.check.id))


def run(check: Property, examiner: Examiner, examples: int) -> Judged:
    """Try a property on a number of examples, always the same ones. The smallest counterexample is judged under its own
    id; without one, a single verdict stands for the whole property."""
    trial = _Trial(check, examiner)

    @settings(
        max_examples=examples,
        derandomize=True,
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
    )
    @given(_examples(check))
    def holds(drawn: Any) -> None:
        trial.example(drawn)

    try:
        holds()
    except _Deviates:
        assert trial.smallest is not None
        return trial.smallest
    return trial.conclusion()
