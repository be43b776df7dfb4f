"""A session: inputs become questions, what looks wrong is judged, and findings are told at once.

`Inside` asks a module in this process, input by input. `Outside` asks through a connection, a block of inputs at a
time, since a child is quick only when it is given many questions at once.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from conformance import vectors
from conformance.asking import Examiner, Judged
from conformance.connection import Connection
from conformance.connection.module import Module
from conformance.model import DEVIATIONS, Case, Observation, Outcome
from conformance.questions import UnknownId, find
from fuzz import inputs
from fuzz.alike import Alike
from fuzz.finding import made_of
from fuzz.found import Found
from fuzz.inputs import Form, Forms
from fuzz.smaller import smaller
from fuzz.targets import Kind, Likeness, Looked, Steps, Suspect

#: So many inputs are put to a child at a time.
BLOCK = 128
#: Outcomes that cost too much to be provoked again and again for the sake of a smaller input.
_COSTLY = frozenset({Outcome.HANG, Outcome.OOM})


class Listener(Protocol):
    """Who is told what a session finds."""

    def found(self, finding: Found) -> None:
        """A finding, or the same with a smaller input."""

    def novel(self, raw: bytes, shown: Likeness) -> None:
        """An input showed what none before it did."""


@dataclass(slots=True)
class Counts:
    """What a session did: inputs, questions judged, and deviations by finding and by entry of the known file."""

    executions: int = 0
    judged: int = 0
    findings: Counter[str] = field(default_factory=Counter)
    known: Counter[str] = field(default_factory=Counter)


class Session:
    """What the two ways to ask share."""

    def __init__(self, kind: Kind, forms: Forms, examiner: Examiner, listener: Listener) -> None:
        self.kind = kind
        self.forms = forms
        self.examiner = examiner
        self.listener = listener
        self.counts = Counts()
        self._alike = Alike()
        self._shown: set[Likeness] = set()
        self._told: dict[str, Found] = {}

    def execute(self, raw: bytes) -> bool:
        """Ask about an input; False where it is about nothing that is asked."""
        raise NotImplementedError

    def finish(self) -> None:
        """Ask what has been put off."""

    def _begin(self, raw: bytes) -> tuple[Form, Steps] | None:
        self.counts.executions += 1
        head, data = inputs.split(raw)
        form = self.forms.get(head)
        return None if form is None else (form, self.kind.steps(form, data))

    def _end(self, raw: bytes, form: Form, looked: Looked) -> None:
        for shown in looked.shown:
            if shown not in self._shown:
                self._shown.add(shown)
                self.listener.novel(raw, shown)
        for suspect in looked.suspects:
            self._judge(raw, form, suspect)

    # --- What looks wrong ---

    def _judge(self, raw: bytes, form: Form, suspect: Suspect) -> None:
        if not self._alike.wants(suspect.likeness):
            name = self._alike.named(suspect.likeness)
            if name is not None:
                self._count(name)
            return
        judged = self.judged(suspect.identifier)
        name = None if judged is None else self._name(judged)
        self._alike.name(suspect.likeness, name)
        if judged is None or name is None:
            return
        self._count(name)
        if judged.verdict.known is None and name not in self._told:
            self._tell(made_of(judged, raw, self.kind.name))
            self._shrink(form, raw, judged)

    def judged(self, identifier: str) -> Judged | None:
        """The question of an id, judged; None where there is none: what is encoded has to be decoded first."""
        try:
            question = find(identifier)
        except UnknownId:
            return None
        (judged,) = self.examiner.judge([question])
        self.counts.judged += 1
        return judged

    @staticmethod
    def _name(judged: Judged) -> str | None:
        """Under which name a deviation is counted: its finding's, or its entry's in the known file. None for none."""
        verdict = judged.verdict
        if verdict.verdict not in DEVIATIONS:
            return None
        return f"known {verdict.known}" if verdict.known is not None else made_of(judged, b"", "").name

    def _count(self, name: str) -> None:
        known = name.removeprefix("known ")
        if known != name:
            self.counts.known[known] += 1
        else:
            self.counts.findings[name] += 1

    def _tell(self, finding: Found) -> None:
        self._told[finding.name] = finding
        self.listener.found(finding)

    def _shrink(self, form: Form, raw: bytes, judged: Judged) -> None:
        if judged.verdict.verdict in _COSTLY or not judged.case.id.startswith("gen/"):
            return
        name = self._name(judged)

        def same(other: Form, data: bytes) -> Judged | None:
            found = self.judged(other.identifier(judged.case.op, data))
            return found if found is not None and self._name(found) == name else None

        data = bytes.fromhex(judged.case.id.rpartition("/x")[2].partition("#")[0])
        best = smaller(form, data, self.forms, same)
        if best is not None:
            at, small = best
            found = self.judged(at.identifier(judged.case.op, small))
            assert found is not None
            kept = raw if self.kind.draws else at.input(small)
            self._tell(made_of(found, kept, self.kind.name))


class Inside(Session):
    """Asks a module in this process."""

    def __init__(self, kind: Kind, forms: Forms, examiner: Examiner, listener: Listener, module: Module) -> None:
        super().__init__(kind, forms, examiner, listener)
        self._call = module.call

    def execute(self, raw: bytes) -> bool:
        """Ask about an input, now."""
        begun = self._begin(raw)
        if begun is None:
            return False
        form, steps = begun
        try:
            cases = next(steps)
            while True:
                cases = steps.send([self._call(case) for case in cases])
        except StopIteration as end:
            looked: Looked = end.value
        if looked.suspects or not self._shown.issuperset(looked.shown):
            self._end(raw, form, looked)
        return True


@dataclass(slots=True)
class _Waiting:
    raw: bytes
    form: Form
    steps: Steps
    cases: Sequence[Case]


class Outside(Session):
    """Asks through a connection, a block of inputs at a time."""

    def __init__(self, kind: Kind, forms: Forms, examiner: Examiner, listener: Listener) -> None:
        super().__init__(kind, forms, examiner, listener)
        self._waiting: list[_Waiting] = []

    def execute(self, raw: bytes) -> bool:
        """Put an input with the others; ask them all when they are many."""
        begun = self._begin(raw)
        if begun is None:
            return False
        form, steps = begun
        self._advance(_Waiting(raw, form, steps, ()), lambda: next(steps), self._waiting)
        if len(self._waiting) >= BLOCK:
            self.finish()
        return True

    def finish(self) -> None:
        """Ask all that wait."""
        while self._waiting:
            waiting, self._waiting = self._waiting, []
            observations = iter(self._ask([case for one in waiting for case in one.cases]))
            for one in waiting:
                seen = [next(observations) for _ in one.cases]
                self._advance(one, lambda one=one, seen=seen: one.steps.send(seen), self._waiting)  # type: ignore[misc]

    def _advance(self, one: _Waiting, step: Callable[[], Sequence[Case]], into: list[_Waiting]) -> None:
        try:
            one.cases = step()
        except StopIteration as end:
            self._end(one.raw, one.form, end.value)
        else:
            into.append(one)

    def _ask(self, cases: Sequence[Case]) -> list[Observation]:
        """Each case asked once: two inputs may ask the same."""
        unique = {case.id: case for case in cases}
        seen = dict(zip(unique, self.examiner.connection.ask([*unique.values()]), strict=True))
        return [seen[case.id] for case in cases]


def configure(connection: Connection | Module, dialect: str) -> bool:
    """Hand over what the questions of a dialect need, as its vectors have it."""
    return connection.configure(dialect, vectors.settings(dialect))


def digest(raw: bytes) -> str:
    """The name of an input in a corpus, as libFuzzer gives it."""
    return hashlib.sha1(raw, usedforsecurity=False).hexdigest()
