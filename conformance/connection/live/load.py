"""Clients that misbehave beside all questions (`--load`): one third sends half of a request and waits, one third sends
a byte now and then, one third asks much and reads nothing.

A client whose connection the broker closes is replaced, a moment later.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from wireproof.conformance.connection.live import announced
from wireproof.conformance.connection.live.exchange import Exchange
from wireproof.conformance.connection.live.talk import Connect

#: Seconds between two bytes of a slow sender, and until a client is replaced.
BYTE_EVERY, REPLACED_AFTER = 0.2, 1.0
#: Seconds until the broker feels the load, so that questions may be asked.
FELT_AFTER = 0.5
#: So often asks a client that does not read.
TIMES = 10_000
#: An ApiVersions request 0 with a client id of a hundred characters.
_LONG = bytes.fromhex("0000006e 0012 0000 00000001 0064") + b"a" * 100


class Load:
    """So many clients, which come when `keep` is called."""

    def __init__(self, count: int, connect: Connect) -> None:
        self._count = count
        self._connect = connect
        self._clients: list[Exchange] = []
        self._kept = 0.0
        self._began: float | None = None

    @property
    def felt(self) -> bool:
        """Whether the clients have been there for a while, if there are to be any."""
        return self._count == 0 or (self._began is not None and time.monotonic() - self._began > FELT_AFTER)

    @property
    def sockets(self) -> Sequence[Exchange]:
        """The connections that are open."""
        return [one for one in self._clients if not one.over]

    def keep(self) -> None:
        """Connect those that are missing."""
        if time.monotonic() - self._kept < REPLACED_AFTER:
            return
        self._kept = time.monotonic()
        self._began = self._began or self._kept
        for place, one in enumerate(self._clients):
            if one.over:
                one.close()
                self._clients[place] = self._client(place)
        for place in range(len(self._clients), self._count):
            self._clients.append(self._client(place))

    def _client(self, place: int) -> Exchange:
        match place % 3:
            case 0:
                return self._connect([announced.REQUEST[:6]])
            case 1:
                return self._connect([_LONG[at : at + 1] for at in range(len(_LONG))], pause=BYTE_EVERY)
            case _:
                return self._connect([announced.REQUEST * TIMES], reads=False)

    def close(self) -> None:
        """Close all connections. Safe to repeat; `keep` begins anew."""
        for one in self._clients:
            one.close()
        self._clients.clear()
        self._kept, self._began = 0.0, None
