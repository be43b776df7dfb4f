"""One connection to a broker: the chunks that are sent, and what comes back until the broker closes or is silent.

Nothing here waits: `broker` calls `advance` when the socket is ready, and decides how long a silence lasts. A chunk is
sent a moment after the one before, so that the broker mostly receives the chunks as they are.
"""

from __future__ import annotations

import fcntl
import selectors
import socket
import ssl
import struct
import termios
import time
from collections import deque
from collections.abc import Sequence
from errno import EINPROGRESS

from wireproof.conformance.connection.live.address import Address
from wireproof.conformance.connection.live.login import Login

#: Seconds between two chunks.
PAUSE = 0.005
#: No more bytes than these are taken from a broker for one question: many are asked at a time.
LONGEST_ANSWER = 1 << 22
#: Bytes that wait at a client which does not read, so that the broker soon has no room for more.
SMALLEST_BUFFER = 4096
_PIECE = 1 << 18
_NOT_NOW = (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError)


class Exchange:
    """One connection, until `over`; then it has to be closed.

    `sent`: all that the broker sent. `closed`: it closed the connection, in order or with a reset. `refused`: there was
    no connection, and `problem` may say why. `flooded`: it sent more than `LONGEST_ANSWER`. `needed`: the seconds from
    the last chunk's arrival to the first byte after it; None while there is none.
    """

    def __init__(
        self,
        address: Address,
        chunks: Sequence[bytes],
        token: bytes | None = None,
        *,
        pause: float = PAUSE,
        reads: bool = True,
    ) -> None:
        """Begin to connect. `token`: of SASL PLAIN, with which it logs in before it sends the chunks. `pause`: the
        seconds between two chunks."""
        self.sent = bytearray()
        self.closed = self.refused = self.flooded = False
        self.problem = ""
        self.needed: float | None = None
        #: Whether it reads what comes.
        self.reads = reads
        self._address = address
        self._pause = pause
        self._tls: ssl.SSLSocket | None = None
        #: What TLS waits for in its handshake; 0 once it is done.
        self._handshake = 0
        self._login = None if token is None else Login(token)
        self._chunks = deque(memoryview(chunk) for chunk in chunks if chunk)
        self._connected = self._all_sent = False
        #: When something was last sent or received, and when the next chunk may be sent.
        self._last = self._next_chunk = time.monotonic()
        self._asked: float | None = None
        self.socket: socket.socket = socket.socket(address.family, socket.SOCK_STREAM)
        self.socket.setblocking(False)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if not reads:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALLEST_BUFFER)
        self.refused = self.socket.connect_ex((address.ip, address.port)) not in (0, EINPROGRESS)

    @property
    def over(self) -> bool:
        """Whether nothing more can come."""
        return self.closed or self.refused or self.flooded

    @property
    def asked(self) -> bool:
        """Whether all chunks had arrived at its machine when `silence` was last read: only the broker can do something
        now."""
        return self._asked is not None

    @property
    def connected(self) -> bool:
        """Whether the broker's machine has taken the connection."""
        return self._connected

    @property
    def sent_all(self) -> bool:
        """Whether all chunks are sent, be they on the way."""
        return self._all_sent

    @property
    def silence(self) -> float:
        """The seconds since something was sent, arrived or came, or since the connection was begun.

        Where the broker's queue has no room for a connection, what is sent on it does not arrive: that is no silence of
        the broker's.
        """
        now = time.monotonic()
        if self._asked is None and self._all_sent and not self._under_way():
            self._asked = self._last = now
        return now - self._last

    @property
    def events(self) -> int:
        """The events of a selector to wait for."""
        if not self._connected:
            return selectors.EVENT_WRITE
        if self._handshake:
            return self._handshake
        if self._login is not None:
            return selectors.EVENT_READ | (selectors.EVENT_WRITE if self._login.to_send else 0)
        may_send = not self._all_sent and time.monotonic() >= self._next_chunk
        return (selectors.EVENT_READ if self.reads else 0) | (selectors.EVENT_WRITE if may_send else 0)

    def advance(self, events: int) -> None:
        """Do what the socket is ready for."""
        if not self._connected:
            if not events & selectors.EVENT_WRITE:
                return
            self.refused = self.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) != 0
            if self.refused:
                return
            self._connected = True
            if self._address.tls is not None:
                self._tls = self._address.tls.wrap_socket(
                    self.socket, server_hostname=self._address.host, do_handshake_on_connect=False
                )
                self.socket = self._tls
                self._handshake = selectors.EVENT_WRITE
        if self._handshake:
            self._shake_hands()
            return
        if self._login is not None:
            self._log_in(self._login, events)
            return
        if events & selectors.EVENT_READ:
            self._receive()
        if not self.over and events & selectors.EVENT_WRITE:
            self._send()

    def excuse(self, seconds: float) -> None:
        """Nobody looked for so long: it is no silence of the broker."""
        self._last += seconds

    def ask(self, chunk: bytes) -> None:
        """Send this chunk as soon as the ones before it are sent."""
        self._chunks.append(memoryview(chunk))
        self._last = self._next_chunk = time.monotonic()
        self._asked, self._all_sent = None, False

    def take_frame(self) -> bytes | None:
        """The first whole frame among the bytes that came, which are then without it; None while there is none. Bytes
        that no frame begins with are taken as they are."""
        size = 4 + int.from_bytes(self.sent[:4], signed=True)
        if len(self.sent) < 4 or 4 <= size <= LONGEST_ANSWER and len(self.sent) < size:
            return None
        frame = bytes(self.sent[: size if 4 <= size <= LONGEST_ANSWER else len(self.sent)])
        del self.sent[: len(frame)]
        return frame

    def _shake_hands(self) -> None:
        assert self._tls is not None
        try:
            self._tls.do_handshake()
        except ssl.SSLWantReadError:
            self._handshake = selectors.EVENT_READ
        except ssl.SSLWantWriteError:
            self._handshake = selectors.EVENT_WRITE
        except OSError as error:
            self.refused = True
            reason = getattr(error, "verify_message", "") or getattr(error, "reason", "") or error.strerror
            self.problem = f"no TLS with it: {reason}"
        else:
            self._handshake = 0

    def _log_in(self, login: Login, events: int) -> None:
        try:
            if events & selectors.EVENT_WRITE:
                login.to_send = login.to_send[self.socket.send(login.to_send) :]
            if events & selectors.EVENT_READ:
                login.receive(self.socket.recv(_PIECE))
        except _NOT_NOW:
            return
        except OSError:  # a reset
            login.receive(b"")
        self._last = time.monotonic()
        if login.problem:
            self.refused, self.problem = True, f"no login with it: {login.problem}"
        elif login.done:
            self._login = None

    def _send(self) -> None:
        if self._chunks:
            try:
                taken = self.socket.send(self._chunks[0])
            except _NOT_NOW:
                return
            except OSError:  # the broker has closed; what it sent before is still to be read
                self._chunks.clear()
            else:
                self._last = time.monotonic()
                self._chunks[0] = self._chunks[0][taken:]
                if not self._chunks[0]:
                    self._chunks.popleft()
                    self._next_chunk = self._last + self._pause
        self._all_sent = not self._chunks

    def _under_way(self) -> bool:
        """Whether bytes that were sent have not arrived."""
        count = bytearray(4)
        fcntl.ioctl(self.socket, termios.TIOCOUTQ, count)
        return any(count)

    def _receive(self) -> None:
        try:
            piece = self.socket.recv(_PIECE)
            while self._tls is not None and self._tls.pending():  # decrypted already: no selector tells
                piece += self._tls.recv(_PIECE)
        except _NOT_NOW:
            return
        except OSError:  # a reset
            piece = b""
        if not piece:
            self.closed = True
            return
        self._last = time.monotonic()
        if self._asked is not None and self.needed is None:
            self.needed = self._last - self._asked
        self.sent += piece
        self.flooded = len(self.sent) > LONGEST_ANSWER

    def reset(self) -> None:
        """Close our end with a reset, which throws away what is on the way. Safe to repeat."""
        if self.socket.fileno() >= 0:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close()

    def close(self) -> None:
        """Close our end. Safe to repeat."""
        self.socket.close()
