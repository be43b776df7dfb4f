"""A small guard process that kills the children that are left when this process ends.

Most children end when their stdin closes. A child that hangs does not; if this process is killed, nobody else would end
that child. As a program (`python -I -S guard.py SECONDS`) the guard reads lines "+GROUP" (this process group runs) and
"-GROUP" (it has ended) until its stdin closes; SECONDS later it kills the groups that still run.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import subprocess
import sys
import threading
import time

#: Seconds that children have to end by themselves after the end of this process.
GRACE = 1.0


class Guard:
    """Tells the guard process which process groups run. The first call of `watch` starts the guard process."""

    def __init__(self) -> None:
        self._groups: set[int] = set()
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0
        self._lock = threading.Lock()

    def watch(self, group: int) -> None:
        """From now on the guard kills this process group if we end first."""
        with self._lock:
            if self._owner != os.getpid():  # a fork has its own children, so it needs its own guard
                self._groups, self._process, self._owner = set(), None, os.getpid()
            self._groups.add(group)
            self._tell(f"+{group}\n")

    def forget(self, group: int) -> None:
        """This process group has ended."""
        with self._lock:
            if group in self._groups:
                self._groups.discard(group)
                self._tell(f"-{group}\n")

    def _tell(self, line: str) -> None:
        if self._process is not None and self._write(self._process, line):
            return
        process = self._start()
        self._write(process, "".join(f"+{group}\n" for group in self._groups))

    @staticmethod
    def _write(process: subprocess.Popen[bytes], text: str) -> bool:
        assert process.stdin is not None
        try:
            process.stdin.write(text.encode())
        except OSError:  # the guard process has been killed
            return False
        return True

    def _start(self) -> subprocess.Popen[bytes]:
        self.stop()
        null = subprocess.DEVNULL
        self._process = subprocess.Popen(
            [*program(__file__, __name__), str(GRACE)],
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=null,
            stderr=null,
            start_new_session=True,
        )
        return self._process

    def stop(self) -> None:
        """End the guard process, if it is ours."""
        process, self._process = self._process, None
        if process is None or self._owner != os.getpid():
            return
        assert process.stdin is not None
        process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(GRACE + 1)


def program(file: str, module: str) -> list[str]:
    """The command that runs one of our small stand-alone modules; it starts faster from a file than from a zip."""
    if os.path.isfile(file):  # noqa: PTH113 (pathlib would make the guard process slower to start)
        return [sys.executable, "-I", "-S", file]
    return [sys.executable, "-P", "-m", module]


def main(grace: float) -> None:
    """The guard process."""
    groups: set[int] = set()
    for line in sys.stdin:
        group = int(line[1:])
        if line.startswith("+"):
            groups.add(group)
        else:
            groups.discard(group)
    if groups:
        time.sleep(grace)
    for group in groups:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)


guard = Guard()

if __name__ == "__main__":
    main(float(sys.argv[1]))
else:
    atexit.register(guard.stop)
