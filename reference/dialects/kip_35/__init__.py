"""The dialect `kip-35-v7`: version 7 of KIP-35's page, "Retrieving protocol version".

rulings     how the page is read where it is silent
layouts     the bytes: bodies, headers, the empty response
broker      what a broker answers; which brokers a request selects
client      what a client makes of an answer; which ProtocolVersion it speaks
tags        a broker's tags: parsers, uses, and user tags from a properties file
protocol_versions   the ledger: which ProtocolVersion added, deprecated and removed what
uses        what a client or a broker makes of tags, of a properties file and of a ledger, as types to look up in
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from wireproof.reference import evolution
from wireproof.reference.codec import Codec, NodeCodec, decode
from wireproof.reference.dialects.base import Dialect, RefusedFor, UnknownType
from wireproof.reference.dialects.kip_35 import broker, protocol_versions, tags, uses
from wireproof.reference.dialects.kip_35.client import Kip35Client, common
from wireproof.reference.dialects.kip_35.layouts import (
    API,
    API_KEY,
    BODIES,
    VERSION,
    EmptyResponse,
    Layouts,
    Metadata,
    MetadataFrame,
)
from wireproof.reference.dialects.kip_35.rulings import RULINGS
from wireproof.reference.errors import DecodeError, Reason, SchemaError, shown
from wireproof.reference.peers import connection
from wireproof.reference.peers.framing import RequestFrame
from wireproof.reference.rules import DEMANDED, Rules

_RESPONSE_FRAME = f"ResponseFrame:{API}"
_TYPES: Mapping[str, tuple[int, int] | None] = {
    **dict.fromkeys(BODIES, (VERSION, VERSION)),
    "RequestFrame": None,
    _RESPONSE_FRAME: (VERSION, VERSION),
    "EmptyResponse": None,
}


class Kip35(Dialect):
    """The dialect; for its methods see `reference.dialects.base.Dialect`. `api_key`: BrokerMetadata's (R-35-4)."""

    name = "kip-35-v7"
    rulings = RULINGS
    types = _TYPES
    refusal_rulings: Mapping[RefusedFor, str] = {
        ("BrokerMetadataRequest", Reason.NULL_NOT_ALLOWED): "R-35-2",
        ("RequestFrame", Reason.NULL_NOT_ALLOWED): "R-35-2",
        Reason.NULL_NOT_ALLOWED: "R-D-3",
        Reason.NEGATIVE_LENGTH: "R-D-3",
        Reason.TRAILING_BYTES: "R-D-5",
    }
    bomb_ruling: str | None = None
    looked_up = frozenset({*uses.OF_BROKERS, *uses.OF_TEXT})
    empty_areas: Mapping[str, str] = {
        "varints": "it has no varints: lengths and counts have fixed widths",
        "tag-ordering": "its tags are keys and values in an array: header-multimaps",
        "delivery": "the page has no records",
    }

    def __init__(self, api_key: int = API_KEY, rules: Rules = DEMANDED) -> None:
        self.layouts = Layouts(api_key)
        self.rules = rules

    def configured(self, settings: Mapping[str, Any]) -> Kip35:
        """`settings["api_key"]`: BrokerMetadata's. Raises SchemaError."""
        if "api_key" not in settings:
            return self
        key = settings["api_key"]
        if not isinstance(key, int) or isinstance(key, bool) or not -(2**15) <= key < 2**15:
            raise SchemaError(f"{shown(key)} is no api key: an integer of 16 bits is expected", "api_key")
        return Kip35(key)

    def under(self, rules: Rules) -> Kip35:
        """`negotiate` depends on a reading (R-35-15 ‡)."""
        same = rules.protocol_version == self.rules.protocol_version
        return self if same else Kip35(self.layouts.api_key, rules)

    def apis(self) -> Mapping[int, str]:
        return {self.layouts.api_key: API}

    def codec(self, type_name: str, version: int | None) -> Codec:
        """Without a version, it is the only one."""
        if type_name not in _TYPES:
            raise UnknownType(f"the dialect {self.name} has no type {type_name!r}")
        if version not in (None, VERSION):
            detail = f"{type_name} has version {VERSION}, not {shown(version)}"
            raise DecodeError(Reason.UNSUPPORTED_VERSION, detail, None)
        if type_name in BODIES:
            return (Metadata if type_name == f"{API}Response" else NodeCodec)(BODIES[type_name])
        if type_name == "RequestFrame":
            return RequestFrame(self.layouts)
        if type_name == "EmptyResponse":
            return EmptyResponse()
        return MetadataFrame.of(self.layouts, self.layouts.api_key, API, VERSION)

    def answer_type(self, api_key: int, version: int, inside: bytes) -> tuple[str, int | None, str] | None:
        if len(inside) == 4:
            return "EmptyResponse", None, "nothing follows the correlation id: the request is not supported"
        if (api_key, version) == (self.layouts.api_key, VERSION):
            return _RESPONSE_FRAME, VERSION, ""
        return None

    def serve(self, chunks: Iterable[bytes], settings: Mapping[str, Any], rules: Rules) -> tuple[bytes, bool]:
        """`settings["cluster"]`: the brokers in BrokerMetadata's answer; by default the answering broker alone."""
        cluster = settings.get("cluster")
        among = broker.ALONE if cluster is None else broker.Kip35Cluster.of(cluster)
        return connection.serve(broker.Kip35Broker(among, self.layouts, rules), chunks)

    def broker(
        self,
        address: tuple[str, int],
        topics: Mapping[str, int],  # noqa: ARG002 (no request asks for them)
        rules: Rules = DEMANDED,
    ) -> Callable[[], connection.Connection]:
        """The proposal adds BrokerMetadata to a broker, and says of no other request what it is answered: there are no
        topics."""
        host, port = address
        cluster = broker.Kip35Cluster(0, ({**broker.ALONE.brokers[0], "Host": host, "Port": port},))
        return partial(broker.Kip35Broker, cluster, self.layouts, rules)

    def interpret(self, request: bytes, response: bytes | None, rules: Rules) -> dict[str, Any]:
        return Kip35Client(self.layouts, rules).interpret(request, response)

    def lookup(self, type_name: str, data: bytes, key: Any, version: int | None, rules: Rules) -> list[Any]:
        """The values of the tags with this key, of all brokers of a BrokerMetadataResponse, in order (R-35-5); of the
        other types see `uses`."""
        if type_name in uses.OF_TEXT:
            return uses.of_text(type_name, data, key)
        if type_name not in (f"{API}Response", *uses.OF_BROKERS):
            raise NotImplementedError(f"{type_name} has no tags to be looked up")
        brokers = decode(self.codec(f"{API}Response", version), data, rules)["Brokers"]
        if type_name in uses.OF_BROKERS:
            return uses.of_brokers(type_name, brokers, key, rules)
        pairs = [pair for one in brokers for pair in one["Tags"]]
        return [tags.tag_value(key, value, rules) for name, value in pairs if name == key]

    def read_schema(self, content: bytes) -> Any:
        """A ledger, as JSON or in the page's own text form."""
        if content.lstrip()[:1] == b"{":
            return super().read_schema(content)
        try:
            return protocol_versions.parse(content.decode()).as_json
        except UnicodeDecodeError as error:
            raise SchemaError(f"it is not UTF-8: {error}") from None

    def compare(self, old: Any, new: Any, rules: Rules = DEMANDED) -> evolution.Comparison:
        """Compares ledgers of ProtocolVersions (R-35-7)."""
        releases: Sequence[Any] = old if isinstance(old, (list, tuple)) else [old]
        *before, now = (protocol_versions.VersionLedger.of(release) for release in (*releases, new))
        return protocol_versions.compare(before, now, rules)

    def negotiate(self, api_key: int, client: tuple[int, int], broker: tuple[int, int] | None) -> int | None:  # noqa: ARG002 (a ProtocolVersion is of all apis)
        return common((client, broker), self.rules)
