"""One child process: its three pipes, read and written at the same time without ever blocking, and its end."""

from __future__ import annotations

import contextlib
import os
import re
import selectors
import signal
import subprocess
import time
from typing import TYPE_CHECKING

import psutil

from conformance.connection.guard import guard
from conformance.connection.stderr import Stderr

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

#: Seconds between two looks at the process itself: has it ended, how much memory does it take?
TICK = 0.05
#: Seconds that a process has to end by itself once its stdin is closed.
GRACE = 1.0

#: Seconds that a process has to show its stack before it is killed for hanging.
STACK_TIME = 0.3

#: What our own worker says of the copies of itself that answer, and what it has to be told before the next one begins.
#: The line feed in front of the latter ends what was half sent.
BEGAN, ENDED, RESUME = b'{"began":%d}\n', b'{"ended":%d}\n', b'\n{"op":"resume"}\n'

_BEGAN = re.compile(rb'\{"began":(\d+)\}')
_ENDED = re.compile(rb'\{"ended":(-?\d+)\}\Z')
#: At least as long as a line that tells of an end.
_TOLD = 24

#: Of a line on stdout without its line feed so many bytes are shown.
_HALF_LINE = 16 * 1024

#: What a child finds in its environment. With the 1 that many machines have there, Rust walks the stack at every panic,
#: at those that a wrapper catches too, and a suite takes twice as long. Who wants it: `exec:env RUST_BACKTRACE=1 …`.
_ENVIRONMENT = {"RUST_BACKTRACE": "0"}

_CHUNK = 1 << 18
_DRAIN = 64


class Process:
    """A running child in a process group of its own."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str] | None = None, *, copies: bool = False) -> None:
        """Start it. `copies`: it is our own worker, and tells of its copies. Raises OSError when it is not there."""
        pipe = subprocess.PIPE
        env = {**(os.environ if env is None else env), **_ENVIRONMENT}
        self._popen = subprocess.Popen(
            command, bufsize=0, stdin=pipe, stdout=pipe, stderr=pipe, env=env, process_group=0
        )
        assert self._popen.stdin
        assert self._popen.stdout
        assert self._popen.stderr
        guard.watch(self._popen.pid)
        self._stdin, self._stdout, self._stderr = self._popen.stdin, self._popen.stdout, self._popen.stderr
        self._selector = selectors.DefaultSelector()
        for pipe_end in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(pipe_end.fileno(), False)
        self._selector.register(self._stdout, selectors.EVENT_READ)
        self._selector.register(self._stderr, selectors.EVENT_READ)
        self._unsent = bytearray()
        self._half_line = bytearray()
        self._next_look = 0.0
        self._copies = copies
        self._usage: psutil.Process | None = None
        self._attend(self._popen.pid)
        #: Seconds for which `pump` waited since it last took bytes from us, or `silence` was set.
        self.silence = 0.0
        #: It closed its stdout, or ended; all that it wrote before has been read.
        self.ended = False
        #: The exit code of a copy that has ended, of which `resume` makes another one begin; else None.
        self.lost: int | None = None
        self._said = Stderr()
        #: Bytes of resident memory when last looked at.
        self.memory = 0

    def _attend(self, pid: int) -> None:
        """This process answers."""
        self._answering = pid
        with contextlib.suppress(psutil.Error):
            self._usage = psutil.Process(pid)

    @property
    def gone(self) -> bool:
        """It answers no more."""
        return self.ended or self.lost is not None

    @property
    def running(self) -> bool:
        """Whether it has not ended yet; it may have closed its stdout."""
        return self._popen.poll() is None

    def resume(self) -> None:
        """After the end of a copy: start the next one. Questions that were sent before will not be answered."""
        self.lost = None
        self.memory = 0
        self._said.clear()
        self._half_line.clear()
        self._unsent.clear()
        self.send(RESUME)

    @property
    def stderr(self) -> bytes:
        """The beginning and the end of what it wrote to stderr."""
        return bytes(self._said)

    @property
    def stderr_size(self) -> int:
        """How many bytes it wrote to stderr."""
        return self._said.size

    @property
    def half_line(self) -> bytes:
        """The beginning of what came on stdout after the last line feed."""
        return bytes(self._half_line[:_HALF_LINE])

    @property
    def half_line_size(self) -> int:
        """How many bytes came on stdout after the last line feed."""
        return len(self._half_line)

    def send(self, data: bytes) -> None:
        """Queue bytes for its stdin; what does not fit into the pipe now goes out while `pump` reads."""
        self._unsent += data
        self._write()

    def pump(self, timeout: float) -> list[bytes]:
        """Read and write what is possible. Waits for that up to `timeout` seconds, and no longer than a tick."""
        lines: list[bytes] = []
        began = time.monotonic()
        ready = self._selector.select(min(timeout, TICK))
        now = time.monotonic()
        self.silence += now - began
        files = {key.fileobj for key, _ in ready}
        if self._stdin in files:
            self._write()
        # Taken first and added last: all answers that it gave before these words are among the lines.
        words = self._take_stderr() if self._stderr in files else b""
        if self._stdout in files:
            self._read_stdout(lines)
        self._said.add(words)
        if self.lost is not None:
            self._drain_stderr()
        if now >= self._next_look:
            self._next_look = now + TICK
            self._check_end(lines)
            self.look()
        return lines

    def _write(self) -> None:
        while self._unsent:
            try:
                taken = os.write(self._stdin.fileno(), self._unsent)
            except BlockingIOError:
                self._want_to_write(True)
                return
            except (BrokenPipeError, ValueError):  # it does not listen: its end or the timeout tells
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
        """One piece of stdout; False when there is none."""
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
            if answers:
                lines += answers
                self._said.answered()
        return True

    def _without_notices(self, whole: list[bytes]) -> list[bytes]:
        """The lines without the worker's notices about its copies, which are handled here."""
        others = []
        for line in whole:
            if began := _BEGAN.fullmatch(line):
                self._attend(int(began[1]))
            elif ended := _ENDED.search(line, max(len(line) - _TOLD, 0)):
                self._half_line[:0] = line[: ended.start()]  # an answer that it had begun
                self.lost = int(ended[1])
            else:
                others.append(line)
        return others

    def _take_stderr(self) -> bytes:
        """One piece of stderr; nothing when there is none."""
        try:
            chunk = os.read(self._stderr.fileno(), _CHUNK)
        except BlockingIOError:
            return b""
        if not chunk:
            self._selector.unregister(self._stderr)
        return chunk

    def _check_end(self, lines: list[bytes]) -> None:
        """Has it ended, while a child of its own still holds its stdout open?"""
        if not self.ended and self._popen.poll() is not None:
            self._drain(lines)
            self.ended = True

    def _drain(self, lines: list[bytes]) -> None:
        """Read what is left in the pipes of a process that has ended; not for ever, some child of it may write on."""
        for _ in range(_DRAIN):
            if self.ended or not self._read_stdout(lines):
                break
        self._drain_stderr()

    def _drain_stderr(self) -> None:
        for _ in range(_DRAIN):
            words = self._take_stderr() if self._stderr in self._selector.get_map() else b""
            if not words:
                break
            self._said.add(words)

    def look(self) -> None:
        """See how much memory it takes."""
        if not self.ended and self._usage is not None:
            with contextlib.suppress(psutil.Error):
                self.memory = self._usage.memory_info().rss

    def close_stdin(self) -> None:
        """Close its stdin: there are no more questions. What it has not read yet is lost."""
        self._unsent.clear()
        self._want_to_write(False)
        self._stdin.close()

    def wait(self, seconds: float) -> int | None:
        """Its exit code, negative for a signal; None when it is still running. Its output is read meanwhile."""
        if self.lost is not None:
            return self.lost
        deadline = time.monotonic() + seconds
        while not self.ended and time.monotonic() < deadline:
            self.pump(deadline - time.monotonic())
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self._popen.wait(max(deadline - time.monotonic(), 0.0))
        return None

    def show_stack(self) -> list[bytes]:
        """Ask it to write its stack to stderr (our workers, Go and Java do), which may end it. Returns the lines that
        it wrote meanwhile."""
        lines: list[bytes] = []
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._answering, signal.SIGQUIT)
        deadline = time.monotonic() + STACK_TIME
        seen = self._said.size
        while time.monotonic() < deadline:
            lines += self.pump(TICK)
            if self._said.size != seen:
                seen, deadline = self._said.size, min(deadline, time.monotonic() + TICK)
        return lines

    def kill_copy(self) -> list[bytes]:
        """Kill the copy that answers, where there is one without children; `lost` then holds how it ended. Returns the
        lines that were still to be read."""
        lines: list[bytes] = []
        if not self._copies or self._answering == self._popen.pid or self._usage is None:
            return lines
        with contextlib.suppress(psutil.Error):
            if not self._usage.children():
                self._usage.kill()
                deadline = time.monotonic() + GRACE
                while not self.gone and time.monotonic() < deadline:
                    lines += self.pump(TICK)
        return lines

    def kill(self) -> list[bytes]:
        """Kill it and its whole process group. Returns the lines that were still to be read. Safe to repeat."""
        self._kill_group()
        self._popen.wait()
        lines: list[bytes] = []
        if self._selector.get_map() is not None:
            self._drain(lines)
            self._selector.close()
            for pipe_end in (self._stdin, self._stdout, self._stderr):
                pipe_end.close()
            guard.forget(self._popen.pid)
        return lines

    def _kill_group(self) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._popen.pid, signal.SIGKILL)

    def close(self) -> None:
        """Close its stdin, give it a moment to end by itself, then end it. Safe to repeat."""
        if self._selector.get_map() is None:
            return
        self.close_stdin()
        self.wait(GRACE)
        self.kill()
