"""SIGTERM and SIGINT end a run properly: the report and the summary are written, and implementations are stopped."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import pytest

#: Seconds after which an ignored KeyboardInterrupt is raised again.
_AGAIN = 0.05


class Signals:
    """A plugin that turns SIGTERM into KeyboardInterrupt, as Python does with SIGINT: pytest then ends properly, with
    exit code 2.

    This is for the first signal only: a second SIGTERM ends the process at once, if the end takes too long. Both
    signals wait inside `held`, where something is written that must stay whole. Python ignores an exception that is
    raised in a destructor or in a weak reference's callback; a KeyboardInterrupt ignored there is raised again.
    """

    def __init__(self) -> None:
        self._before: dict[signal.Signals, signal._HANDLER] = {}
        self._held = False
        self._waiting = False
        self._unraisable: Callable[[sys.UnraisableHookArgs], Any] | None = None

    @pytest.hookimpl
    def pytest_sessionstart(self) -> None:
        """Handle signals from now on, in the main thread. A handler for SIGINT from elsewhere stays."""
        if threading.current_thread() is not threading.main_thread():
            return
        for number in (signal.SIGTERM, signal.SIGINT):
            if number is signal.SIGTERM or signal.getsignal(number) is signal.default_int_handler:
                self._before[number] = signal.signal(number, self._stop)
        self._unraisable, sys.unraisablehook = sys.unraisablehook, self._ignored

    def end(self) -> None:
        """Restore what was there before. Safe to repeat."""
        self._restore_handlers()
        if self._unraisable is not None:
            sys.unraisablehook, self._unraisable = self._unraisable, None

    def _restore_handlers(self) -> None:
        while self._before:
            number, handler = self._before.popitem()
            signal.signal(number, handler)

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """A signal that comes inside the block takes effect at its end."""
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
        self._restore_handlers()
        raise KeyboardInterrupt

    def _ignored(self, args: sys.UnraisableHookArgs) -> None:
        """An exception was ignored: a KeyboardInterrupt comes again, the others are for whoever was there before."""
        if issubclass(args.exc_type, KeyboardInterrupt):
            again = threading.Timer(_AGAIN, signal.pthread_kill, (threading.main_thread().ident, signal.SIGINT))
            again.daemon = True
            again.start()  # here it would be ignored, too
        elif self._unraisable is not None:
            self._unraisable(args)
