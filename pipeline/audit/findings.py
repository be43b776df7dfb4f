"""What an audit says of a piece of a file: its verdict, and the reason of a failure.

The reference's reasons (`reference.errors.Reason`) are about one batch, message or frame. Those below are about what no
single one shows: the order of batches in a file, and bytes that are no batch at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from wireproof.reference.errors import DecodeError


class Verdict(StrEnum):
    """What is contested is wrong by the specification alone: Kafka's own classes read it. A torn tail is the end of a
    file that was not written completely, as after a crash; an unmatched frame has its counterpart outside of the
    capture: no rule is broken by either. What is unreadable was not judged: a broker may delete a file, or cut it off,
    while it is read; a batch may hold more than the audit's limit, which no text has (R-K-35)."""

    PASS = "pass"
    FAIL = "fail"
    CONTESTED = "contested"
    TORN = "torn-tail"
    UNMATCHED = "unmatched"
    UNREADABLE = "unreadable"


class LogReason(StrEnum):
    """Reasons beside those of the reference. This list is closed, and part of the tables' contract."""

    #: Bytes where a batch has to begin, but none does: zeros in the middle of a file, bytes between batches.
    NOT_A_BATCH = "not-a-batch"
    #: Offsets that do not increase from batch to batch, or are outside of what the file's name allows.
    OFFSET_ORDER = "offset-order"
    #: A record's offset delta that does not increase inside its batch, or is outside of 0 to lastOffsetDelta.
    OFFSET_DELTA = "offset-delta"
    #: A control record whose key or value is not what its type demands.
    CONTROL_RECORD = "control-record"
    #: A frame without its counterpart: a response without a request, a request without a response.
    UNMATCHED = "unmatched"
    #: Bytes that the file system did not give.
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why a piece is not a `pass`. `offset`: in the file, of the first byte of the smallest field at fault."""

    verdict: Verdict
    reason: str
    offset: int
    detail: str

    @property
    def unread(self) -> bool:
        """Whether the content of the piece is not known."""
        return self.verdict is not Verdict.CONTESTED


def failed(reason: str, offset: int, detail: str) -> Trouble:
    """A failure."""
    return Trouble(Verdict.FAIL, reason, offset, detail)


def refused(error: DecodeError, start: int, verdict: Verdict = Verdict.FAIL) -> Trouble:
    """The reference's refusal of a piece that begins at `start`."""
    path = error.path.removeprefix("[0]").removeprefix(".")
    place = f"{path}: " if path else ""
    return Trouble(verdict, str(error.reason), start + (error.offset or 0), place + error.detail)


def beyond_limit(error: DecodeError, start: int) -> Trouble:
    """A piece whose compressed content holds more than the audit's limit: it may be well-formed."""
    return refused(error, start, Verdict.UNREADABLE)


def contested(error: DecodeError, start: int) -> Trouble:
    """The same of a piece that Kafka's own classes read."""
    return refused(error, start, Verdict.CONTESTED)


def unreadable(error: Exception, start: int) -> Trouble:
    """What could not be read, from `start` on."""
    return Trouble(Verdict.UNREADABLE, LogReason.UNREADABLE, start, str(error))
