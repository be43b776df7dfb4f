"""What a script for a conversation with a broker does, and what happens then. Whoever plays a script gives it the event
of each of its actions; the script knows what may come.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

from wireproof.errors import WireproofError


@dataclass(frozen=True, slots=True)
class Send:
    """Send bytes on the connection of this name, which is opened if it is not there. `secret`: they are not recorded.
    `reads`: whether what comes there is read from now on; if not, it is left in the socket until the next Receive."""

    on: str
    data: bytes
    secret: bool = False
    reads: bool = True


@dataclass(frozen=True, slots=True)
class Receive:
    """Wait on a connection for a frame, or for its closing. `silence`: no longer than a silence lasts, because nothing
    is expected; else as long as an answer may take."""

    on: str
    silence: bool = False


@dataclass(frozen=True, slots=True)
class Rest:
    """Take the bytes on a connection that have come and that no Receive has taken. It does not wait."""

    on: str


@dataclass(frozen=True, slots=True)
class Load:
    """Connect `count` other clients, each of which sends `data`: at once, or with `byte_every` seconds between two
    bytes. `ends`: how each ends as soon as it has sent all, "close" or "reset"; None: it stays to the end of the
    conversation. `reads`: whether it reads what comes. It is done when all have sent everything, or after `seconds`."""

    count: int
    data: bytes
    byte_every: float
    ends: Literal["close", "reset"] | None
    reads: bool
    seconds: float


@dataclass(frozen=True, slots=True)
class Sleep:
    """Do nothing for some seconds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Reached:
    """Take the requests with this client id that have reached the kit's broker behind a proxy. It does not wait."""

    client_id: str


Action = Send | Receive | Rest | Load | Sleep | Reached


class Event(NamedTuple):
    """What came of an action. `kind`: "done" (Send, Load, Sleep); "late" (a Load whose clients should have come and
    gone); "frame"; "closed" or "silent" (with the bytes that are no whole frame); "rest"; "reached" (with the frames,
    one after another). `at`: seconds since the beginning of the conversation."""

    kind: str
    data: bytes
    at: float


class Facts(NamedTuple):
    """What is different each time. `name`: no topic's name on the broker begins with it. `token`: the token of SASL
    PLAIN with which the broker is reached; empty if there is none. `stays`: the broker goes on when the run ends, so
    topics that were made are deleted."""

    name: str
    token: bytes = b""
    behind: tuple[str, int] = ("", 0)
    stays: bool = True


class Deviation(WireproofError):  # noqa: N818 (a result, not an error of ours)
    """An event that the script does not allow. `place`: which field of which answer, without numbers."""

    def __init__(self, text: str, place: str = "") -> None:
        super().__init__(text)
        self.place = place


class Unready(WireproofError):  # noqa: N818 (a result, not an error of ours)
    """The broker does not have what the script needs; the text says what."""


Play = Generator[Action, Event, None]


class Script(Protocol):
    """A script. `logs_in`: it logs in by itself, so the connections are as they are before a login. `alone`: it loads
    the broker, so nothing else is asked at the same time."""

    @property
    def logs_in(self) -> bool: ...

    @property
    def alone(self) -> bool: ...

    def play(self, facts: Facts) -> Play:
        """Its actions, one after another. Raises Deviation and Unready."""
        ...

    def told(self) -> Iterable[str]:
        """Its steps, in a line each, for a person."""
        ...


@dataclass(frozen=True, slots=True)
class Transcript:
    """A conversation that was held: each action with its event. `deviation`: what the script did not allow; None if it
    allowed all."""

    events: tuple[tuple[Action, Event], ...]
    deviation: Deviation | None
