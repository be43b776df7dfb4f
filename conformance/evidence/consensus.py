"""How well released implementations support each expectation: by two independent groups at least, or the reason why
there are fewer.

A group is one or several implementations that have code in common: two codecs of one jar, or a fork and its origin.
They count as one; where they differ, that is no common code, and the group both agrees and dissents. The reference
does not count.

An expectation is disputed if more groups dissent than agree. `vectors/attested/decisions.toml` has the decisions on
those, each for the expectations of one point. People made them, from Kafka's source and the specification; a test holds
that every disputed expectation has one.
"""

from __future__ import annotations

import fnmatch
import functools
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from importlib import resources
from typing import Literal

import msgspec

from wireproof.conformance import ledger, vectors
from wireproof.conformance.evidence.attestation import (
    DIALECT,
    FOLDER,
    Answer,
    Attestation,
    LedgerCase,
    Result,
    current_digest,
    expectations,
)
from wireproof.conformance.model import CONVERSATIONS, Op, Outcome
from wireproof.conformance.questions import conversations
from wireproof.conformance.vectors import Vector, VectorError

#: So many independent groups have to agree.
ENOUGH = 2
#: Ops between two ends of a connection.
_PEERS = frozenset({Op.SERVE, Op.INTERPRET, Op.NEGOTIATE, Op.EVOLVE})
#: Verdicts of which one may take the place of another in the next run.
_ENDS = frozenset(map(str, (Outcome.CRASH, Outcome.HANG, Outcome.OOM)))
#: The file of decisions on disputed expectations.
DECISIONS = "decisions.toml"
#: Rows of their own in the count: the ledger's cases, and what is asked of the two ends of a connection.
LEDGER = "messages, ledger"
PEERS = "of peers (serve, interpret, negotiate, evolve)"


class Support(StrEnum):
    """Two groups, or the reason why there are fewer."""

    TWO = "two groups or more agree"
    PEERS = "asked of peers only"
    CHANGED = "changed, or new, since it was asked"
    SETTINGS = "needs settings, which no library takes"
    NOT_OFFERED = "not offered by any"
    ONE = "offered by one group only"
    CONTESTED = "contested: others take another reading"
    DISSENT = "others dissent"
    UNJUDGED = "asked, but not judged: a twin was refused, or the case was not asked"


@dataclass(frozen=True, slots=True)
class ExpectationSupport:
    """One expectation with the answers of all implementations that were asked. `changed`: some were asked about an
    earlier form of the vector."""

    vector: Vector
    op: Op
    answers: tuple[tuple[Attestation, Answer], ...]
    changed: bool

    @property
    def id(self) -> str:
        """The id of the question."""
        return f"{self.vector.path}#{self.op.value}"

    def groups(self, result: Result) -> frozenset[str]:
        """The groups with an implementation of this result."""
        return frozenset(file.header.group for file, answer in self.answers if answer.result is result)

    @property
    def support(self) -> Support:
        """Whether two groups agree, or why not."""
        agree = len(self.groups(Result.AGREE))
        asked = {file.header.group for file, _ in self.answers}
        if agree >= ENOUGH:
            return Support.TWO
        if self.op in _PEERS and not asked:
            return Support.PEERS
        if self.changed:
            return Support.CHANGED
        if not asked:
            return Support.SETTINGS if self.vector.needs else Support.NOT_OFFERED
        if len(asked) == 1:
            return Support.ONE
        if self.groups(Result.DISSENT):
            return Support.DISSENT
        return Support.CONTESTED if self.groups(Result.CONTESTED) else Support.UNJUDGED

    @property
    def disputed(self) -> bool:
        """Whether more groups dissent than agree."""
        return len(self.groups(Result.DISSENT)) > len(self.groups(Result.AGREE))


@functools.cache
def every_vector() -> tuple[tuple[Vector, str], ...]:
    """The vectors whose expectations can be attested, with their digests: the kit's own of the dialect, conversations,
    and its ledger."""
    own = (vector for vector in vectors.load([DIALECT]) if not vector.folder)
    every = (*own, *conversations.every_vector(), *ledger.every_vector(DIALECT))
    return tuple((vector, current_digest(vector)) for vector in every)


def of_expectations(
    files: Sequence[Attestation], asked: Iterable[tuple[Vector, str]] | None = None
) -> Iterator[ExpectationSupport]:
    """Each expectation with the answers of these implementations. `asked`: vectors with their digests; all unless
    given."""
    for vector, current in every_vector() if asked is None else asked:
        changed = any(one.is_changed(vector, current) for one in files)
        for op in expectations(vector):
            found = ((one, one.answer(vector, op, current)) for one in files)
            answers = tuple((one, answer) for one, answer in found if answer is not None)
            yield ExpectationSupport(vector, op, answers, changed)


def differences(kept: Attestation, made: Attestation) -> Iterator[str]:
    """Where two files of one implementation differ: `line 1`, or ids of questions.

    Whether it crashes, hangs or exhausts its memory at the same bytes may depend on the machine and its load, so these
    three count as the same."""
    if kept.header != made.header:
        yield "line 1"
    old, new = of_expectations([kept]), of_expectations([made])
    yield from (one.id for one, other in zip(old, new, strict=True) if _answers(one) != _answers(other))


def _answers(expectation: ExpectationSupport) -> list[Answer]:
    ended = Answer(Result.DISSENT, "no answer")
    return [ended if answer.kind in _ENDS else answer for _, answer in expectation.answers]


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts of expectations: by area and support. The ledger, and what is asked of peers, count as areas of their
    own."""

    counts: Counter[tuple[str, Support]]
    disputed: tuple[ExpectationSupport, ...]

    def areas(self) -> list[str]:
        """In the order of the vector set."""
        return list(dict.fromkeys(area for area, _ in self.counts))

    def total(self, area: str | None = None, support: Support | None = None) -> int:
        """The number of expectations of an area, with a support; None: of all."""
        return sum(count for (one, how), count in self.counts.items() if area in (None, one) and support in (None, how))

    @property
    def codec(self) -> tuple[int, int]:
        """The expectations of codecs that two groups agree with, and all expectations of codecs."""
        two, (peers_two, peers) = self.total(support=Support.TWO), self.peers
        return two - peers_two, self.total() - peers

    @property
    def peers(self) -> tuple[int, int]:
        """The same of what is asked of clients and brokers."""
        two = sum(self.total(area, Support.TWO) for area in (PEERS, CONVERSATIONS))
        return two, self.total(PEERS) + self.total(CONVERSATIONS)


def count(found: Iterable[ExpectationSupport]) -> Counts:
    """Expectations counted by their support; the disputed ones are kept."""
    counts: Counter[tuple[str, Support]] = Counter()
    disputed = []
    for expectation in found:
        counts[_row(expectation), expectation.support] += 1
        if expectation.disputed:
            disputed.append(expectation)
    return Counts(counts, tuple(disputed))


def _row(expectation: ExpectationSupport) -> str:
    if expectation.op in _PEERS:
        return CONVERSATIONS if expectation.vector.area == CONVERSATIONS else PEERS
    return LEDGER if LedgerCase.of(expectation.vector) else expectation.vector.area


# --- Decisions on disputed expectations -------------------------------------------------------------------------------


class Decision(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """One `[[decision]]`. It concerns the expectations whose id one of the globs matches, and whose vector rests on the
    ruling if there is one. `outcome`: the demanded answer is right, or the vector also has that of another reading."""

    subject: str
    match: tuple[str, ...]
    outcome: Literal["stands", "contested"]
    why: str
    ruling: str | None = None

    def concerns(self, expectation: ExpectationSupport) -> bool:
        """Whether it is about this expectation."""
        if self.ruling is not None and self.ruling not in expectation.vector.rulings:
            return False
        return any(fnmatch.fnmatchcase(expectation.id, glob) for glob in self.match)


class _File(msgspec.Struct, forbid_unknown_fields=True):
    decision: tuple[Decision, ...]


def parse_decisions(content: bytes, name: str) -> tuple[Decision, ...]:
    """The decisions of a file. Raises VectorError, with the file's name."""
    try:
        return msgspec.convert(tomllib.loads(content.decode("utf-8")), _File).decision
    except ValueError as error:
        raise VectorError(f"{name}: {error}") from None


@functools.cache
def load_decisions() -> tuple[Decision, ...]:
    """The decisions of the vector set, in the order of the file. Raises VectorError."""
    return parse_decisions(
        (resources.files("wireproof.vectors") / FOLDER / DECISIONS).read_bytes(), f"vectors/{FOLDER}/{DECISIONS}"
    )


def decision(expectation: ExpectationSupport, decisions: Sequence[Decision]) -> Decision | None:
    """The first one that concerns an expectation; None if nobody has decided yet."""
    return next((one for one in decisions if one.concerns(expectation)), None)


def decided_by(disputed: Iterable[ExpectationSupport], decisions: Sequence[Decision]) -> Counter[Decision | None]:
    """How many of these expectations each decision concerns; under None those that are not decided."""
    return Counter(decision(expectation, decisions) for expectation in disputed)
