"""SIGTERM and SIGINT end a run properly: the report and the summary are written, and implementations are stopped."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType


class Stopping:
    """Turns SIGTERM into KeyboardInterrupt, as Python does with SIGINT: pytest then ends properly, with exit code 2.

    Only the first signal does so: a second SIGTERM ends the process at once, in case the end takes too long. While
    something is written that must not be cut in two, both signals wait.
    """

    def __init__(self) -> None:
        self._before: dict[signal.Signals, signal._HANDLER] = {}
        self._held = False
        self._waiting = False

    def begin(self) -> None:
        """Handle signals from now on, in the main thread. Somebody else's handler for SIGINT stays."""
        if threading.current_thread() is not threading.main_thread():
            return
        for number in (signal.SIGTERM, signal.SIGINT):
            if number is signal.SIGTERM or signal.getsignal(number) is signal.default_int_handler:
                self._before[number] = signal.signal(number, self._stop)

    def end(self) -> None:
        """Restore what was before. Safe to repeat."""
        while self._before:
            number, handler = self._before.popitem()
            signal.signal(number, handler)

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """A signal that comes meanwhile takes effect at the end."""
        self._held = True
        try:
            yield
        finally:
            self._held = False
            if self._waiting:
                self._waiting = False
                self._interrupt()

    def _stop(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002 (as `signal` calls it)
        if self._held:
            self._waiting = True
        else:
            self._interrupt()

    def _interrupt(self) -> None:
        self.end()
        raise KeyboardInterrupt
