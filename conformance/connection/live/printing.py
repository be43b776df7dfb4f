"""A consumer that is a command and prints what it is given, as a connection of the kit: `client:COMMAND` with
`--prints`. For each question the command is started with the address of a broker, a position and an isolation; its
exit code and what it has printed are the answer.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from typing import Any

from wireproof.conformance.connection.base import AtOnce, Connection, ImplementationError, Options
from wireproof.conformance.connection.live import printed
from wireproof.conformance.connection.live.client import DIALECT, FLOOD, PLACE, client_command
from wireproof.conformance.connection.live.printed import PrintError
from wireproof.conformance.connection.live.wrapper import WrapperConnection
from wireproof.conformance.connection.process import endings, limits
from wireproof.conformance.connection.process.pipes import Process
from wireproof.conformance.model import Case, Description, Observation, Op, Status

#: What stands in the command for a question's position and isolation, beside the broker's address.
POSITION, ISOLATION = "{position}", "{isolation}"
#: So many commands run at a time.
_AT_ONCE = 4
#: Seconds of a wait for the command.
_PAUSE = 0.05
#: Seconds that a command has to start, beside its time limit.
_STARTS_WITHIN = 10.0


def printing_connection(spec: str, options: Options) -> Connection:
    """A connection to the consumer that `client:COMMAND` is, with brokers of the kit's. Raises ImplementationError."""
    assert options.prints is not None
    command = client_command(spec)
    for place, what in ((POSITION, "first offset"), (ISOLATION, "isolation, read_committed or read_uncommitted")):
        if not any(place in word for word in command):
            raise ImplementationError(f"{spec}: {place} is expected in the place of the {what}, beside --prints")
    try:
        read = printed.reader(options.prints)
    except PrintError as error:
        raise ImplementationError(str(error)) from None
    client = _Printing(spec, command, read, options)
    return WrapperConnection(client, at_once=_AT_ONCE, to_the_end=True)


class _Printing(AtOnce, Connection):
    """The command. Several threads may ask it at the same time."""

    def __init__(self, spec: str, command: Sequence[str], read: printed.Reader, options: Options) -> None:
        self._command, self._read, self._options = command, read, options
        self._description = Description(
            name=spec.removeprefix("client:"),
            language="unknown",
            dialects=(DIALECT,),
            ops=frozenset({Op.CONSUME}),
            bootstrap=True,
            reached_by=(f"--prints={options.prints}",),
        )

    @property
    def description(self) -> Description:
        """It says nothing of itself: its name is its command."""
        return self._description

    def configure(self, dialect: str, settings: Mapping[str, Any]) -> bool:  # noqa: ARG002 (it has no settings)
        """A command has no settings."""
        return False

    def ask(self, cases: Sequence[Case]) -> list[Observation]:
        """One process for each case."""
        return [self._one(case) for case in cases]

    def _one(self, case: Case) -> Observation:
        places = {
            PLACE: case.args["bootstrap"],
            POSITION: str(case.args["position"]),
            ISOLATION: case.args["isolation"],
        }
        words = [_filled(word, places) for word in self._command]
        process = Process(limits.limited(self._options.memory, words), os.environ)
        try:
            process.close_stdin()
            return self._ended(case, process)
        finally:
            process.kill()

    def _ended(self, case: Case, process: Process) -> Observation:
        """Wait for its end; what it has printed."""
        lines: list[bytes] = []
        limit = self._options.timeout
        until = time.monotonic() + limit + _STARTS_WITHIN
        while not process.ended:
            lines += process.pump(_PAUSE)
            if time.monotonic() > until:
                text = f"it had not ended after {limit + _STARTS_WITHIN:g} seconds: it was killed"
                return Observation(case, Status.HANG, error="timeout", detail=text + endings.last_words(process.stderr))
            if process.memory > self._options.memory << 20:
                return Observation(case, Status.OOM, error="memory", detail=f"it took {process.memory >> 20} MiB")
            if sum(map(len, lines)) + process.half_line_size > FLOOD:
                return Observation(
                    case, Status.VIOLATION, error="flood", detail=f"it wrote more than {FLOOD >> 20} MiB"
                )
        more, code = process.wait(_STARTS_WITHIN)
        output = b"".join(line + b"\n" for line in lines + more) + process.rest
        return self._answer(case, code or 0, output, process.stderr)

    def _answer(self, case: Case, code: int, output: bytes, stderr: bytes) -> Observation:
        ending = endings.died(code, stderr)
        if code < 0 or (code and ending.status is Status.OOM):
            return Observation(case, ending.status, error=ending.error, detail=ending.detail)
        try:
            records = self._read(output)
        except PrintError as error:
            return Observation(case, Status.VIOLATION, error="not printed as said", detail=str(error))
        if code and not records:
            text = f"it ended with exit code {code} and printed no record{endings.last_words(stderr)}"
            return Observation(case, Status.REJECT, detail=text)
        return Observation(case, Status.ANSWER, {"records": records})


def _filled(word: str, places: Mapping[str, str]) -> str:
    for place, text in places.items():
        word = word.replace(place, text)
    return word
