"""Brokers that listen on a socket, each with one peculiarity: `python broker.py NAME [CERTIFICATE]`, as the kit starts
a program. With a file of a certificate and its key they speak TLS.

All are the reference's broker, with a thread for each connection. What differs is a method of a class, whose first line
says what it does.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import re
import socket
import ssl
import struct
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from typing import ClassVar

from wireproof.reference.dialects.kafka import Kafka
from wireproof.reference.peers import broker as peer
from wireproof.reference.rules import Rules

Answer = bytes | None
API_VERSIONS, METADATA, PRODUCE = 18, 3, 0
APIS = {PRODUCE: (3, 13), METADATA: (0, 13), API_VERSIONS: (0, 5)}
MESSAGES = Kafka().messages
_HEAD = struct.Struct(">hhi")
#: Bytes of answers that wait for a client. One that does not read is soon left alone, so that others have their turn.
_WAITING = 2 << 10


class Conforming:
    """Does what is demanded."""

    apis: ClassVar = APIS
    #: How many connections may wait to be accepted, and the seconds between two.
    queue: ClassVar = 256
    pause: ClassVar = 0.0

    def __init__(self) -> None:
        self.rest = b""

    def serve(self, connection: socket.socket) -> None:
        """One connection to its end."""
        broker = peer.Broker(MESSAGES, self.apis, Rules())
        while piece := self.receive(connection):
            for frame, answer in self.frames(broker, piece):
                changed = answer if frame is None else self.change(frame, answer)
                if changed is None:
                    return
                self.send(connection, changed)

    def receive(self, connection: socket.socket) -> bytes:
        return connection.recv(1 << 16)

    def frames(self, broker: peer.Broker, piece: bytes) -> Iterator[tuple[bytes | None, Answer]]:
        """Each whole request with its answer; None is a closed connection."""
        self.rest += piece
        while len(self.rest) >= 4 and not broker.closed:
            size = 4 + max(0, int.from_bytes(self.rest[:4], signed=True))
            frame, arrived = self.rest[:size], len(self.rest) >= size
            if not arrived and size <= 100 << 20:
                break
            self.rest = self.rest[size:]
            sent = broker.receive(frame)
            yield (frame[4:] if arrived else None), (None if broker.closed else sent)

    def change(self, frame: bytes, answer: Answer) -> Answer:
        return answer

    def send(self, connection: socket.socket, answer: bytes) -> None:
        connection.sendall(answer)


def head(frame: bytes) -> tuple[int, int, int]:
    """Api key, version, correlation id."""
    return _HEAD.unpack_from(frame) if len(frame) >= _HEAD.size else (-1, -1, -1)


def framed(content: bytes) -> bytes:
    return len(content).to_bytes(4) + content


class ClosesOnNewApiVersions(Conforming):
    """Closes the connection when it does not know the version of ApiVersions."""

    def change(self, frame: bytes, answer: Answer) -> Answer:
        key, version, _ = head(frame)
        return None if key == API_VERSIONS and not 0 <= version <= 5 else answer


class SilentOnNewApiVersions(Conforming):
    """Says nothing when it does not know the version of ApiVersions."""

    def change(self, frame: bytes, answer: Answer) -> Answer:
        key, version, _ = head(frame)
        return b"" if key == API_VERSIONS and not 0 <= version <= 5 else answer


class SilentOnUnknownApis(Conforming):
    """Says nothing to a request of an api that it does not have, and keeps the connection."""

    def change(self, frame: bytes, answer: Answer) -> Answer:
        return b"" if answer is None and head(frame)[0] not in self.apis else answer


class FallsBackInTheAskedLayout(Conforming):
    """Answers error 35 in the layout of version 3."""

    def change(self, frame: bytes, answer: Answer) -> Answer:
        key, version, correlation = head(frame)
        if key != API_VERSIONS or 0 <= version <= 5 or answer is None:
            return answer
        return framed(struct.pack(">ihBhhhBiB", correlation, 35, 2, 18, 0, 5, 0, 0, 0))


class SuccessForNewApiVersions(Conforming):
    """Answers an unknown version of ApiVersions with error 0."""

    def change(self, frame: bytes, answer: Answer) -> Answer:
        key, version, _ = head(frame)
        if key != API_VERSIONS or 0 <= version <= 5 or answer is None:
            return answer
        return answer[:8] + b"\0\0" + answer[10:]


class MetadataWithOneByteMore(Conforming):
    """Writes one byte too many behind a Metadata answer."""

    def change(self, frame: bytes, answer: Answer) -> Answer:
        return framed(answer[4:] + b"\0") if answer and head(frame)[0] == METADATA else answer


class MetadataWithOneByteLess(Conforming):
    """Leaves out the last byte of a Metadata answer."""

    def change(self, frame: bytes, answer: Answer) -> Answer:
        return framed(answer[4:-1]) if answer and head(frame)[0] == METADATA else answer


class MetadataInAnOlderLayout(Conforming):
    """Answers the first flexible version of Metadata as the one before it."""

    def change(self, frame: bytes, answer: Answer) -> Answer:
        key, version, correlation = head(frame)
        if not answer or (key, version) != (METADATA, 9):
            return answer
        older = peer.Broker(MESSAGES, self.apis, Rules())
        return older.receive(framed(struct.pack(">hhihiB", METADATA, 8, correlation, -1, 0, 0) + b"\0\0"))


class NoTagsInTheHeader(Conforming):
    """Writes response header 0 for Metadata, whatever its version."""

    def change(self, frame: bytes, answer: Answer) -> Answer:
        key, version, _ = head(frame)
        return framed(answer[4:8] + answer[9:]) if answer and key == METADATA and version >= 9 else answer


class TwoBytesForNoTags(Conforming):
    """Ends Metadata answers with a count of 0 tags in two bytes: it can be read, but nobody may write it."""

    def change(self, frame: bytes, answer: Answer) -> Answer:
        key, version, _ = head(frame)
        return framed(answer[4:-1] + b"\x80\0") if answer and key == METADATA and version >= 9 else answer


class SendsATagAtItsDefault(Conforming):
    """Takes another reading: ends ApiVersions answers with the tag ZkMigrationReady, false."""

    def change(self, frame: bytes, answer: Answer) -> Answer:
        key, version, _ = head(frame)
        if not answer or key != API_VERSIONS or not 3 <= version <= 5:
            return answer
        return framed(answer[4:-1] + bytes.fromhex("01030100"))


class WritesTrueAsTwo(Conforming):
    """Ends ApiVersions answers with the tag ZkMigrationReady, 02: it can be read, but nobody may write it."""

    def change(self, frame: bytes, answer: Answer) -> Answer:
        key, version, _ = head(frame)
        if not answer or key != API_VERSIONS or not 3 <= version <= 5:
            return answer
        return framed(answer[4:-1] + bytes.fromhex("01030102"))


class SilentOnAVersion(Conforming):
    """Says nothing to Metadata 5."""

    def change(self, frame: bytes, answer: Answer) -> Answer:
        return b"" if head(frame)[:2] == (METADATA, 5) else answer


class TagsBehindTheApiVersionsHeader(Conforming):
    """Writes response header 1 for ApiVersions 3, too."""

    def change(self, frame: bytes, answer: Answer) -> Answer:
        key, version, _ = head(frame)
        if not answer or key != API_VERSIONS or not 3 <= version <= 5:
            return answer
        return framed(answer[4:8] + b"\0" + answer[8:])


class AnotherCorrelationId(Conforming):
    """Answers with the correlation id plus one."""

    def change(self, frame: bytes, answer: Answer) -> Answer:
        if not answer:
            return answer
        return answer[:4] + ((head(frame)[2] + 1) & 0xFFFFFFFF).to_bytes(4) + answer[8:]


class AnswersAcks0(Conforming):
    """Answers a Produce request whose acks are 0."""

    def change(self, frame: bytes, answer: Answer) -> Answer:
        key, _, correlation = head(frame)
        return framed(struct.pack(">iii", correlation, 0, 0)) if answer == b"" and key == PRODUCE else answer


class ClosesAfterEachAnswer(Conforming):
    """Closes the connection after each answer."""

    def serve(self, connection: socket.socket) -> None:
        broker = peer.Broker(MESSAGES, self.apis, Rules())
        while piece := self.receive(connection):
            for _, answer in self.frames(broker, piece):
                if answer:
                    self.send(connection, answer)
                if answer != b"":
                    return


class NewestFirst(Conforming):
    """Answers pipelined requests in the other order."""

    def serve(self, connection: socket.socket) -> None:
        broker = peer.Broker(MESSAGES, self.apis, Rules())
        while piece := self.receive(connection):
            answers = [answer for _, answer in self.frames(broker, piece)]
            for answer in reversed(answers):
                if answer is not None:
                    self.send(connection, answer)
            if None in answers:
                return


class OneRequestAChunk(Conforming):
    """Takes what arrives at once for one request."""

    def frames(self, broker: peer.Broker, piece: bytes) -> Iterator[tuple[bytes | None, Answer]]:
        content = piece[4:]
        sent = peer.Broker(MESSAGES, self.apis, Rules()).receive(framed(content))
        yield content, sent or None


class DiesOnUnknownApis(Conforming):
    """Ends its process at a request of an api that it does not have."""

    def change(self, frame: bytes, answer: Answer) -> Answer:
        key = head(frame)[0]
        if key not in (*self.apis, -1):
            sys.stderr.write(f"panic: no api {key}\n")
            sys.stderr.flush()
            os._exit(3)
        return answer


class AcceptsUnknownVersions(Conforming):
    """Answers versions of Metadata that it does not announce."""

    def change(self, frame: bytes, answer: Answer) -> Answer:
        key, version, correlation = head(frame)
        if answer is None and key == METADATA and not 0 <= version <= 13:
            return framed(struct.pack(">iii", correlation, 0, 0))
        return answer


class AnswersError35(Conforming):
    """Takes another reading: answers error 35 to a version of Metadata that it does not have."""

    def change(self, frame: bytes, answer: Answer) -> Answer:
        key, version, correlation = head(frame)
        if answer is None and key == METADATA and not 0 <= version <= 13:
            return framed(struct.pack(">ih", correlation, 35))
        return answer


class HidesAVersion(Conforming):
    """Answers Metadata 13, which it does not announce."""

    def change(self, frame: bytes, answer: Answer) -> Answer:
        key, _, _ = head(frame)
        if answer and key == API_VERSIONS:
            return answer.replace(struct.pack(">hhh", METADATA, 0, 13), struct.pack(">hhh", METADATA, 0, 12))
        return answer


class FloodsOnNewApiVersions(Conforming):
    """Sends bytes without end for a version of ApiVersions that it does not know."""

    def change(self, frame: bytes, answer: Answer) -> Answer:
        key, version, _ = head(frame)
        return bytes(5 << 20) if key == API_VERSIONS and not 0 <= version <= 5 else answer


class ClosesOnUnknownTags(Conforming):
    """Closes when a request ends with an unknown tag."""

    def change(self, frame: bytes, answer: Answer) -> Answer:
        return None if frame[-3:] == bytes.fromhex("0701aa") else answer


class SecondTimeRight(Conforming):
    """Closes the first connection that begins with this request for an unknown version of ApiVersions."""

    asked: ClassVar[set[bytes]] = set()
    begun = False

    def change(self, frame: bytes, answer: Answer) -> Answer:
        key, version, _ = head(frame)
        first, self.begun = not self.begun, True
        if first and key == API_VERSIONS and not 0 <= version <= 5 and frame not in self.asked:
            self.asked.add(frame)
            return None
        return answer


class ReadsOneRequestAtATime(Conforming):
    """Reads a request to its end before it looks at another client."""

    turn: ClassVar = threading.Lock()

    def receive(self, connection: socket.socket) -> bytes:
        data = connection.recv(1)
        with self.turn:
            while data and (len(data) < 4 or len(data) < 4 + int.from_bytes(data[:4])):
                missing = 4 - len(data) if len(data) < 4 else 4 + int.from_bytes(data[:4]) - len(data)
                piece = connection.recv(min(missing, 1 << 16))
                data = data + piece if piece else b""
            return data


class AnswersOneAtATime(Conforming):
    """Sends an answer to its end before it answers another client."""

    turn: ClassVar = threading.Lock()

    def serve(self, connection: socket.socket) -> None:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        super().serve(connection)

    def send(self, connection: socket.socket, answer: bytes) -> None:
        with self.turn:
            connection.sendall(answer)


class AllocatesByLength(Conforming):
    """Takes memory for a whole request as soon as its size has come, and ends where there is none."""

    def receive(self, connection: socket.socket) -> bytes:
        data = super().receive(connection)
        try:
            self.request = bytearray(int.from_bytes(data[:4]) if len(data) >= 4 else 0)
        except MemoryError:
            sys.stderr.write("panic: out of memory\n")
            sys.stderr.flush()
            os._exit(3)
        return data


class AllocatesBelowALimit(AllocatesByLength):
    """The same up to 104,857,600 bytes; it closes on a larger size."""

    def receive(self, connection: socket.socket) -> bytes:
        size = connection.recv(4, socket.MSG_PEEK)
        return super().receive(connection) if int.from_bytes(size) <= 100 << 20 else b""


class LeaksConnections(Conforming):
    """Has room for a thousand connections, and gives none free."""

    count: ClassVar = itertools.count()

    def serve(self, connection: socket.socket) -> None:
        if next(self.count) < 1000:
            super().serve(connection)


class DiesOfAReset(Conforming):
    """Ends its process when a client resets its connection."""

    def receive(self, connection: socket.socket) -> bytes:
        try:
            return super().receive(connection)
        except ConnectionResetError:
            os._exit(4)


class ClosesHalfRequests(Conforming):
    """Breaks no rule: closes a connection on which a request is not whole after a fifth of a second."""

    def receive(self, connection: socket.socket) -> bytes:
        connection.settimeout(0.2 if self.rest else None)
        try:
            return super().receive(connection)
        except TimeoutError:
            return b""


class EndsAtTheEnd(Conforming):
    """Ends with exit code 9 when its stdin is closed."""


class AnnouncesEverything(Conforming):
    """Announces all apis of the catalogue in version 0, and closes on nearly all."""

    apis: ClassVar = dict.fromkeys(range(95), (0, 0))


class AnnouncesRemovedVersions(Conforming):
    """Announces Produce from version 0, as Kafka 4 does, and closes below 3."""

    apis: ClassVar = {**APIS, PRODUCE: (0, 13)}


class ServesRemovedVersions(AnnouncesRemovedVersions):
    """Announces Produce from version 0, as Kafka up to 3 does, and answers."""

    def frames(self, broker: peer.Broker, piece: bytes) -> Iterator[tuple[bytes | None, Answer]]:
        key, version, correlation = head(piece[4:])
        size = int.from_bytes(piece[12:14], signed=True)
        if key != PRODUCE or not 0 <= version < 3:
            yield from super().frames(broker, piece)
            return
        acks = int.from_bytes(piece[14 + max(0, size) :][:2], signed=True)
        body = struct.pack(">ii", correlation, 0) + (b"" if version == 0 else bytes(4))
        yield None, framed(body) if acks else b""


class WantsALogin(Conforming):
    """Answers ApiVersions, and everything once "kit" has logged in with the password "secret"."""

    def __init__(self) -> None:
        super().__init__()
        self.shook_hands = self.logged_in = False

    def change(self, frame: bytes, answer: Answer) -> Answer:
        return answer if self.logged_in or head(frame)[0] == API_VERSIONS else None

    def frames(self, broker: peer.Broker, piece: bytes) -> Iterator[tuple[bytes | None, Answer]]:
        if self.logged_in:
            yield from super().frames(broker, piece)
            return
        key, version, correlation = head(piece[4:])
        said = piece[14:]
        if (key, version, said) == (17, 1, b"\0\5PLAIN"):
            self.shook_hands = True
            yield None, framed(struct.pack(">ihih", correlation, 0, 1, 5) + b"PLAIN")
        elif (key, version, self.shook_hands) == (36, 0, True):
            self.logged_in = said == b"\0\0\0\x0b\0kit\0secret"
            yield None, framed(struct.pack(">ihhi", correlation, 0 if self.logged_in else 58, -1, 0))
        else:
            yield from super().frames(broker, piece)


class WantsALoginLater(WantsALogin):
    """Begins to listen half a second after it has described itself."""


class RefusesPlain(Conforming):
    """Has another mechanism of SASL than PLAIN."""

    def frames(self, broker: peer.Broker, piece: bytes) -> Iterator[tuple[bytes | None, Answer]]:
        key, _, correlation = head(piece[4:])
        if key == 17:
            yield None, framed(struct.pack(">ihih", correlation, 33, 1, 5) + b"OAUTH")
        else:
            yield from super().frames(broker, piece)


class ClosesOnALogin(Conforming):
    """Closes the connection at the second request of a login."""

    def frames(self, broker: peer.Broker, piece: bytes) -> Iterator[tuple[bytes | None, Answer]]:
        key, _, correlation = head(piece[4:])
        if key == 17:
            yield None, framed(struct.pack(">ihi", correlation, 0, 0))
        elif key == 36:
            yield None, None
        else:
            yield from super().frames(broker, piece)


class LogsInByteByByte(WantsALogin):
    """Sends each byte of its answers alone."""

    def send(self, connection: socket.socket, answer: bytes) -> None:
        for byte in answer:
            connection.sendall(bytes([byte]))


class Slow(Conforming):
    """Thinks for a third of a second before each answer."""

    def send(self, connection: socket.socket, answer: bytes) -> None:
        time.sleep(0.33)
        super().send(connection, answer)


class ShortQueue(Conforming):
    """Needs a millisecond to accept a connection, and lets two others wait."""

    queue: ClassVar = 2
    pause: ClassVar = 0.001


class ByteByByte(Conforming):
    """Sends each byte alone."""

    def send(self, connection: socket.socket, answer: bytes) -> None:
        for byte in answer:
            connection.sendall(bytes([byte]))


class OlderRanges(Conforming):
    """Has fewer versions."""

    apis: ClassVar = {PRODUCE: (3, 8), METADATA: (0, 8), API_VERSIONS: (0, 2)}


class ApiVersionsAlone(Conforming):
    """Has no api but ApiVersions."""

    apis: ClassVar = {API_VERSIONS: (0, 5)}


class ClosesIdleConnections(Conforming):
    """Closes a connection on which nothing came for two seconds."""

    def receive(self, connection: socket.socket) -> bytes:
        connection.settimeout(2.0)
        try:
            return super().receive(connection)
        except TimeoutError:
            return b""


def name_of(kind: type[Conforming]) -> str:
    """snake_case of the class."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower()


def all_kinds() -> Iterator[type[Conforming]]:
    yield Conforming
    yield from Conforming.__subclasses__()
    yield from WantsALogin.__subclasses__()
    yield from AnnouncesRemovedVersions.__subclasses__()
    yield from AllocatesByLength.__subclasses__()


KINDS = {name_of(kind): kind for kind in all_kinds()}


def listen(kind: type[Conforming], listening: socket.socket, tls: ssl.SSLContext | None) -> None:
    while True:
        time.sleep(kind.pause)
        connection, _ = listening.accept()
        threading.Thread(target=serve, args=(kind, connection, tls), daemon=True).start()


def serve(kind: type[Conforming], plain: socket.socket, tls: ssl.SSLContext | None) -> None:
    with plain, contextlib.suppress(OSError):
        connection = plain if tls is None else tls.wrap_socket(plain, server_side=True)
        with connection:
            kind().serve(connection)


def main(name: str, certificate: str = "") -> None:
    tls = None
    if certificate:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(certificate)
    kind = KINDS[name]
    sys.stdin.readline()
    # As a real one it has a folder, which is deleted at the end.
    with tempfile.TemporaryDirectory(prefix="broker-"), socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _WAITING)
        listening.bind(("127.0.0.1", 0))
        later = kind is WantsALoginLater
        if not later:
            listening.listen(kind.queue)
        port = listening.getsockname()[1]
        described = {"name": name, "dialects": ["kafka"], "ops": ["serve"], "listens": f"127.0.0.1:{port}"}
        sys.stdout.write(f"{json.dumps(described)}\n")
        sys.stdout.flush()
        if later:
            time.sleep(0.5)
            listening.listen(kind.queue)
        threading.Thread(target=listen, args=(kind, listening, tls), daemon=True).start()
        sys.stdin.read()
    os._exit(9 if kind is EndsAtTheEnd else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
