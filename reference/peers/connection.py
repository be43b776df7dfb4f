"""A broker's side of one connection, sans IO: bytes and the time in, bytes out, and whether it closed.

Requests are answered one after another, in the order in which they came (R-K-23). Where an answer has to wait, those
behind it wait too. Times are in ms since 1970; the clock is an argument.
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from wireproof.reference.errors import DecodeError
from wireproof.reference.peers import framing

#: One call answers so many requests at most, and begins no more once their answers have so many bytes: other
#: connections have their turn in between.
MOST_REQUESTS, MOST_AT_ONCE = 16, 1 << 20


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Wait(Generic[T]):
    """An answer that is sent as soon as it is `ready`, and at the time `until` in any case."""

    until: float
    ready: Callable[[], bool]
    answer: Callable[[], T]


#: A response frame, empty where none is sent; None: the broker closes.
Answer = bytes | Wait[bytes | None] | None


class Connection(abc.ABC):
    """One connection; how a request is answered is the subclass's."""

    def __init__(self) -> None:
        self.closed = False
        self._arrived = framing.Frames()
        self._waiting: Wait[bytes | None] | None = None
        self._more = False

    @abc.abstractmethod
    def answer(self, frame: bytes, now: float) -> Answer:
        """The answer to the request that is a frame's content."""
        ...

    @property
    def held(self) -> int:
        """How many bytes have arrived that no answer was given to yet."""
        return len(self._arrived)

    @property
    def deadline(self) -> float | None:
        """The time at which `poll` has to be called, whatever else happens; None: no time is awaited."""
        if self.closed:
            return None
        if self._waiting is not None:
            return self._waiting.until
        return float("-inf") if self._more else None

    def receive(self, chunk: bytes, now: float = 0.0) -> bytes:
        """The bytes that the broker sends after these have arrived."""
        if not self.closed:
            self._arrived.add(chunk)
        return self.poll(now)

    def poll(self, now: float) -> bytes:
        """The bytes that the broker sends because time has passed, or because of what came on other connections."""
        sent = bytearray()
        self._more = True
        for _ in range(MOST_REQUESTS):
            answer = self._due(now)
            if answer is None:
                self._more = False
                break
            sent += answer
            if len(sent) >= MOST_AT_ONCE:
                break
        return bytes(sent)

    def _due(self, now: float) -> bytes | None:
        """The next answer; None: none is due, or the broker closes."""
        if self.closed:
            return None
        answer: Answer = self._waiting
        if answer is None:
            frame = self._next_frame()
            if frame is None:
                return None
            answer = self.answer(frame, now)
        if isinstance(answer, Wait):
            waits = now < answer.until and not answer.ready()
            self._waiting = answer if waits else None
            if waits:
                return None
            answer = answer.answer()
        self.closed = answer is None
        return answer

    def _next_frame(self) -> bytes | None:
        """The content of the first whole frame, or None. A size that no request can have closes the connection."""
        try:
            return self._arrived.next()
        except DecodeError:
            self.closed = True
            return None


def serve(connection: Connection, chunks: Iterable[bytes]) -> tuple[bytes, bool]:
    """All that the broker sends for these chunks, and whether it then closed. Time passes behind the last chunk, until
    nothing is awaited any more."""
    sent = bytearray()
    for chunk in chunks:
        sent += connection.receive(bytes(chunk))
    while (until := connection.deadline) is not None:
        sent += connection.poll(until)
    return bytes(sent), connection.closed
