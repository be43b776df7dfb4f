"""Clusters of deviations that probably have one cause, as far as this can be seen from outside. In texts for people a
cluster is called a finding.

Deviations of the same group are one cluster, wherever the cases come from. If a traceback names the function that
refused or crashed, the group is this function and the exception. Else it is the demand and the place in the type.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import msgspec

from wireproof.conformance.judging.location import FRAME_SIZE, UNTOLD
from wireproof.conformance.judging.unread_fields import NOT_READ, single_places
from wireproof.conformance.model import DEVIATIONS, PROCESS, FailureKind, Op, Outcome, Verdict
from wireproof.reference.errors import Reason

#: The maximum length of an implementation's text in a group, in characters.
_LONGEST = 120

#: The name of an exception; what ended a process has another, as `SIGSEGV` or `exit 3`. How a process ends itself.
_RAISED = re.compile(r"(?!SIG)\S+")
_ABORTED = "SIGABRT"

_READ = "read"
_WRITE = "write"
_SIDES: Mapping[Op, str] = {Op.DECODE: _READ, Op.RECODE: _READ, Op.LOOKUP: _READ, Op.ENCODE: _WRITE}


class Group(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The common properties of a cluster's deviations; None for properties that do not matter. Files of known
    deviations contain it in this form.

    `verdict`: the outcome. `kind`: of a fail. `side`: read, write, or the op if it is neither. `cause`: the given
    reason, the exception's name, or the text of a refusal. `frame`: where it was raised. `demanded`: the reason for
    which it has to be refused. `ruling`: the ruling behind that, if demand and place do not say it all. `place`: the
    place in the type; `type`: only if no place is known.
    """

    verdict: str
    kind: str | None = None
    side: str | None = None
    cause: str | None = None
    frame: str | None = None
    demanded: str | None = None
    ruling: str | None = None
    place: str | None = None
    type: str | None = None

    def row(self) -> dict[str, str]:
        """Its parts by name, without None: the form in reports and files of known deviations."""
        return {name: value for name, value in msgspec.structs.asdict(self).items() if value is not None}

    def may_match(self, verdict: Verdict) -> bool:
        """Whether a case that was not asked could belong to this group."""
        return self.type in (None, verdict.type)

    def matches(self, verdict: Verdict, its_group: Group | None) -> bool:
        """Whether a deviation of the group `its_group` is of this one, or comes from what this one reads wrong."""
        return its_group is not None and self.plain() in (its_group, *causes(verdict, its_group))

    def plain(self) -> Group:
        """Without the ruling, if the demand and the place say it all. Which ruling is named first depends on where a
        case came from: people name what a vector is about, and for a generated one it is found by reading it again.
        Only what is cut off needs its ruling: it tells a length that announces too much from one that is cut. A frame's
        size says it all: who does not look at it takes frames that are too long, too short, or of a negative size; and
        so does a broken batch that a consumer is silent about, whatever is broken in it. What
        a consumer does wrong says the difference, and not what a vector is about."""
        if self.place in (FRAME_SIZE, UNTOLD) and self.demanded is not None:
            return msgspec.structs.replace(self, ruling=None, demanded=None)
        cut = self.demanded == Reason.TRUNCATED and self.side == _READ
        is_plain = (self.demanded is None and self.side != Op.CONSUME) or cut
        return self if is_plain else msgspec.structs.replace(self, ruling=None)

    def missing_refusal(self) -> Group | None:
        """The group without what came in the place of a refusal: a value and an exception are alike, and so are crashes
        and too much memory. Where a length or a count announces too much, its number alone decides whether memory and
        time are enough. None where no refusal is demanded."""
        if self.demanded is None:
            return None
        raised = self.verdict == Outcome.CRASH and _RAISED.fullmatch(self.cause or "") is not None
        exhausted = self.verdict in (Outcome.HANG, Outcome.OOM) or self.cause == _ABORTED
        announces_too_much = self.demanded == Reason.TRUNCATED and self.ruling is not None
        bare = msgspec.structs.replace(self, cause=None, frame=None)
        if self.verdict == Outcome.FAIL or raised or (exhausted and announces_too_much):
            return msgspec.structs.replace(bare, verdict=Outcome.FAIL, kind=FailureKind.ACCEPTED_INVALID).plain()
        ended = self.verdict in (Outcome.CRASH, Outcome.OOM)
        return msgspec.structs.replace(bare, verdict=Outcome.CRASH if ended else self.verdict).plain()

    def __str__(self) -> str:
        """In one line, for a person."""
        said = [self.kind or self.verdict]
        if self.side in (_READ, _WRITE):
            said.append(f"on {self.side}")
        elif self.side is not None:
            said.append(f"in {self.side}")
        if self.cause is not None:
            said.append(f"with {self.cause}")
        if self.frame is not None:
            said.append(f"in {self.frame}")
        if self.demanded is not None:
            said.append(f"where {self.demanded} is demanded")
        if self.ruling is not None:
            said.append(f"({self.ruling})")
        at = self.place or self.type
        return " ".join((*said, f"at {at}") if at else said)


def group(verdict: Verdict) -> Group | None:
    """The group of a verdict that deviates, or takes another reading; None for others."""
    outcome = verdict.outcome
    if outcome is Outcome.CONTESTED:
        return Group(outcome, ruling=", ".join(verdict.rulings))
    if outcome not in DEVIATIONS:
        return None
    kind = None if verdict.kind is None else str(verdict.kind)
    cause = verdict.reason or verdict.error or None
    if verdict.area == PROCESS:  # which case was the last does not matter
        return Group(outcome, cause=cause, frame=verdict.frame or None, place="the end of the process")
    if verdict.place.endswith(NOT_READ):  # whatever came of it
        return Group(outcome, side=_READ, place=verdict.place)
    if cause and verdict.frame and verdict.kind is not FailureKind.ACCEPTED_INVALID:
        return Group(outcome, kind, cause=cause, frame=verdict.frame)
    side = _SIDES.get(verdict.op, str(verdict.op))
    if verdict.kind is FailureKind.WRONG_BYTES and verdict.op is Op.RECODE:
        side = _WRITE
    match verdict.kind:
        case FailureKind.WRONG_VALUE | FailureKind.WRONG_BYTES:
            found = Group(outcome, kind, side, place=verdict.place or None)
        case FailureKind.REFUSED_VALID:
            words = "" if cause else _words(verdict.detail)
            if words:
                return Group(outcome, kind, cause=words)
            found = Group(outcome, kind, side, cause, place=verdict.place or None)
        case FailureKind.ACCEPTED_INVALID:
            found = Group(
                outcome, kind, side, demanded=verdict.demanded, ruling=verdict.ground, place=verdict.place or None
            )
        case _:
            found = Group(
                outcome,
                kind,
                side,
                cause,
                demanded=verdict.demanded,
                ruling=verdict.ground,
                place=verdict.place or None,
            )
    return (found if found.place else msgspec.structs.replace(found, type=verdict.type)).plain()


def causes(verdict: Verdict, its_group: Group) -> tuple[Group, ...]:
    """The groups that a deviation may come from, if there are deviations of these."""
    read = as_read_wrong(verdict, its_group)
    return (() if read is None else (read,)) + as_unread(its_group)


def as_unread(its_group: Group) -> tuple[Group, ...]:
    """The group of each field that may not have been read, if they are several."""
    return tuple(msgspec.structs.replace(its_group, place=place) for place in single_places(its_group.place))


def as_read_wrong(verdict: Verdict, its_group: Group) -> Group | None:
    """The group of the wrong value that explains a recode's wrong bytes, if its decode half already read that value;
    the encode half may be right. None for other deviations."""
    if verdict.op is not Op.RECODE or verdict.kind is not FailureKind.WRONG_BYTES or its_group.place is None:
        return None
    return msgspec.structs.replace(its_group, kind=str(FailureKind.WRONG_VALUE), side=_READ)


def missing_refusal(verdict: Verdict) -> Group | None:
    """What a deviation lacks: the refusal that is demanded, whatever came in its place. None if none is demanded."""
    found = group(msgspec.structs.replace(verdict, frame=""))
    return None if found is None else found.missing_refusal()


#: Parts of a message that depend on the case: called functions, quoted text, bytes, numbers, and lists.
_OF_THE_CASE = re.compile(r"""[\w.]+\(\)|b?'[^']*'|b?"[^"]*"|`[^`]*`|\b0x[0-9a-fA-F]+|[-−]?\b\d[\d.,_]*\b|\[[^\]]*\]""")


def _words(detail: str) -> str:
    """The text of a refusal, without the parts that depend on the case."""
    said = detail.removeprefix("refused: ").removeprefix("without a reason").partition("\n")[0]
    return _OF_THE_CASE.sub("…", said).strip()[:_LONGEST]


class Signature(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Properties of a deviation. In a file of known deviations it is a pattern: parts that are None match anything.

    `verdict`: the outcome. `kind`: of a fail. `cause`: the given reason, or the exception's name. `frame`: where it was
    raised; empty if that is unknown.
    """

    op: str | None = None
    type: str | None = None
    verdict: str | None = None
    kind: str | None = None
    cause: str | None = None
    frame: str | None = None

    @classmethod
    def of(cls, verdict: Verdict) -> Signature:
        """The signature of a verdict."""
        kind = None if verdict.kind is None else str(verdict.kind)
        cause = verdict.reason or verdict.error or None
        return cls(str(verdict.op), verdict.type, str(verdict.outcome), kind, cause, verdict.frame)

    def matches(self, verdict: Verdict, _its_group: Group | None) -> bool:
        """Whether a deviation has all parts of this signature that are not None."""
        parts = zip(msgspec.structs.astuple(self), msgspec.structs.astuple(Signature.of(verdict)), strict=True)
        return all(wanted is None or wanted == part for wanted, part in parts)

    def may_match(self, verdict: Verdict) -> bool:
        """Whether a case that was not asked could match."""
        return self.op in (None, str(verdict.op)) and self.type in (None, verdict.type)


@dataclass(frozen=True, slots=True)
class Cluster:
    """Deviations of one group, in the order of the run."""

    group: Group
    verdicts: tuple[Verdict, ...]


def clusters(verdicts: Iterable[Verdict]) -> list[Cluster]:
    """The deviations among `verdicts` by group, the most frequent first. What recode writes wrong belongs to what
    decode reads wrong at the same place, if it does, and encode writes right there. Where one of several fields may not
    have been read, it is the one that alone explains another deviation."""
    found = [
        (verdict, key) for verdict in verdicts if verdict.outcome in DEVIATIONS and (key := group(verdict)) is not None
    ]
    alone = {key for verdict, key in found if verdict.op is not Op.RECODE}
    buckets: dict[Group, list[Verdict]] = {}
    for verdict, key in found:
        read = as_read_wrong(verdict, key)
        cause = (
            read if read in alone and key not in alone else next((one for one in as_unread(key) if one in alone), key)
        )
        buckets.setdefault(cause, []).append(verdict)
    made = [Cluster(key, tuple(bucket)) for key, bucket in buckets.items()]
    return sorted(made, key=lambda cluster: -len(cluster.verdicts))
