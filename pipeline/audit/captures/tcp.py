"""The bytes of a TCP connection, put together from its segments.

Libraries that read captures in Python do not do this well: dpkt has none of it, and scapy's sessions join what comes in
order, lose what overlaps, and are under the GPL. It is little: each byte of a direction has a number; bytes that were
there already are dropped, bytes that come too early wait.
"""

from __future__ import annotations

from wireproof.pipeline.audit.captures.packets import SYN, TcpSegment

#: The most bytes that wait for earlier ones, in one direction. If they never come, the capture has lost them.
_MOST_WAITING = 64 << 20


class Direction:
    """The bytes of one direction. `begun`: whether its beginning is known, by a SYN."""

    def __init__(self) -> None:
        self.begun = False
        self._first: int | None = None  # the sequence number of its byte 0
        self._received = 0
        self._waiting: dict[int, bytes] = {}
        self._waiting_bytes = 0

    @property
    def missing(self) -> bool:
        """Whether bytes were lost in the capture: later ones are there."""
        return bool(self._waiting)

    @property
    def full(self) -> bool:
        """Whether there is no more hope for the missing ones."""
        return self._waiting_bytes > _MOST_WAITING

    def is_new(self, segment: TcpSegment) -> bool:
        """Whether this segment begins another connection than the one that was seen here."""
        return (
            bool(segment.flags & SYN) and self._first is not None and self._first != segment.sequence + 1 & 0xFFFFFFFF
        )

    def add(self, segment: TcpSegment) -> bytes:
        """The bytes that follow those returned before, now that this segment is there."""
        if segment.flags & SYN:
            self._first, self.begun = segment.sequence + 1 & 0xFFFFFFFF, True
            return b""
        if self._first is None:
            self._first = segment.sequence
        distance = (segment.sequence - self._first - self._received) & 0xFFFFFFFF
        if distance >= 1 << 31:
            distance -= 1 << 32
        at = self._received + distance
        if not segment.payload or at + len(segment.payload) <= self._received or self.full:
            return b""
        if len(segment.payload) > len(self._waiting.get(at, b"")):
            self._waiting_bytes += len(segment.payload) - len(self._waiting.get(at, b""))
            self._waiting[at] = segment.payload
        return self._ready() if at <= self._received else b""

    def _ready(self) -> bytes:
        out = bytearray()
        for at in sorted(self._waiting):
            if at > self._received:
                break
            payload = self._waiting.pop(at)
            self._waiting_bytes -= len(payload)
            new = payload[self._received - at :]
            out += new
            self._received += len(new)
        return bytes(out)
