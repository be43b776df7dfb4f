"""The messages between a campaign and its children, in JSON. A child gets its order as an argument, and sends one event
on each line."""

from __future__ import annotations

from typing import Any

import msgspec

from wireproof.fuzz.targets.finding import FuzzFinding


class Order(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The work of a child. `corpus`: folders of inputs; libFuzzer writes to the first one. `words`: its dictionary.
    `vectors`: folders of the user's own vectors. `running`: the file that holds the current input. `seconds`, `runs`:
    the limits (None: no limit). `avoided`: names of inputs that ended or blocked an earlier child. `only`: ask about
    this type only. `events`: the descriptor to which it writes events."""

    spec: str
    target: str
    dialect: str
    corpus: tuple[str, ...]
    running: str
    events: int
    only: str | None = None
    known: str | None = None
    words: str | None = None
    vectors: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    in_child: bool = False
    structured: bool = True
    seed: int = 0
    seconds: float | None = None
    runs: int | None = None
    timeout: float = 5.0
    memory: int = 1024
    avoided: tuple[str, ...] = ()


class Progress(msgspec.Struct, frozen=True, tag="progress", tag_field="event"):
    """The work done since the start of the child. `findings` and `known` count deviations by name."""

    executions: int
    judged: int
    findings: dict[str, int]
    known: dict[str, int]


class Found(msgspec.Struct, frozen=True, tag="found", tag_field="event"):
    """A new finding, or an earlier one with a smaller input."""

    finding: FuzzFinding


class Ended(msgspec.Struct, frozen=True, tag="ended", tag_field="event"):
    """The child has carried out its order. This is its last event."""


class Failed(msgspec.Struct, frozen=True, tag="failed", tag_field="event"):
    """The child cannot carry out its order. `why`: a message to the user."""

    why: str


Event = Progress | Found | Ended | Failed


def encode(event: Event) -> bytes:
    """An event as a line."""
    return msgspec.json.encode(event) + b"\n"


def decode(line: bytes) -> Event:
    """The event of a line. Raises msgspec.DecodeError."""
    event: Any = msgspec.json.decode(line, type=Event)
    return event  # type: ignore[no-any-return]
