"""The dialect `kafka`: what Apache Kafka shipped, as of the message schemas of Kafka 4.4.

rulings     how the texts are read where they are silent
prefixed    messages behind the version with which Kafka stores or sends them
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from wireproof.reference import catalog, evolution, records, schema
from wireproof.reference.catalog import Catalog
from wireproof.reference.codec import Codec, NodeCodec, VersionPrefixed, decode
from wireproof.reference.cursor import Reader, Writer
from wireproof.reference.dialects.base import Dialect, Entries, Format, RefusedFor, UnknownType
from wireproof.reference.dialects.kafka import prefixed
from wireproof.reference.dialects.kafka.rulings import RULINGS
from wireproof.reference.errors import DecodeError, EncodeError, Reason
from wireproof.reference.peers import answers, broker, client, connection
from wireproof.reference.peers.framing import API_VERSIONS, RequestFrame, ResponseFrame
from wireproof.reference.primitives import PRIMITIVES
from wireproof.reference.records.compression import ZSTD
from wireproof.reference.rules import DEMANDED, Rules
from wireproof.reference.schema import plan, type_names
from wireproof.reference.schema.plan import Struct

#: The request header of kafka-clients 3.9.0, the last that had version 0 (ControlledShutdown 0's).
_REQUEST_HEADER = schema.from_json(
    {
        "name": "RequestHeader",
        "type": "header",
        "validVersions": "0-2",
        "flexibleVersions": "2+",
        "fields": [
            {"name": "RequestApiKey", "type": "int16", "versions": "0+"},
            {"name": "RequestApiVersion", "type": "int16", "versions": "0+"},
            {"name": "CorrelationId", "type": "int32", "versions": "0+"},
            {
                "name": "ClientId",
                "type": "string",
                "versions": "1+",
                "nullableVersions": "1+",
                "ignorable": True,
                "flexibleVersions": "none",
            },
        ],
    }
)
_FRAME = "ResponseFrame:"


class _HoldsRecords(Codec):
    """Of messages and frames, whose fields of type records hold any bytes (R-K-32 ‡, other: batches and messages)."""

    __slots__ = ()

    def read(self, reader: Reader) -> Any:
        value = super().read(reader)  # type: ignore[safe-super] # of the codec that it stands before
        if reader.rules.message_records == "read":
            for path, content in records.fields_in(value):
                try:
                    decode(_record_set(), content, reader.rules)
                except DecodeError as error:
                    raise DecodeError(error.reason, error.detail, None, path) from None
        return value

    def append(self, writer: Writer, value: Any) -> None:
        super().append(writer, value)  # type: ignore[safe-super]
        if writer.rules.message_records == "read":
            for path, content in records.fields_in(value):
                try:
                    decode(_record_set(), content, writer.rules)
                except DecodeError as error:
                    raise EncodeError(error.reason, error.detail, path) from None


class _Body(_HoldsRecords, NodeCodec):
    __slots__ = ()


class _RequestFrame(_HoldsRecords, RequestFrame):
    __slots__ = ()


class _ResponseFrame(_HoldsRecords, ResponseFrame):
    __slots__ = ()


def _record_set() -> Codec:
    from wireproof.reference.records import codecs  # takes its time to load, and most types do without

    return codecs.codec("RecordSet", None)


#: Messages with fields of type records.
_WITH_RECORDS = frozenset({"ProduceRequest", "FetchResponse", "ShareFetchResponse", "FetchSnapshotResponse"})


class CatalogMessages:
    """A catalogue's messages. Each version is resolved once."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self._plans: dict[tuple[str, int], Struct] = {}

    def api_name(self, api_key: int) -> str | None:
        return self.catalog.apis.get(api_key)

    def plan(self, name: str, version: int) -> Struct:
        """Raises UnknownType, or DecodeError(unsupported-version)."""
        if (name, version) not in self._plans:
            message = _REQUEST_HEADER if name == _REQUEST_HEADER.name else self.catalog.at(name, version)
            if message is None:
                raise UnknownType(f"the catalogue ({self.catalog.made_by}) has no message {name!r}")
            self._plans[name, version] = plan.plan(message, version)
        return self._plans[name, version]


class Kafka(Dialect):
    """The dialect; for its methods see `reference.dialects.base.Dialect`."""

    name = "kafka"
    rulings = RULINGS
    refusal_rulings: Mapping[RefusedFor, str] = {
        Reason.CORRUPT_COMPRESSION: "R-K-22",
        Reason.COUNT_MISMATCH: "R-K-19b",
        Reason.CRC_MISMATCH: "R-K-19",
        Reason.FIELD_NOT_IN_VERSION: "R-K-13",
        Reason.NEGATIVE_LENGTH: "R-K-31",
        Reason.NULL_NOT_ALLOWED: "R-K-16",
        Reason.RESOURCE_LIMIT: "R-K-35",
        Reason.STRING_TOO_LONG: "R-K-29",
        Reason.TAG_DUPLICATE: "R-K-1w",
        Reason.TAG_ORDER: "R-K-1w",
        Reason.UNSUPPORTED_COMPRESSION: "R-K-22",
        Reason.UNSUPPORTED_MAGIC: "R-K-30",
        Reason.VARINT_OVERFLOW: "R-K-6c",
    }
    bomb_ruling: str | None = "R-K-10"
    areas: Mapping[str, str] = records.AREAS
    entries: Mapping[str, Entries] = {
        "RecordBatch": Entries(records.guarded, lambda batch: records.is_compressed([batch]), batches=True),
        "RecordSet": Entries(records.guarded, records.is_compressed, records.ends_partially, batches=True),
        "MessageSet": Entries(records.guarded, records.is_compressed, records.ends_partially),
    }
    written = Rules(overlong_varints="refused", linked_blocks="refused")  # R-K-5, R-K-22e
    formats: Mapping[str, Mapping[str, Format]] = {
        "RecordSet": {f"magic-{magic}": Format("kafka", "RecordSet") for magic in (0, 1, 2)}
    }
    message_set = "MessageSet"
    records_field = "RecordSet"
    control_batches = frozenset({"RecordBatch", "RecordSet"})
    highest_codec = ZSTD

    @property
    def messages(self) -> CatalogMessages:
        return _messages(catalog.current())

    @property
    def types(self) -> Mapping[str, tuple[int, int] | None]:
        return _types(catalog.current())

    def apis(self) -> Mapping[int, str]:
        return self.messages.catalog.apis

    def configured(self, settings: Mapping[str, Any]) -> Dialect:
        """`settings["removed"]`: it is read, too, in the versions that Kafka 4.0 removed."""
        return KafkaWithRemoved() if settings.get("removed") else self

    def codec(self, type_name: str, version: int | None) -> Codec:
        return _codec(catalog.current(), type_name, version)

    def answer_type(self, api_key: int, version: int, inside: bytes) -> tuple[str, int | None, str] | None:
        name = self.apis().get(api_key)
        if name is None:
            return None
        error = int.from_bytes(inside[4:6])
        if api_key == API_VERSIONS and version != 0 and error == answers.UNSUPPORTED_VERSION:
            return f"{_FRAME}{name}", 0, f"with error {error} it is of version 0"
        return f"{_FRAME}{name}", version, ""

    def lookup(self, type_name: str, data: bytes, key: Any, version: int | None, rules: Rules) -> list[Any]:
        if type_name != "Record":
            raise NotImplementedError(f"headers are looked up in a Record, not in {type_name}")
        from wireproof.reference.records import record

        return record.lookup(decode(self.codec(type_name, version), data, rules), key)

    def convert(self, type_name: str, data: bytes, to: str, version: int | None, rules: Rules) -> bytes:  # noqa: ARG002 (sets have no versions)
        if type_name not in self.formats:
            raise NotImplementedError(f"RecordSet is converted, and not {type_name}")
        from wireproof.reference.records import convert

        return convert.converted(data, to, rules)

    def consume(
        self, data: bytes, position: int, isolation: str, aborted: Sequence[Mapping[str, int]], rules: Rules
    ) -> dict[str, Any]:
        from wireproof.reference.records import consume

        return consume.consume(data, position, isolation, aborted, rules)

    def produce(
        self, records: Sequence[Mapping[str, Any]], magic: int, codec: str, options: Mapping[str, Any], rules: Rules
    ) -> bytes:
        from wireproof.reference.records import produce

        return produce.produce(records, magic, codec, options, rules)

    def serve(self, chunks: Iterable[bytes], settings: Mapping[str, Any], rules: Rules) -> tuple[bytes, bool]:
        """`settings["apis"]`: api key → [lowest, highest] that the broker lists; by default all that it can answer
        without topics. `settings["cluster"]`: the brokers that its Metadata names; by default itself."""
        listed = settings.get("apis")
        apis = (
            self.answered(broker.ANSWERS)
            if listed is None
            else {int(key): (low, high) for key, (low, high) in listed.items()}
        )
        cluster = settings.get("cluster")
        among = answers.ALONE if cluster is None else answers.Cluster.of(cluster)
        return connection.serve(broker.Broker(self.messages, apis, rules, among), chunks)

    def broker(
        self, address: tuple[str, int], topics: Mapping[str, int], rules: Rules = DEMANDED
    ) -> Callable[[], connection.Connection]:
        """It has message format 2 alone, so the versions of Produce and Fetch from before it are left out."""
        apis = {
            key: (0 if key == broker.PRODUCE and low == broker.FIRST[key] else max(low, broker.FIRST.get(key, 0)), high)
            for key, (low, high) in self.answered(broker.WITH_TOPICS).items()
        }
        return broker.opened(self.messages, apis, rules, address, topics, broker.WITH_TOPICS)

    def answered(self, responses: Iterable[int]) -> dict[int, tuple[int, int]]:
        """The versions that the catalogue has of these apis, both ways."""
        catalog = self.messages.catalog
        named = {key: catalog.apis[key] for key in responses if key in catalog.apis}
        return {
            key: catalog.messages[f"{name}Request"]
            for key, name in named.items()
            if {f"{name}Request", f"{name}Response"} <= catalog.messages.keys()
        }

    def interpret(self, request: bytes, response: bytes | None, rules: Rules) -> dict[str, Any]:
        return client.interpret(self.messages, request, response, rules)

    def negotiate(self, api_key: int, client: tuple[int, int], broker: tuple[int, int] | None) -> int | None:  # noqa: ARG002 (all apis alike)
        return _negotiate(client, broker)

    def compare(self, old: Any, new: Any, rules: Rules = DEMANDED) -> evolution.Comparison:
        releases = old if isinstance(old, (list, tuple)) else [old]
        made = [schema.from_json(release) for release in releases]
        policy = evolution.Policy(
            null_by_version=True,
            tagged_default_breaks=True,
            plain_default_breaks=rules.plain_default == "breaks",
            default_ruling="R-K-24",
        )
        return evolution.compare(made, schema.from_json(new), policy)


class KafkaWithRemoved(Kafka):
    """The dialect as the judge of a broker reads it: also in the versions that Kafka 4.0 removed, though it lists them
    nowhere."""

    def codec(self, type_name: str, version: int | None) -> Codec:
        return _codec(catalog.with_removed(catalog.current()), type_name, version)


@functools.cache
def _messages(catalog: Catalog) -> CatalogMessages:
    return CatalogMessages(catalog)


@functools.lru_cache(maxsize=4096)  # of messages alone there are 640; names of arrays never end
def _codec(chosen: Catalog, type_name: str, version: int | None) -> Codec:
    node = type_names.node(type_name)
    if node is not None:
        return NodeCodec(node)
    messages = _messages(chosen)
    if type_name in records.TYPES:
        from wireproof.reference.records import codecs  # takes its time to load, and most types do without

        return codecs.codec(type_name, version)
    if type_name == "RequestFrame":
        return _RequestFrame(messages)
    if type_name not in _types(chosen) or type_name == "ARRAY":
        raise UnknownType(f"the dialect kafka has no type {type_name!r}")
    if type_name.startswith(prefixed.PREFIX):
        return _version_prefixed(chosen, type_name.removeprefix(prefixed.PREFIX))
    if version is None:
        raise DecodeError(Reason.UNSUPPORTED_VERSION, f"{type_name} needs a version", None)
    if type_name.startswith(_FRAME):
        api = type_name.removeprefix(_FRAME)
        key = next(key for key, name in chosen.apis.items() if name == api)
        return _ResponseFrame.of(messages, key, api, version)
    node = messages.plan(type_name, version)
    return _Body(node) if type_name in _WITH_RECORDS else NodeCodec(node)


def _version_prefixed(chosen: Catalog, name: str) -> VersionPrefixed:
    source, named = prefixed.messages(name, chosen)
    plans = {number: _messages(source).plan(*message) for number, message in named.items()}
    return VersionPrefixed(plans, open_ended=name in prefixed.IN_CATALOG)


@functools.cache
def _types(catalog: Catalog) -> Mapping[str, tuple[int, int] | None]:
    """Read from the catalogue's index alone, without the schemas."""
    spans: dict[str, tuple[int, int] | None] = dict.fromkeys((*PRIMITIVES, "ARRAY", "TAG_BUFFER", "RequestFrame"))
    header = _REQUEST_HEADER.versions
    spans.update(records.TYPES)
    spans.update(catalog.messages)
    spans[_REQUEST_HEADER.name] = (header.low, header.high)
    spans.update(dict.fromkeys(prefixed.PREFIX + name for name in prefixed.names(catalog)))
    for api in catalog.apis.values():
        if f"{api}Response" in spans:
            spans[_FRAME + api] = spans[f"{api}Response"]
    return spans


_negotiate = client.negotiate
