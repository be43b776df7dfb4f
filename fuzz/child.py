"""The process in which libFuzzer runs: `python -m fuzz.child ORDER`. It tells its parent by events and never returns.

libFuzzer ends the process itself, without a chance to clean up. So what has to be told is told as it happens, and the
process ends itself when its time or its executions are used up.
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

from fuzz import instrument
from fuzz.instrument import Generated
from fuzz.orders import Ended, Event, Failed, Finding, Order, Progress, encode

#: Seconds between two reports of progress.
_REPORTED = 0.5
#: Every so many executions another generated function is instrumented: not by the clock, so that a run is repeatable.
_INSTRUMENTED = 300
#: Seconds, where the connection watches the time: with 0 atheris ends the process at the first second's pause.
_NO_LIMIT = 1_000_000
#: So many branches stand for what is novel of what an implementation showed.
_NOVELTIES = 4096


class _Telling:
    """Events to the parent. One that is gone is the end."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def tell(self, event: Event) -> None:
        line = encode(event)
        try:
            while line:
                line = line[os.write(self._descriptor, line) :]
        except OSError:
            os._exit(1)


def main(argument: str) -> NoReturn:
    """Carry out an order."""
    order = msgspec.json.decode(argument, type=Order)
    telling = _Telling(order.events)
    # What the implementation prints belongs nowhere.
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1):
        os.dup2(null, stream)
    if "reference" in sys.modules:
        raise RuntimeError("the reference was imported before it could be instrumented")
    generated = instrument.install({"reference", *order.packages})
    # Only now, or what is imported would not be instrumented.
    from conformance.connection import ImplementationError
    from conformance.connection.limits import apply
    from fuzz.errors import FuzzError

    apply(order.memory)
    try:
        _run(order, telling, generated)
    except (FuzzError, ImplementationError) as error:
        telling.tell(Failed(str(error)))
        os._exit(1)


def _run(order: Order, telling: _Telling, generated: Generated) -> NoReturn:
    from fuzz.mutator import Mutator
    from fuzz.opening import opened
    from fuzz.running_input import RunningInput

    novelties = _Novelties(Path(order.corpus[0]))
    session = opened(order, _Listener(telling, novelties))
    target = _Target(order, session, telling, RunningInput(Path(order.running)), novelties, generated)
    mutator = Mutator(session.forms, _basic, structured=order.structured)
    limit = _NO_LIMIT if order.outside else max(1, round(order.timeout))
    arguments = [
        sys.argv[0],
        f"-seed={order.seed + 1}",  # 0 would be a seed of its own choice
        f"-timeout={limit}",
        f"-rss_limit_mb={order.memory + 512}",
        "-max_len=4096",
        "-len_control=20",
        "-mutate_depth=2",
        "-reload=1",
        "-print_final_stats=0",
        f"-artifact_prefix={order.running}.",
        *order.corpus,
    ]
    named: dict[str, Any] = {} if session.kind.draws else {"custom_mutator": mutator}
    atheris.Setup(arguments, target, **named)
    atheris.Fuzz()
    raise AssertionError("atheris.Fuzz returned")


def _basic(data: bytes, most: int) -> bytes:
    """libFuzzer's own mutation. Looked up each time: `Setup` puts another function there."""
    return bytes(atheris.Mutate(data, most))


class _Novelties:
    """Branches of our own, so that an input which showed something new is kept as one that took a new branch is."""

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
        """This input is to be kept, now or, where it has been run, when libFuzzer next reads its folder."""
        if self._count >= _NOVELTIES or raw in self._of:
            return
        self._of[raw] = self._count
        self._branch(self._count)
        self._count += 1
        from fuzz.session import digest

        with contextlib.suppress(OSError):  # the parent tells of a folder that cannot be written
            path = self._folder / digest(raw)
            if not path.exists():
                path.write_bytes(raw)

    def visit(self, raw: bytes) -> None:
        """This input is run: where it was novel, so it is now."""
        if self._of and (number := self._of.get(raw)) is not None:
            self._branch(number)


class _Listener:
    def __init__(self, telling: _Telling, novelties: _Novelties) -> None:
        self._telling = telling
        self._novelties = novelties

    def found(self, finding: Any) -> None:
        self._telling.tell(Finding(finding))

    def novel(self, raw: bytes, shown: Any) -> None:  # noqa: ARG002 (that it is new is all that counts)
        self._novelties.add(raw)


class _Target:
    """What libFuzzer calls with each input."""

    def __init__(
        self,
        order: Order,
        session: Any,
        telling: _Telling,
        running: Any,
        novelties: _Novelties,
        generated: Generated,
    ) -> None:
        self._session = session
        self._telling = telling
        self._running = running
        self._novelties = novelties
        self._generated = generated
        self._avoided = frozenset(order.avoided)
        self._runs = order.runs
        self._end = None if order.seconds is None else time.monotonic() + order.seconds
        self._next_report = 0.0

    def __call__(self, raw: bytes) -> int:
        from fuzz.session import digest

        session = self._session
        self._running.set(raw)
        self._novelties.visit(raw)
        if self._avoided and digest(raw) in self._avoided:
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
        self._telling.tell(progress)

    def _leave(self) -> NoReturn:
        self._session.finish()
        self._report()
        self._telling.tell(Ended())
        self._session.examiner.close()
        os._exit(0)  # neither atexit nor what stands behind Fuzz() would run


if __name__ == "__main__":
    main(sys.argv[1])
