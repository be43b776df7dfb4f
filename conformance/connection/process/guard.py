"""Each child is started by a guard process of its own, which ends it with all the processes that it has started.

As a program (`python -I -S guard.py CONTROL COMMAND…`) the guard starts the command, and writes its process id, as a
line, to the socket CONTROL. On Linux the guard is a subreaper: a process whose parent ends becomes its child, whatever
session or process group it has chosen. So everything that the command has started, and what that has started, stands
below the guard for as long as it runs. When the command ends, the guard kills the rest and ends in the same way, with
the same exit code or by the same signal. When a byte comes on the socket, it kills all at once; when the socket is
closed, as it is by the end of the kit's process, the command has GRACE seconds to end by itself.

Elsewhere the guard kills the command's process group.
"""

from __future__ import annotations

import contextlib
import os
import resource
import select
import signal
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import NoReturn

#: Seconds that a command has to end by itself after the end of the kit's process.
GRACE = 1.0
#: Seconds after which the guard gives up killing: some processes cannot be killed, such as one of another user.
KILLING = 2.0

#: At most so many processes below one are looked at.
_MOST_DESCENDANTS = 4096
#: As in <linux/prctl.h>.
_PR_SET_CHILD_SUBREAPER = 36
#: A signal to the kit's process group or its terminal is the kit's business.
_NOT_OURS = (signal.SIGINT, signal.SIGHUP, signal.SIGTERM, signal.SIGQUIT)
#: What Python ignores, and a command does not.
_PYTHONS = (signal.SIGPIPE, signal.SIGXFSZ)


def program(control: int, command: Sequence[str]) -> list[str]:
    """The command line of a guard. It starts faster from a file than from a zip."""
    if os.path.isfile(__file__):  # noqa: PTH113 (pathlib would make the guard slower to start)
        return [sys.executable, "-I", "-S", __file__, str(control), *command]
    return [sys.executable, "-P", "-m", __name__, str(control), *command]


def descendants(pid: int) -> Iterator[int]:
    """The processes that a process has started, and theirs; none where /proc does not tell (not on Linux)."""
    waiting = [pid]
    for one in waiting:
        if len(waiting) > _MOST_DESCENDANTS:
            break
        with contextlib.suppress(OSError):
            for task in os.listdir(f"/proc/{one}/task"):  # noqa: PTH208
                with open(f"/proc/{one}/task/{task}/children", "rb") as file:  # noqa: PTH123
                    waiting += map(int, file.read().split())
    yield from waiting[1:]


def _become_subreaper() -> None:
    with contextlib.suppress(ImportError, OSError, AttributeError):
        import ctypes  # not every Python has it

        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _start(command: list[str], control: int) -> int:
    """Start the command, in a process group of its own. Returns its process id."""
    child = os.fork()
    if child:
        return child
    os.close(control)
    os.setpgid(0, 0)
    for number in _PYTHONS:
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execvp(command[0], command)  # noqa: S606 (it is what the user named)
    except OSError as error:
        os.write(2, f"{command[0]} cannot be started: {error.strerror}\n".encode(errors="backslashreplace"))
        os._exit(127)


def _wait(child: int, control: int, woken: int) -> int | None:
    """Wait for the end of the command or for the kit's word. Returns the command's status, None if it still runs."""
    deadline = None
    while (status := _reap(child)) is None and (deadline is None or time.monotonic() < deadline):
        watched = [woken] if deadline else [woken, control]
        ready, _, _ = select.select(watched, [], [], deadline and max(deadline - time.monotonic(), 0))
        if woken in ready:
            os.read(woken, 4096)
        elif control in ready:
            if _said(control):
                return None
            deadline = time.monotonic() + GRACE
    return status


def _said(control: int) -> bytes:
    with contextlib.suppress(ConnectionResetError):
        return os.read(control, 1)
    return b""


def _reap(child: int) -> int | None:
    """Take the status of each process that has ended. Returns that of the command, if it is among them."""
    found = None
    with contextlib.suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG)) != (0, 0):
            if ended[0] == child:
                found = ended[1]
    return found


def _kill_all(child: int) -> int | None:
    """Kill the command, its process group, and all that stands below this process. Returns the command's status, if it
    had not ended before."""
    status = None
    deadline = time.monotonic() + KILLING
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    while (below := [*descendants(os.getpid())]) and time.monotonic() < deadline:
        for one in below:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(one, signal.SIGKILL)
        time.sleep(0.001)
        ended = _reap(child)
        status = status if ended is None else ended
    return status


def _end_as(status: int) -> NoReturn:
    """End as the command did."""
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with contextlib.suppress(OSError):  # SIGKILL cannot be set
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


def main(control: int, command: list[str]) -> NoReturn:
    """The guard process."""
    _become_subreaper()
    os.set_inheritable(control, False)
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    child = _start(command, control)
    for number in _NOT_OURS:
        signal.signal(number, signal.SIG_IGN)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):  # the command's end is to close them
        os.dup2(nothing, stream)
    with contextlib.suppress(OSError):  # the kit's process has ended
        os.write(control, b"%d\n" % child)
    status = _wait(child, control, woken)
    rest = _kill_all(child)
    status = rest if status is None else status
    _end_as(signal.SIGKILL if status is None else status)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
