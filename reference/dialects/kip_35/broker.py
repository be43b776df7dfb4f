"""A broker of KIP-35: it answers BrokerMetadata for its cluster, and anything else with the empty response.

Source: KIP-35 version 7, Proposed Changes 1 and 2; R-35-2, R-35-3, R-35-9,
R-35-11 to R-35-14, and R-35-18.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wireproof.reference import codec, message
from wireproof.reference.cursor import Reader
from wireproof.reference.dialects.kip_35.layouts import API, HEADERS, VERSION, EmptyResponse, Layouts
from wireproof.reference.errors import DecodeError
from wireproof.reference.peers.connection import Connection
from wireproof.reference.peers.framing import RequestFrame, ResponseFrame
from wireproof.reference.rules import DEMANDED, Rules

#: The NodeId that means the broker that receives the request.
THIS_BROKER = -1
#: The bytes that a broker needs of any request: key, version and correlation id.
LEAST_FRAME = 8


@dataclass(frozen=True, slots=True)
class Kip35Cluster:
    """All brokers, each as an entry of BrokerMetadataResponse, and the id of the one that answers."""

    this_broker: int
    brokers: tuple[Mapping[str, Any], ...]

    @classmethod
    def of(cls, setting: Mapping[str, Any]) -> Kip35Cluster:
        """From the setting `cluster`: {"self": id, "brokers": [{"NodeId", "Host", …}]}."""
        return cls(setting["self"], tuple(setting["brokers"]))

    def select(self, node_ids: Sequence[int], rules: Rules = DEMANDED) -> list[Mapping[str, Any]]:
        """The brokers in the answer to a request for these ids (R-35-2, R-35-12 ‡, R-35-13 ‡, R-35-18 ‡)."""
        if not node_ids:
            return list(self.brokers)
        if rules.this_broker == "alone" and THIS_BROKER in node_ids:
            node_ids = [THIS_BROKER]
        by_id = {broker["NodeId"]: broker for broker in self.brokers}
        wanted = [self.this_broker if node == THIS_BROKER else node for node in node_ids]
        if rules.repeated_ids == "once":
            wanted = list(dict.fromkeys(wanted))
        if rules.unknown_ids == "listed":
            by_id = {node: {"NodeId": node, **_UNKNOWN} for node in wanted} | by_id
        return [by_id[node] for node in wanted if node in by_id]


#: What R-35-18's other reading tells of an id that no broker has.
_UNKNOWN = {"Host": "", "Port": -1, "ProtocolVersionMin": 0, "ProtocolVersionMax": 0, "Tags": []}
#: The default cluster: one broker.
ALONE = Kip35Cluster(
    0,
    (
        {
            "NodeId": 0,
            "Host": "localhost",
            "Port": 9092,
            "ProtocolVersionMin": 1,
            "ProtocolVersionMax": 1,
            "Tags": [("broker.id", "0")],
        },
    ),
)


class Kip35Broker(Connection):
    """Answers BrokerMetadata for its cluster, and all else with the empty response."""

    def __init__(self, cluster: Kip35Cluster, layouts: Layouts, rules: Rules) -> None:
        super().__init__()
        self.cluster = cluster
        self.layouts = layouts
        self.rules = rules

    def answer(self, frame: bytes, now: float) -> bytes | None:  # noqa: ARG002 (it never waits)
        """The answer to the request inside a frame, which may be none; None: the broker closes (R-35-9 ‡)."""
        if len(frame) < LEAST_FRAME:
            return None if self.rules.short_request == "closed" else b""
        api_key, version, correlation_id = struct.unpack_from(">hhi", frame)
        header = {"CorrelationId": correlation_id}
        empty = codec.encode(EmptyResponse(), {"header": header}, self.rules)
        malformed = None if self.rules.malformed_request == "closed" else empty
        try:
            if api_key != self.layouts.api_key or version != VERSION:
                if self.rules.unknown_request == "header":
                    message.read(HEADERS["RequestHeader", 1], Reader(frame, self.rules))
                return empty
            whole = struct.pack(">i", len(frame)) + frame
            request = codec.decode(RequestFrame(self.layouts), whole, self.rules)["body"]
        except DecodeError:
            return malformed
        body = {"Brokers": self.cluster.select(request["NodeIds"], self.rules)}
        answer = ResponseFrame.of(self.layouts, api_key, API, version)
        return codec.encode(answer, {"header": header, "body": body}, self.rules)
