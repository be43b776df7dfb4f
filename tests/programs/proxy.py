"""Proxies, honest and wrong: `proxy.py NAME LISTEN_PORT UPSTREAM_PORT`. Each connection has one of its own to the
broker, and the frames of both directions pass one after another.
"""

from __future__ import annotations

import contextlib
import os
import queue
import socket
import struct
import sys
import threading
from typing import Any

from wireproof import reference
from wireproof.reference import DecodeError

API_VERSIONS, METADATA, PRODUCE, FETCH = 18, 3, 0, 1
#: Apis whose answers name brokers, and in which field.
NAMING = {3: "Brokers", 60: "Brokers", 0: "NodeEndpoints", 1: "NodeEndpoints", 78: "NodeEndpoints", 79: "NodeEndpoints"}
FIND_COORDINATOR = 10


def apis() -> dict[int, str]:
    return dict(reference.dialect_named("kafka").apis())


def span(key: int) -> tuple[int, int]:
    return reference.types["kafka"].get(f"{apis().get(key)}Response") or (0, -1)


def head(frame: bytes) -> tuple[int, int, int]:
    """Api key, version and correlation id of a request."""
    key, version, correlation_id = struct.unpack_from(">hhi", frame, 4)
    return key, version, correlation_id


def receive(connection: socket.socket) -> bytes:
    """A frame; b"" at the end."""
    size = exactly(connection, 4)
    return size and size + exactly(connection, int.from_bytes(size))


def exactly(connection: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        piece = connection.recv(count - len(data))
        if not piece:
            return b""
        data += piece
    return data


#: The reference is read and written by one thread at a time.
READING = threading.Lock()


def read_request(frame: bytes) -> Any:
    with READING:
        return reference.decode("RequestFrame", frame, dialect="kafka")


def write_request(value: Any) -> bytes:
    with READING:
        return reference.encode("RequestFrame", value, dialect="kafka")


def read_answer(key: int, version: int, frame: bytes) -> Any:
    with READING:
        return reference.decode(f"ResponseFrame:{apis()[key]}", frame, dialect="kafka", version=version)


def write_answer(key: int, version: int, value: Any) -> bytes:
    with READING:
        return reference.encode(f"ResponseFrame:{apis()[key]}", value, dialect="kafka", version=version)


class PassThrough:
    """Alters nothing. Frames are looked at, and never read beyond their heads."""

    def __init__(self, listen: int, upstream: int) -> None:
        self.listen, self.upstream = listen, upstream

    def run(self) -> None:
        server = socket.create_server(("127.0.0.1", self.listen), backlog=512)
        while True:
            client, _ = server.accept()
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client: socket.socket) -> None:
        asked: list[tuple[int, int, int]] = []
        with client, contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.upstream)) as broker:
            back = threading.Thread(target=self.answers, args=(client, broker, asked), daemon=True)
            back.start()
            while frame := receive(client):
                asked.append(head(frame))
                passed = self.to_broker(frame)
                if not passed:
                    break
                broker.sendall(passed)
            with contextlib.suppress(OSError):
                broker.shutdown(socket.SHUT_WR)
            back.join()

    def answers(self, client: socket.socket, broker: socket.socket, asked: list[tuple[int, int, int]]) -> None:
        with contextlib.suppress(OSError):
            while frame := receive(broker):
                key, version, _ = asked.pop(0)
                self.send(client, self.to_client(key, version, frame))

    def send(self, client: socket.socket, frame: bytes) -> None:
        client.sendall(frame)

    def to_broker(self, frame: bytes) -> bytes:
        """What is passed on; b"" closes the connection."""
        return frame

    def to_client(self, key: int, version: int, frame: bytes) -> bytes:
        return frame


class Rewriting(PassThrough):
    """Puts its own address in the place of brokers', announces what it knows, and closes on everything else."""

    #: The highest version above those that it knows.
    beyond = 0

    def to_broker(self, frame: bytes) -> bytes:
        key, version, _ = head(frame)
        low, high = span(key)
        return frame if key in apis() and low <= version <= high + self.beyond or key == API_VERSIONS else b""

    def to_client(self, key: int, version: int, frame: bytes) -> bytes:
        try:
            value = read_answer(key, version, frame)
        except DecodeError:
            return frame
        if key == API_VERSIONS:
            value["body"]["ApiKeys"] = [self.known(one) for one in value["body"]["ApiKeys"] if one["ApiKey"] in apis()]
        else:
            self.rewrite(key, value["body"])
        return write_answer(key, version, value)

    def known(self, one: dict[str, int]) -> dict[str, int]:
        return {**one, "MaxVersion": min(one["MaxVersion"], span(one["ApiKey"])[1] + self.beyond)}

    def rewrite(self, key: int, body: Any) -> None:
        named = [body, *body.get("Coordinators", [])] if key == FIND_COORDINATOR else body.get(NAMING.get(key, ""), [])
        for one in named:
            if "Port" in one:
                one |= {"Host": "localhost", "Port": self.listen}


class RewritesMetadataAlone(Rewriting):
    """Clients go past it to their coordinators."""

    def rewrite(self, key: int, body: Any) -> None:
        if key == METADATA:
            super().rewrite(key, body)


class ListsNewer(Rewriting):
    """Announces versions that it cannot rewrite, and passes them on."""

    beyond = 1


class OwnVersion(PassThrough):
    """Asks the broker for Metadata in the version that it knows best, and answers in it."""

    def to_broker(self, frame: bytes) -> bytes:
        key, version, _ = head(frame)
        if key != METADATA or version not in range(9, 12):
            return frame
        value = read_request(frame)
        value["header"]["RequestApiVersion"] = 12
        value["body"]["Topics"] = None
        return write_request({**value, "body": {"Topics": None, "AllowAutoTopicCreation": True}})


class LosesTags(PassThrough):
    """Reads requests, and writes them without what it does not know."""

    def to_broker(self, frame: bytes) -> bytes:
        try:
            value = read_request(frame)
        except DecodeError:
            return frame
        for part in ("header", "body"):
            value[part].pop("_tags", None)
        return write_request(value)


class LosesAnswersTags(PassThrough):
    """The same of answers."""

    def to_client(self, key: int, version: int, frame: bytes) -> bytes:
        try:
            value = read_answer(key, version, frame)
        except (DecodeError, KeyError):
            return frame
        value["body"].pop("_tags", None)
        return write_answer(key, version, value)


class AltersRecords(PassThrough):
    """Keeps the last header of each key."""

    def to_broker(self, frame: bytes) -> bytes:
        if head(frame)[0] != PRODUCE:
            return frame
        value = read_request(frame)
        for topic in value["body"]["TopicData"]:
            for partition in topic["PartitionData"]:
                batch = reference.decode("RecordBatch", partition["Records"], dialect="kafka")
                for record in batch["records"]:
                    record["headers"] = [*dict(record["headers"]).items()]
                partition["Records"] = reference.encode("RecordBatch", batch, dialect="kafka")
        return write_request(value)


class NamesItself(PassThrough):
    """Puts its own client id into requests."""

    def to_broker(self, frame: bytes) -> bytes:
        try:
            value = read_request(frame)
        except DecodeError:
            return frame
        value["header"]["ClientId"] = "proxy"
        return write_request(value)


class AnnouncesMore(PassThrough):
    """Announces what its library knows, whatever the broker does."""

    def to_client(self, key: int, version: int, frame: bytes) -> bytes:
        if key != API_VERSIONS or version > span(key)[1]:
            return frame
        value = read_answer(key, version, frame)
        value["body"]["ApiKeys"][0]["MaxVersion"] += 5
        return write_answer(key, version, value)


class SilentOnUnknown(PassThrough):
    """Swallows requests that it does not know."""

    def serve(self, client: socket.socket) -> None:
        asked: list[tuple[int, int, int]] = []
        with client, contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.upstream)) as broker:
            threading.Thread(target=self.answers, args=(client, broker, asked), daemon=True).start()
            while frame := receive(client):
                if head(frame)[0] in apis():
                    asked.append(head(frame))
                    broker.sendall(frame)


class AltersUnknown(PassThrough):
    """Writes what it does not know again, with a header of another version."""

    def to_broker(self, frame: bytes) -> bytes:
        if head(frame)[0] in apis():
            return frame
        content = frame[4:] + b"\0"
        return len(content).to_bytes(4) + content


class DiesOnUnknown(PassThrough):
    """Ends when it meets what it does not know."""

    def to_broker(self, frame: bytes) -> bytes:
        if head(frame)[0] not in apis():
            os._exit(3)
        return frame


class BlocksAll(PassThrough):
    """Sends to one client at a time."""

    sending = threading.Lock()

    def send(self, client: socket.socket, frame: bytes) -> None:
        with self.sending:
            client.sendall(frame)


class Reorders(PassThrough):
    """Has a connection to the broker for each request, and sends answers as they come."""

    def serve(self, client: socket.socket) -> None:
        with contextlib.suppress(OSError):
            threads = []
            while frame := receive(client):
                threads.append(threading.Thread(target=self.ask, args=(client, frame), daemon=True))
                threads[-1].start()
            for thread in threads:
                thread.join()
            client.close()

    def ask(self, client: socket.socket, frame: bytes) -> None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.upstream)) as broker:
            broker.sendall(frame)
            client.sendall(receive(broker))


class MixesIds(PassThrough):
    """Has one connection to the broker for all clients, and leaves the correlation ids as they are."""

    def run(self) -> None:
        self.broker = socket.create_connection(("127.0.0.1", self.upstream))
        self.clients: dict[int, socket.socket] = {}
        threading.Thread(target=self.back, daemon=True).start()
        super().run()

    def serve(self, client: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while frame := receive(client):
                self.clients[head(frame)[2]] = client
                self.broker.sendall(frame)

    def back(self) -> None:
        while frame := receive(self.broker):
            with contextlib.suppress(OSError):
                self.clients[int.from_bytes(frame[4:8], signed=True)].sendall(frame)


class MapsIds(MixesIds):
    """The same with ids of its own, which is honest."""

    def serve(self, client: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while frame := receive(client):
                with self.lock:
                    self.next += 1
                    self.asked[self.next] = client, frame[8:12]
                    self.broker.sendall(frame[:8] + self.next.to_bytes(4) + frame[12:])

    lock = threading.Lock()
    next = 0

    @property
    def asked(self) -> dict[int, Any]:
        return self.clients

    def back(self) -> None:
        """A thread for each client, so that one that does not read holds up nobody."""
        queues: dict[socket.socket, queue.SimpleQueue[bytes]] = {}
        while frame := receive(self.broker):
            client, own = self.asked.pop(int.from_bytes(frame[4:8]))
            if client not in queues:
                queues[client] = queue.SimpleQueue()
                threading.Thread(target=self.forward, args=(client, queues[client]), daemon=True).start()
            queues[client].put(frame[:4] + own + frame[8:])

    def forward(self, client: socket.socket, frames: queue.SimpleQueue[bytes]) -> None:
        with contextlib.suppress(OSError):
            while True:
                client.sendall(frames.get())


PROXIES = {
    one.__name__: one
    for one in (
        PassThrough,
        Rewriting,
        RewritesMetadataAlone,
        ListsNewer,
        OwnVersion,
        LosesTags,
        LosesAnswersTags,
        AltersRecords,
        NamesItself,
        AnnouncesMore,
        SilentOnUnknown,
        AltersUnknown,
        DiesOnUnknown,
        BlocksAll,
        Reorders,
        MixesIds,
        MapsIds,
    )
}

if __name__ == "__main__":
    name, listen, upstream = sys.argv[1:]
    PROXIES[name](int(listen), int(upstream)).run()
