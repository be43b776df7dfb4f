"""Those that want a login."""

from __future__ import annotations

import socket
from typing import ClassVar

from store import APIS, Body, Storing


class LogsIn(Storing):
    """Answers ApiVersions alone before "kit" has logged in with the password "secret"."""

    apis: ClassVar = {**APIS, 17: (0, 1), 36: (0, 2)}

    def __init__(self) -> None:
        super().__init__()
        self.may, self.raw, self.failed = False, False, False

    def answer(self, frame: bytes) -> bytes | None:
        if self.raw:
            self.may, self.raw = frame[4:] == b"\0kit\0secret", False
            return bytes(4) if self.may else None
        if self.failed or not (self.may or int.from_bytes(frame[4:6]) in (17, 18, 36)):
            return self.unknown(frame)
        return super().answer(frame)

    def unknown(self, frame: bytes) -> bytes | None:
        """What a request before the login is answered."""
        return None

    def sasl_handshake(self, body: Body, version: int) -> Body:
        known = body["Mechanism"] == "PLAIN"
        self.raw = known and version == 0
        return {"ErrorCode": 0 if known else 33, "Mechanisms": ["PLAIN"]}

    def sasl_authenticate(self, body: Body, version: int) -> Body:
        self.may = body["AuthBytes"] == b"\0kit\0secret"
        self.failed = not self.may
        return {"ErrorCode": 0 if self.may else 58, "ErrorMessage": None, "AuthBytes": b""}

    def send(self, connection: socket.socket, answer: bytes) -> None:
        super().send(connection, answer)
        if self.failed:
            connection.shutdown(socket.SHUT_RDWR)


class AnswersBeforeALogin(LogsIn):
    """Answers everything before the login."""

    def unknown(self, frame: bytes) -> bytes | None:
        return Storing.answer(self, frame)


class TakesAnyPassword(LogsIn):
    """Lets everybody in."""

    def sasl_authenticate(self, body: Body, version: int) -> Body:
        self.may = True
        return {"ErrorCode": 0, "ErrorMessage": None, "AuthBytes": b""}
