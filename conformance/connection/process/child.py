"""An implementation in a child process: starts it, asks it, watches its limits, and restarts it after a crash."""

from __future__ import annotations

import contextlib
import math
import os
import shlex
import shutil
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from wireproof.conformance.connection import patience
from wireproof.conformance.connection.base import Connection, ImplementationError, Options, no_block
from wireproof.conformance.connection.process import endings, environment, limits
from wireproof.conformance.connection.process.copies import RESUME
from wireproof.conformance.connection.process.endings import Ending
from wireproof.conformance.connection.process.pipes import GRACE, Process
from wireproof.conformance.connection.protocol import lines
from wireproof.conformance.connection.protocol.conversation import Conversation
from wireproof.conformance.connection.protocol.transcript import Transcript
from wireproof.conformance.model import Case, Description, Observation, Status

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

#: Seconds in which an implementation has to start and describe itself, and to answer `configure`.
START_TIMEOUT = 30.0
#: The process is killed after this many bytes on stdout without an answer, or after a line of this length. A line
#: counts as some bytes at least, because to read it takes the kit as long.
FLOOD = 1 << 20
SHORTEST_LINE = 64
LONGEST_LINE = 1 << 26
#: A case's time limit is one second longer for each of these many bytes of open questions.
BYTES_A_SECOND = 1 << 18
#: Seconds to wait for the end of a process that may die after its answer.
DOUBT = 0.05
#: After this many restarts the next process is started in advance, while the present one is asked.
IN_ADVANCE = 3
#: After this many failed starts in a row the implementation is not asked any more.
FAILED_STARTS = 3


@dataclass(frozen=True)
class Launch:
    """The command of a child. `ordered`: it answers questions in their order, and writes each answer at once."""

    spec: str
    command: tuple[str, ...]
    ordered: bool
    env: Mapping[str, str] | None = None


def module_launch(spec: str, memory: int) -> Launch:
    """A Python module, in our worker. -P: a user's folder named wireproof must not hide our package."""
    command = (sys.executable, "-P", "-m", "wireproof.conformance.connection.process.worker", str(memory), spec)
    return Launch(spec, command, ordered=True, env=environment.importing_kit())


def program_command(spec: str) -> list[str]:
    """The words of `exec:COMMAND ARGS`. Raises ImplementationError when there is no such program."""
    try:
        words = shlex.split(spec.removeprefix("exec:"))
    except ValueError as error:
        raise ImplementationError(f"{spec}: {error}. Quote the command as in a shell.") from None
    if not words:
        raise ImplementationError(f"{spec!r} names no program: exec:COMMAND [ARGUMENT…] is expected")
    if shutil.which(words[0]) is None:
        raise ImplementationError(f"{spec}: {_why_not_found(words[0])}")
    return words


def _why_not_found(name: str) -> str:
    path = Path(name)
    if path.is_dir():
        return f"{name} is a folder. Name the program in it."
    if path.is_file() and os.sep in name:
        return f"{name} is not executable. `chmod +x {name}`, or name its interpreter: exec:python3 {name}"
    if path.is_file():
        return f"there is no program {name!r} on PATH. For the one in this folder write exec:./{name}"
    where = f"looked from {Path.cwd()}" if os.sep in name else "looked on PATH"
    return f"there is no program {name!r} ({where}). Check the spelling, and that it has been built."


def program_launch(spec: str, memory: int) -> Launch:
    """`exec:COMMAND ARGS`: any program that speaks the line protocol. It gets its limits before it begins."""
    words = program_command(spec)
    return Launch(spec, limits.limited(memory, words), ordered=False)


def launched(launch: Launch) -> Process:
    """A new process. Raises ImplementationError."""
    try:
        return Process(launch.command, launch.env, copies=launch.ordered)
    except OSError as error:
        raise ImplementationError(f"{launch.spec} cannot be started: {error.strerror}") from error


class ChildConnection(Connection):
    """A connection to a child process."""

    def __init__(self, launch: Launch, options: Options, process: Process | None = None) -> None:
        """Start the child, unless this is its process, and ask for its description. Raises ImplementationError."""
        self._launch = launch
        self._options = options
        self._transcript = Transcript(options.transcript)
        self._talk = Conversation(ordered=launch.ordered)
        self._settings: dict[str, Mapping[str, Any]] = {}
        self._process: Process | None = None
        self._base_memory = 0
        #: Whether a block of cases is open.
        self._asking = False
        #: The numbers (`seq`) of `configure` questions to a new copy of our worker that it has not yet answered.
        self._settling: set[int] = set()
        #: The bytes on stdout since the last answer that are not answers, and their first line.
        self._junk = 0
        self._sample = b""
        self._failed_starts = 0
        self._restarts = 0
        #: A process that has been started in advance; it has been asked to describe itself.
        self._spare: Process | None = None
        self._lost: str | None = None
        try:
            self._process, self._description = self._made_ready(self._asked_to_describe(process or launched(launch)))
        except BaseException:
            self._transcript.close()
            raise

    @property
    def description(self) -> Description:
        """The implementation's description, from its first start."""
        return self._description

    def configure(self, dialect: str, settings: Mapping[str, Any]) -> bool:
        """Send the settings that the cases of a dialect need, now and after each restart."""
        try:
            if self._asking:
                self._converse()
            self._settings[dialect] = settings
            if self._process is None:
                self._process, _ = self._start()
            taken = self._send_settings(self._process, dialect, settings)
        except BaseException:
            self._settings.pop(dialect, None)
            self._abandon()
            raise
        if not taken:
            del self._settings[dialect]
        return taken

    def expect_hangs(self, hangs: Callable[[str], bool]) -> None:
        """See `Connection.expect_hangs`."""
        self._talk.expect_hangs(hangs)

    def ask(self, cases: Sequence[Case]) -> list[Observation]:
        """One observation for each case."""
        self.begin(cases)
        return self.finish()

    def begin(self, cases: Sequence[Case]) -> None:
        """Open a block, and send as many questions as fit."""
        no_block(self._asking)
        self._talk.begin(cases)
        self._asking = True
        if self._lost is not None:
            self._talk.give_up(self._lost)
        self.poll()

    def poll(self) -> bool:
        """Read the answers that have arrived, and send more questions. A restart waits for `finish`. True if all
        questions of the block are answered."""
        process = self._process
        if self._asking and process is not None:
            try:
                self._listen(process, 0.0)
                if self._process is process and not process.gone and not self._talk.doubtful:
                    self._ask_more(process)
            except BaseException:
                self._abandon()
                raise
        return self._asking and self._talk.done

    def answered(self, seconds: float) -> list[Observation]:
        """See `Connection.answered`. What a program that may buffer its answers has just answered is not among them:
        it may die of it."""
        if not self._asking:
            return []
        try:
            self._converse(time.monotonic() + seconds)
        except BaseException:
            self._abandon()
            raise
        process = self._process
        return self._talk.certain(settled=self._launch.ordered or (process is not None and process.silence > DOUBT))

    def finish(self) -> list[Observation]:
        """See `Connection.finish`."""
        if not self._asking:
            raise RuntimeError("there is no block to finish: none has been begun")
        try:
            self._converse()
        except BaseException:
            self._abandon()
            raise
        self._asking = False
        self._transcript.flush()
        return self._talk.finish()

    def end(self) -> Observation | None:
        """End the child. See `Connection.end`."""
        try:
            if self._process is not None and not self._asking and not self._settling:
                ending = self._see_end(self._process)
                if ending is not None:
                    self._talk.ended(ending)
        finally:
            self.close()
        return self._talk.after_the_last()

    def _see_end(self, process: Process) -> Ending | None:
        """Close its stdin, and see how it ends, if it ends wrongly."""
        self._hear(process.pump(0.0))
        if process.gone:
            return _died(process)
        heard, code = process.close()  # None: it is slow, or writes without end
        half_line = process.half_line
        self._hear([*heard, half_line] if not code and half_line else heard)
        return endings.died(code, process.stderr, half_line) if code else None

    def close(self) -> None:
        """End the child."""
        if self._process is not None:
            self._process.close()
            self._process = None
        self._drop_spare()
        self._transcript.close()

    # A program that listens is asked over sockets: nothing is written to its stdin after `describe`.

    def listen(self, seconds: float = 0.0) -> bool:
        """Read its output, waiting for it at most so long. Whether it still runs."""
        process = self._process
        if process is not None and not process.gone:
            self._hear(process.pump(seconds))
            self._transcript.flush()
        return process is not None and not process.gone

    def restart(self) -> tuple[Ending | None, Description]:
        """End the process, and start a new one. How the old one ended, if it ended wrongly. Raises
        ImplementationError."""
        old, self._process = self._process, None
        ending = None if old is None else self._see_end(old)
        self._process, description = self._start()
        return ending, description

    def stop(self) -> Ending | None:
        """End the process. How it ended, if it ended wrongly."""
        try:
            return None if self._process is None else self._see_end(self._process)
        finally:
            self.close()

    # Asking.

    def _converse(self, until: float = math.inf) -> None:
        """Ask the block, up to a moment of `time.monotonic` at most."""
        while not self._talk.done and (left := until - time.monotonic()) > 0:
            process = self._process or self._restart()
            if process is None:
                continue
            if self._talk.doubtful:
                self._outlives(process)
            if self._process is process and not process.gone:
                self._ask_more(process)
            if self._process is process and (process.gone or self._talk.waiting or self._settling):
                self._listen(process, min(self._options.timeout, left))

    def _outlives(self, process: Process) -> None:
        """Wait a moment for the process to end after its answer."""
        deadline = time.monotonic() + DOUBT
        while self._process is process and (left := deadline - time.monotonic()) > 0:
            self._listen(process, left)

    def _ask_more(self, process: Process) -> None:
        if not self._settling:
            self._send(process, self._talk.data_to_send())

    def _send(self, process: Process, data: bytes) -> None:
        for line in data.splitlines() if self._options.transcript else ():
            self._transcript.sent(line)
        if data:
            process.send(data)

    def _listen(self, process: Process, timeout: float) -> None:
        """Read the output, and kill the process when it breaks a limit. A timeout of 0: do not wait."""
        self._hear(process.pump(timeout))
        if self._process is not process or (process.ended and process.running and not timeout):
            return  # dropped; or about to end, and its exit code is not known yet
        if process.gone and self._settling:
            self._drop(process)
        elif process.ended:
            self._gone(process, _died(process), self._talk.ended)
        elif process.lost is not None:
            ending = endings.died(process.lost, process.stderr, process.half_line)
            self._gone(process, ending, self._talk.ended)
        elif self._flooded(process):
            self._end(process, lambda _: self._flood(process))
        elif self._settling:
            if process.silence > START_TIMEOUT:
                self._drop(process)
        elif self._talk.waiting:
            self._watch(process)

    def _flooded(self, process: Process) -> bool:
        return self._junk > FLOOD or process.half_line_size > LONGEST_LINE

    def _flood(self, process: Process) -> Ending:
        if self._junk == 0 and (long := endings.answered_too_long(process.half_line, LONGEST_LINE, process.stderr)):
            return long
        size = self._junk + process.half_line_size
        sample = process.half_line if self._junk == 0 else self._sample
        return endings.flooded(size, sample[:80], process.stderr)

    def _add_junk(self, line: bytes) -> None:
        """Count a line that is no answer."""
        self._sample = line if self._junk == 0 else self._sample
        self._junk += max(len(line) + 1, SHORTEST_LINE)

    def _hear(self, heard: Sequence[bytes]) -> bool:
        """Process lines from stdout. True when one of them is an answer."""
        progress = False
        recording = self._options.transcript is not None
        if heard and self._process is not None and self._process.silence > patience.brief(self._options.timeout):
            self._talk.answered_slowly()
        for line in heard:
            if recording:
                self._transcript.heard(line)
            if self._settling and self._settled(line):
                continue
            if self._talk.hear(line):
                progress = True
                self._junk = 0
            else:
                self._add_junk(line)
        if progress and self._process is not None:
            self._process.silence = 0.0
        return progress

    def _watch(self, process: Process) -> None:
        options = self._options
        grown = process.memory - self._base_memory
        if grown > options.memory << 20:
            self._end(process, lambda stderr: endings.oversized(grown, options.memory, stderr))
            return
        brief, known = self._talk.brief, self._talk.known_to_hang
        allowed = options.timeout + self._talk.at_work // BYTES_A_SECOND
        if brief or known:
            allowed = patience.brief(allowed, known=known)
        if process.silence <= allowed:
            return
        late = [] if brief else process.show_stack()
        late += process.kill_copy()
        if process.lost is None:
            late += process.kill()
        for line in late:  # an answer after the limit is none
            self._transcript.heard(line)
        report = self._talk.silent if brief else self._talk.ended
        self._gone(process, endings.hung(allowed, process.stderr, known=known), report)

    def _end(self, process: Process, tell: Callable[[bytes], Ending]) -> None:
        self._hear(process.kill_copy())
        if process.lost is None:
            self._hear(process.kill())
        self._gone(process, tell(process.stderr), self._talk.ended)

    def _gone(self, process: Process, ending: Ending, report: Callable[[Ending], None]) -> None:
        """The process, or a copy of our worker, has ended. The next copy starts, and gets the settings again."""
        self._junk = 0
        report(ending)
        if process.lost is None:
            self._process = None
            return
        process.resume()
        self._transcript.sent(RESUME.strip())
        for dialect, settings in self._settings.items():
            seq = self._talk.next_seq()
            self._settling.add(seq)
            self._send(process, lines.configure_question(seq, dialect, settings))

    def _settled(self, line: bytes) -> bool:
        """Whether this line answers a `configure` question to a new copy. If `configure` failed, the copy is killed."""
        seq: int | None
        try:
            answer = lines.read_answer(line)
            seq = answer.seq
            if seq in self._settling:
                lines.read_configured(answer)
        except lines.LineError as error:
            seq = error.seq
            if seq in self._settling and self._process is not None:
                self._drop(self._process)
                return True
        if seq not in self._settling:
            return False
        self._settling.discard(seq)
        return True

    def _drop(self, process: Process) -> None:
        """Kill a copy whose `configure` failed. No case is the cause: none was asked."""
        self._process = None
        self._settling.clear()
        process.kill()

    def _abandon(self) -> None:
        """After an exception in the conversation: the next block starts a new process."""
        if self._process is not None:
            self._process.kill()
            self._process = None
        self._drop_spare()
        self._asking = False
        self._junk = 0
        self._settling.clear()
        self._talk.forget()
        self._transcript.flush()

    # Starting.

    def _restart(self) -> Process | None:
        try:
            self._process, _ = self._start()
        except ImplementationError as error:
            self._failed_starts += 1
            self._talk.not_started(Ending(Status.CRASH, "no restart", f"it does not start again: {error}"))
            if self._failed_starts >= FAILED_STARTS:
                first_line, *_ = str(error).splitlines()
                self._lost = f"not asked: {FAILED_STARTS} times in a row it did not start again: {first_line}"
                self._talk.give_up(self._lost)
            return None
        self._failed_starts = 0
        self._restarts += 1
        if self._restarts >= IN_ADVANCE:
            with contextlib.suppress(ImplementationError):  # told when one is needed and cannot be started
                self._spare = self._asked_to_describe(launched(self._launch))
        return self._process

    def _start(self) -> tuple[Process, Description]:
        spare, self._spare = self._spare, None
        if spare is not None:
            with contextlib.suppress(ImplementationError):  # it may have ended meanwhile
                return self._made_ready(spare)
        return self._made_ready(self._asked_to_describe(launched(self._launch)))

    def _asked_to_describe(self, process: Process) -> Process:
        self._send(process, lines.describe_question())
        return process

    def _drop_spare(self) -> None:
        spare, self._spare = self._spare, None
        if spare is not None:
            spare.kill()

    def _made_ready(self, process: Process) -> tuple[Process, Description]:
        """A new process, once it has described itself and has the settings. Raises ImplementationError."""
        try:
            description = self._describe(process)
            for dialect, settings in self._settings.items():
                self._send_settings(process, dialect, settings)
        except BaseException:
            process.kill()
            raise
        process.look()
        self._base_memory = process.memory
        return process, description

    def _describe(self, process: Process) -> Description:
        heard: list[bytes] = []
        deadline = time.monotonic() + START_TIMEOUT
        while not heard and not process.gone and (left := deadline - time.monotonic()) > 0:
            heard = process.pump(left)
            if process.half_line_size > LONGEST_LINE:
                flood = endings.flooded(process.half_line_size, process.half_line[:80], process.stderr)
                raise ImplementationError(f"{self._launch.spec} did not answer describe: {flood.detail}")
        for line in heard:
            self._transcript.heard(line)
        if not heard:
            self._no_answer(process, lines.describe_question().decode().strip())
        try:
            description = lines.read_description(heard[0])
        except lines.LineError as error:
            if self._launch.ordered:  # our own worker's text is complete
                raise ImplementationError(str(error)) from None
            raise ImplementationError(
                f"{self._launch.spec}: its answer to describe is malformed: {error}.\n"
                f"It was {endings.shorten(heard[0], 300)}\n"
                'Expected on one line: {"name","version","language","dialects","ops","types","rebuilds","readings"}; '
                "name and ops are required; logs go to stderr." + endings.last_words(process.stderr)
            ) from None
        if len(heard) > 1:
            raise ImplementationError(
                f"{self._launch.spec}: more than one line came as an answer to describe; the second is "
                f"{endings.shorten(heard[1])}. One line answers one question; logs go to stderr."
            )
        return description

    def _no_answer(self, process: Process, question: str) -> NoReturn:
        spec = self._launch.spec
        if process.gone:
            raise ImplementationError(f"{spec} did not answer {question}: {_died(process).detail}")
        process.close_stdin()
        deadline = time.monotonic() + GRACE
        late: list[bytes] = []
        while not late and not process.ended and (left := deadline - time.monotonic()) > 0:
            late = process.pump(left)
        text = f"{spec}: no answer to {question} within {START_TIMEOUT:g} seconds.\n"
        if late and not self._launch.ordered:
            text += "It answered when its stdin was closed: its output is buffered. Flush stdout after each answer."
        elif self._launch.ordered:
            text += "Its import does not end. Move slow or waiting code from the module's top level into its functions."
        else:
            text += "It has to read its stdin line by line, and answer each line at once."
        process.kill()
        raise ImplementationError(text + endings.last_words(process.stderr))

    def _send_settings(self, process: Process, dialect: str, settings: Mapping[str, Any]) -> bool:
        seq = self._talk.next_seq()
        self._junk = 0
        self._send(process, lines.configure_question(seq, dialect, settings))
        deadline = time.monotonic() + START_TIMEOUT
        failed = f"{self._launch.spec} failed at configure for {dialect}: "
        while not process.gone and (left := deadline - time.monotonic()) > 0:
            for line in process.pump(left):
                self._transcript.heard(line)
                try:
                    answer = lines.read_answer(line)
                    if answer.seq == seq:
                        return lines.read_configured(answer)
                except lines.LineError as error:
                    if error.seq == seq:
                        raise ImplementationError(f"{failed}{error}") from None
                self._talk.hear(line)
                self._add_junk(line)
                if self._junk > FLOOD:
                    break
            if self._flooded(process):
                raise ImplementationError(failed + self._flood(process).detail)
        if process.gone:
            raise ImplementationError(failed + _died(process).detail)
        said = endings.last_words(process.stderr)
        raise ImplementationError(f"{failed}no answer within {START_TIMEOUT:g} seconds{said}")


def _died(process: Process) -> Ending:
    _, code = process.wait(GRACE)
    process.kill()
    if code is None:
        text = "it closed its stdout but did not end: the process was killed"
        return Ending(Status.CRASH, "closed stdout", text + endings.last_words(process.stderr))
    return endings.died(code, process.stderr, process.half_line)
