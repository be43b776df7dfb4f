"""The kit's broker behind a proxy: it answers each request from the request alone (`conformance.relayed`), and keeps
what has reached it. A thread for each connection; only loopback is listened on, and what is kept is bounded.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections import OrderedDict

from wireproof.conformance import relayed
from wireproof.reference import DecodeError
from wireproof.reference.peers.framing import Frames

#: The client ids whose requests are kept, and the bytes kept of each: proxies pass requests once.
MOST_KEPT, MOST_BYTES = 4096, 1 << 20
#: Seconds for an answer that is to be late.
LATE = 0.2
_PIECE = 1 << 16


class Upstream:
    """Listens from its beginning to `close`."""

    def __init__(self) -> None:
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=512)
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._open: set[socket.socket] = set()
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def address(self) -> relayed.Address:
        """Its host and port."""
        host, port = self._listening.getsockname()
        return host, port

    def reached(self, client_id: str) -> bytes:
        """The requests with this client id, one after another."""
        with self._lock:
            return self._kept.get(client_id, b"")

    def close(self) -> None:
        """Close all sockets. Safe to repeat."""
        with contextlib.suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        with self._lock:
            for connection in self._open:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        with contextlib.suppress(OSError):  # closed
            while True:
                connection, _ = self._listening.accept()
                with self._lock:
                    self._open.add(connection)
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        frames = Frames()
        with connection, contextlib.suppress(OSError, DecodeError, ValueError):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while piece := connection.recv(_PIECE):
                frames.add(piece)
                while (content := frames.next()) is not None:
                    self._answer(connection, len(content).to_bytes(4) + content)
        with self._lock:
            self._open.discard(connection)

    def _answer(self, connection: socket.socket, frame: bytes) -> None:
        """Keep a request, and answer it. Raises ValueError for what is none: the connection is closed then."""
        *_, client_id = relayed.head(frame)
        with self._lock:
            self._kept[client_id] = (self._kept.get(client_id, b"") + frame)[:MOST_BYTES]
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        if client_id.endswith(relayed.LATE):
            time.sleep(LATE)
        connection.sendall(relayed.answer(frame, self.address))
