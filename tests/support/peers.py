"""Peers for proxies: a proxy in a thread, and brokers that answer with what a test says."""

from __future__ import annotations

import contextlib
import os
import socket
import struct
import threading
from collections.abc import Callable, Iterator

from wireproof.conformance.connection.live.proxy import Address, Proxy, Told


@contextlib.contextmanager
def proxied(to: Address, tell: Told = lambda *_: None) -> Iterator[Address]:
    """The address of a proxy before `to`."""
    reads, writes = os.pipe()
    with Proxy(("127.0.0.1", 0), to) as proxy:
        thread = threading.Thread(target=proxy.run, args=(tell, reads), daemon=True)
        thread.start()
        try:
            yield proxy.address
        finally:
            os.close(writes)
            thread.join(10)
            os.close(reads)
            assert not thread.is_alive()


@contextlib.contextmanager
def listening(serve: Callable[[socket.socket], None]) -> Iterator[Address]:
    """The address of a peer that serves each connection in a thread."""
    server = socket.create_server(("127.0.0.1", 0))

    def accept() -> None:
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=served, args=(server.accept()[0],), daemon=True).start()

    def served(connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            serve(connection)

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield server.getsockname()
    finally:
        server.shutdown(socket.SHUT_RDWR)
        server.close()


def echo(connection: socket.socket) -> None:
    """Send what comes, and end when the other side does."""
    while piece := connection.recv(1 << 16):
        connection.sendall(piece)


def reset(connection: socket.socket) -> None:
    """Let the connection's end be a reset."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def received(connection: socket.socket) -> bytes:
    """All bytes until the other side ends."""
    return b"".join(iter(lambda: connection.recv(1 << 16), b""))
