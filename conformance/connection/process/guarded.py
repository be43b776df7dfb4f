"""A child below a guard process (see `guard`), as the kit holds it."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

import psutil

from wireproof.conformance.connection.process import guard

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

#: At most so many processes of a child are looked at.
_MOST_DESCENDANTS = 256


class Guarded:
    """A command that runs in its own process group. `process` is its guard: it has the command's pipes, and ends when
    the command does, with the same exit code."""

    def __init__(
        self, command: Sequence[str], env: Mapping[str, str], *, pass_fds: tuple[int, ...] = (), **pipes: Any
    ) -> None:
        """Start it. `pass_fds` and `pipes` (`stdin=…`) as of subprocess.Popen. Raises OSError when that fails."""
        self._control, theirs = socket.socketpair()
        with theirs:
            self.process: subprocess.Popen[bytes] = subprocess.Popen(
                guard.program(theirs.fileno(), command),
                bufsize=0,
                env=env,
                process_group=0,
                pass_fds=(*pass_fds, theirs.fileno()),
                **pipes,
            )

    @cached_property
    def child(self) -> psutil.Process | None:
        """The command's process, as its guard tells. None if it has ended."""
        told = b""
        with contextlib.suppress(OSError):
            while not told.endswith(b"\n") and (part := self._control.recv(32)):
                told += part
        with contextlib.suppress(psutil.Error):
            return psutil.Process(int(told)) if told.endswith(b"\n") else None
        return None

    def descendants(self) -> list[int]:
        """The processes below the guard: the command, what it has started, and what that has started."""
        return [*islice(guard.descendants(self.process.pid), _MOST_DESCENDANTS)]

    def go_on(self) -> None:
        """Let the guard and the command go on, if somebody has stopped them: they tell how it ends."""
        self.process.send_signal(signal.SIGCONT)
        with contextlib.suppress(psutil.Error):
            if self.child is not None:
                self.child.resume()

    def kill(self) -> None:
        """Kill the command and all that it has started, and wait for the guard's end. Safe to repeat."""
        child = self.child
        self.process.send_signal(signal.SIGCONT)
        with contextlib.suppress(OSError):
            self._control.send(b"k")
        try:
            self.process.wait(guard.KILLING + 1)
        except subprocess.TimeoutExpired:  # somebody has stopped the guard
            for pid in [*guard.descendants(self.process.pid), self.process.pid]:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            self.process.wait()
        with contextlib.suppress(psutil.Error, PermissionError, ProcessLookupError):
            if child is not None and child.is_running():  # somebody has killed the guard
                os.killpg(child.pid, signal.SIGKILL)
        self._control.close()
