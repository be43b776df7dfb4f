"""The process that a person starts: it starts children, hears what they tell, keeps it, and goes on when one ends."""

from __future__ import annotations

import contextlib
import os
import re
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from conformance.connection.base import Options
from conformance.connection.guard import guard
from conformance.model import Description
from conformance.report.failure import repro_command
from fuzz import orders, seeding
from fuzz.errors import FuzzError
from fuzz.found import Found
from fuzz.inputs import Forms
from fuzz.opening import examiner_of, forms, kind_of
from fuzz.orders import Ended, Failed, Finding, Order, Progress
from fuzz.running_input import read as read_running
from fuzz.scouting import Ground, environment
from fuzz.session import Outside
from fuzz.store import Kept, Store

#: How libFuzzer ends a process: by what.
EXITS = {77: "it ended the process", 70: "it took too long", 71: "it took too much memory", 72: "it was told to end"}
#: Seconds without an event after which a child is taken for hanging, beside the time that a question may take.
SILENCE = 30.0
#: After so many deaths inside a process an implementation is asked in a child of its own.
DEATHS = 3
#: So many starts in a row without an execution end the campaign.
FAILED_STARTS = 3
_STATUS = re.compile(rb"cov: (\d+) ft: \d+ corp: (\d+)")
_TAIL = 4000


@dataclass(frozen=True)
class Plan:
    """What is to be done. `seconds` and `runs`: when it ends, whichever comes first; None for never.
    `until_found`: it ends with the first finding, too."""

    spec: str
    target: str
    dialect: str
    ground: Ground
    only: str | None = None
    known: str | None = None
    seconds: float | None = None
    runs: int | None = None
    jobs: int = 1
    seed: int = 0
    timeout: float = 5.0
    memory: int = 1024
    structured: bool = True
    until_found: bool = False


@dataclass(slots=True)
class State:
    """How far a run is, for whoever watches."""

    executions: int = 0
    seconds: float = 0.0
    coverage: int = 0
    corpus: int = 0
    restarts: int = 0
    known: Counter[str] = field(default_factory=Counter)
    new: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Job:
    """A child at work."""

    process: subprocess.Popen[bytes]
    events: int
    running: Path
    number: int
    outside: bool
    heard: float
    half: bytes = b""
    said: bytes = b""
    progress: Progress | None = None
    ended: bool = False
    failed: str = ""
    counted: Counter[str] = field(default_factory=Counter)
    known: Counter[str] = field(default_factory=Counter)
    executions: int = 0


class Run:
    """One target on one dialect, until its time is over."""

    def __init__(
        self, plan: Plan, store: Store, described: Description, watch: Callable[[State, Found | None], None]
    ) -> None:
        """`watch` is called now and then, and with each new finding."""
        self.plan = plan
        self.store = store
        self.described = described
        self.state = State()
        self._watch = watch
        self._kind = kind_of(plan.target)
        self._forms: Forms = forms(self._kind, described, plan.dialect, plan.only)
        self._outside = plan.ground.outside
        self._began = 0.0
        self._before = store.executions
        self._deaths = 0
        self._failed_starts = 0
        self._starts = 0
        self._selector = selectors.DefaultSelector()

    def go(self) -> State:
        """Run it to its end. Raises FuzzError; what was told before is kept."""
        with tempfile.TemporaryDirectory(prefix="wireproof-fuzz-") as name:
            folder = Path(name)
            seeds = folder / "seeds"
            seeds.mkdir()
            count = seeding.write(seeding.seeds(self._kind, self.plan.dialect, self._forms), seeds)
            corpus = self.store.corpus(self.plan.target, self.plan.dialect)
            count += len(list(corpus.iterdir()))
            self._corpus = (str(corpus), str(seeds))
            self._runs = None if self.plan.runs is None else self.plan.runs + count
            self._began = time.monotonic()
            self.store.log("begin", target=self.plan.target, dialect=self.plan.dialect, spec=self.plan.spec)
            jobs: list[_Job] = []
            try:
                jobs.extend(self._start(folder, number) for number in range(self.plan.jobs))
                self._follow(folder, jobs)
            finally:
                for job in jobs:
                    self._end(job)
            self._note("end")
        return self.state

    # --- Children ---

    @property
    def _left(self) -> float | None:
        return None if self.plan.seconds is None else self._began + self.plan.seconds - time.monotonic()

    def _start(self, folder: Path, number: int) -> _Job:
        reading, writing = os.pipe()
        running = folder / f"running-{number}"
        self._starts += 1
        order = Order(
            spec=self.plan.spec,
            target=self.plan.target,
            dialect=self.plan.dialect,
            corpus=self._corpus,
            running=str(running),
            events=writing,
            only=self.plan.only,
            known=self.plan.known,
            packages=() if self._outside else self.plan.ground.packages,
            outside=self._outside,
            structured=self.plan.structured,
            seed=self.plan.seed + self._starts - 1,
            seconds=self._left,
            runs=None if self._runs is None else max(0, self._runs - self.state.executions),
            timeout=self.plan.timeout,
            memory=self.plan.memory,
            avoided=self.store.avoided(),
        )
        try:
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "fuzz.child", msgspec.json.encode(order).decode()],
                env=environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                pass_fds=(writing,),
                process_group=0,
            )
        finally:
            os.close(writing)
        guard.watch(process.pid)
        job = _Job(process, reading, running, number, self._outside, time.monotonic())
        assert process.stderr is not None
        os.set_blocking(reading, False)
        os.set_blocking(process.stderr.fileno(), False)
        self._selector.register(reading, selectors.EVENT_READ, (job, True))
        self._selector.register(process.stderr, selectors.EVENT_READ, (job, False))
        return job

    def _end(self, job: _Job) -> None:
        """Make sure that a child is gone, and that what it told is kept."""
        if job.process.stderr is None or job.process.stderr.closed:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(job.process.pid, signal.SIGKILL)
        job.process.wait()
        guard.forget(job.process.pid)
        self._selector.unregister(job.events)
        self._selector.unregister(job.process.stderr)
        os.close(job.events)
        job.process.stderr.close()

    def _follow(self, folder: Path, jobs: list[_Job]) -> None:
        while jobs:
            for key, _ in self._selector.select(0.2):
                job, told = key.data
                self._hear(job, told)
            self.state.seconds = time.monotonic() - self._began
            self._watch(self.state, None)
            if self.plan.until_found and self.state.new:
                return
            for job in [*jobs]:
                if job.process.poll() is not None:
                    self._drain(job)
                elif not self._silent(job):
                    continue
                jobs.remove(job)
                self._end(job)
                if self._goes_on(job):
                    jobs.append(self._start(folder, job.number))

    def _silent(self, job: _Job) -> bool:
        """Whether a child has told nothing for too long."""
        waiting = SILENCE + self.plan.timeout * (40 if job.outside else 2)
        return time.monotonic() - job.heard > waiting

    def _drain(self, job: _Job) -> None:
        while self._hear(job, True) or self._hear(job, False):
            pass

    def _goes_on(self, job: _Job) -> bool:
        """What became of a child, and whether another takes its place."""
        if job.failed:
            raise FuzzError(job.failed)
        if job.ended:
            return False
        if self._left is not None and self._left <= 0 and job.executions:
            return False
        code = job.process.returncode
        self.state.restarts += 1
        raw = read_running(job.running)
        if job.executions == 0 and not raw:
            self._failed_starts += 1
        else:
            self._failed_starts = 0
        if self._failed_starts >= FAILED_STARTS or (code == 77 and b"Uncaught Python exception" in job.said):
            raise RuntimeError(f"a child of the campaign ended ({code}):\n{_last(job.said)}")
        self._died(raw, code)
        return True

    def _died(self, raw: bytes, code: int) -> None:
        why = EXITS.get(code, f"signal {-code}" if code < 0 else f"exit {code}")
        self.store.log("death", target=self.plan.target, dialect=self.plan.dialect, why=why, input=raw.hex())
        if not raw:
            return
        self.store.avoid(raw)
        self._deaths += 1
        told = len(self.state.new)
        self._ask_again(raw)
        if self._deaths >= DEATHS and not self._outside:
            self._outside = True
            self.store.log("outside", why=f"{DEATHS} children ended", new=len(self.state.new) - told)

    def _ask_again(self, raw: bytes) -> None:
        """Ask about the input that ended a child, in a child that is watched: what becomes of it is judged there."""
        options = Options(timeout=self.plan.timeout, memory=self.plan.memory)
        with examiner_of(self.plan.spec, options, self.plan.known) as examiner:
            session = Outside(self._kind, self._forms, examiner, _Keeping(self))
            session.execute(raw)
            session.finish()
            self._count(Counter(session.counts.findings), session.counts.known)

    # --- What children tell ---

    def _hear(self, job: _Job, told: bool) -> bool:
        """Take up what has come; whether anything has."""
        assert job.process.stderr is not None
        try:
            chunk = os.read(job.events if told else job.process.stderr.fileno(), 1 << 16)
        except BlockingIOError:
            return False
        if not chunk:
            return False
        if told:
            job.heard = time.monotonic()
            *lines, job.half = (job.half + chunk).split(b"\n")
            for line in lines:
                self._take(job, orders.decode(line))
        else:
            self._look(job, chunk)
        return True

    def _look(self, job: _Job, chunk: bytes) -> None:
        job.said = (job.said + chunk)[-_TAIL:]
        for found in _STATUS.finditer(chunk):
            self.state.coverage = max(self.state.coverage, int(found[1]))
            self.state.corpus = max(self.state.corpus, int(found[2]))

    def _take(self, job: _Job, event: orders.Event) -> None:
        match event:
            case Progress():
                self.state.executions += event.executions - job.executions
                job.executions = event.executions
                found, known = Counter(event.findings), Counter(event.known)
                self._count(found - job.counted, known - job.known)
                job.counted, job.known = found, known
            case Finding():
                self.keep(event.found)
            case Failed():
                job.failed = event.why
            case Ended():
                job.ended = True

    def _count(self, found: Counter[str], known: Counter[str]) -> None:
        for name, times in found.items():
            kept = self.store.findings.get(name)
            if kept is not None and times:
                self.store.keep(msgspec.structs.replace(kept, times=kept.times + times))
        self.state.known.update(known)

    def keep(self, found: Found) -> None:
        """Write a finding down: a new one, or one whose input is smaller now."""
        old = self.store.findings.get(found.name)
        if old is None:
            kept = Kept(
                finding=found,
                implementation=self.described.name,
                version=self.described.version,
                spec=self.plan.spec,
                repro=repro_command(found.id, self.plan.spec),
                first_seen=round(time.time(), 3),
                executions=self._before + self.state.executions,
                times=0,
            )
            self.store.keep(kept)
            self._note("finding", name=found.name, id=found.id)
            self.state.new.append(found.name)
            self._watch(self.state, found)
        elif found.order < old.finding.order:
            self.store.keep(msgspec.structs.replace(old, finding=found, repro=repro_command(found.id, self.plan.spec)))

    def _note(self, event: str, **members: Any) -> None:
        self.store.executions = self._before + self.state.executions
        self.store.log(
            event,
            target=self.plan.target,
            dialect=self.plan.dialect,
            executions=self.store.executions,
            coverage=self.state.coverage,
            **members,
        )


class _Keeping:
    """Findings of a session in this process."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def found(self, finding: Found) -> None:
        self._run.keep(finding)

    def novel(self, raw: bytes, shown: Any) -> None:
        pass


def _last(said: bytes) -> str:
    return "\n".join(said.decode("utf-8", "replace").splitlines()[-30:])


def describe(spec: str, options: Options, known_file: str | None) -> Description:
    """What an implementation says of itself, in a child. Raises ImplementationError, KnownError."""
    with examiner_of(spec, options, known_file) as examiner:
        return examiner.description
