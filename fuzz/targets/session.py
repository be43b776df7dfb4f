"""A session turns inputs into questions, has suspicious answers judged, and reports findings at once.

`ModuleSession` asks a module in this process, one input at a time. `ChildSession` asks through a connection, a block of
inputs at a time, because a child is only fast with many questions at once.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import msgspec

from wireproof.conformance import vectors
from wireproof.conformance.asking.examiner import Examiner, Judged
from wireproof.conformance.connection import Connection
from wireproof.conformance.connection.module import Module
from wireproof.conformance.generation import arguments, further_ops
from wireproof.conformance.generation.mutations import checksums
from wireproof.conformance.judging import location
from wireproof.conformance.judging.clusters import Group, missing_refusal
from wireproof.conformance.judging.rulings import ground
from wireproof.conformance.model import DEVIATIONS, Case, FailureKind, Op, Outcome, Status
from wireproof.conformance.questions.lookup import UnknownId, find
from wireproof.conformance.questions.question import offers
from wireproof.fuzz.targets import inputs, repairs, short_varints, simpler_records
from wireproof.fuzz.targets.dedup import Deduplication
from wireproof.fuzz.targets.finding import FuzzFinding, finding_of, names_of, seed_of
from wireproof.fuzz.targets.inputs import Form, Forms, simplest
from wireproof.fuzz.targets.kinds import Kind, Likeness, Steps, Suspect, TargetResult
from wireproof.fuzz.targets.shrink import smaller
from wireproof.reference.errors import Reason

#: The number of inputs in a block: at first, and at most. Each block is twice as large as the one before. After one
#: that ended or held up the child it is as at first again: starting the child for each input takes long, and nothing is
#: told before the end of a block. While a block is collected, the connection is read after each `_LISTENED` inputs,
#: because a full pipe blocks the child.
FIRST_BLOCK, BLOCK = 4, 256
_LISTENED = 16
_TOOK_LONG = frozenset({Status.CRASH, Status.HANG, Status.OOM, Status.VIOLATION})
#: The beginning of the name under which deviations of the known file are counted.
_KNOWN = "known "
#: Types whose inputs are made simpler as records.
_OF_RECORDS = frozenset({"RecordBatch", "RecordSet"})
#: The number of places at which a refusal has to be missing to be taken for missing at each.
_EVERYWHERE = 3
#: Outcomes that cost too much time to search for a smaller input.
_COSTLY = frozenset({Outcome.HANG, Outcome.OOM})


class Listener(Protocol):
    """Receives the findings of a session."""

    def found(self, finding: FuzzFinding) -> None:
        """Called with a new finding, or an earlier one with a smaller input."""

    def novel(self, raw: bytes, shown: Likeness) -> None:
        """Called with an input that caused new behaviour."""


@dataclass(slots=True)
class Counts:
    """Counts inputs, judged questions, and deviations by finding and by entry of the known file."""

    executions: int = 0
    judged: int = 0
    findings: Counter[str] = field(default_factory=Counter)
    known: Counter[str] = field(default_factory=Counter)


class Session:
    """The common part of `ModuleSession` and `ChildSession`."""

    def __init__(self, kind: Kind, forms: Forms, examiner: Examiner, listener: Listener) -> None:
        self.kind = kind
        self.forms = forms
        self.examiner = examiner
        self.listener = listener
        self.counts = Counts()
        self._dedup = Deduplication()
        self._shown: set[Likeness] = set()
        self._told: dict[str, FuzzFinding] = {}
        #: The name of what is wrong with the simplest value of a form in an op.
        self._simplest: dict[tuple[Form, Op], str | None] = {}
        #: The finding that lacks each of these refusals.
        self._lacking: dict[Group, str] = {}

    def execute(self, raw: bytes) -> bool:
        """Ask about an input. False if its form is not asked about."""
        raise NotImplementedError

    def finish(self) -> None:
        """Ask the questions that are still waiting."""

    def _begin(self, raw: bytes) -> tuple[Form, Steps] | None:
        self.counts.executions += 1
        head, data = inputs.split(raw)
        form = self.forms.get(head)
        return None if form is None else (form, self.kind.steps(form, data))

    def _end(self, raw: bytes, form: Form, result: TargetResult) -> None:
        for shown in result.shown:
            if shown not in self._shown:
                self._shown.add(shown)
                self.listener.novel(raw, shown)
        for suspect in result.suspects:
            self._judge(raw, form, suspect)

    # --- Suspects ---

    def _judge(self, raw: bytes, form: Form, suspect: Suspect) -> None:
        if not self._dedup.should_judge(suspect.likeness):
            name = self._dedup.last_name(suspect.likeness)
            if name is not None:
                self._count(name)
            return
        judged = self.judged(suspect.identifier)
        name = None if judged is None else self._name(judged)
        if judged is not None and name is not None and judged.verdict.known is None and name not in self._told:
            name = self._cause(form, judged) or name
        self._dedup.remember(suspect.likeness, name)
        if judged is None or name is None:
            return
        self._count(name)
        if not name.startswith(_KNOWN) and name not in self._told:
            self._tell(form, judged, raw)
            self._shrink(form, raw, judged)

    def judged(self, identifier: str) -> Judged | None:
        """The judged question of an id. None if the id is unknown, as for encode of bytes that cannot be decoded, or if
        it is about a version that is not offered, as that of the request in a frame."""
        try:
            question = find(identifier)
        except UnknownId:
            return None
        if not offers(self.examiner.description, question):
            return None
        (judged,) = self.examiner.judge([question])
        self.counts.judged += 1
        return judged

    def _name(self, judged: Judged) -> str | None:
        """The name for counting a deviation: of its finding, or of its entry in the known file. None: no deviation."""
        verdict = judged.verdict
        if verdict.outcome not in DEVIATIONS:
            return None
        if verdict.known is not None:
            return f"{_KNOWN}{verdict.known}"
        first, *others = names_of(verdict)
        return next((one for one in others if one in self.counts.findings), first)

    def _cause(self, form: Form, judged: Judged) -> str | None:
        """The name of the finding or known deviation that a deviation is a consequence of; None if there is none."""
        if judged.verdict.outcome not in (Outcome.FAIL, Outcome.CRASH):  # others take long
            return self._of_demand(form, judged)
        return (
            self._of_reading(form, judged)
            or self._of_simplest(form, judged.case.op)
            or self._of_repaired(form, judged)
            or self._of_field(form, judged)
            or self._of_long_varints(form, judged)
            or self._of_fewer_records(form, judged)
            or self._of_demand(form, judged)
        )

    def _settle(self, form: Form, judged: Judged, data: bytes) -> str | None:
        """The name of a deviation, or of what it is a consequence of. It is told, if it is new. `data`: its input."""
        name = self._name(judged)
        if name is not None and judged.verdict.known is None and name not in self._told:
            name = self._cause(form, judged) or name
            if not name.startswith(_KNOWN) and name not in self._told:
                self._tell(form, judged, form.input(data))
        return name

    def _of_reading(self, form: Form, judged: Judged) -> str | None:
        """The name of what is wrong when the bytes are only read, for an op that does more with them; None if nothing
        is. What is read wrong is delivered, converted, looked up and written again wrong."""
        op = judged.case.op
        if op not in further_ops.OPS | {Op.RECODE} or op is Op.PRODUCE or Op.DECODE not in form.ops:
            return None
        data = judged.case.args["data"]
        read = self.judged(form.identifier(Op.DECODE, data))
        # Who only recodes is asked to recode the same bytes again.
        return None if read is None or read.case.op is op else self._settle(form, read, data)

    def _of_simplest(self, form: Form, op: Op) -> str | None:
        """The name of what is wrong with the simplest value of a type; None if nothing is. If an implementation has
        another layout for a version, each of its values is read and written wrong in a way of its own."""
        if (form, op) not in self._simplest:
            self._simplest[form, op] = None
            data = simplest(form)
            judged = None if data is None or op in further_ops.OPS else self.judged(form.identifier(op, data))
            if data is not None and judged is not None:
                self._simplest[form, op] = self._settle(form, judged, data)
        return self._simplest[form, op]

    def _of_repaired(self, form: Form, judged: Judged) -> str | None:
        """The name of what is wrong when the bytes that have to be refused are made valid; None if nothing is. An
        implementation that loses an element does not see what is wrong in it, and one that takes bytes after the end
        has lost what it loses without them."""
        data = judged.case.args.get("data")
        if judged.vector.reject is None or not isinstance(data, bytes):
            return None
        read = _as_read(form, judged.case)
        valid = repairs.repaired(data, read.dialect, read.type or "", read.version)
        alone = None if valid is None else self.judged(_identifier(form, judged.case, valid))
        if valid is None or alone is None or alone.verdict.outcome is not Outcome.FAIL or alone.verdict.demanded:
            return None
        return self._settle(form, alone, valid)

    def _of_fewer_records(self, form: Form, judged: Judged) -> str | None:
        """The name of what is wrong with the simplest records that are read or delivered wrong too; None if there are
        no simpler ones. What comes of a wrong batch depends on all that is in it."""
        case = judged.case
        data = case.args.get("data")
        if form.type not in _OF_RECORDS or form.dialect != "kafka" or judged.verdict.demanded or data is None:
            return None

        def again(simpler: bytes) -> Judged | None:
            return self.judged(_identifier(form, case, simpler))

        def deviates(simpler: bytes) -> bool:
            if case.op is Op.CONSUME and not further_ops.may_be_a_log(simpler):
                return False
            tried = again(simpler)
            return tried is not None and tried.verdict.outcome in (Outcome.FAIL, Outcome.CRASH)

        best = simpler_records.simplest(data, deviates)
        told = None if best == data else again(best)
        return None if told is None else self._settle(form, told, best)

    def _of_demand(self, form: Form, judged: Judged) -> str | None:
        """The name of the finding or known deviation that lacks the same refusal; None if there is none. Whether a
        value or an exception comes of bytes that are not refused depends on what follows in them. A refusal that is
        known to be missing at several places is missing at each."""
        lacks = _missing_refusals(form, judged)
        known, told = self._known_to_be_missing(), [(name, one) for one, name in self._lacking.items()]
        for name, one in (*known, *told):
            if one in lacks:
                return name
        anywhere = {msgspec.structs.replace(one, place=None, type=None) for one in lacks}
        alike = [name for name, one in known if msgspec.structs.replace(one, place=None, type=None) in anywhere]
        return alike[0] if len(alike) >= _EVERYWHERE else None

    def _known_to_be_missing(self) -> list[tuple[str, Group]]:
        """The refusals that the known file says are missing, each with the name under which it is counted."""
        entries = [(one.name, one.finding.missing_refusal()) for one in self.examiner.known.deviations if one.finding]
        return [(f"{_KNOWN}{name}", one) for name, one in entries if one is not None]

    def _of_field(self, form: Form, judged: Judged) -> str | None:
        """The name of what is wrong with a field, if the answer is right with 0 in its place. A reader that takes a
        field for longer than it is misreads what follows, in as many ways as there are bytes."""
        read = _as_read(form, judged.case)
        read_wrong = {one.name: Group(**one.group) for one in self._told.values()}
        read_wrong |= {f"{_KNOWN}{one.name}": one.finding for one in self.examiner.known.deviations if one.finding}
        for name, found in read_wrong.items():
            if found.kind != FailureKind.WRONG_VALUE or found.side != "read" or found.place is None:
                continue
            changed = location.with_zeros(read, found.place)
            if changed is None:
                continue
            alone = self.judged(_identifier(form, judged.case, checksums.sealed(changed)))
            if alone is not None and alone.verdict.outcome in (Outcome.PASS, Outcome.CONTESTED):
                return name
        return None

    def _of_long_varints(self, form: Form, judged: Judged) -> str | None:
        """The name of the finding or known deviation that a varint may have too many bytes or bits, if the answer is
        right where none has. What comes of the number that is read is as wrong as the number is large."""
        missing = (*self._known_to_be_missing(), *((name, one) for one, name in self._lacking.items()))
        names = [name for name, one in missing if (one.side, one.demanded) == ("read", Reason.VARINT_OVERFLOW)]
        if not names:
            return None
        data = judged.case.args.get("data")
        if not isinstance(data, bytes):
            return None
        changed = short_varints.shortened(data)
        if changed == data:
            return None
        alone = self.judged(_identifier(form, judged.case, checksums.sealed(changed)))
        right = alone is not None and alone.verdict.outcome in (Outcome.PASS, Outcome.CONTESTED)
        return names[0] if right else None

    def _count(self, name: str) -> None:
        known = name.removeprefix(_KNOWN)
        if known != name:
            self.counts.known[known] += 1
        else:
            self.counts.findings[name] += 1

    def _tell(self, form: Form, judged: Judged, raw: bytes) -> None:
        finding = finding_of(judged, raw, self.kind.name)
        self._told[finding.name] = finding
        for lacks in _missing_refusals(form, judged):
            self._lacking.setdefault(lacks, finding.name)
        self.listener.found(finding)

    def _shrink(self, form: Form, raw: bytes, judged: Judged) -> None:
        if judged.verdict.outcome in _COSTLY or not judged.case.generated:
            return
        name = names_of(judged.verdict)[0]

        def same(identifier: str) -> Judged | None:
            tried = self.judged(identifier)
            # What may have one of several causes is counted with the one that is told, and has another name.
            return tried if tried is not None and self._name(tried) == name == names_of(tried.verdict)[0] else None

        op, args = judged.case.op, judged.case.args
        if op is Op.PRODUCE:
            alone = (form.identifier(op, arguments.seed_of(op, {**args, "records": [one]})) for one in args["records"])
            found = next(filter(None, map(same, alone)), None)
            if found is not None:
                self._tell(form, found, raw)
            return
        more = op in further_ops.OPS
        whole = args["data"] if more else seed_of(judged.case.id)
        best = smaller(form, whole, self.forms, lambda at, data: same(_identifier(at, judged.case, data)))
        if best is not None:
            at, small = best
            smallest = self.judged(_identifier(at, judged.case, small))
            assert smallest is not None
            # The bytes decide what else is asked, so smaller ones may not ask the same.
            kept = raw if self.kind.draws or more else at.input(small)
            self._tell(at, smallest, kept)


class ModuleSession(Session):
    """Asks a module in this process."""

    def __init__(self, kind: Kind, forms: Forms, examiner: Examiner, listener: Listener, module: Module) -> None:
        super().__init__(kind, forms, examiner, listener)
        self._call = module.call
        self._looks = {head: kind.look(form, module) for head, form in forms.items()}

    def execute(self, raw: bytes) -> bool:
        """Ask about an input at once."""
        head, _, data = raw.partition(b"\n")
        look = self._looks.get(head)
        if look is None or look(data):
            self.counts.executions += 1
            return look is not None
        begun = self._begin(raw)
        assert begun is not None
        form, steps = begun
        try:
            cases = next(steps)
            while True:
                cases = steps.send([self._call(case) for case in cases])
        except StopIteration as end:
            result: TargetResult = end.value
        if result.suspects or not self._shown.issuperset(result.shown):
            self._end(raw, form, result)
        return True


@dataclass(slots=True)
class _Waiting:
    raw: bytes
    form: Form
    steps: Steps
    cases: Sequence[Case]


class ChildSession(Session):
    """Asks through a connection, a block of inputs at a time. While one block is asked, the next is collected."""

    def __init__(self, kind: Kind, forms: Forms, examiner: Examiner, listener: Listener) -> None:
        super().__init__(kind, forms, examiner, listener)
        self._waiting: list[_Waiting] = []
        self._asked: list[_Waiting] = []
        self._size = FIRST_BLOCK

    def execute(self, raw: bytes) -> bool:
        """Add an input to the block. Begin to ask the block when it is full."""
        begun = self._begin(raw)
        if begun is None:
            return False
        form, steps = begun
        self._advance(_Waiting(raw, form, steps, ()), functools.partial(next, steps))
        if len(self._waiting) >= self._size:
            self._turn()
        elif not len(self._waiting) % _LISTENED:
            self.examiner.connection.poll()
        return True

    def finish(self) -> None:
        """Ask about all waiting inputs."""
        while self._waiting or self._asked:
            self._turn()

    def _turn(self) -> None:
        """Process the observations of the current block, then begin the next one. Suspects are judged in between."""
        asked, self._asked = self._asked, []
        if asked:
            seen = {one.case.id: one for one in self.examiner.connection.finish()}
            quick = _TOOK_LONG.isdisjoint(one.status for one in seen.values())
            self._size = min(BLOCK, 2 * self._size) if quick else FIRST_BLOCK
            for one in asked:
                self._advance(one, functools.partial(one.steps.send, [seen[case.id] for case in one.cases]))
        self._asked, self._waiting = self._waiting, []
        if self._asked:
            # Each case only once, because two inputs may ask the same.
            unique = {case.id: case for one in self._asked for case in one.cases}
            self.examiner.connection.begin([*unique.values()])

    def _advance(self, one: _Waiting, step: Callable[[], Sequence[Case]]) -> None:
        try:
            one.cases = step()
        except StopIteration as end:
            self._end(one.raw, one.form, end.value)
        else:
            self._waiting.append(one)


def _missing_refusals(form: Form, judged: Judged) -> set[Group]:
    """What a deviation lacks, if a refusal is demanded: of ops that do more than read, what a reader lacks too."""
    found = {missing_refusal(judged.verdict)}
    reads_on = judged.case.op in further_ops.OPS - {Op.PRODUCE} and judged.verdict.place != location.UNTOLD
    if reads_on and judged.vector.reject is not None:
        read = _as_read(form, judged.case)
        found.add(
            missing_refusal(
                msgspec.structs.replace(
                    judged.verdict,
                    op=Op.DECODE,
                    type=read.type,
                    ground=ground(judged.vector, read),
                    place=location.of_refusal(judged.vector, read),
                )
            )
        )
    return {one for one in found if one is not None}


def _as_read(form: Form, case: Case) -> Case:
    """The case of reading the bytes of another op."""
    dialect, type_name = further_ops.read_as(form.dialect, form.type or "")
    return msgspec.structs.replace(case, op=Op.DECODE, dialect=dialect, type=type_name, version=form.version)


def _identifier(form: Form, case: Case, data: bytes) -> str:
    """The id of a case with other bytes. The bytes of a case of `encode` are those in its id."""
    more = case.op in further_ops.OPS
    seed = arguments.seed_of(case.op, {**case.args, "data": data}) if more else data
    return form.identifier(case.op, seed, case.id.rpartition("/")[2][0])


def configure(connection: Connection | Module, dialect: str) -> bool:
    """Send the settings of a dialect's vectors to the implementation."""
    return connection.configure(dialect, vectors.settings(dialect))
