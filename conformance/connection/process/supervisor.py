"""Runs something in a copy of this process, and waits for it: for `--in-process`, where the module under test can end
the process in which it runs.

The copy tells over a pipe with which exit code it is done. If it ends without that, somebody else has ended it, and
the exit code with which it did so does not count.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from typing import NoReturn

#: The exit code of a run that was ended by somebody else.
FAILED = 1


def supervised(run: Callable[[], int]) -> int:
    """Run this function in a copy of this process. Returns the exit code that it returns, or FAILED, with a line on
    stderr, if the copy ended in another way. A SystemExit counts as the end of the function."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()  # what is not written yet would be written twice
    told, tell = os.pipe()
    copy = os.fork()
    if copy == 0:
        os.close(told)
        _run(run, tell)
    os.close(tell)
    with _signals_for(copy):
        _, ended = os.waitpid(copy, 0)
    with open(told, "rb") as pipe:  # noqa: PTH123 (a file descriptor)
        said = pipe.read(1)
    if said:
        return said[0]
    code = os.waitstatus_to_exitcode(ended)
    how = f"with exit code {code}" if code >= 0 else f"by signal {-code}"
    sys.stderr.write(
        f"\nThe module under test ended the process {how}: the run is not whole, so it fails. "
        "Without --in-process it runs in a process of its own, and its end is a verdict on the question.\n"
    )
    return FAILED


def _run(run: Callable[[], int], tell: int) -> NoReturn:
    """In the copy: run the function, tell its exit code, and end without the exit functions of the original."""
    code = FAILED
    try:
        code = run()
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else FAILED if error.code else 0
    except BaseException:
        traceback.print_exc()  # nobody above would show it: the process ends here
    finally:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        os.write(tell, bytes([code & 0xFF]))
        os._exit(code & 0xFF)


@contextlib.contextmanager
def _signals_for(copy: int) -> Iterator[None]:
    """Meanwhile SIGTERM is passed on to the copy. A terminal sends SIGINT to both; only the copy is to follow it."""
    before = {
        signal.SIGINT: signal.signal(signal.SIGINT, signal.SIG_IGN),
        signal.SIGTERM: signal.signal(signal.SIGTERM, lambda number, _: os.kill(copy, number)),
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
