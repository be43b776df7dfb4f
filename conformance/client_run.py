"""What a client does with the kit's broker: what there is to know of a run, and what a script says in answer.

A run is one process of the client, with one script. A script knows nothing of sockets; whoever runs it gives it the
requests one after another.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

Kind = Literal["opened", "request", "token", "answer", "closed", "ended"]


class RunEvent(NamedTuple):
    """Something on one of the client's connections, which are numbered from 1 in the order in which they came.

    `at`: seconds since the process was started. `kind`: the client "opened" the connection; a "request" of it, which is
    the content of a frame, or a "token" of a login without a request, which is not kept; the "answer" of the broker, in
    whole frames or what the script makes of them; the broker has "closed" the connection; the client has "ended" it.
    `scripted`: the script says what the answer is. `early`: the request had come before the answer in front of it was
    sent. `node`: the broker's id, 0, or 1 of the second one. `before_login`: the broker wants a login on this
    connection, and it was not done yet.
    """

    at: float
    connection: int
    kind: Kind
    data: bytes = b""
    scripted: bool = False
    early: bool = False
    node: int = 0
    before_login: bool = False


@dataclass(frozen=True, slots=True)
class ClientRun:
    """A run that has ended by itself. `code`: the exit code. `said`: the beginning and the end of its stderr."""

    events: tuple[RunEvent, ...]
    code: int
    seconds: float
    said: str = ""

    @property
    def gave_up(self) -> bool:
        """Whether the client says that it failed."""
        return self.code != 0


class Reply(NamedTuple):
    """What the script's broker sends for a request: `data`, with `byte_every` seconds between two bytes (0: at once),
    `delay` seconds after the request, in one packet with the answers to what has come in between. `closes`: then it
    closes the connection. `gone`: and takes no other one any more."""

    data: bytes
    closes: bool = False
    byte_every: float = 0.0
    delay: float = 0.0
    gone: bool = False


class ClientScript(Protocol):
    """How the kit's broker answers one run. `second`: how the second one does, where there is one. `hands_over`: with
    the first request of this api the first broker leads the partition, in its place; None: it leads to the end."""

    @property
    def name(self) -> str: ...

    @property
    def second(self) -> ClientScript | None: ...

    @property
    def hands_over(self) -> int | None: ...

    @property
    def apis(self) -> Mapping[int, tuple[int, int]]:
        """Versions of apis that the broker lists and answers, in place of its own; a range of (0, -1): none."""
        ...

    @property
    def before_login(self) -> Mapping[int, tuple[int, int]]:
        """In the same way: those that it lists before a login, in place of those behind it."""
        ...

    @property
    def asked(self) -> str:
        """The apis that it answers, for a person; empty if it answers none in a way of its own."""
        ...

    def reply(self, request: bytes, earlier: int, usual: bytes | None) -> Reply | None:
        """The answer to a request, the content of a frame. `earlier`: how many requests of the same api, of this broker
        and in this run the script has answered. `usual`: what the broker answers without a script; None: it closes.
        None: the script leaves this request to the broker."""
        ...
