"""The login of a connection with SASL PLAIN, sans IO: what is sent, and what the broker's answers mean.

    SaslHandshake 1    => error:INT16 mechanisms:ARRAY<STRING>
    SaslAuthenticate 0 => error:INT16 message:NULLABLE_STRING token:BYTES

Source: KIP-43, KIP-152, RFC 4616. Every broker since Kafka 1.0 knows these two versions.
"""

from __future__ import annotations

import os
import struct

from wireproof.conformance.connection.base import SASL_PLAIN, ImplementationError

#: The environment variable that has the password. It is no option: the system shows those to other users.
PASSWORD = "WIREPROOF_SASL_PASSWORD"
_HEAD = struct.Struct(">iih")
_REQUEST = struct.Struct(">hhih")
_HANDSHAKE, _AUTHENTICATE = (17, 1), (36, 0)
#: No answer of a login has more bytes.
_LONGEST = 1 << 16


def token(sasl: str | None) -> bytes | None:
    """The token of `plain:USER`, with the password from the environment; None without a login. Raises
    ImplementationError."""
    if sasl is None:
        return None
    password = os.environ.get(PASSWORD)
    if password is None:
        raise ImplementationError(f"--sasl={sasl}: the password is expected in the environment, as {PASSWORD}")
    return b"\0" + sasl.removeprefix(SASL_PLAIN).encode() + b"\0" + password.encode()


class Login:
    """The login of one connection. `to_send`: the bytes that are to be sent now. `done`: the broker accepted it.
    `problem`: why there is no login; empty while there may be one."""

    def __init__(self, token: bytes) -> None:
        mechanism = b"PLAIN"
        self.done = False
        self.problem = ""
        self.to_send = _frame(_HANDSHAKE, len(mechanism).to_bytes(2) + mechanism)
        self._then: bytes | None = _frame(_AUTHENTICATE, len(token).to_bytes(4) + token)
        self._came = b""

    def receive(self, piece: bytes) -> None:
        """Take what the broker sent; nothing if it has closed the connection."""
        self._came += piece
        if not piece or len(self._came) > _LONGEST:
            self.problem = "the broker closed the connection" if not piece else "its answer has no end"
            return
        if len(self._came) < _HEAD.size or len(self._came) < 4 + int.from_bytes(self._came[:4], signed=True):
            return
        error = _HEAD.unpack_from(self._came)[2]
        asked, self._came = "SaslHandshake" if self._then else "SaslAuthenticate", b""
        if error:
            self.problem = f"the broker answers {asked} with error {error}"
        elif self._then is None:
            self.done = True
        else:
            self.to_send, self._then = self._then, None


def _frame(api: tuple[int, int], body: bytes) -> bytes:
    """A request without a client id."""
    content = _REQUEST.pack(*api, 1, -1) + body
    return len(content).to_bytes(4) + content
