"""One child process: its three pipes, read and written at the same time without blocking, and its end."""

from __future__ import annotations

import contextlib
import os
import re
import selectors
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from wireproof.conformance.connection.process.copies import RESUME
from wireproof.conformance.connection.process.guarded import Guarded
from wireproof.conformance.connection.process.stderr import Stderr

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

#: Seconds between two checks of the process: whether it has ended, and how much memory it uses.
TICK = 0.05
#: Between two looks at its memory is so many times as long as a look takes: the system holds up the process meanwhile.
LEAST_PAUSES = 10
#: Seconds that a process has to end by itself after its stdin is closed.
GRACE = 1.0

#: Seconds that a process has to show its stack before it is killed for hanging.
STACK_TIME = 0.3

_BEGAN = re.compile(rb'\{"began":(\d+)\}')
_ENDED = re.compile(rb'\{"ended":(-?\d+)\}\Z')
#: At least the length of an `ENDED` line of `copies`.
_TOLD = 24

#: The maximum length of an incomplete last line on stdout in a message, in bytes.
_HALF_LINE = 16 * 1024

#: Environment variables of a child. Many machines set RUST_BACKTRACE=1; then Rust walks the stack at every panic, even
#: when a wrapper catches it, and a suite takes twice as long. To have it: `exec:env RUST_BACKTRACE=1 …`.
_ENVIRONMENT = {"RUST_BACKTRACE": "0"}

#: So many lines are read of a process that is to end.
_MOST_LAST_LINES = 1000
_CHUNK = 1 << 18
_DRAIN = 64


def _proportional(pid: int) -> int:
    """The bytes of memory of a process; of what it shares with others its part. 0 for one that has ended."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) << 10
    return 0


class Process:
    """A running child in its own process group."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str] | None = None, *, copies: bool = False) -> None:
        """Start it. `copies`: it is our own worker, which reports its copies. Raises OSError when that fails."""
        pipe = subprocess.PIPE
        env = {**(os.environ if env is None else env), **_ENVIRONMENT}
        self._guarded = Guarded(command, env, stdin=pipe, stdout=pipe, stderr=pipe)
        self._popen = self._guarded.process
        assert self._popen.stdin
        assert self._popen.stdout
        assert self._popen.stderr
        self._stdin, self._stdout, self._stderr = self._popen.stdin, self._popen.stdout, self._popen.stderr
        self._selector = selectors.DefaultSelector()
        for pipe_end in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(pipe_end.fileno(), False)
        self._selector.register(self._stdout, selectors.EVENT_READ)
        self._selector.register(self._stderr, selectors.EVENT_READ)
        self._unsent = bytearray()
        self._half_line = bytearray()
        self._next_look = 0.0
        #: Seconds that the last look took.
        self._looking = 0.0
        self._copies = copies
        #: The copy that answers. None: the child itself does.
        self._copy: psutil.Process | None = None
        #: Seconds that `pump` has waited since the child last read bytes from us, or since this was last set.
        self.silence = 0.0
        #: The child closed its stdout, or ended; all of its output has been read.
        self.ended = False
        #: The exit code of a copy that has ended, until `resume` starts another one; else None.
        self.lost: int | None = None
        self._said = Stderr()
        #: Bytes of resident memory at the last check.
        self.memory = 0

    def _attend(self, pid: int) -> None:
        """From now on this copy answers. The number comes from the child, which may name any process, so only a child
        of it is taken."""
        with contextlib.suppress(psutil.Error, ValueError, OverflowError):
            process, child = psutil.Process(pid), self._guarded.child
            if child is not None and process.ppid() == child.pid:
                self._copy = process

    @property
    def _answering(self) -> psutil.Process | None:
        return self._copy or self._guarded.child

    @property
    def gone(self) -> bool:
        """Whether it cannot answer any more."""
        return self.ended or self.lost is not None

    @property
    def running(self) -> bool:
        """Whether it has not ended yet; it may have closed its stdout."""
        return self._popen.poll() is None

    def resume(self) -> None:
        """Start the next copy after the end of one. Questions sent before will not be answered."""
        self.lost = None
        self._copy = None
        self.memory = 0
        self._said.clear()
        self._half_line.clear()
        self._unsent.clear()
        self.send(RESUME)

    @property
    def stderr(self) -> bytes:
        """The beginning and the end of its stderr."""
        return bytes(self._said)

    @property
    def stderr_size(self) -> int:
        """The number of bytes written to stderr."""
        return self._said.size

    @property
    def half_line(self) -> bytes:
        """The beginning of its incomplete last line on stdout."""
        return bytes(self._half_line[:_HALF_LINE])

    @property
    def rest(self) -> bytes:
        """Its incomplete last line on stdout, all of it."""
        return bytes(self._half_line)

    @property
    def half_line_size(self) -> int:
        """The number of bytes on stdout after the last line feed."""
        return len(self._half_line)

    def send(self, data: bytes) -> None:
        """Queue bytes for its stdin. Bytes that do not fit into the pipe now are sent by `pump`."""
        self._unsent += data
        self._write()

    def pump(self, timeout: float) -> list[bytes]:
        """Read and write what is possible now. Waits up to `timeout` seconds, but no longer than a tick."""
        lines: list[bytes] = []
        began = time.monotonic()
        ready = self._selector.select(min(timeout, TICK))
        now = time.monotonic()
        self.silence += now - began
        files = {key.fileobj for key, _ in ready}
        if self._stdin in files:
            self._write()
        # stderr is read first and added last: answers that it gave before this text are then among the lines.
        errors = self._take_stderr() if self._stderr in files else b""
        if self._stdout in files:
            self._read_stdout(lines)
        self._said.add(errors)
        if self.lost is not None:
            self._drain_stderr()
        if now >= self._next_look:
            self._check_end(lines)
            self.look()
            self._next_look = now + max(TICK, LEAST_PAUSES * self._looking)
        return lines

    def _write(self) -> None:
        while self._unsent:
            try:
                taken = os.write(self._stdin.fileno(), self._unsent)
            except BlockingIOError:
                self._want_to_write(True)
                return
            except (BrokenPipeError, ValueError):  # its stdin is closed; its end or the time limit will be noticed
                self._unsent.clear()
                break
            self.silence = 0.0
            del self._unsent[:taken]
        self._want_to_write(False)

    def _want_to_write(self, wanted: bool) -> None:
        registered = not self._stdin.closed and self._stdin in self._selector.get_map()
        if wanted and not registered:
            self._selector.register(self._stdin, selectors.EVENT_WRITE)
        elif registered and not wanted:
            self._selector.unregister(self._stdin)

    def _read_stdout(self, lines: list[bytes]) -> bool:
        """Read one piece of stdout. False when there is none."""
        try:
            chunk = os.read(self._stdout.fileno(), _CHUNK)
        except BlockingIOError:
            return False
        if not chunk:
            self.ended = True
            self._selector.unregister(self._stdout)
            return False
        first, *rest = chunk.split(b"\n")
        self._half_line += first
        if rest:
            whole = [bytes(self._half_line), *rest[:-1]]
            self._half_line[:] = rest[-1]
            answers = self._without_notices(whole) if self._copies else whole
            lines += answers
            if any(line.lstrip().startswith(b"{") for line in answers):  # what else it prints answers nothing
                self._said.answered()
        return True

    def _without_notices(self, whole: list[bytes]) -> list[bytes]:
        """The lines without the worker's notices about its copies, which are handled here."""
        others = []
        for line in whole:
            if began := _BEGAN.fullmatch(line):
                self._attend(int(began[1]))
            elif ended := _ENDED.search(line, max(len(line) - _TOLD, 0)):
                self._half_line[:0] = line[: ended.start()]  # the beginning of an answer
                self.lost = int(ended[1])
            else:
                others.append(line)
        return others

    def _take_stderr(self) -> bytes:
        """Read one piece of stderr; empty when there is none."""
        try:
            chunk = os.read(self._stderr.fileno(), _CHUNK)
        except BlockingIOError:
            return b""
        if not chunk:
            self._selector.unregister(self._stderr)
        return chunk

    def _check_end(self, lines: list[bytes]) -> None:
        """Check whether it has ended; a child of it may still hold its stdout open."""
        if not self.ended and self._popen.poll() is not None:
            self._drain(lines)
            self.ended = True

    def _drain(self, lines: list[bytes]) -> None:
        """Read the rest of the pipes of a process that has ended, up to a limit: a child of it may still write."""
        for _ in range(_DRAIN):
            if self.ended or not self._read_stdout(lines):
                break
        self._drain_stderr()

    def _drain_stderr(self) -> None:
        for _ in range(_DRAIN):
            errors = self._take_stderr() if self._stderr in self._selector.get_map() else b""
            if not errors:
                break
            self._said.add(errors)

    def look(self) -> None:
        """Check how much memory it uses, with the processes that it has started: a limit holds for each process alone.
        What they share with it is not counted twice."""
        began = time.monotonic()
        answering, child = self._answering, self._guarded.child
        if not self.ended and answering is not None and child is not None:
            others = [pid for pid in self._guarded.descendants() if pid not in (answering.pid, child.pid)]
            with contextlib.suppress(psutil.Error):
                self.memory = answering.memory_info().rss + sum(map(_proportional, others))
        self._looking = time.monotonic() - began

    def close_stdin(self) -> None:
        """Close its stdin: there are no more questions. Bytes that are not sent yet are lost."""
        self._unsent.clear()
        self._want_to_write(False)
        self._stdin.close()

    def wait(self, seconds: float) -> tuple[list[bytes], int | None]:
        """Wait for its end. Returns the lines on stdout meanwhile, and its exit code: negative for a signal, None when
        it still runs. One that writes without end is not waited for."""
        lines: list[bytes] = []
        deadline = time.monotonic() + seconds
        while not self.gone and time.monotonic() < deadline:
            lines += self.pump(deadline - time.monotonic())
            self._guarded.go_on()
            if len(lines) > _MOST_LAST_LINES or self.half_line_size > _CHUNK:
                return lines, None
        if self.lost is not None:
            return lines, self.lost
        self._guarded.go_on()
        with contextlib.suppress(subprocess.TimeoutExpired):
            return lines, self._popen.wait(max(deadline - time.monotonic(), 0.0))
        return lines, None

    def show_stack(self) -> list[bytes]:
        """Ask it to write its stack to stderr (our workers, Go and Java do so), which may end it. Returns the lines on
        stdout meanwhile: it sent them after its time was up."""
        lines: list[bytes] = []
        if self._answering is not None:
            with contextlib.suppress(psutil.Error):  # psutil knows it from a later process with the same number
                self._answering.send_signal(signal.SIGQUIT)
        deadline = time.monotonic() + STACK_TIME
        seen = self._said.size
        while time.monotonic() < deadline:
            lines += self.pump(TICK)
            if self._said.size != seen:
                seen, deadline = self._said.size, min(deadline, time.monotonic() + TICK)
        return lines

    def kill_copy(self) -> list[bytes]:
        """Kill the copy that answers, if there is one and it has no children; `lost` is then its exit code. Returns the
        rest of its lines."""
        lines: list[bytes] = []
        if self._copy is None:
            return lines
        with contextlib.suppress(psutil.Error):
            if not self._copy.children():
                self._copy.kill()
                deadline = time.monotonic() + GRACE
                while not self.gone and time.monotonic() < deadline:
                    lines += self.pump(TICK)
        return lines

    def kill(self) -> list[bytes]:
        """Kill it and all that it has started. Returns the rest of its lines. Safe to repeat."""
        self._guarded.kill()
        lines: list[bytes] = []
        if self._selector.get_map() is not None:
            self._drain(lines)
            self._selector.close()
            for pipe_end in (self._stdin, self._stdout, self._stderr):
                pipe_end.close()
        return lines

    def close(self) -> tuple[list[bytes], int | None]:
        """Close its stdin, give it a moment to end by itself, then kill it. Returns its last lines on stdout, and its
        exit code: None when it had to be killed. Safe to repeat."""
        if self._selector.get_map() is None:
            return [], None
        self.close_stdin()
        lines, code = self.wait(GRACE)
        self.kill()
        return lines, code
