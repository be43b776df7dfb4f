"""Requests with their answers, in the order in which the answers came.

Frames are paired by the correlation id, connection by connection. What cannot be read is left out: other judges see
to that.
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from wireproof import reference
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.conformance.script import Action, Event, Receive, Send

DIALECT = "kafka"
Body = Mapping[str, Any]
_SIZE, _LEAST_REQUEST = 4, 12


class Exchange(NamedTuple):
    """A request with its answer: their bodies. `asked`, `answered`: seconds since the beginning."""

    api: str
    version: int
    asked: float
    answered: float
    request: Body
    answer: Body

    @property
    def named(self) -> str:
        return f"{self.api} {self.version}"

    def before(self, other: Exchange) -> bool:
        """Whether it was answered before the other was asked."""
        return self.answered <= other.asked


#: Tells what does not agree, each in a sentence.
Look = Callable[[Sequence[Exchange]], Iterator[str]]


@dataclass(frozen=True, slots=True)
class Rule:
    """What has to agree. `demands`: that, in a sentence. `source`: the text that demands it."""

    name: str
    demands: str
    source: str
    look: Look


def exchanges(events: Iterable[tuple[Action, Event]]) -> list[Exchange]:
    """Those of a conversation that was held."""
    open_: dict[tuple[str, int], tuple[bytes, float]] = {}
    found: list[Exchange] = []
    for action, event in events:
        if isinstance(action, Send):
            for frame in _frames(action.data):
                open_[action.on, struct.unpack_from(">i", frame, 8)[0]] = frame, event.at
        elif isinstance(action, Receive) and event.kind == "frame" and len(event.data) >= 2 * _SIZE:
            asked = open_.pop((action.on, struct.unpack_from(">i", event.data, 4)[0]), None)
            if asked is not None and (one := _exchange(*asked, event)) is not None:
                found.append(one)
    return found


def _frames(data: bytes) -> Iterator[bytes]:
    """The whole frames in what was sent, size and all."""
    at = 0
    while at + _LEAST_REQUEST <= len(data):
        size = int.from_bytes(data[at : at + _SIZE]) + _SIZE
        if not _LEAST_REQUEST <= size <= len(data) - at:
            return
        yield data[at : at + size]
        at += size


def _exchange(frame: bytes, asked: float, event: Event) -> Exchange | None:
    key, version = struct.unpack_from(">hh", frame, _SIZE)
    api = _names().get(key)
    if api is None:
        return None
    try:
        request = reference_codec().decode("RequestFrame", frame, dialect=DIALECT)["body"]
        answer = reference_codec().decode(f"ResponseFrame:{api}", event.data, dialect=DIALECT, version=version)["body"]
    except reference.WireError:
        return None
    return Exchange(api, version, asked, event.at, request, answer)


@functools.cache
def _names() -> Mapping[int, str]:
    return reference_codec().dialect(DIALECT).apis()
