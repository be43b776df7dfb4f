"""The words of the kit as types: case, observation, verdict. They are rows: frozen, comparable, small."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Op(StrEnum):
    """The eight questions that can be put to an implementation."""

    DECODE = "decode"
    ENCODE = "encode"
    RECODE = "recode"
    LOOKUP = "lookup"
    SERVE = "serve"
    INTERPRET = "interpret"
    NEGOTIATE = "negotiate"
    EVOLVE = "evolve"


#: Arguments of each op beside `type`, `dialect` and `version`, in the order of the Python functions.
ARGUMENTS: Mapping[Op, tuple[str, ...]] = {
    Op.DECODE: ("data",),
    Op.ENCODE: ("value",),
    Op.RECODE: ("data",),
    Op.LOOKUP: ("data", "key"),
    Op.SERVE: ("chunks",),
    Op.INTERPRET: ("request", "response"),
    Op.NEGOTIATE: ("api_key", "client", "broker"),
    Op.EVOLVE: ("old", "new"),
}

#: Ops that speak of one type (and so carry `type` and `version`).
TYPED_OPS = frozenset({Op.DECODE, Op.ENCODE, Op.RECODE, Op.LOOKUP})


@dataclass(frozen=True, slots=True)
class Case:
    """One question. It carries no expectation.

    `args` holds the op's arguments as Python values: `data`, `request`, `response` are bytes (response may
    be None), `chunks` a list of bytes, `value` a protocol value, `client`, `broker` pairs of int.
    A derived case (its id has a "+": a prefix, a mutation) may be left unasked after repeated crashes.
    """

    id: str
    op: Op
    dialect: str
    type: str | None = None
    version: int | None = None
    args: Mapping[str, Any] = field(default_factory=dict)

    @property
    def derived(self) -> bool:
        return "+" in self.id


class Status(StrEnum):
    """What an implementation did with a question."""

    ANSWER = "answer"
    REJECT = "reject"
    UNSUPPORTED = "unsupported"
    CRASH = "crash"
    HANG = "hang"
    OOM = "oom"
    VIOLATION = "protocol-violation"
    NOT_ASKED = "not-asked"


@dataclass(frozen=True, slots=True)
class Observation:
    """What the implementation did.

    `answer` by op: a protocol value (decode, lookup), bytes (encode, recode), `(sent, closed)` (serve),
    a dict (interpret), an int or None (negotiate), a list of str (evolve).
    For a REJECT: `reason`, `offset` and `half` as far as it names them. For everything else `detail` says, for a
    person, what happened (exception text, signal, the tail of stderr) and `error` names it in one word for
    signatures (an exception's class, SIGABRT, timeout); `frame` is the top frame of the implementation's
    traceback ("module:function"), if any.
    """

    case: Case
    status: Status
    answer: Any = None
    reason: str | None = None
    offset: int | None = None
    half: str | None = None
    error: str = ""
    frame: str = ""
    detail: str = ""


#: What a client can make of a response, and all keys that such an answer can have.
CLIENT_OUTCOMES = ("accepted", "unsupported", "retry", "error", "malformed")
OUTCOME_KEYS = frozenset({"outcome", "version", "error", "request"})


class Outcome(StrEnum):
    """What the kit concludes."""

    PASS = "pass"
    CONTESTED = "contested"
    SKIP = "skip"
    FAIL = "fail"
    CRASH = "crash"
    HANG = "hang"
    OOM = "oom"
    VIOLATION = "protocol-violation"
    NOT_ASKED = "not-asked"


#: Outcomes that are deviations: they fail a run unless they are known.
DEVIATIONS = frozenset({Outcome.FAIL, Outcome.CRASH, Outcome.HANG, Outcome.OOM, Outcome.VIOLATION})


class Kind(StrEnum):
    """How a failed answer is wrong."""

    REFUSED_VALID = "refused-valid"
    ACCEPTED_INVALID = "accepted-invalid"
    WRONG_VALUE = "wrong-value"
    WRONG_BYTES = "wrong-bytes"
    WRONG_ANSWER = "wrong-answer"


@dataclass(frozen=True, slots=True)
class Signature:
    """What makes two deviations the same finding."""

    op: str
    type: str | None
    verdict: str
    kind: str | None
    cause: str | None
    frame: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """The kit's conclusion on one case. `id` is the case's id; `rulings` those under which it is contested."""

    id: str
    dialect: str
    area: str
    type: str | None
    version: int | None
    op: Op
    verdict: Outcome
    kind: Kind | None = None
    reason: str | None = None
    offset: int | None = None
    detail: str = ""
    rulings: tuple[str, ...] = ()
    note: str = ""
    error: str = ""
    frame: str = ""
    known: str | None = None

    @property
    def signature(self) -> Signature:
        cause = self.reason or self.error or None
        return Signature(self.op, self.type, self.verdict, self.kind, cause, self.frame)


@dataclass(frozen=True, slots=True)
class Tally:
    """Verdicts counted by (area, outcome). Tallies add up: a laptop's and a cluster's end in the same report."""

    counts: Mapping[tuple[str, str], int] = field(default_factory=dict)

    @classmethod
    def of(cls, *verdicts: Verdict) -> Tally:
        return cls(Counter((v.area, str(v.verdict)) for v in verdicts))

    def __add__(self, other: Tally) -> Tally:
        return Tally(Counter(self.counts) + Counter(other.counts))

    def areas(self) -> dict[str, dict[str, int]]:
        """{area: {verdict: count}}, areas and verdicts in sorted order."""
        table: dict[str, dict[str, int]] = {}
        for (area, verdict), count in sorted(self.counts.items()):
            table.setdefault(area, {})[verdict] = count
        return table


@dataclass(frozen=True, slots=True)
class Description:
    """What an implementation says of itself.

    `types`: dialect → type name → (lowest, highest) version or None; "ARRAY" stands for every array type, "*" for every
    type that the schemas of `configure` make.
    None instead of the mapping: it did not say, so everything is asked.
    """

    name: str
    version: str | None = None
    language: str = "python"
    dialects: tuple[str, ...] = ("kafka",)
    ops: frozenset[Op] = frozenset()
    types: Mapping[str, Mapping[str, tuple[int, int] | None]] | None = None
    rebuilds: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    readings: Mapping[str, str] = field(default_factory=dict)

    def offers(self, case: Case) -> bool:
        """Whether this case is to be asked at all."""
        if case.op not in self.ops or case.dialect not in self.dialects:
            return False
        if case.type is None or self.types is None:
            return True
        offered = self.types.get(case.dialect, {})
        name = case.type
        if name not in offered and "ARRAY<" in name:
            name = "ARRAY"
        if name not in offered:
            return "*" in offered
        span = offered[name]
        return span is None or case.version is None or span[0] <= case.version <= span[1]
