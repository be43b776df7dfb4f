"""How commands end that run until they are told: by Ctrl-C, by SIGTERM, and at the end of a piped standard input."""

from __future__ import annotations

import os
import signal
import stat
from typing import NoReturn

_STDIN = 0


def interrupt_on_sigterm() -> None:
    """Let SIGTERM raise KeyboardInterrupt, as Ctrl-C does."""
    signal.signal(signal.SIGTERM, _interrupt)


def _interrupt(*_: object) -> NoReturn:
    raise KeyboardInterrupt


def piped_stdin() -> int | None:
    """The descriptor of standard input if somebody may close it. A terminal, a file or /dev/null is no sign: None."""
    try:
        mode = os.fstat(_STDIN).st_mode
    except OSError:  # it is closed
        return None
    return _STDIN if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) else None
