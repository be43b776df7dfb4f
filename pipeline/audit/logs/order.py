"""The order of offsets from batch to batch: each begins above the last offset of the one before it.

Gaps are allowed, because compaction leaves them. One disturbance is told once, at the batch that doesn't fit between
its neighbours: of two swapped batches the first, of a batch that stands twice the second, and where the offsets go back
and stay there, the batch at which they do. Batches that are refused have no part in it: their offsets may be wrong.
"""

from __future__ import annotations

from typing import Protocol

from wireproof.pipeline.audit.findings import LogReason, Trouble, failed

#: The offset of lastOffsetDelta in a batch of magic 2.
LAST_DELTA_AT = 23


class Offsets(Protocol):
    """A batch or message, as far as its offsets matter."""

    start: int
    magic: int | None
    base_offset: int | None
    last_offset: int | None
    trouble: Trouble | None


class Order:
    """Takes batches in the file's order, and sets the `trouble` of those that are out of order.

    `first`: the least offset that the file's name allows. `below`: the first offset of the next segment, or None.
    """

    def __init__(self, first: int, below: int | None) -> None:
        self._last = first - 1
        self._below = below
        self._at_the_beginning = True
        self._held: Offsets | None = None

    @property
    def undecided_from(self) -> int | None:
        """Where the batch begins that waits for its successor."""
        return None if self._held is None else self._held.start

    def add(self, batch: Offsets) -> None:
        """The next batch that was not refused."""
        if self._held is not None:
            self._decide(self._held, batch.base_offset)
        self._held = batch

    def end(self) -> None:
        """There are no further batches."""
        if self._held is not None:
            self._decide(self._held, None)
        self._held = None

    def _decide(self, batch: Offsets, following: int | None) -> None:
        base, last = batch.base_offset or 0, batch.last_offset or 0
        if base < 0:
            batch.trouble = failed(LogReason.OFFSET_ORDER, batch.start, f"base offset {base} is negative")
            return
        if base <= self._last:
            batch.trouble = self._going_back(batch.start, base)
            if following is None or following <= self._last:
                self._last = last  # the log goes on from here
            return
        if following is not None and self._last < following <= last and following != base:
            batch.trouble = _above(batch, base, last, following)
            if following > base:
                self._last = base
            return
        self._last, self._at_the_beginning = last, False
        if self._below is not None and last >= self._below:
            detail = f"offsets {base} to {last}; the next segment begins at {self._below}"
            batch.trouble = failed(LogReason.OFFSET_ORDER, batch.start, detail)

    def _going_back(self, start: int, base: int) -> Trouble:
        if self._at_the_beginning:
            detail = f"base offset {base}; the file's name says that offsets begin at {self._last + 1}"
        else:
            detail = f"base offset {base}; the batches before it reach {self._last}"
        self._at_the_beginning = False
        return failed(LogReason.OFFSET_ORDER, start, detail)


def _above(batch: Offsets, base: int, last: int, following: int) -> Trouble:
    if following > base and batch.magic == 2:
        detail = f"its offsets reach {last}; the next batch begins at {following}"
        return failed(LogReason.OFFSET_ORDER, batch.start + LAST_DELTA_AT, detail)
    return failed(LogReason.OFFSET_ORDER, batch.start, f"base offset {base}; the next batch begins at {following}")
