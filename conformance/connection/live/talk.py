"""A conversation with a broker: a script, played on as many connections as it opens.

As `exchange`, nothing here waits: `broker` calls `go_on` after the sockets were looked at.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from wireproof.conformance.connection.live.exchange import PAUSE, Exchange
from wireproof.conformance.script import (
    Action,
    Deviation,
    Event,
    Facts,
    Load,
    Reached,
    Receive,
    Rest,
    Script,
    Send,
    Sleep,
    Transcript,
    Unready,
)

#: So many clients that come and go are there at a time: fewer than wait to be accepted in Kafka's own queue.
CROWD = 32
#: Seconds after which the broker's queue is taken to be full, and until another one comes then.
FULL_AFTER, COMES_AFTER = 0.05, 0.02


class Connect(Protocol):
    """Begins a connection."""

    def __call__(self, chunks: Sequence[bytes] = (), *, pause: float = PAUSE, reads: bool = True) -> Exchange: ...


class Talk:
    """One conversation, until `over`; then it has to be closed. `unready`: what the broker does not have."""

    def __init__(
        self, script: Script, facts: Facts, connect: Connect, reached: Callable[[str], bytes] = lambda _: b""
    ) -> None:
        """`reached`: the requests with a client id that have reached the broker behind a proxy."""
        self.over = False
        self.unready = ""
        self._deviation: Deviation | None = None
        self._connect = connect
        self._reached = reached
        self._connections: dict[str, Exchange] = {}
        #: Clients beside these connections, how many have come for the action, and when others may come.
        self._clients: list[Exchange] = []
        self._came = 0
        self._comes_at = 0.0
        self._events: list[tuple[Action, Event]] = []
        self._began = self._since = time.monotonic()
        self._play = script.play(facts)
        self._action: Action = next(self._play)

    @property
    def connections(self) -> Mapping[str, Exchange]:
        """The connections that it has opened, by their names."""
        return self._connections

    @property
    def sockets(self) -> Sequence[Exchange]:
        """All connections that are open."""
        return [one for one in (*self._connections.values(), *self._clients) if not one.over]

    @property
    def asked(self) -> bool:
        """Whether no connection of it is being opened."""
        return all(one.asked or one.over for one in self._connections.values())

    @property
    def held(self) -> Transcript:
        """What happened so far."""
        return Transcript(tuple(self._events), self._deviation)

    def go_on(self, quiet: float, limit: float) -> None:
        """Do what can be done now. `quiet`: the seconds for which a silence lasts; `limit`: for which an answer may be
        awaited."""
        while not self.over and (event := self._event(quiet, limit)) is not None:
            self._events.append((self._action, event))
            self._came = 0
            self._since = time.monotonic()
            try:
                self._action = self._play.send(event)
            except StopIteration:
                self.over = True
            except Deviation as found:
                self.over, self._deviation = True, found
            except Unready as error:
                self.over, self.unready = True, str(error)

    def _event(self, quiet: float, limit: float) -> Event | None:
        """The event of the action; None if nothing has happened yet."""
        now = time.monotonic()
        at = now - self._began
        match self._action:
            case Send(on, data, _, reads):
                connection = self._connection(on)
                connection.reads = reads
                connection.ask(data)
                return Event("done", b"", at)
            case Receive(on, silence):
                return self._received(self._connection(on), quiet if silence else limit, at)
            case Rest(on):
                return Event("rest", bytes(self._connection(on).sent), at)
            case Load(seconds=seconds, ends=ends):
                if self._loaded(self._action):
                    return Event("done", b"", at)
                late = "done" if ends is None else "late"
                return Event(late, b"", at) if now - self._since > seconds else None
            case Reached(client_id):
                return Event("reached", self._reached(client_id), at)
            case Sleep(seconds):
                return Event("done", b"", at) if now - self._since >= seconds else None

    def _connection(self, name: str) -> Exchange:
        if name not in self._connections:
            self._connections[name] = self._connect()
        return self._connections[name]

    def _loaded(self, load: Load) -> bool:
        """Whether all clients have come and sent everything. Those that are to end are ended, and others take their
        places."""
        if load.ends is not None:
            gone = [one for one in self._clients if one.sent_all or one.over]
            for one in gone:
                one.reset() if load.ends == "reset" else one.close()
            waiting = [one for one in self._clients if not one.connected and one.silence > FULL_AFTER]
            if waiting:  # there is no room for them: their machine would try again after a second, a new one is sooner
                self._came -= len(waiting)
                self._comes_at = time.monotonic() + COMES_AFTER
            for one in waiting:
                one.close()
            self._clients = [one for one in self._clients if one not in (*gone, *waiting)]
        pieces = [load.data[at : at + 1] for at in range(len(load.data))] if load.byte_every else [load.data]
        room = load.count if load.ends is None else CROWD - len(self._clients)
        for _ in range(min(room, load.count - self._came) if time.monotonic() >= self._comes_at else 0):
            self._clients.append(self._connect(pieces, pause=load.byte_every or PAUSE, reads=load.reads))
            self._came += 1
        return self._came == load.count and all(one.sent_all or one.over for one in self._clients)

    def _received(self, connection: Exchange, limit: float, at: float) -> Event | None:
        connection.reads = True
        frame = connection.take_frame()
        if frame is not None:
            return Event("frame", frame, at)
        if connection.over:
            return Event("closed", bytes(connection.sent), at)
        if min(connection.silence, time.monotonic() - self._since) > limit:
            return Event("silent", bytes(connection.sent), at)
        return None

    def excuse(self, seconds: float) -> None:
        """Nobody looked for so long: it is no silence of the broker."""
        self._since += seconds
        for connection in self._connections.values():
            connection.excuse(seconds)

    def close(self) -> None:
        """Close all its connections. Safe to repeat."""
        for connection in (*self._connections.values(), *self._clients):
            connection.close()
