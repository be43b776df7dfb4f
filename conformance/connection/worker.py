"""The child side of a Python module: `python -m conformance.connection.worker MEMORY SPEC`.

It answers the line protocol in the order of the questions, each answer written at once, so that after its death the
first question without an answer is the one at which it died, and no later one was begun. The protocol has its own
file descriptors: what the module prints goes to stderr, and its stdin is empty.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.connection import limits, lines
from conformance.connection.base import ImplementationError
from conformance.connection.description import to_json
from conformance.connection.loading import load
from conformance.connection.module import Module, top_frame, trace_text
from conformance.model import Case, Observation, Status

if TYPE_CHECKING:
    from collections.abc import Iterable

#: Sent by the asking side before it kills a worker that hangs: the stack is printed to stderr.
SHOW_STACK = signal.SIGQUIT


class Worker:
    """Questions in, answers out."""

    def __init__(self, spec: str, out: int) -> None:
        self._spec = spec
        self._out = out
        self._owner = os.getpid()
        self._module: Module | None = None

    def run(self, questions: Iterable[bytes]) -> None:
        """Answer until the questions end."""
        for line in questions:
            self._write(self._answer(lines.read_question(line)))

    def _answer(self, question: lines.Question) -> bytes:
        if question.case is not None and self._module is not None:
            return _ask(self._module, question.seq, question.case)
        try:
            if question.op == "configure" and self._module is not None:
                taken = self._module.configure(question.message["dialect"], question.message["settings"])
                said = {"ok": True} if taken else {"unsupported": "no configure"}
                return lines.dumps({"seq": question.seq, **said})
            self._module = load(self._spec)
            return lines.dumps(to_json(self._module.description))
        except ImplementationError as error:
            return lines.dumps({"seq": question.seq, "error": str(error)})

    def _write(self, line: bytes) -> None:
        if os.getpid() != self._owner:  # the module forked, and this is the copy: it must not answer too
            os._exit(0)
        while line:
            line = line[os.write(self._out, line) :]


def _ask(module: Module, seq: int, case: Case) -> bytes:
    try:
        return lines.answer(seq, module.call(case))
    except (KeyboardInterrupt, MemoryError) as error:
        status = Status.OOM if isinstance(error, MemoryError) else Status.CRASH
        name = type(error).__name__
        failed = Observation(case, status, error=name, frame=top_frame(error), detail=trace_text(error))
        return lines.answer(seq, failed)


def _take_channel() -> tuple[int, int]:
    """Keep stdin and stdout for the protocol alone; the module gets an empty stdin, and stderr for its prints."""
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
    with open(questions, "rb") as stdin:  # noqa: PTH123 (a file descriptor)
        Worker(spec, answers).run(stdin)


if __name__ == "__main__":
    main(sys.argv[1:])
