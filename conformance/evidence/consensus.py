"""How well released implementations support each expectation: by two independent groups at least, or the reason why
there are fewer.

A group is one or several implementations that have code in common: two codecs of one jar, or a fork and its origin.
They have one voice; where they differ, that is no common code, and the group both agrees and dissents. The reference
has no voice.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from wireproof.conformance import ledger, vectors
from wireproof.conformance.evidence.attestation import DIALECT, Attested, Said, Stand, current_digest, expectations
from wireproof.conformance.model import Op, Outcome
from wireproof.conformance.vectors import Vector

#: So many independent groups have to agree.
ENOUGH = 2
#: Ops between two ends of a connection: no library has them as a function.
_PEERS = frozenset({Op.SERVE, Op.INTERPRET, Op.NEGOTIATE, Op.EVOLVE})
#: Verdicts of which one may take the place of another in the next run.
_ENDS = frozenset(map(str, (Outcome.CRASH, Outcome.HANG, Outcome.OOM)))
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
class Voice:
    """What one implementation says."""

    who: Attested
    said: Said


@dataclass(frozen=True, slots=True)
class Opinion:
    """What all implementations say of one expectation. `voices`: of those that were asked. `changed`: some were asked
    about an earlier form of the vector."""

    vector: Vector
    op: Op
    voices: tuple[Voice, ...]
    changed: bool

    @property
    def id(self) -> str:
        """The id of the question."""
        return f"{self.vector.path}#{self.op.value}"

    def groups(self, stand: Stand) -> frozenset[str]:
        """The groups with an implementation of this stand."""
        return frozenset(voice.who.header.group for voice in self.voices if voice.said.stand is stand)

    @property
    def support(self) -> Support:
        """Whether two groups agree, or why not."""
        agree = len(self.groups(Stand.AGREE))
        asked = {voice.who.header.group for voice in self.voices}
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
        if self.groups(Stand.DISSENT):
            return Support.DISSENT
        return Support.CONTESTED if self.groups(Stand.CONTESTED) else Support.UNJUDGED

    @property
    def outweighed(self) -> bool:
        """Whether more groups dissent than agree."""
        return len(self.groups(Stand.DISSENT)) > len(self.groups(Stand.AGREE))


@functools.cache
def every_vector() -> tuple[tuple[Vector, str], ...]:
    """The vectors whose expectations can be attested, with their digests: the kit's own of the dialect, and its
    ledger."""
    own = (vector for vector in vectors.load([DIALECT]) if not vector.folder)
    return tuple((vector, current_digest(vector)) for vector in (*own, *ledger.every_vector(DIALECT)))


def opinions(files: Sequence[Attested], asked: Iterable[tuple[Vector, str]] | None = None) -> Iterator[Opinion]:
    """What these implementations say of each expectation. `asked`: vectors with their digests; all unless given."""
    for vector, current in every_vector() if asked is None else asked:
        changed = any(one.is_changed(vector, current) for one in files)
        for op in expectations(vector):
            found = ((one, one.said(vector, op, current)) for one in files)
            yield Opinion(vector, op, tuple(Voice(one, said) for one, said in found if said is not None), changed)


def differences(kept: Attested, made: Attested) -> Iterator[str]:
    """Where two files of one implementation say something else: `line 1`, or ids of questions.

    Whether it crashes, hangs or exhausts its memory at the same bytes may depend on the machine and its load, so these
    three count as the same."""
    if kept.header != made.header:
        yield "line 1"
    old, new = opinions([kept]), opinions([made])
    yield from (one.id for one, other in zip(old, new, strict=True) if _said(one) != _said(other))


def _said(opinion: Opinion) -> list[Said]:
    ended = Said(Stand.DISSENT, "no answer")
    return [ended if voice.said.kind in _ENDS else voice.said for voice in opinion.voices]


@dataclass(frozen=True, slots=True)
class Tallied:
    """Counts of expectations: by area and support. The ledger, and what is asked of peers, count as areas of their
    own."""

    counts: Counter[tuple[str, Support]]
    outweighed: tuple[Opinion, ...]

    def areas(self) -> list[str]:
        """In the order of the vector set."""
        return list(dict.fromkeys(area for area, _ in self.counts))

    def total(self, area: str | None = None, support: Support | None = None) -> int:
        """The number of expectations of an area, with a support; None: of all."""
        return sum(count for (one, how), count in self.counts.items() if area in (None, one) and support in (None, how))

    @property
    def codec(self) -> tuple[int, int]:
        """The expectations of codecs that two groups agree with, and all expectations of codecs: those of peers wait
        for live brokers and clients."""
        two = self.total(support=Support.TWO) - self.total(PEERS, Support.TWO)
        return two, self.total() - self.total(PEERS)


def tally(found: Iterable[Opinion]) -> Tallied:
    """Opinions counted; those with more dissent than agreement are kept."""
    counts: Counter[tuple[str, Support]] = Counter()
    outweighed = []
    for opinion in found:
        counts[_row(opinion), opinion.support] += 1
        if opinion.outweighed:
            outweighed.append(opinion)
    return Tallied(counts, tuple(outweighed))


def _row(opinion: Opinion) -> str:
    if opinion.op in _PEERS:
        return PEERS
    return LEDGER if "/" in opinion.vector.id else opinion.vector.area
