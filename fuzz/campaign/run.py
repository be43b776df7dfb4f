"""The parent process of a campaign: it starts children, stores what they report, and restarts those that end."""

from __future__ import annotations

import itertools
import os
import re
import selectors
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

from wireproof.conformance.connection.base import Options
from wireproof.conformance.connection.process.guarded import Guarded
from wireproof.conformance.model import Description
from wireproof.conformance.report.failure import repro_command
from wireproof.conformance.writing import write_whole
from wireproof.fuzz.campaign.dependencies import Dependencies, environment
from wireproof.fuzz.campaign.store import Kept, Store
from wireproof.fuzz.corpus import seeding
from wireproof.fuzz.errors import FuzzError
from wireproof.fuzz.process import messages
from wireproof.fuzz.process.input_file import read as read_running
from wireproof.fuzz.process.messages import Ended, Failed, Found, Order, Progress
from wireproof.fuzz.targets.finding import FuzzFinding
from wireproof.fuzz.targets.inputs import Forms
from wireproof.fuzz.targets.session import ChildSession
from wireproof.fuzz.targets.session_start import examiner_of, forms, kind_of

#: The reason for each exit code of libFuzzer.
EXITS = {77: "it ended the process", 70: "it took too long", 71: "it took too much memory", 72: "it was told to end"}
#: A child counts as hanging after this number of seconds without an event, plus the time limit of the questions; before
#: its first event after `START`, because a busy machine takes long to load and to instrument all modules.
SILENCE, START = 30.0, 300.0
#: After this number of children that ended, the implementation itself runs in a separate process.
DEATHS = 3
#: The campaign ends after this number of consecutive starts without an execution.
FAILED_STARTS = 3
#: After this number of seconds it is seen again whether inputs can still be written.
_ROOM = 10.0
_STATUS = re.compile(rb"cov: (\d+) ft: \d+ corp: (\d+)")
_TAIL = 4000


@dataclass(frozen=True)
class Plan:
    """The settings of a run. `seconds` and `runs`: it ends when one of these limits is reached (None: no limit).
    `vectors`: folders of the user's own vectors; they are seeds as well. `inputs`: further seeds. `words`: the user's
    dictionary, a file's content. `until_found`: end with the first finding."""

    spec: str
    target: str
    dialect: str
    dependencies: Dependencies
    only: str | None = None
    known: str | None = None
    vectors: tuple[str, ...] = ()
    inputs: tuple[bytes, ...] = ()
    words: bytes = b""
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
    """The progress of a run."""

    executions: int = 0
    seconds: float = 0.0
    coverage: int = 0
    corpus: int = 0
    restarts: int = 0
    known: Counter[str] = field(default_factory=Counter)
    new: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Job:
    """A running child."""

    guarded: Guarded
    events: int
    running: Path
    number: int
    in_child: bool
    last_event: float
    unfinished: bytes = b""
    stderr: bytes = b""
    progress: Progress | None = None
    ended: bool = False
    failed: str = ""
    counted: Counter[str] = field(default_factory=Counter)
    known: Counter[str] = field(default_factory=Counter)
    executions: int = 0

    @property
    def process(self) -> subprocess.Popen[bytes]:
        return self.guarded.process


class Run:
    """Runs one target with one dialect until its time is over."""

    def __init__(
        self, plan: Plan, store: Store, described: Description, watch: Callable[[State, FuzzFinding | None], None]
    ) -> None:
        """`watch` is called now and then, and with each new finding."""
        self.plan = plan
        self.store = store
        self.described = described
        self.state = State()
        self._watch = watch
        self._kind = kind_of(plan.target)
        self._forms: Forms = forms(self._kind, described, plan.dialect, plan.only)
        self._in_child = plan.dependencies.in_child
        self._began = 0.0
        self._before = store.executions
        self._deaths = 0
        self._failed_starts = 0
        self._starts = 0
        self._selector = selectors.DefaultSelector()

    def go(self) -> State:
        """Run until the end. Raises FuzzError; the findings made before are kept."""
        with tempfile.TemporaryDirectory(prefix="wireproof-fuzz-") as name:
            folder = Path(name)
            seeds = folder / "seeds"
            try:
                first = seeding.seeds(self._kind, self.plan.dialect, self._forms)
                count = seeding.write(itertools.chain(first, self.plan.inputs), seeds)
                self._words = self._write_words(folder)
            except OSError as error:
                raise FuzzError(
                    f"{error.filename or seeds}: {error.strerror or error}. The first inputs are written to the folder "
                    "for temporary files; TMPDIR names another one."
                ) from None
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
            self.store.demand_room()
            self._note("end")
        return self.state

    def _write_words(self, folder: Path) -> str | None:
        """Write libFuzzer's dictionary. None if there are no words, or if only its own mutations are wanted."""
        words = seeding.words(self._kind, self.plan.dialect) if self.plan.structured else []
        content = seeding.dictionary_file(words) + self.plan.words
        if not content:
            return None
        path = folder / "words"
        write_whole(path, content)
        return str(path)

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
            words=self._words,
            vectors=self.plan.vectors,
            packages=() if self._in_child else self.plan.dependencies.packages,
            in_child=self._in_child,
            structured=self.plan.structured,
            seed=self.plan.seed + self._starts - 1,
            seconds=self._left,
            runs=None if self._runs is None else max(0, self._runs - self.state.executions),
            timeout=self.plan.timeout,
            memory=self.plan.memory,
            avoided=self.store.avoided(),
        )
        try:
            guarded = Guarded(
                [sys.executable, "-P", "-m", "wireproof.fuzz.process.child", msgspec.json.encode(order).decode()],
                environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                pass_fds=(writing,),
            )
        finally:
            os.close(writing)
        process = guarded.process
        job = _Job(guarded, reading, running, number, self._in_child, time.monotonic())
        assert process.stderr is not None
        os.set_blocking(reading, False)
        os.set_blocking(process.stderr.fileno(), False)
        self._selector.register(reading, selectors.EVENT_READ, (job, True))
        self._selector.register(process.stderr, selectors.EVENT_READ, (job, False))
        return job

    def _end(self, job: _Job) -> None:
        """End a child, if it still runs, and close its pipes."""
        if job.process.stderr is None or job.process.stderr.closed:
            return
        job.guarded.kill()
        self._selector.unregister(job.events)
        self._selector.unregister(job.process.stderr)
        os.close(job.events)
        job.process.stderr.close()

    def _follow(self, folder: Path, jobs: list[_Job]) -> None:
        looked = self._began
        while jobs:
            if time.monotonic() - looked > _ROOM:
                looked = time.monotonic()
                self.store.demand_room()
            for key, _ in self._selector.select(0.2):
                job, events = key.data
                self._read(job, events)
            self.state.seconds = time.monotonic() - self._began
            self._watch(self.state, None)
            if self.plan.until_found and self.state.new:
                return
            for job in [*jobs]:
                if job.process.poll() is not None:
                    self._read_rest(job)
                elif not self._silent(job):
                    continue
                jobs.remove(job)
                self._end(job)
                if self._replace_ended(job):
                    jobs.append(self._start(folder, job.number))

    def _silent(self, job: _Job) -> bool:
        """Whether a child has sent no event for too long."""
        silence = SILENCE if job.executions else START
        waiting = silence + self.plan.timeout * (40 if job.in_child else 2)
        return time.monotonic() - job.last_event > waiting

    def _read_rest(self, job: _Job) -> None:
        while self._read(job, True) or self._read(job, False):
            pass

    def _replace_ended(self, job: _Job) -> bool:
        """Handle the end of a child. True if another one must replace it. A child that died when the time was over is
        asked about as well: a hang is only noticed after its time limit, and turns are short."""
        if job.failed:
            raise FuzzError(job.failed)
        if job.ended:
            return False
        over = self._left is not None and self._left <= 0 and job.executions > 0
        code = job.process.returncode
        self.state.restarts += not over
        raw = read_running(job.running)
        if job.executions == 0 and not raw:
            self._failed_starts += 1
        else:
            self._failed_starts = 0
        if self._failed_starts >= FAILED_STARTS or (code == 77 and b"Uncaught Python exception" in job.stderr):
            raise RuntimeError(f"a child of the campaign ended ({code}):\n{_last_lines(job.stderr)}")
        self._died(raw, code)
        return not over

    def _died(self, raw: bytes, code: int) -> None:
        why = EXITS.get(code, f"signal {-code}" if code < 0 else f"exit {code}")
        self.store.log("death", target=self.plan.target, dialect=self.plan.dialect, why=why, input=raw.hex())
        if not raw:
            return
        self.store.avoid(raw)
        self._deaths += 1
        before = len(self.state.new)
        self._ask_again(raw)
        if self._deaths >= DEATHS and not self._in_child:
            self._in_child = True
            self.store.log("outside", why=f"{DEATHS} children ended", new=len(self.state.new) - before)

    def _ask_again(self, raw: bytes) -> None:
        """Ask about the input that ended a child again, in a watched child, and judge the result."""
        options = Options(timeout=self.plan.timeout, memory=self.plan.memory)
        with examiner_of(self.plan.spec, options, self.plan.known) as examiner:
            session = ChildSession(self._kind, self._forms, examiner, _StoringListener(self))
            session.execute(raw)
            session.finish()
            self._count(Counter(session.counts.findings), session.counts.known)

    # --- Events of children ---

    def _read(self, job: _Job, events: bool) -> bool:
        """Read from a child: its events, or else its stderr. True if there was something to read."""
        assert job.process.stderr is not None
        try:
            chunk = os.read(job.events if events else job.process.stderr.fileno(), 1 << 16)
        except BlockingIOError:
            return False
        if not chunk:
            return False
        if events:
            job.last_event = time.monotonic()
            *lines, job.unfinished = (job.unfinished + chunk).split(b"\n")
            for line in lines:
                self._take_event(job, messages.decode(line))
        else:
            self._take_stderr(job, chunk)
        return True

    def _take_stderr(self, job: _Job, chunk: bytes) -> None:
        job.stderr = (job.stderr + chunk)[-_TAIL:]
        for status in _STATUS.finditer(chunk):
            self.state.coverage = max(self.state.coverage, int(status[1]))
            self.state.corpus = max(self.state.corpus, int(status[2]))

    def _take_event(self, job: _Job, event: messages.Event) -> None:
        match event:
            case Progress():
                self.state.executions += event.executions - job.executions
                job.executions = event.executions
                findings, known = Counter(event.findings), Counter(event.known)
                self._count(findings - job.counted, known - job.known)
                job.counted, job.known = findings, known
            case Found():
                self.keep(event.finding)
            case Failed():
                job.failed = event.why
            case Ended():
                job.ended = True

    def _count(self, findings: Counter[str], known: Counter[str]) -> None:
        for name, times in findings.items():
            kept = self.store.findings.get(name)
            if kept is not None and times:
                self.store.keep(msgspec.structs.replace(kept, times=kept.times + times))
        self.state.known.update(known)

    def keep(self, finding: FuzzFinding) -> None:
        """Store a finding if its input is smaller now, or if it is new: also if it was mended, or known."""
        old = self.store.findings.get(finding.name)
        if old is None or old.known is not None:
            kept = kept_of(finding, self.described, self.plan.spec, self._before + self.state.executions)
            self.store.keep(kept)
            self._note("finding", name=finding.name, id=finding.id)
            self.state.new.append(finding.name)
            self._watch(self.state, finding)
        elif finding.order < old.finding.order:
            repro = repro_command(finding.id, self.plan.spec)
            self.store.keep(msgspec.structs.replace(old, finding=finding, repro=repro))

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


def kept_of(finding: FuzzFinding, described: Description, spec: str, executions: int = 0) -> Kept:
    """What is kept of a finding that is seen now for the first time, after so many executions."""
    return Kept(
        finding=finding,
        implementation=described.name,
        version=described.version,
        spec=spec,
        repro=repro_command(finding.id, spec),
        first_seen=round(time.time(), 3),
        executions=executions,
        times=0,
    )


class _StoringListener:
    """Stores the findings of a session in this process."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def found(self, finding: FuzzFinding) -> None:
        self._run.keep(finding)

    def novel(self, raw: bytes, shown: Any) -> None:
        pass


def _last_lines(said: bytes) -> str:
    return "\n".join(said.decode("utf-8", "replace").splitlines()[-30:])


def describe(spec: str, options: Options, known_file: str | None) -> Description:
    """The description of an implementation, which runs in a child. Raises ImplementationError, KnownError, and
    FuzzError for a client that runs."""
    with examiner_of(spec, options, known_file) as examiner:
        described = examiner.description
    if described.bootstrap:
        raise FuzzError(f"{spec} is a client that runs: campaigns ask codecs. Ask it with pytest --impl={spec}")
    return described
