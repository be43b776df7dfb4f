"""Those that break no rule."""

from __future__ import annotations

import socket
import time
from typing import ClassVar

from store import APIS, FETCH, LIST_OFFSETS, METADATA, PRODUCE, Body, Storing, Topic


class Slow(Storing):
    """Thinks for a tenth of a second before it looks at what came."""

    def receive(self, connection: socket.socket) -> bytes:
        piece = super().receive(connection)
        time.sleep(0.11)
        return piece


class ByteByByte(Storing):
    """Sends each byte alone."""

    def send(self, connection: socket.socket, answer: bytes) -> None:
        for at in range(len(answer)):
            connection.sendall(answer[at : at + 1])


class OlderRanges(Storing):
    """Has fewer versions."""

    apis: ClassVar = {**APIS, PRODUCE: (3, 8), FETCH: (4, 11), LIST_OFFSETS: (1, 5), METADATA: (0, 8)}


class ClosesIdleConnections(Storing):
    """Closes a connection on which nothing came for three seconds."""

    def receive(self, connection: socket.socket) -> bytes:
        connection.settimeout(3.0)
        try:
            return super().receive(connection)
        except TimeoutError:
            return b""


class MakesNoTopics(Storing):
    """Lets nobody make a topic."""

    def created(self, one: Body, only_to_see: bool) -> Body:
        return {"Name": one["Name"], "ErrorCode": 29, "ErrorMessage": "not authorized"}


class CompressesAnew(Storing):
    """Stores each batch with gzip: the records are the same."""

    def stamped(self, topic: Topic, data: bytes) -> Body:
        batch = super().stamped(topic, data)
        return {**batch, "attributes": batch["attributes"] & ~7 | 1}
