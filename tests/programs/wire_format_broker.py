"""Brokers of the dialect wire-format, each with one peculiarity: `python wire_format_broker.py NAME`, as the kit starts
a program.

All are the reference's broker behind the kit's server. What differs is a method of a class, whose first line says what
it does.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, ClassVar

from wireproof.conformance.connection.live.server import Server
from wireproof.reference.dialects.wire_format import WireFormat
from wireproof.reference.dialects.wire_format.broker import Logs, Request, WireFormatBroker
from wireproof.reference.dialects.wire_format.waiting import CLIENT, REQUEST_TIMED_OUT, Place
from wireproof.reference.peers.connection import Answer
from wireproof.reference.rules import Rules

Body = dict[str, Any]
LONG = 60_000


class Conforming(WireFormatBroker):
    """Does what is demanded."""

    rules: ClassVar = Rules()

    def _fetched(self, request: Request, now: float) -> Answer:
        return super()._fetched({**request, **self.fetch(request)}, now)

    def _produced(self, request: Request, size: int, now: float) -> Answer:
        return super()._produced({**request, **self.produce(request)}, size, now)

    def _framed(self, name: str, request: Request, body: Body) -> bytes | None:
        return super()._framed(name, request, self.answered(name, request, body))

    def fetch(self, request: Request) -> Mapping[str, Any]:
        """The fields of a fetch that it takes for others."""
        return {}

    def produce(self, request: Request) -> Mapping[str, Any]:
        """The same of a produce request."""
        return {}

    def answered(self, name: str, request: Request, body: Body) -> Body:
        """The body of a response."""
        return body


class NeverWaits(Conforming):
    """Answers each fetch at once."""

    def fetch(self, request: Request) -> Mapping[str, Any]:
        return {"max_wait": 0}


class SleepsOn(Conforming):
    """Answers a fetch that waits when its time has gone by, whatever comes."""

    def fetch(self, request: Request) -> Mapping[str, Any]:
        return {"min_bytes": LONG} if request["min_bytes"] else {}


class WaitsForAnyByte(Conforming):
    """Answers a fetch as soon as there is a byte."""

    def fetch(self, request: Request) -> Mapping[str, Any]:
        return {"min_bytes": min(1, request["min_bytes"])}


class WaitsForSeconds(Conforming):
    """Takes max_wait for seconds."""

    def fetch(self, request: Request) -> Mapping[str, Any]:
        return {"max_wait": 1000 * request["max_wait"]}


class AlwaysWaits(Conforming):
    """Lets clients that want no wait wait long, and those that want no bytes for one."""

    def fetch(self, request: Request) -> Mapping[str, Any]:
        if request["replica_id"] != CLIENT:
            return {}
        return {"min_bytes": request["min_bytes"] or 1, "max_wait": request["max_wait"] or LONG}


class StartsOver(Conforming):
    """Gives clients a partition from its beginning, whatever the offset."""

    def fetch(self, request: Request) -> Mapping[str, Any]:
        if request["replica_id"] != CLIENT:
            return {}
        return {"topic_offsets": [{**row, "offsets": [0] * len(row["offsets"])} for row in request["topic_offsets"]]}


class TellsTheEnd(Conforming):
    """Tells the offset behind a set."""

    def answered(self, name: str, request: Request, body: Body) -> Body:
        return {**body, "offsets": [offset + 1 for offset in body["offsets"]]} if name == "Produce" else body


class WaitsForNoReplica(Conforming):
    """Takes each number of acks for 1."""

    def produce(self, request: Request) -> Mapping[str, Any]:
        return {"required_acks": min(1, request["required_acks"])}


class TimesOutEarly(Conforming):
    """Waits for no acks where the timeout is less than a second."""

    def produce(self, request: Request) -> Mapping[str, Any]:
        return {"ack_timeout": request["ack_timeout"] // 1000 * 1000}


class TimesOutLate(Conforming):
    """Waits for acks a minute longer."""

    def produce(self, request: Request) -> Mapping[str, Any]:
        return {"ack_timeout": request["ack_timeout"] + LONG}


class TimesOutWithoutAnError(Conforming):
    """Tells success when the acks did not come."""

    def answered(self, name: str, request: Request, body: Body) -> Body:
        return {**body, "errors": [-1 for _ in body["errors"]]} if name == "Produce" else body


class CountsClients(Conforming):
    """Takes a client's fetch for one of replica 3."""

    def fetch(self, request: Request) -> Mapping[str, Any]:
        return {"replica_id": 3}


class CountsWhatIsFetched(Conforming):
    """Takes what a replica's fetch gives for acknowledged."""

    def _fetched(self, request: Request, now: float) -> Answer:
        if request["replica_id"] != CLIENT:
            for row in request["topic_offsets"]:
                for number in row["partitions"]:
                    place: Place = (row["topic"], number)
                    self._logs.fetched(place, request["replica_id"], self._logs.partition(place).end)
        return super()._fetched(request, now)


class OneErrorForAll(Conforming):
    """Tells every set the error that one has."""

    def answered(self, name: str, request: Request, body: Body) -> Body:
        if REQUEST_TIMED_OUT not in body.get("errors", ()):
            return body
        return {**body, "errors": [REQUEST_TIMED_OUT] * len(body["errors"])}


class ErrorsBackwards(Conforming):
    """Tells the errors in the order from the last set to the first."""

    def answered(self, name: str, request: Request, body: Body) -> Body:
        return {**body, "errors": body["errors"][::-1]} if name == "Produce" else body


# --- Those that break no rule ---


class KnowsNoReplicas(Conforming):
    """Takes nobody for a replica: two acks are an error at once."""

    def fetch(self, request: Request) -> Mapping[str, Any]:
        return {"replica_id": CLIENT}

    def produce(self, request: Request) -> Mapping[str, Any]:
        return {"ack_timeout": 0}


class ClosesOnTooManyAcks(Conforming):
    """Closes the connection on more acks than there are replicas, and takes nobody for one."""

    rules: ClassVar = Rules(required_acks="replicas-or-closed")

    def fetch(self, request: Request) -> Mapping[str, Any]:
        return {"replica_id": CLIENT}


class LeavesOutEmptyPartitions(Conforming):
    """Leaves out partitions without messages, and tells no error with 0."""

    rules: ClassVar = Rules(empty_partitions="left-out", no_error="0", no_request_error="0")


class CountsBytes(Conforming):
    """Has offsets in bytes, as Kafka 0.7 had: each message of these conversations has 12."""

    def fetch(self, request: Request) -> Mapping[str, Any]:
        return {
            "topic_offsets": [
                {**row, "offsets": [offset // 12 for offset in row["offsets"]]} for row in request["topic_offsets"]
            ]
        }

    def answered(self, name: str, request: Request, body: Body) -> Body:
        return {**body, "offsets": [12 * offset for offset in body["offsets"]]} if name == "Produce" else body


def all_kinds(kind: type[Conforming] = Conforming) -> Iterator[type[Conforming]]:
    yield kind
    for each in kind.__subclasses__():
        yield from all_kinds(each)


KINDS = {re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower(): kind for kind in all_kinds()}


def main(name: str) -> None:
    kind, dialect = KINDS[name], WireFormat()
    sys.stdin.readline()
    with Server(0) as server:
        described = {"name": name, "dialects": [dialect.name], "ops": ["serve"], "listens": f"127.0.0.1:{server.port}"}
        sys.stdout.write(f"{json.dumps(described)}\n")
        sys.stdout.flush()
        server.run(partial(kind, dialect.codecs, dialect.apis(), kind.rules, Logs()), until=sys.stdin.fileno())


if __name__ == "__main__":
    main(*sys.argv[1:])
