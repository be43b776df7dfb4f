"""Wrappers of clients that run: `consume` and `produce` with the address of a broker, which holds or takes the bytes.

Each question has a broker of its own, which is a thread. It answers a Fetch at the question's position with the
question's bytes, once, and any other with no records; what Produce requests bring is the answer to `produce`. The api
is offered in one version alone, which the question's id decides. A client that does not ask it then is asked again with
all versions, and not with this one any more.

A command that prints what it is given ends at the end of the log, so this end is that of the bytes; and as nobody tells
where it stands, the offset that it asks for last does.
"""

from __future__ import annotations

import os
import struct
import threading
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import msgspec

from wireproof.conformance.connection.base import AtOnce, Connection
from wireproof.conformance.connection.live.client import DIALECT, TOPIC
from wireproof.conformance.connection.live.server import Server
from wireproof.conformance.model import OF_CLIENTS, Case, Description, Observation, Op, Status
from wireproof.reference.dialects import DIALECTS
from wireproof.reference.peers.answers import Body, Facts
from wireproof.reference.peers.broker import FETCH, FIRST, PRODUCE, Broker
from wireproof.reference.peers.connection import Wait
from wireproof.reference.peers.logs import named

#: The api of each op.
_APIS: Mapping[Op, int] = {Op.CONSUME: FETCH, Op.PRODUCE: PRODUCE}
#: Milliseconds for which a Fetch waits at most when there is nothing more.
_WAITS = 50
#: The end of the log, behind all that a question has.
_END = 2**62
#: Of an entry in the log: the size of its offset and length; where its magic stands, and the last delta of a batch.
_BEFORE, _MAGIC_AT, _LAST_DELTA_AT, _BATCH = 12, 16, 23, 2

Span = tuple[int, int]


def _end(args: Mapping[str, Any]) -> int:
    """The offset behind the last whole entry of a question's bytes; without one the position."""
    data: bytes = args["data"]
    end: int = args["position"]
    at = 0
    while at + _MAGIC_AT < len(data):
        offset, length = struct.unpack_from(">qi", data, at)
        last = 0
        if data[at + _MAGIC_AT] == _BATCH and at + _LAST_DELTA_AT + 4 <= len(data):
            (last,) = struct.unpack_from(">i", data, at + _LAST_DELTA_AT)
        at += _BEFORE + length
        if length < 0 or at > len(data):
            break
        end = max(end, offset + last + 1)
    return min(end, _END)


class _Partition:
    """The records of one question, as the broker's partition. `asked`: whether the client has asked its api."""

    def __init__(self, args: Mapping[str, Any], end: int) -> None:
        self._args = args
        self._end = end
        #: The offset that was asked last, once the bytes are given.
        self.position: int | None = None
        self._given = False
        self.asked = False
        self.produced = b""

    def fetch(self, facts: Facts, request: Body, version: int) -> Body | Wait[Body]:  # noqa: ARG002 (all versions alike)
        """The bytes of the question, once; then nothing."""
        self.asked = True
        offsets = [asked["FetchOffset"] for topic in request["Topics"] for asked in topic["Partitions"]]
        if offsets == [self._args.get("position")] and not self._given:
            self._given = True
            return self._fetched(request, self._args["data"], self._args["aborted"])
        if self._given and len(offsets) == 1:
            self.position = offsets[0]
        until = facts.now + min(request["MaxWaitMs"], _WAITS)
        return Wait(until, lambda: False, lambda: self._fetched(request, b"", []))

    def _fetched(self, request: Body, data: bytes, aborted: Sequence[Mapping[str, int]]) -> Body:
        listed = [{"ProducerId": one["producer_id"], "FirstOffset": one["first_offset"]} for one in aborted]
        said = {
            "ErrorCode": 0,
            "HighWatermark": self._end,
            "LastStableOffset": self._end,
            "LogStartOffset": 0,
            "Records": data,
            "AbortedTransactions": listed if request.get("IsolationLevel") or listed else None,
        }
        return {
            "Responses": [
                {
                    **named(topic, "Topic"),
                    "Partitions": [{"PartitionIndex": asked["Partition"], **said} for asked in topic["Partitions"]],
                }
                for topic in request["Topics"]
            ]
        }

    def produce(self, facts: Facts, request: Body, version: int) -> Body | None:  # noqa: ARG002 (as above)
        """Take whatever comes."""
        self.asked = True
        answered = []
        for topic in request["TopicData"]:
            taken = []
            for data in topic["PartitionData"]:
                self.produced += data["Records"] or b""
                taken.append({"Index": data["Index"], "ErrorCode": 0, "BaseOffset": 0, "LogStartOffset": 0})
            answered.append({**named(topic, "Name"), "PartitionResponses": taken})
        return {"Responses": answered} if request["Acks"] else None


class WrapperConnection(AtOnce, Connection):
    """A connection to the wrapper of a client. `wrapper`: the connection by which it is asked. `at_once`: so many cases
    are asked at a time, each in a thread. `to_the_end`: it reads to the end of the log, and does not tell where it
    stands then."""

    repeats = True

    def __init__(self, wrapper: Connection, *, at_once: int = 1, to_the_end: bool = False) -> None:
        self._wrapper = wrapper
        self._at_once = at_once
        self._to_the_end = to_the_end
        apis = _made("127.0.0.1", 0)().apis
        self._spans: dict[int, Span] = {api: (max(apis[api][0], FIRST[api]), apis[api][1]) for api in _APIS.values()}
        #: The versions that are offered alone, by api.
        self._alone = {api: [*range(low, high + 1)] for api, (low, high) in self._spans.items()}

    @property
    def description(self) -> Description:
        """The wrapper's description of itself."""
        return self._wrapper.description

    def alone(self, op: Op) -> list[int]:
        """The versions of an op's api that are still offered alone."""
        return [*self._alone[_APIS[op]]]

    def configure(self, dialect: str, settings: Mapping[str, Any]) -> bool:
        """Pass the settings."""
        return self._wrapper.configure(dialect, settings)

    def expect_hangs(self, hangs: Callable[[str], bool]) -> None:
        """See `Connection.expect_hangs`."""
        self._wrapper.expect_hangs(hangs)

    def ask(self, cases: Sequence[Case]) -> list[Observation]:
        """One broker for each case, or two."""
        if self._at_once == 1:
            return [self._one(case) for case in cases]
        with ThreadPoolExecutor(self._at_once) as pool:
            asked = [pool.submit(self._one, case) for case in cases]
            try:
                return [one.result() for one in asked]
            finally:
                pool.shutdown(wait=False, cancel_futures=True)

    def _one(self, case: Case) -> Observation:
        api = _APIS[case.op]
        alone = self._alone[api]
        version = -1
        if alone:
            version = alone[zlib.crc32(case.id.encode()) % len(alone)]
            seen, partition = self._with(case, (version, version))
            if partition.asked or seen.status is Status.UNSUPPORTED:
                return seen
        seen, partition = self._with(case, self._spans[api])
        if version in alone and partition.asked:
            alone.remove(version)
        return seen

    def _with(self, case: Case, span: Span) -> tuple[Observation, _Partition]:
        """What the wrapper does with a broker that offers these versions of the api."""
        partition = _Partition(case.args, _end(case.args) if self._to_the_end else _END)
        with _served(partition, _APIS[case.op], span) as address:
            told = {**case.args, "bootstrap": address}
            args = {name: told[name] for name in OF_CLIENTS[case.op]}
            (seen,) = self._wrapper.ask([msgspec.structs.replace(case, args=args)])
        seen = msgspec.structs.replace(seen, case=case)
        if self._to_the_end and seen.status is Status.ANSWER and partition.position is not None:
            return msgspec.structs.replace(seen, answer={**seen.answer, "position": partition.position}), partition
        if case.op is not Op.PRODUCE or seen.status is not Status.ANSWER:
            return seen, partition
        if not partition.asked:
            text = "it says that it has sent the records, but no Produce request came"
            return Observation(case, Status.VIOLATION, error="nothing sent", detail=text), partition
        return msgspec.structs.replace(seen, answer=partition.produced), partition

    def end(self) -> Observation | None:
        """See `Connection.end`."""
        return self._wrapper.end()

    def close(self) -> None:
        """See `Connection.close`."""
        self._wrapper.close()


def _made(host: str, port: int) -> Callable[[], Broker]:
    """Gives the side of a conforming broker with one partition, of a new connection."""
    make = DIALECTS[DIALECT].broker((host, port), {TOPIC: 1})

    def made() -> Broker:
        broker = make()
        assert isinstance(broker, Broker)
        return broker

    return made


@contextmanager
def _served(partition: _Partition, api: int, span: Span) -> Iterator[str]:
    """A broker that offers these versions of an api; its address."""
    with Server(0) as server:
        make = _made("127.0.0.1", server.port)

        def opened() -> Broker:
            broker = make()
            broker.apis = {**broker.apis, api: span}
            broker.responses = {**broker.responses, FETCH: partition.fetch, PRODUCE: partition.produce}
            return broker

        until, ending = os.pipe()
        thread = threading.Thread(target=server.run, args=(opened, until), daemon=True)
        thread.start()
        try:
            yield f"127.0.0.1:{server.port}"
        finally:
            os.close(ending)
            thread.join()
            os.close(until)
