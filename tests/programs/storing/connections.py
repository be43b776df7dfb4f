"""Those that mix up connections, or end."""

from __future__ import annotations

import os
import socket
import sys
import threading
import time
from typing import ClassVar

from store import API_VERSIONS, FETCH, Body, Storing


class OneAfterAnother(Storing):
    """Answers one client at a time: who waits holds up all others. Of a Fetch and what another client asks at the same
    moment, the Fetch is first."""

    busy: ClassVar = threading.Lock()

    def answer(self, frame: bytes) -> bytes | None:
        if int.from_bytes(frame[4:6]) == API_VERSIONS:
            time.sleep(0.2)
        with self.busy:
            return super().answer(frame)


class OvertakesAFetch(Storing):
    """Answers what comes behind a Fetch that waits before the Fetch."""

    def serve(self, connection: socket.socket) -> None:
        self.connection = connection
        super().serve(connection)

    def answer(self, frame: bytes) -> bytes | None:
        if int.from_bytes(frame[4:6]) != FETCH:
            return super().answer(frame)
        threading.Thread(target=self.answer_later, args=(frame,), daemon=True).start()
        return b""

    def answer_later(self, frame: bytes) -> None:
        self.send(self.connection, super().answer(frame) or b"")


class LosesCount(Storing):
    """From the hundredth request of a connection on it repeats a correlation id."""

    def __init__(self) -> None:
        super().__init__()
        self.answered = 0

    def written(self, key: int, version: int, correlation_id: int, body: Body) -> bytes:
        self.answered += 1
        return super().written(key, version, min(correlation_id, 100) if self.answered > 100 else correlation_id, body)


class DiesAtARequest(Storing):
    """Ends at DeleteRecords."""

    def delete_records(self, body: Body, version: int) -> Body:
        sys.stderr.write("panic: no partition\n")
        sys.stderr.flush()
        os._exit(7)
