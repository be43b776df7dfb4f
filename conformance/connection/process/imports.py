"""Modules that a copy of the worker imports at their first use. The process that stays behind imports them too, once,
so that the next copies find them: some libraries have a module for each message, and end their process a thousand
times."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

from wireproof.conformance import garbage

#: The most bytes of names that are read at a time.
_READ = 1 << 16


def has_one_thread() -> bool:
    """Whether this process has a single thread, so that a fork of it can go on. False where that is not known."""
    return sys.platform == "linux" and len(list(Path("/proc/self/task").iterdir())) == 1


class Imported:
    """Names of modules, from a copy to the process that stays behind. Made before the first copy is forked."""

    def __init__(self) -> None:
        self._taken, self._told = os.pipe()
        for end in (self._taken, self._told):
            os.set_blocking(end, False)
        self._count = len(sys.modules)

    def tell(self) -> None:
        """In a copy, after an answer: tell which modules were imported since the last call. Modules that are not of
        Python source are left out, because native ones may do anything when they are imported, and so is everything
        once there is a second thread: what was imported may have started it."""
        count = len(sys.modules)
        if count == self._count:
            return
        added = [*sys.modules.items()][self._count :]
        self._count = count
        names = [name for name, module in added if _is_of_source(module)]
        if names and has_one_thread():
            with contextlib.suppress(OSError):  # the pipe is full: then they are imported again
                os.write(self._told, "".join(f"{name}\n" for name in names).encode())

    def follow(self) -> None:
        """In the process that stays behind, after the end of a copy: import what it told."""
        try:
            names = os.read(self._taken, _READ).decode(errors="replace").split("\n")
        except BlockingIOError:
            return
        for name in names[:-1]:
            with contextlib.suppress(Exception, SystemExit):  # it is left to the copies
                importlib.import_module(name)
        garbage.freeze()  # for the copies
        self._count = len(sys.modules)


def _is_of_source(module: ModuleType) -> bool:
    return isinstance(getattr(getattr(module, "__spec__", None), "loader", None), SourceFileLoader)
