"""Python's garbage collector during a run. A run makes many objects and keeps them all, so the collector would only
look at them again and again."""

from __future__ import annotations

import gc

#: So many objects more than went before a collection of the youngest begins; Python's default is 700.
_YOUNG = 20_000


class Garbage:
    """Sets Python's garbage collector for a run, and sets it back afterwards."""

    def __init__(self) -> None:
        self._before = gc.get_threshold()
        self._enabled = gc.isenabled()

    def collecting(self) -> None:
        """pytest collects items now; nothing of that is garbage, so the collector rests."""
        gc.disable()

    def collected(self) -> None:
        """All items exist now and stay, so they are not looked at any more. New objects are, but less often."""
        gc.freeze()
        gc.set_threshold(_YOUNG, *self._before[1:])
        if self._enabled:
            gc.enable()

    def restore(self) -> None:
        """As it was before the run. Safe to repeat."""
        gc.unfreeze()
        gc.set_threshold(*self._before)
        if self._enabled:
            gc.enable()
