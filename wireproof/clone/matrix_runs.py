"""Builds implementations of the clone and runs the suite against them, several at a time, and keeps each finished run.

A run is kept as `<name>.<key>.<exit code>.jsonl`, a report as of `pytest --report`. The key is a digest of everything
that the run depends on: the implementation's files, its version, its known deviations, the limits, the vectors and the
kit. A run with the same key is used again. What pytest printed is beside it, in `<name>.log`.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

from wireproof.clone import registry
from wireproof.clone.registry import Implementation
from wireproof.conformance import vectors
from wireproof.conformance.connection import ImplementationError, Options
from wireproof.conformance.report.jsonl import IS_REPORT
from wireproof.conformance.writing import Folder, marked
from wireproof.errors import WireproofError
from wireproof.pipeline.identity import identify, kit_digest

#: Seconds between two looks at the runs.
_LOOK = 1.0
#: The first line of a log.
_LOG_MARK = b"What pytest printed in a run of `wireproof matrix`:\n"
#: pytest's exit codes of a whole run.
_WHOLE = (0, 1)
#: Folders of a wrapper that are no source.
_NO_SOURCE = frozenset({"node_modules", "target", "__pycache__"})


class CannotRunError(WireproofError):
    """An implementation that cannot be built or run here. The text says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Run:
    """A finished run: its report, and whether it was kept from an earlier time. `code`: pytest's exit code."""

    implementation: Implementation
    report: Path
    code: int
    kept: bool


@dataclass(frozen=True, slots=True)
class NotRun:
    """An implementation that was not run. `broken`: the run was begun, and did not come to its end."""

    implementation: Implementation
    why: str
    broken: bool = False


class Runner:
    """Runs implementations, `jobs` at a time, and keeps their reports in `folder`."""

    def __init__(self, folder: Path, jobs: int, options: Options) -> None:
        self._folder = folder
        self._files = Folder(folder)
        self._jobs = jobs
        self._options = options
        self._stopped = False
        self._lock = threading.Lock()
        self._children: set[subprocess.Popen[bytes]] = set()
        self._builds: dict[str, threading.Lock] = {}
        self._built: dict[str, str] = {}
        #: Name → the report that is being written.
        self._open: dict[str, Path] = {}

    def run(self, wanted: Sequence[Implementation], look: Callable[[str], None]) -> Iterator[Run | NotRun]:
        """All runs, each when it ends. `look` gets a line about the running ones now and then."""
        with ThreadPoolExecutor(self._jobs) as pool:
            left: set[Future[Run | NotRun]] = {pool.submit(self._one, one) for one in wanted}
            try:
                while left:
                    ended, left = wait(left, _LOOK, FIRST_COMPLETED)
                    look(self._line())
                    yield from (one.result() for one in ended)
            finally:
                self._stop(left)

    def _stop(self, left: set[Future[Run | NotRun]]) -> None:
        """End what still runs."""
        with self._lock:
            self._stopped = True
            children = [*self._children]
        for future in left:
            future.cancel()
        for child in children:
            child.terminate()

    def _line(self) -> str:
        """`kio 12,000, kafka-clients 300`: the questions asked so far."""
        with self._lock:
            running = [*self._open.items()]
        return ", ".join(f"{name} {_lines(path):,}" for name, path in running)

    def _one(self, implementation: Implementation) -> Run | NotRun:
        try:
            self._build(implementation)
            key = key_of(implementation, self._options)
            kept = next(iter(sorted(self._folder.glob(f"{implementation.name}.{key}.*.jsonl"))), None)
            if kept is not None:
                return Run(implementation, kept, int(kept.suffixes[-2][1:]), kept=True)
            return self._asked(implementation, key)
        except (CannotRunError, ImplementationError) as error:
            return NotRun(implementation, _first(str(error)))

    # --- Building ---

    def _build(self, implementation: Implementation) -> None:
        """Run its build, once for all that it builds. Raises CannotRunError."""
        if implementation.build is None:
            return
        with self._lock:
            lock = self._builds.setdefault(implementation.build, threading.Lock())
        with lock:
            if implementation.build not in self._built:
                code, said = self._call([str(registry.ROOT / implementation.build)])
                self._built[implementation.build] = "" if code == 0 else f"{implementation.build} failed: {_last(said)}"
        if self._built[implementation.build]:
            raise CannotRunError(self._built[implementation.build])

    # --- Asking ---

    def _asked(self, implementation: Implementation, key: str) -> Run | NotRun:
        name = implementation.name
        report = self._folder / f"{name}.part"
        with self._lock:
            self._open[name] = report
        try:
            code, said = self._call(
                [
                    *(sys.executable, "-m", "pytest", f"--impl={implementation.spec}", f"--report={report}"),
                    *(f"--case-timeout={self._options.timeout}", f"--memory={self._options.memory}"),
                    *("-q", "--tb=no", "-p", "no:cacheprovider"),
                ]
            )
        finally:
            with self._lock:
                del self._open[name]
        self._files.write(f"{name}.log", _LOG_MARK + said, marked(_LOG_MARK))
        if code not in _WHOLE or not report.is_file():
            return NotRun(implementation, f"pytest ended with {code}: {_last(said)}", broken=True)
        for old in self._folder.glob(f"{name}.*.*.jsonl"):
            self._files.delete(old.name, IS_REPORT)
        whole = f"{name}.{key}.{code}.jsonl"
        self._files.rename(report.name, whole)
        return Run(implementation, self._folder / whole, code, kept=False)

    def _call(self, command: list[str]) -> tuple[int, bytes]:
        """Run a program in the clone's folder: its exit code, and all that it printed. Raises CannotRunError."""
        with self._lock:
            if self._stopped:
                raise CannotRunError("it was interrupted")
            try:
                child = subprocess.Popen(
                    command,
                    cwd=registry.ROOT,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    env=os.environ | {"NO_COLOR": "1"},
                )
            except OSError as error:
                raise CannotRunError(f"{command[0]} cannot be started: {error.strerror or error}") from None
            self._children.add(child)
        try:
            said, _ = child.communicate()
        finally:
            with self._lock:
                self._children.discard(child)
        return child.returncode, said


def key_of(implementation: Implementation, options: Options) -> str:
    """The key of a run. Starts the implementation. Raises ImplementationError if that fails."""
    total = hashlib.sha256()
    limits = f"{options.timeout} {options.memory}"
    for part in (identify(implementation.absolute, options).digest, kit_digest(), vectors.digest(), limits):
        total.update(f"{part}\n".encode())
    for path in _sources(implementation):
        total.update(str(path.relative_to(registry.ROOT)).encode() + b"\0")
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()[:16]


def _sources(implementation: Implementation) -> Iterator[Path]:
    """The files of a wrapper in the clone: those of its language's folder; its known deviations."""
    program = implementation.spec.removeprefix("exec:")
    if program != implementation.spec:
        folder = registry.ROOT.joinpath(*Path(program).parts[:2])
        for path in sorted(folder.rglob("*")):
            if path.is_file() and not _NO_SOURCE & set(path.relative_to(folder).parts):
                yield path
    elif implementation.known_file is not None:
        yield implementation.known_file


def _lines(path: Path) -> int:
    """The number of lines of a report so far."""
    with contextlib.suppress(OSError), path.open("rb") as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))
    return 0


def _first(text: str) -> str:
    return text.strip().partition("\n")[0]


def _last(said: bytes) -> str:
    """The last line of what a program printed."""
    lines = said.decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else "it printed nothing"
