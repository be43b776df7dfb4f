"""The process in which libFuzzer runs: `python -m wireproof.fuzz.process.child ORDER`. It sends events to its parent,
and never returns.

libFuzzer ends the process without a chance to clean up. So the child sends each event at once, and ends itself when its
time or its executions are used up.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

import atheris
import msgspec

from wireproof.conformance import garbage
from wireproof.fuzz.process import instrument
from wireproof.fuzz.process.instrument import Generated
from wireproof.fuzz.process.messages import Ended, Event, Failed, Found, Order, Progress, encode

#: Seconds between two reports of progress.
_REPORTED = 0.5
#: After this number of executions the next generated function is instrumented, which takes 15 milliseconds: at most a
#: tenth of the time, until all of them are. It is not a time, so that a run can be repeated.
_INSTRUMENTED = 2000
#: libFuzzer's time limit in seconds if the connection has its own. With 0, atheris ends the process after one second.
_NO_LIMIT = 1_000_000
#: The number of branches that stand for new behaviour of an implementation.
_NOVELTIES = 4096


class _Parent:
    """Sends events to the parent. If the parent is gone, the child ends."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def send(self, event: Event) -> None:
        line = encode(event)
        try:
            while line:
                line = line[os.write(self._descriptor, line) :]
        except OSError:
            os._exit(1)


def main(argument: str) -> NoReturn:
    """Carry out an order."""
    order = msgspec.json.decode(argument, type=Order)
    parent = _Parent(order.events)
    # The output of the implementation is dropped.
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1):
        os.dup2(null, stream)
    if instrument.REFERENCE in sys.modules:
        raise RuntimeError("the reference was imported before it could be instrumented")
    generated = instrument.install({instrument.REFERENCE, *order.packages}, order.dialect, order.target)
    # Imported only now: modules that are imported earlier are not instrumented.
    from wireproof.conformance.connection import ImplementationError
    from wireproof.conformance.connection.process.limits import apply
    from wireproof.fuzz.errors import FuzzError

    apply(order.memory)
    try:
        _run(order, parent, generated)
    except (FuzzError, ImplementationError) as error:
        parent.send(Failed(str(error)))
        os._exit(1)


def _run(order: Order, parent: _Parent, generated: Generated) -> NoReturn:
    from wireproof.conformance import vectors
    from wireproof.fuzz.process.input_file import RunningInput
    from wireproof.fuzz.process.mutator import Mutator
    from wireproof.fuzz.targets.session_start import open_session

    vectors.use_folders(map(Path, order.vectors))
    novelties = _Novelties(Path(order.corpus[0]))
    session = open_session(
        order.spec,
        order.target,
        order.dialect,
        _Listener(parent, novelties),
        only=order.only,
        known=order.known,
        in_child=order.in_child,
        timeout=order.timeout,
        memory=order.memory,
    )
    instrument.show_branches()
    target = _Target(order, session, parent, RunningInput(Path(order.running)), novelties, generated)
    mutator = Mutator(session.forms, instrument.basic_mutation, structured=order.structured, drawn=session.kind.draws)
    limit = _NO_LIMIT if order.in_child else max(1, round(order.timeout))
    arguments = [
        sys.argv[0],
        f"-seed={order.seed + 1}",  # with 0 libFuzzer would choose a seed itself
        f"-timeout={limit}",
        f"-rss_limit_mb={order.memory + 512}",
        "-max_len=4096",
        "-len_control=20",
        "-mutate_depth=2",
        "-reload=1",
        "-print_final_stats=0",
        f"-artifact_prefix={order.running}.",
        *([] if order.words is None else [f"-dict={order.words}"]),
        *order.corpus,
    ]
    atheris.Setup(arguments, target, custom_mutator=mutator)
    garbage.freeze_and_collect_rarely()
    atheris.Fuzz()
    raise AssertionError("atheris.Fuzz returned")


class _Novelties:
    """Additional branches for libFuzzer, so that it also keeps inputs that caused new behaviour."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._first: int | None = None
        self._of: dict[bytes, int] = {}
        self._count = 0

    def _branch(self, number: int) -> None:
        if self._first is None:
            self._first = atheris._reserve_counter()  # noqa: SLF001 (atheris's own way to name a branch)
            for _ in range(_NOVELTIES - 1):
                atheris._reserve_counter()  # noqa: SLF001
        atheris._trace_branch(self._first + number)  # noqa: SLF001

    def add(self, raw: bytes) -> None:
        """Have this input kept. If its run is already over, libFuzzer keeps it when it next reads the folder."""
        if self._count >= _NOVELTIES or raw in self._of:
            return
        self._of[raw] = self._count
        self._branch(self._count)
        self._count += 1
        from wireproof.conformance.writing import write_whole
        from wireproof.fuzz.targets.inputs import digest

        with contextlib.suppress(OSError):  # the parent reports a folder that cannot be written
            write_whole(self._folder / digest(raw), raw)

    def visit(self, raw: bytes) -> None:
        """Take the branch of this input again, if it has one."""
        if self._of and (number := self._of.get(raw)) is not None:
            self._branch(number)


class _Listener:
    def __init__(self, parent: _Parent, novelties: _Novelties) -> None:
        self._parent = parent
        self._novelties = novelties

    def found(self, finding: Any) -> None:
        self._parent.send(Found(finding))

    def novel(self, raw: bytes, shown: Any) -> None:  # noqa: ARG002 (only the fact that it is new counts)
        self._novelties.add(raw)


class _Target:
    """libFuzzer calls this with each input."""

    def __init__(
        self,
        order: Order,
        session: Any,
        parent: _Parent,
        running: Any,
        novelties: _Novelties,
        generated: Generated,
    ) -> None:
        from wireproof.fuzz.targets.inputs import digest

        self._digest = digest
        self._session = session
        self._parent = parent
        self._running = running
        self._novelties = novelties
        self._generated = generated
        self._avoided = frozenset(order.avoided)
        self._runs = order.runs
        self._end = None if order.seconds is None else time.monotonic() + order.seconds
        self._next_report = 0.0

    def __call__(self, raw: bytes) -> int:
        session = self._session
        self._running.set(raw)
        self._novelties.visit(raw)
        if self._avoided and self._digest(raw) in self._avoided:
            return -1
        taken = session.execute(raw)
        counts = session.counts
        if counts.executions % _INSTRUMENTED == 0:
            self._generated.one_more()
        now = time.monotonic()
        if now >= self._next_report:
            self._next_report = now + _REPORTED
            self._report()
        if (self._end is not None and now >= self._end) or (self._runs is not None and counts.executions >= self._runs):
            self._leave()
        return 0 if taken else -1

    def _report(self) -> None:
        counts = self._session.counts
        progress = Progress(counts.executions, counts.judged, dict(counts.findings), dict(counts.known))
        self._parent.send(progress)

    def _leave(self) -> NoReturn:
        self._session.finish()
        self._report()
        self._parent.send(Ended())
        self._session.examiner.close()
        os._exit(0)  # neither atexit functions nor the code after Fuzz() would run


if __name__ == "__main__":
    main(sys.argv[1])
