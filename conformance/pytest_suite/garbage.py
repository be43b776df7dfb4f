"""Python's garbage collector during a run. A run makes many objects and keeps them all, so the collector would check
them again and again for nothing."""

from __future__ import annotations

import gc

#: A collection of the youngest generation starts after this many new objects; Python's default is 700.
_YOUNG = 20_000


class Garbage:
    """Sets Python's garbage collector for a run, and sets it back afterwards."""

    def __init__(self) -> None:
        self._before = gc.get_threshold()
        self._enabled = gc.isenabled()

    def collecting(self) -> None:
        """While pytest collects items, nothing becomes garbage: turn the collector off."""
        gc.disable()

    def collected(self) -> None:
        """All items exist now, and stay: the collector ignores them. It checks new objects, but less often."""
        gc.freeze()
        gc.set_threshold(_YOUNG, *self._before[1:])
        if self._enabled:
            gc.enable()

    def restore(self) -> None:
        """Restore the settings from before the run. Safe to repeat. All objects are frozen until pytest has collected
        garbage for the last time: `pytest_wireproof` unfreezes them."""
        gc.freeze()
        gc.set_threshold(*self._before)
        if self._enabled:
            gc.enable()
