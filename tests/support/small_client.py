"""The smallest client: it asks a broker for its versions, then fetches once, or produces once, by the reference."""

from __future__ import annotations

import socket
from typing import Any, Self

from wireproof import reference

TOPIC, FETCH, PRODUCE, METADATA, API_VERSIONS = "test", 1, 0, 3, 18


class Connection:
    """One connection to a broker, as a context manager. `bootstrap`: HOST:PORT. `fetch`, `produce`: the highest
    versions that the client has of these apis. Raises ConnectionError if the broker has none of them."""

    def __init__(self, bootstrap: str, fetch: int, produce: int) -> None:
        host, _, port = bootstrap.rpartition(":")
        self._socket = socket.create_connection((host, int(port)), 5)
        self._number = 0
        listed = self.ask("ApiVersions", 0, {})["ApiKeys"]
        own = {FETCH: fetch, PRODUCE: produce}
        self._versions = {one["ApiKey"]: min(one["MaxVersion"], own.get(one["ApiKey"], 99)) for one in listed}
        if any(self._versions[one["ApiKey"]] < one["MinVersion"] for one in listed):
            self._socket.close()
            raise ConnectionError("no version of Fetch or Produce is known to both")
        (topic,) = self.newest("Metadata", METADATA, {"Topics": [{"Name": TOPIC}]})["Topics"]
        self._id = topic["TopicId"]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def newest(self, api: str, key: int, body: dict[str, Any]) -> dict[str, Any]:
        """The answer to a request in the newest version of the broker."""
        return self.ask(api, self._versions[key], body)

    def ask(self, api: str, version: int, body: dict[str, Any]) -> dict[str, Any]:
        """The body of the answer. The fields that a version does not have are left out."""
        self._number += 1
        keys = {"ApiVersions": API_VERSIONS, "Fetch": FETCH, "Produce": PRODUCE, "Metadata": METADATA}
        header = {"RequestApiKey": keys[api], "RequestApiVersion": version, "CorrelationId": self._number}
        value = {"header": header, "body": body}
        self._socket.sendall(reference.encode("RequestFrame", value, dialect="kafka"))
        size = self._read(4)
        frame = size + self._read(int.from_bytes(size))
        answer = reference.decode(f"ResponseFrame:{api}", frame, dialect="kafka", version=version)
        found: dict[str, Any] = answer["body"]
        return found

    def fetch(self, position: int, isolation: str) -> dict[str, Any]:
        """The partition in the answer to a Fetch: its records, and aborted transactions."""
        version = self._versions[FETCH]
        topic = {"Topic": TOPIC} if version < 13 else {"TopicId": self._id}
        asked = {"Partition": 0, "FetchOffset": position, "PartitionMaxBytes": 1 << 20}
        body = {"MaxWaitMs": 10, "MinBytes": 1, "IsolationLevel": int(isolation == "read_committed")}
        answer = self.newest("Fetch", FETCH, {**body, "Topics": [{**topic, "Partitions": [asked]}]})
        found: dict[str, Any] = answer["Responses"][0]["Partitions"][0]
        return found

    def produce(self, data: bytes) -> None:
        """Send the records."""
        version = self._versions[PRODUCE]
        topic = {"Name": TOPIC} if version < 13 else {"TopicId": self._id}
        data_of = {**topic, "PartitionData": [{"Index": 0, "Records": data}]}
        self.newest("Produce", PRODUCE, {"Acks": -1, "TimeoutMs": 1000, "TopicData": [data_of]})

    def _read(self, size: int) -> bytes:
        read = b""
        while len(read) < size:
            more = self._socket.recv(size - len(read))
            if not more:
                raise ConnectionError("the broker has closed the connection")
            read += more
        return read
