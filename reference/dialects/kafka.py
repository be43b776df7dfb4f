"""The dialect `kafka`: what Apache Kafka shipped, as of the message schemas of Kafka 4.4."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from typing import Any

from wireproof.reference import catalog, evolution, records, schema
from wireproof.reference.catalog import Catalog
from wireproof.reference.codec import Codec, NodeCodec, decode
from wireproof.reference.cursor import Reader, Writer
from wireproof.reference.dialects.base import Dialect, Entries, RefusedFor, UnknownType
from wireproof.reference.errors import DecodeError, EncodeError, Reason
from wireproof.reference.peers import answers, broker, client
from wireproof.reference.peers.framing import API_VERSIONS, RequestFrame, ResponseFrame
from wireproof.reference.primitives import PRIMITIVES
from wireproof.reference.records.compression import ZSTD
from wireproof.reference.rules import DEMANDED, OTHER, Rules, Ruling
from wireproof.reference.schema import plan, type_names
from wireproof.reference.schema.plan import Struct

GUIDE = "Kafka protocol guide"
KIP_482 = "KIP-482, Tagged fields"
KIP_511 = "KIP-511, ApiVersions request/response handling"

RULINGS: tuple[Ruling, ...] = (
    Ruling(
        "R-K-1",
        "tags out of order or twice, on read",
        "refused: tags are strictly ascending",
        {OTHER: ("tag_order", "any"), "map": ("tag_order", "map")},
        "any order, the last of a known tag wins (Java's generated readers); kept in a map: of an "
        "unknown one too, and they come out ascending",
        KIP_482,
    ),
    Ruling("R-K-1w", "tags out of order or twice, on write", "never written: refused, or sorted", source=KIP_482),
    Ruling(
        "R-K-2",
        "a known tag's value does not fill its size",
        "bytes left over: length-mismatch at the size; too few: truncated at the value",
        {OTHER: ("tag_size", "ignored")},
        "the size is not looked at: reading goes on where the value ended (Java)",
        KIP_482,
    ),
    Ruling(
        "R-K-3",
        "unknown tags",
        "skipped by their size, and refused where it goes beyond the input; kept, and written again in order",
        {OTHER: ("unknown_tags", "dropped")},
        "dropped: the guide's recipients ignore what they do not know",
        KIP_482,
        incidental=True,
    ),
    Ruling(
        "R-K-4",
        "a tag known only in later versions",
        "kept as unknown",
        {OTHER: ("foreign_tags", "refused")},
        "refused (Java)",
        KIP_482,
    ),
    Ruling(
        "R-K-5",
        "overlong varints",
        "decode, and are re-encoded minimally (Java, Go, most)",
        {OTHER: ("overlong_varints", "refused")},
        "refused",
        GUIDE,
    ),
    Ruling(
        "R-K-6",
        "bits above the width in a varint's last byte (ffffffff1f; the tenth byte of a varlong)",
        "varint-overflow (franz-go)",
        {OTHER: ("high_bits", "dropped")},
        "dropped: ffffffff1f is ffffffff0f (Java)",
        GUIDE,
    ),
    Ruling("R-K-6c", "a continuation bit in a varint's byte 5 (varlong: 10)", "refused", source=GUIDE),
    Ruling(
        "R-K-7",
        "bytes left after a body, in a request to a broker too",
        "trailing-bytes; the broker closes",
        {OTHER: ("trailing_bytes", "ignored")},
        "ignored, answered (Java)",
        GUIDE,
    ),
    Ruling(
        "R-K-8",
        "an explicit default or null in a tag",
        "decodes; a writer leaves it out",
        {OTHER: ("tag_at_default", "sent")},
        "a writer sends it: what it writes decodes",
        KIP_482,
        incidental=True,
    ),
    Ruling(
        "R-K-9",
        "the marker of a nullable structure",
        "−1 null, 1 present, else invalid-marker; writers use ff and 01",
        {OTHER: ("struct_marker", "sign")},
        "any negative is null, anything else present (Java)",
        "KIP-893",
    ),
    Ruling(
        "R-K-10",
        "an array count, tag count or length beyond the bytes left",
        "refused before anything is allocated",
        source="Kafka's readers, as their error says: \"Tried to allocate a collection of size …, but there are only … "
        'bytes remaining"',
    ),
    Ruling(
        "R-K-10p",
        "policy limits, the bytes being there: more than 10,000 tags in a buffer, more than 1,000,000 array elements",
        "decode",
        {OTHER: ("policy_limits", "kafka-4.4")},
        "refused (Java 4.4)",
        GUIDE,
    ),
    Ruling(
        "R-K-11",
        "text that is not UTF-8",
        "refused",
        {OTHER: ("invalid_text", "replaced"), "kept": ("invalid_text", "kept")},
        "U+FFFD in its place (Java), one for each byte or for each maximal part; its bytes kept, and written as they "
        "came",
        GUIDE,
    ),
    Ruling(
        "R-K-12",
        "a record's key, value or header-value length below −1",
        "negative-length",
        {OTHER: ("record_length", "null")},
        "null (Java)",
        GUIDE,
    ),
    Ruling(
        "R-K-12b",
        "a negative header-key length or header count; a record's length not filled",
        "refused",
        source=GUIDE,
    ),
    Ruling(
        "R-K-12c",
        "attribute bits without a meaning: a record's, 7 to 15 of a batch, from 3 on of a message (magic 1: from 4 on)",
        "read, kept and written",
        {OTHER: ("unused_bits", "cleared")},
        "a writer writes 0 (Java)",
        GUIDE,
        incidental=True,
    ),
    Ruling(
        "R-K-13",
        "a non-default value in a field that the version lacks",
        "refused unless the field is ignorable, which is left out",
        {"omits": ("field_not_in_version", "left-out"), "refuses": ("field_not_in_version", "refused")},
        "left out, ignorable or not; refused, ignorable or not, a default too: a class for each version has no place "
        "for it",
        "Kafka's message definitions, README: ignorable",
    ),
    Ruling(
        "R-K-14",
        "a tagged structure whose fields all have default values",
        "equals its default: a writer leaves it out",
        {OTHER: ("tag_at_default", "structures-sent")},
        "a writer sends it: what it writes decodes",
        KIP_482,
        incidental=True,
    ),
    Ruling(
        "R-K-15",
        "a classic nullable string, bytes or array length below −1, ClientId's too",
        "negative-length",
        {OTHER: ("negative_length", "null")},
        "null (Java)",
        GUIDE,
    ),
    Ruling(
        "R-K-15b",
        "a compact length or count of 2³¹+1 and more (ffffffff0f)",
        "truncated",
        {OTHER: ("compact_length", "signed")},
        "negative, so null where nullable (Java, franz-go)",
        KIP_482,
    ),
    Ruling(
        "R-K-15c",
        "tag numbers of 2³¹−1 and more",
        "ordinary unknown tags",
        {OTHER: ("tag_numbers", "signed")},
        "decoded, refused when written (Java: signed)",
        KIP_482,
    ),
    Ruling("R-K-16", "null where the version does not allow it", "null-not-allowed, both ways", source=GUIDE),
    Ruling(
        "R-K-17",
        "the key list of an ApiVersions answer with error 35",
        "ApiVersions' own range, one key",
        {"empty": ("fallback_keys", "empty"), "full": ("fallback_keys", "full")},
        "empty (before 2.4); the full table (usable as it is)",
        KIP_511,
    ),
    Ruling(
        "R-K-18",
        "an unknown api, or an unsupported version of an api other than ApiVersions",
        "the broker closes, no bytes (Kafka 4.4: at once; Produce 0–2 too, although it lists 0–13 for old clients)",
        {OTHER: ("unsupported_request", "error-35")},
        "a response frame with its correlation id and error 35",
        "KIP-35, Proposed Changes",
    ),
    Ruling("R-K-19", "the CRC of a batch or message", "a mismatch is refused", source=GUIDE),
    Ruling(
        "R-K-19b",
        "recordsCount and the records that are there differ",
        "count-mismatch",
        {OTHER: ("empty_batch", "ignored")},
        "count 0 is an empty batch, the rest not looked at (Java)",
        GUIDE,
    ),
    Ruling(
        "R-K-20",
        "lastOffsetDelta differs from the last record's delta",
        "decodes (compaction); a client goes on at baseOffset + lastOffsetDelta + 1",
        source=GUIDE,
    ),
    Ruling(
        "R-K-21",
        "what a client makes of error 35 on ApiVersions",
        "the list names ApiVersions: retry with the highest common version; an empty list, or one without ApiVersions: "
        "retry 0; it was version 0 already, or nothing is common: unsupported; another error code: error",
        {OTHER: ("full_table", "accepted")},
        "with the full table: accepted",
        KIP_511,
    ),
    Ruling(
        "R-K-21b",
        "a client whose ApiVersions is met by a closed connection (brokers before 2.4, some proxies)",
        "error (what released clients do)",
        {OTHER: ("closed_api_versions", "retry-0")},
        "retry 0",
        KIP_511,
    ),
    Ruling(
        "R-K-22",
        "compression",
        "gzip; snappy raw and xerial-framed read, xerial written; lz4 frame with independent blocks (magic 0: with its "
        "broken header checksum); zstd only in magic 2; what follows the stream is refused; inflate bound 32 MiB",
        {OTHER: ("after_stream", "ignored")},
        "what follows the stream is ignored (Java's gzip and lz4)",
        GUIDE,
    ),
    Ruling(
        "R-K-22b",
        "LZ4 with linked blocks, or with a dictionary id, on read",
        "read",
        {OTHER: ("linked_blocks", "refused")},
        "refused (Java)",
        GUIDE,
    ),
    Ruling(
        "R-K-22e",
        "LZ4, on write",
        "frames with independent blocks and without a dictionary id: Kafka refuses all others",
        source='kafka-clients 4.4, Lz4BlockInputStream: "Dependent block stream is unsupported", "Preset dictionary is '
        'unsupported"',
    ),
    Ruling(
        "R-K-22c",
        "the two version fields of xerial's header",
        "big-endian; a version of 1 and more is read, whatever the compatible version says (Java; Redpanda writes both "
        "little-endian); below 1 refused",
        {OTHER: ("xerial_version", "any")},
        "neither is looked at",
        "snappy-java, SnappyInputStream",
    ),
    Ruling(
        "R-K-22d",
        "the window of a zstd frame",
        "128 MiB is read, for zstd's highest levels ask for it; a greater one is refused (Java)",
        {OTHER: ("zstd_window", "any")},
        "a greater one is read too",
        "RFC 8878",
    ),
    Ruling(
        "R-K-23",
        "an ApiVersions request of any version ≥ 3 has a v2 header",
        "without its tag byte the connection is closed, as with a supported version whose body is missing; answers to "
        "pipelined requests come in order; a good request before a bad one is still answered",
        source="Apache Kafka 4.4",
    ),
    Ruling(
        "R-K-24",
        "evolution of shipped schemas",
        "a tagged field under a new tag, one removed (its tag never reused), new versions at the end, another default "
        "of a plain field are compatible; reuse of a tag, another type or default of a tagged field, any change of the "
        "bytes of a published version, nullability among them, are not",
        {OTHER: ("plain_default", "breaks")},
        "another default of a plain field breaks too: it changes no byte, and Kafka did it (FetchRequest.ReplicaId, "
        'DeleteTopics.Name), but its README says "You must never change the default of a field which already exists"',
        "Kafka's message definitions, README: Tagged Fields, Incompatible Changes",
    ),
    Ruling(
        "R-K-25",
        "ApiVersions with an ill-formed software name, or version 5 with a ClusterId or NodeId not this broker's",
        "not asked (Kafka 4.4: errors 42 and 129)",
        source="Apache Kafka 4.4",
        beyond="it says what is not asked",
    ),
    Ruling(
        "R-K-26",
        "a partial entry inside a compressed wrapper",
        "refused",
        {OTHER: ("inner_partial", "dropped")},
        "dropped (Java)",
        GUIDE,
    ),
    Ruling(
        "R-K-27",
        "inner messages of another magic than their wrapper",
        "refused",
        {OTHER: ("inner_magic", "any")},
        "read (Java)",
        GUIDE,
    ),
    Ruling(
        "R-K-28",
        "other APIs, as a client sees them",
        "top-level error 35: unsupported; another top-level error: error; closed: error, null",
        source=GUIDE,
    ),
    Ruling(
        "R-K-29",
        "text of more than 32,767 bytes, compact text too",
        "string-too-long, both ways",
        {OTHER: ("long_text", "read")},
        "compact text is read and written, however long it is",
        GUIDE,
    ),
    Ruling(
        "R-K-30",
        "a magic that is not the type's, or that nobody knows",
        "unsupported-magic, before the CRC is looked at",
        source=GUIDE,
    ),
    Ruling(
        "R-K-31",
        "a negative size of a frame, batch, message or record, a negative count of records: none of them has a null",
        "negative-length",
        source=GUIDE,
    ),
    Ruling(
        "R-K-32",
        "what the fields of type records hold (Produce, Fetch, ShareFetch, FetchSnapshot)",
        "bytes: what they are is another codec's matter",
        {OTHER: ("message_records", "read")},
        "batches and messages; other bytes are refused",
        GUIDE,
    ),
    Ruling(
        "R-K-33",
        "a compressed message of magic 0 and 1",
        "shown as it is, with its messages in it; written again as one",
        {OTHER: ("wrapped_messages", "in-its-place")},
        "its messages stand in its place, each with its own attributes; they are written alone",
        GUIDE,
    ),
)

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
            message = _REQUEST_HEADER if name == _REQUEST_HEADER.name else self.catalog.load(name)
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
        Reason.RESOURCE_LIMIT: "R-K-22",
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

    def serve(self, chunks: Iterable[bytes], settings: Mapping[str, Any], rules: Rules) -> tuple[bytes, bool]:
        """`settings["apis"]`: api key → [lowest, highest] that the broker lists; by default all that it can answer.
        `settings["cluster"]`: the brokers that its Metadata names; by default itself."""
        listed, cluster = settings.get("apis"), settings.get("cluster")
        apis = self._answered() if listed is None else {int(key): (low, high) for key, (low, high) in listed.items()}
        among = answers.ALONE if cluster is None else answers.Cluster.of(cluster)
        return broker.serve(broker.Broker(self.messages, apis, rules, among), chunks)

    def _answered(self) -> dict[int, tuple[int, int]]:
        catalog = self.messages.catalog
        named = {key: catalog.apis[key] for key in answers.ANSWERS if key in catalog.apis}
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
    if version is None:
        raise DecodeError(Reason.UNSUPPORTED_VERSION, f"{type_name} needs a version", None)
    if type_name.startswith(_FRAME):
        api = type_name.removeprefix(_FRAME)
        key = next(key for key, name in chosen.apis.items() if name == api)
        return _ResponseFrame.of(messages, key, api, version)
    node = messages.plan(type_name, version)
    return _Body(node) if type_name in _WITH_RECORDS else NodeCodec(node)


@functools.cache
def _types(catalog: Catalog) -> Mapping[str, tuple[int, int] | None]:
    """Read from the catalogue's index alone, without the schemas."""
    spans: dict[str, tuple[int, int] | None] = dict.fromkeys((*PRIMITIVES, "ARRAY", "TAG_BUFFER", "RequestFrame"))
    header = _REQUEST_HEADER.versions
    spans.update(records.TYPES)
    spans.update(catalog.messages)
    spans[_REQUEST_HEADER.name] = (header.low, header.high)
    for api in catalog.apis.values():
        if f"{api}Response" in spans:
            spans[_FRAME + api] = spans[f"{api}Response"]
    return spans


_negotiate = client.negotiate
