"""The kit's main types: case, observation, verdict. All are small, frozen and comparable."""

from __future__ import annotations

import fnmatch
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

import msgspec


class Op(StrEnum):
    """The eleven kinds of questions for an implementation."""

    DECODE = "decode"
    ENCODE = "encode"
    RECODE = "recode"
    LOOKUP = "lookup"
    CONVERT = "convert"
    CONSUME = "consume"
    PRODUCE = "produce"
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
    Op.CONVERT: ("data", "to"),
    Op.CONSUME: ("data", "position", "isolation", "aborted"),
    Op.PRODUCE: ("records", "magic", "codec", "options"),
    Op.SERVE: ("chunks",),
    Op.INTERPRET: ("request", "response"),
    Op.NEGOTIATE: ("api_key", "client", "broker"),
    Op.EVOLVE: ("old", "new"),
}

#: The same of a client that runs, which is told the address of a broker.
OF_CLIENTS: Mapping[Op, tuple[str, ...]] = {
    Op.CONSUME: ("bootstrap", "position", "isolation"),
    Op.PRODUCE: ("bootstrap", "records", "magic", "codec", "options"),
}

#: The names of those arguments that the Python functions take by name, as they take `dialect`.
BY_NAME = frozenset({"bootstrap", "position", "isolation", "aborted", "magic", "codec", "options"})

#: Ops about one type: their cases have `type` and `version`.
TYPED_OPS = frozenset({Op.DECODE, Op.ENCODE, Op.RECODE, Op.LOOKUP, Op.CONVERT})


def argument_names(op: Op, given: Container[str]) -> tuple[str, ...]:
    """The arguments of a question beside `type`, `dialect` and `version`. `given`: with `bootstrap` or without."""
    return OF_CLIENTS[op] if "bootstrap" in given else ARGUMENTS[op]


class Effect(StrEnum):
    """What a request, or a conversation, may do to a broker that runs. `said`: in words."""

    READ = "read"
    WRITE = "write"
    LOAD = "load"
    CLUSTER = "cluster"

    @property
    def said(self) -> str:
        return _EFFECTS[self]


_EFFECTS: Mapping[Effect, str] = {
    Effect.READ: "it changes nothing",
    Effect.WRITE: "it may create or change something there; --allow-writes says that it may",
    Effect.LOAD: "it loads the broker with many clients; --load says that it may",
    Effect.CLUSTER: "it is for the machines of a cluster, and is sent only to brokers that the kit has started",
}


#: The area of the ledgers: cases of the messages of the catalogue.
MESSAGES = "messages"
#: The area of conversations with a broker.
CONVERSATIONS = "conversations"
#: The area of conversations beside clients that misbehave.
FAULTS = "faults"
#: The area of what passes through a proxy.
RELAY = "relay"


#: What stands in the ids of scripts for clients behind their area.
SCRIPTS = "scripts"

#: The area of verdicts on how an implementation ended after its last answer, and the beginning of their ids: behind it
#: stands the id of the case that was answered last.
PROCESS = "process"
END = "end/"


class CaseKind(StrEnum):
    """Where a case comes from: a file of vectors, or of a message's ledger; or it asks a broker one version of an api,
    or is a conversation with a broker, or a script for a client, or what passes through a proxy; or it was derived from
    another case, or generated from its number or seed."""

    STORED = "stored"
    LEDGER = "ledger"
    SWEEP = "sweep"
    CONVERSATION = "conversation"
    SCRIPT = "script"
    RELAY = "relay"
    DERIVED = "derived"
    GENERATED = "generated"


class CaseId(NamedTuple):
    """The id of a case in its parts, `<path>[+<mutation>]#<op>`:

        kafka/varints/varint-1#decode                        stored: of a vector, also of a user's folder
        kafka/messages/FetchRequest/4/set#decode             of a message's ledger
        kafka/messages/Fetch/4#serve                         of a sweep over the versions that a broker announces
        kafka/conversations/fetch-waits/4#serve              of a conversation, held once for each version of an api
        kafka/faults/slow-senders#serve                      of a conversation beside clients that misbehave
        kafka/unsupported-versions/scripts/silent#interpret  of a script for a client
        kafka/relay/Fetch/4#serve                            of what passes through a proxy
        kafka/messages/FetchRequest/4/set+prefix:3#decode    derived from a case of a ledger
        gen/kafka/INT8/-/x00#decode                          generated; `generation.case_ids` reads the path

    Everywhere else an id is text. Any text can be parsed, because ids come from users: parts that it lacks are empty.
    """

    path: str
    mutation: str = ""
    op: str = ""

    @classmethod
    def parse(cls, text: str) -> CaseId:
        """The parts of an id, or of a pattern for ids."""
        where, _, op = text.partition("#")
        path, _, mutation = where.partition("+")
        return cls(path, mutation, op)

    def __str__(self) -> str:
        mutation = f"+{self.mutation}" if self.mutation else ""
        return f"{self.path}{mutation}#{self.op}" if self.op else f"{self.path}{mutation}"

    @property
    def kind(self) -> CaseKind:
        """Where the case comes from. One that is derived from a generated case is generated too."""
        if self.path.startswith("gen/"):
            return CaseKind.GENERATED
        if self.mutation:
            return CaseKind.DERIVED
        if self.path.split("/")[1:2] in ([CONVERSATIONS], [FAULTS]):
            return CaseKind.CONVERSATION
        if self.path.split("/")[2:3] == [SCRIPTS]:
            return CaseKind.SCRIPT
        if self.path.split("/")[1:2] == [RELAY]:
            return CaseKind.RELAY
        if self.path.count("/") == 3:
            return CaseKind.SWEEP
        return CaseKind.LEDGER if self.ledger_case else CaseKind.STORED

    @property
    def from_file(self) -> bool:
        """Whether the case is in a file of vectors or of a ledger. Others are derived or generated, for one op."""
        return self.kind in (CaseKind.STORED, CaseKind.LEDGER)

    @property
    def ledger_case(self) -> str:
        """The name of the ledger's case that it is, or is derived from; empty for others."""
        parts = self.path.split("/")
        return parts[4] if len(parts) == 5 and parts[1] == MESSAGES else ""


class Case(msgspec.Struct, frozen=True, gc=False):
    """One question. It carries no expectation.

    `args` holds the op's arguments as Python values: `data`, `request`, `response` are bytes (response may
    be None), `chunks` a list of bytes, `value` a protocol value (conversations, and questions for a client that runs,
    have a `script` in the place of all that),
    `client`, `broker` pairs of int, `to` a format's name, `aborted` a list of
    `{"producer_id", "first_offset"}`, `records` a list of `{"timestamp", "key", "value", "headers"}`.
    A derived case (a prefix, a mutation) may be left unasked after repeated crashes.

    Cases, observations and verdicts are msgspec structs, because a run makes tens of thousands of each;
    `msgspec.structs.replace` changes a field.
    """

    id: str
    op: Op
    dialect: str
    type: str | None = None
    version: int | None = None
    args: Mapping[str, Any] = msgspec.field(default_factory=dict)

    @property
    def derived(self) -> bool:
        return "+" in self.id  # what its CaseId says, without parsing: each run asks this 200,000 times

    @property
    def generated(self) -> bool:
        return CaseId.parse(self.id).kind is CaseKind.GENERATED

    @property
    def from_file(self) -> bool:
        """Whether it is in a file; others are derived or generated."""
        return CaseId.parse(self.id).from_file


class Status(StrEnum):
    """The possible ends of a question."""

    ANSWER = "answer"
    REJECT = "reject"
    UNSUPPORTED = "unsupported"
    CRASH = "crash"
    HANG = "hang"
    OOM = "oom"
    VIOLATION = "protocol-violation"
    NOT_ASKED = "not-asked"


class Observation(msgspec.Struct, frozen=True, gc=False):
    """The reaction of an implementation to a case.

    `answer` by op: a protocol value (decode, lookup), bytes (encode, recode, convert, produce), `(sent, closed)`
    (serve; of a conversation a Transcript), a dict (interpret, consume; of a script a ClientRun), an int or None
    (negotiate), a list of str (evolve).
    For a REJECT: `reason`, `offset` and `half`, if the implementation names them. For other ends `detail` describes,
    for a person, what happened (exception text, signal, the end of stderr), and `error` is one word for signatures (an
    exception's class, SIGABRT, timeout); `frame` is the top frame of the implementation's traceback
    ("module:function"), if there is one.
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


#: The outcomes of a client's interpretation of a response, and all keys of such an answer.
CLIENT_OUTCOMES = ("accepted", "unsupported", "retry", "error", "malformed")
OUTCOME_KEYS = frozenset({"outcome", "version", "error", "request"})


class Outcome(StrEnum):
    """The kit's conclusion."""

    PASS = "pass"
    CONTESTED = "contested"
    SKIP = "skip"
    FAIL = "fail"
    CRASH = "crash"
    HANG = "hang"
    OOM = "oom"
    VIOLATION = "protocol-violation"
    NOT_ASKED = "not-asked"
    UNSTEADY = "unsteady"


#: Outcomes that are deviations: they fail a run unless they are known.
DEVIATIONS = frozenset({Outcome.FAIL, Outcome.CRASH, Outcome.HANG, Outcome.OOM, Outcome.VIOLATION})
#: Outcomes of cases that say nothing about the implementation: they are neither passes nor deviations.
UNJUDGED = frozenset({Outcome.SKIP, Outcome.NOT_ASKED, Outcome.UNSTEADY})


class FailureKind(StrEnum):
    """The way in which an answer is wrong."""

    REFUSED_VALID = "refused-valid"
    ACCEPTED_INVALID = "accepted-invalid"
    WRONG_VALUE = "wrong-value"
    WRONG_BYTES = "wrong-bytes"
    WRONG_ANSWER = "wrong-answer"


class Verdict(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """The kit's conclusion on one case. `id`: the case's id. `rulings`: those under which it is contested.

    In files the outcome's name is "verdict".

    For a deviation: `demanded` is the reason for which the input has to be refused, `ground` the ruling behind that,
    `place` the place in the type where it went wrong.
    """

    id: str
    dialect: str
    area: str
    type: str | None
    version: int | None
    op: Op
    outcome: Outcome = msgspec.field(name="verdict")
    kind: FailureKind | None = None
    reason: str | None = None
    offset: int | None = None
    detail: str = ""
    rulings: tuple[str, ...] = ()
    note: str = ""
    error: str = ""
    frame: str = ""
    demanded: str | None = None
    ground: str | None = None
    place: str = ""
    known: str | None = None


@dataclass(frozen=True, slots=True)
class Description:
    """An implementation's description of itself.

    `types`: dialect → type name → (lowest, highest) version or None; "ARRAY" stands for every array type, "*" for every
    type from the schemas of `configure`. None instead of the mapping: it lists no types, so everything is asked.
    `type_ops`: dialect → type name → the ops of that type, for types that do not have all of `ops`. `rebuilds`: type
    name → the fields that its writer computes itself, and that are not compared. `rejects`: the names of the
    exceptions that are taken for refusals beside those of every implementation. `readings`: ruling → the name of the
    reading that it takes, or, if that depends on the type, a pattern for types → the reading's name. `apis`: what a
    broker that runs announces, api key → (lowest, highest) version; empty if it announces nothing, None for everything
    else. `listens`: where a program listens as a broker, "HOST:PORT"; None for one that answers questions on its stdin.
    `effects`: what the requests of a sweep may do to it. `logs_in`: each connection logs in. `reached_by`: the options
    of a command that asks this broker again. `connects`: it is a client that runs, and is asked scripts alone.
    `is_proxy`: it passes on to a broker of the kit's. `bootstrap`: its ops are those of a client that runs, and take
    the address of a broker.
    """

    name: str
    version: str | None = None
    language: str = "python"
    dialects: tuple[str, ...] = ("kafka",)
    ops: frozenset[Op] = frozenset()
    types: Mapping[str, Mapping[str, tuple[int, int] | None]] | None = None
    rebuilds: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    rejects: tuple[str, ...] = ()
    readings: Mapping[str, str | Mapping[str, str]] = field(default_factory=dict)
    type_ops: Mapping[str, Mapping[str, frozenset[Op]]] = field(default_factory=dict)
    apis: Mapping[int, tuple[int, int]] | None = None
    listens: str | None = None
    is_proxy: bool = False
    effects: frozenset[Effect] = frozenset(Effect)
    logs_in: bool = False
    reached_by: tuple[str, ...] = ()
    connects: bool = False
    bootstrap: bool = False

    def offers(self, case: Case) -> bool:
        """Whether the implementation offers to answer this case."""
        return self.offers_op(case.op, case.dialect, case.type, case.version)

    def offers_op(self, op: Op, dialect: str, type_name: str | None, version: int | None) -> bool:
        """Whether the implementation offers an op of a type in a version. `type_name` is None for an op without a type;
        with `version` None any version is enough."""
        if op not in self.ops or dialect not in self.dialects:
            return False
        if type_name is None or self.types is None:
            return True
        offered = self.types.get(dialect, {})
        name = _listed(offered, type_name)
        if name not in offered or op not in self.type_ops.get(dialect, {}).get(name, self.ops):
            return False
        span = offered[name]
        return span is None or version is None or span[0] <= version <= span[1]

    def readings_of(self, type_name: str | None) -> dict[str, str]:
        """The readings that it takes for a type: ruling → the reading's name. `type_name`: None for ops without one."""
        taken = {}
        for ruling, declared in self.readings.items():
            patterns = {"*": declared} if isinstance(declared, str) else declared
            name = next((name for glob, name in patterns.items() if fnmatch.fnmatchcase(type_name or "", glob)), None)
            if name is not None:
                taken[ruling] = name
        return taken

    def versions(self, dialect: str, type_name: str | None) -> tuple[int, int] | None:
        """The offered versions of a type; None if it lists no types, and for a type without versions."""
        if self.types is None or type_name is None:
            return None
        offered = self.types.get(dialect, {})
        return offered.get(_listed(offered, type_name))


def _listed(offered: Mapping[str, object], type_name: str) -> str:
    """The name of a type in `types`."""
    if type_name in offered:
        return type_name
    return "ARRAY" if "ARRAY<" in type_name and "ARRAY" in offered else "*"
