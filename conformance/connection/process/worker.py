"""The child process for a Python module: `python -m wireproof.conformance.connection.process.worker MEMORY SPEC`.

It answers questions in their order, and writes each answer at once. So when it dies, the first question without an
answer is the cause, and no later question was begun. The protocol has its own file descriptors: the module's prints go
to stderr, and its stdin is empty.

Importing a module can be slow, and some modules end their process a thousand times in a run. So, if the platform allows
it, the process that imported the module does not answer: it forks a copy that does, and writes `{"began":PID}`. When
the copy ends, it writes `{"ended":CODE}` (as in subprocess), and imports what the copy has imported (see `imported`).
After the line `{"op":"resume"}` it forks the next copy.
Questions before that line are skipped: they were for the copy that ended.
"""

from __future__ import annotations

import faulthandler
import io
import itertools
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wireproof.conformance import garbage
from wireproof.conformance.connection.base import ImplementationError
from wireproof.conformance.connection.description import to_json
from wireproof.conformance.connection.loading import load
from wireproof.conformance.connection.module import Module, top_frame, trace_text
from wireproof.conformance.connection.process import limits
from wireproof.conformance.connection.process.copies import BEGAN, ENDED, RESUME
from wireproof.conformance.connection.process.imports import Imported, has_one_thread
from wireproof.conformance.connection.protocol import lines
from wireproof.conformance.connection.protocol.shapes import shape
from wireproof.conformance.connection.protocol.simple_value import SimpleValue
from wireproof.conformance.model import Case, Observation, Op, Status

if TYPE_CHECKING:
    from collections.abc import Iterable


#: The kit sends this signal to a worker that hangs, before it kills it: the worker prints its stack to stderr.
SHOW_STACK = signal.SIGQUIT


class Worker:
    """Reads questions and writes answers."""

    def __init__(self, module: Module | ImplementationError, out: int, imported: Imported | None = None) -> None:
        """`module`: the loaded module, or the error from loading it. `imported`: where a copy tells what it imports."""
        self._module = module
        self._out = out
        self._imported = imported
        self._owner = os.getpid()

    def run(self, questions: Iterable[bytes]) -> None:
        """Answer until the questions end."""
        for line in questions:
            self._write(self._answer(lines.read_question(line)))
            if self._imported is not None:
                self._imported.tell()

    def _answer(self, question: lines.QuestionLine) -> bytes:
        if isinstance(self._module, ImplementationError):
            return lines.dumps({"seq": question.seq, "error": str(self._module)})
        if question.case is not None:
            return _ask(self._module, question.seq, question.case)
        if question.op != "configure":
            return lines.dumps(to_json(self._module.description))
        try:
            taken = self._module.configure(question.message["dialect"], question.message["settings"])
        except ImplementationError as error:
            return lines.dumps({"seq": question.seq, "error": str(error)})
        answer = {"ok": True} if taken else {"unsupported": "no configure"}
        return lines.dumps({"seq": question.seq, **answer})

    def _write(self, line: bytes) -> None:
        if os.getpid() != self._owner:  # the module forked, and this is the fork: it must not answer too
            os._exit(0)
        while line:
            line = line[os.write(self._out, line) :]


def _form(op: Op, answer: Any) -> Any:
    """The answer as `lines.answer` takes it: a value that was decoded is ready for the line, if it is a simple one."""
    simple = SimpleValue.of(answer) if op is Op.DECODE else None
    return shape(op, answer) if simple is None else simple


def _ask(module: Module, seq: int, case: Case) -> bytes:
    try:
        return lines.answer(seq, module.call(case, _form))
    except (KeyboardInterrupt, MemoryError) as error:
        status = Status.OOM if isinstance(error, MemoryError) else Status.CRASH
        name = type(error).__name__
        failed = Observation(case, status, error=name, frame=top_frame(error), detail=trace_text(error))
        return lines.answer(seq, failed)


def _load(spec: str) -> Module | ImplementationError:
    try:
        return load(spec)
    except ImplementationError as error:
        return error


def _stay_behind(questions: int, answers: int, imported: Imported) -> bytes | None:
    """Fork copies that answer, one after the other. In each copy this returns the input that was read already; in this
    process it returns None when there are no more questions."""
    garbage.freeze_and_collect_rarely()
    rest = b""
    while True:
        copy = os.fork()
        if copy == 0:
            os.write(answers, BEGAN % os.getpid())
            return rest
        code = os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1])
        os.write(answers, ENDED % code)
        if code:  # with 0 the questions are at their end
            imported.follow()
        question = _after_resume(questions)
        if question is None:
            return None
        rest = question


def _after_resume(questions: int) -> bytes | None:
    """Skip input up to and including the resume line. Returns the input read after it; None at the end of the input."""
    seen = b""
    while RESUME not in seen:
        chunk = os.read(questions, 1 << 16)
        if not chunk:
            return None
        seen = seen[-len(RESUME) :] + chunk
    return seen.partition(RESUME)[2]


def _lines(rest: bytes, stdin: io.BufferedReader) -> Iterable[bytes]:
    """The lines in the input that was read already, then those of stdin."""
    *whole, half = rest.splitlines(keepends=True) or [b""]
    first = half if half.endswith(b"\n") else half + stdin.readline()
    return itertools.chain(whole, [first] if first else [], stdin)


def _take_channel() -> tuple[int, int]:
    """Reserve stdin and stdout for the protocol; the module gets an empty stdin, and its prints go to stderr."""
    questions, answers = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return questions, answers


def main(arguments: list[str]) -> None:
    """Run as a child."""
    memory, spec = arguments
    questions, answers = _take_channel()
    limits.apply(int(memory))
    faulthandler.enable(2, all_threads=False)
    faulthandler.register(SHOW_STACK, 2, all_threads=False)
    sys.path.insert(0, str(Path.cwd()))
    module = _load(spec)
    rest: bytes | None = b""
    imported: Imported | None = None
    if isinstance(module, Module) and has_one_thread():
        imported = Imported()
        rest = _stay_behind(questions, answers, imported)
    if rest is not None:
        with open(questions, "rb") as stdin:  # noqa: PTH123 (a file descriptor)
            Worker(module, answers, imported).run(_lines(rest, stdin))


if __name__ == "__main__":
    main(sys.argv[1:])
