"""What a child of a campaign is told, and what it tells: JSON, an order as its argument, an event a line."""

from __future__ import annotations

from typing import Any

import msgspec

from fuzz.found import Found


class Order(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a child does. `corpus`: the folders of inputs, into the first of which libFuzzer writes. `running`: the file
    that holds the input at hand. `seconds`, `runs`: when it ends, None for never. `avoided`: names of inputs that ended
    or held up a child before. `only`: a type. `events`: the descriptor on which it tells."""

    spec: str
    target: str
    dialect: str
    corpus: tuple[str, ...]
    running: str
    events: int
    only: str | None = None
    known: str | None = None
    packages: tuple[str, ...] = ()
    outside: bool = False
    structured: bool = True
    seed: int = 0
    seconds: float | None = None
    runs: int | None = None
    timeout: float = 5.0
    memory: int = 1024
    avoided: tuple[str, ...] = ()


class Progress(msgspec.Struct, frozen=True, tag="progress", tag_field="event"):
    """What a child has done since it began; `findings` and `known` count deviations by name."""

    executions: int
    judged: int
    findings: dict[str, int]
    known: dict[str, int]


class Finding(msgspec.Struct, frozen=True, tag="finding", tag_field="event"):
    """A finding, or the same with a smaller input."""

    found: Found


class Ended(msgspec.Struct, frozen=True, tag="ended", tag_field="event"):
    """The child has done what it was told to. Nothing comes after it."""


class Failed(msgspec.Struct, frozen=True, tag="failed", tag_field="event"):
    """The child cannot do what it was told to: why, for a person."""

    why: str


Event = Progress | Finding | Ended | Failed


def encode(event: Event) -> bytes:
    """An event as a line."""
    return msgspec.json.encode(event) + b"\n"


def decode(line: bytes) -> Event:
    """The event of a line. Raises msgspec.DecodeError."""
    found: Any = msgspec.json.decode(line, type=Event)
    return found  # type: ignore[no-any-return]
