"""Questions that show one reading each, for the reference under `Rules(**switches)`, and bytes for them."""

from __future__ import annotations

import gzip
import struct
import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import lz4.frame  # type: ignore[import-untyped]
from crc32c import crc32c

from support.wire import KAFKA, Message, Refused, attempt, decode, encode, field, recode, schema, tagged
from wireproof import reference
from wireproof.reference import Reference, Rules, WireError
from wireproof.reference.records.produce import OPTIONS

Question = Callable[..., Any]


DEFAULT_BROKER = {"Host": "h", "Port": 9092, "ProtocolVersionMin": 1, "ProtocolVersionMax": 1, "Tags": []}


def reading(name: str, digits: str, version: int | None = None) -> Question:
    return lambda **switches: decode(name, digits, version, **switches)


def writing(name: str, value: Any, version: int | None = None) -> Question:
    return lambda **switches: encode(name, value, version, **switches)


def rewriting(name: str, digits: str, version: int | None = None) -> Question:
    return lambda **switches: recode(name, digits, version, **switches)


def drafted(dialect: str, name: str, digits: str) -> Question:
    def ask(**switches: Any) -> Any:
        own = Reference(Rules(**switches))
        return attempt(lambda: own.decode(name, bytes.fromhex(digits), dialect=dialect))

    return ask


def serving(*chunks: str) -> Question:
    def ask(**switches: Any) -> tuple[str, bool]:
        own = Reference(Rules(**switches))
        own.configure({"apis": {"18": [0, 5], "3": [0, 1]}}, dialect=KAFKA)
        sent, closed = own.serve([bytes.fromhex(chunk) for chunk in chunks], dialect=KAFKA)
        return sent.hex(), closed

    return ask


def interpreting(version: str, response: str | None) -> Question:
    request = bytes.fromhex("0000000a" + "0012" + version + "00000001" + "ffff")
    answer = None if response is None else bytes.fromhex(response)
    return lambda **switches: Reference(Rules(**switches)).interpret(request, answer, dialect=KAFKA)


def unknown(frame: str) -> Question:
    """A request that a broker of KIP-35 does not know."""
    request = bytes.fromhex(frame)
    return lambda **switches: Reference(Rules(**switches)).serve([request], dialect="kip-35-v7")[0].hex()


def asked_for(*node_ids: int) -> Question:
    """The ids in the answer of broker 2 of three to a BrokerMetadata request for these ids."""
    brokers = [{"NodeId": node} for node in (1, 2, 3)]
    body = struct.pack(f">i{len(node_ids)}i", len(node_ids), *node_ids)
    frame = struct.pack(">ihhih", 10 + len(body), 17, 0, 10, -1) + body

    def ask(**rules: Any) -> list[int]:
        own = Reference(Rules(**rules))
        own.configure(
            {"cluster": {"self": 2, "brokers": [DEFAULT_BROKER | one for one in brokers]}}, dialect="kip-35-v7"
        )
        sent, _ = own.serve([frame], dialect="kip-35-v7")
        answer = own.decode("ResponseFrame:BrokerMetadata", sent, dialect="kip-35-v7", version=0)
        return [one["NodeId"] for one in answer["body"]["Brokers"]]

    return ask


def served(frame: str) -> Question:
    """What a broker of kip-35-v7 sends for a request, and whether it closes."""
    request = bytes.fromhex(frame)

    def ask(**rules: Any) -> tuple[str, bool]:
        sent, closed = Reference(Rules(**rules)).serve([request], dialect="kip-35-v7")
        return sent.hex(), closed

    return ask


def told(response: str) -> Question:
    """What a client of kip-35-v7 makes of a response to Produce 3, correlation id 10."""
    request = bytes.fromhex("00000008 0000 0003 0000000a")
    return lambda **rules: Reference(Rules(**rules)).interpret(request, bytes.fromhex(response), dialect="kip-35-v7")


def added(*numbers: int) -> Question:
    """What breaks in a ledger of kip-35-v7 whose request types were added under these numbers."""
    entries = [{"request": f"{name}Request", "version": 0, "added": n} for name, n in zip("AB", numbers, strict=True)]
    ledger = {"protocolVersions": entries}
    return lambda **rules: Reference(Rules(**rules)).evolve({"protocolVersions": []}, ledger, dialect="kip-35-v7")


def chosen(client: tuple[int, int], broker: tuple[int, int]) -> Question:
    """The ProtocolVersion that a client of kip-35-v7 chooses."""
    return lambda **rules: Reference(Rules(**rules)).negotiate(17, client, broker, dialect="kip-35-v7")


def removed(number: int) -> Question:
    """What breaks in a ledger of kip-35-v7 in which this number removes the first of two entries, 1 and 2."""
    first = {"request": "ARequest", "version": 0, "added": 1}
    second = {"request": "BRequest", "version": 0, "added": 2}
    old, new = ({"protocolVersions": [one, second]} for one in (first, {**first, "removed": number}))
    return lambda **rules: Reference(Rules(**rules)).evolve(old, new, dialect="kip-35-v7")


def with_new_default(**tagged: Any) -> Question:
    """The kinds of breaks in a schema of kafka whose only field has another default now."""
    field = {"name": "A", "type": "int8", "versions": "0+"} | tagged
    old, new = (
        {"type": "data", "name": "M", "validVersions": "0", "flexibleVersions": "0+", "fields": [one]}
        for one in (field, field | {"default": "1"})
    )
    return lambda **rules: [found["kind"] for found in Reference(Rules(**rules)).evolve(old, new, dialect=KAFKA)]


def headed(name: str, digits: str, version: int | None = None) -> Question:
    """Of headers under int keys."""
    data = bytes.fromhex(digits)
    return lambda **switches: attempt(
        lambda: Reference(Rules(**switches)).decode(name, data, dialect="kip-82-int-keys", version=version)
    )


def told_tags(tags: list[tuple[str, str]]) -> Question:
    """A broker's tags, written and read under the same rules."""
    response = {"Brokers": [{"NodeId": 1, "Host": "h", "Port": 1, "Tags": tags}]}

    def ask(**switches: Any) -> Any:
        own = Reference(Rules(**switches))
        named: dict[str, Any] = {"dialect": "kip-35-v7", "version": 0}
        try:
            data = own.encode("BrokerMetadataResponse", response, **named)
        except WireError:
            data = reference.encode("BrokerMetadataResponse", response, **named)
        try:
            return own.decode("BrokerMetadataResponse", data, **named)["Brokers"][0]["Tags"]
        except WireError:
            return "refused"

    return ask


def told_endpoints(text: str) -> Question:
    """What a lookup of `endpoints` gives, of one broker."""
    brokers = [{"NodeId": 1, "Host": "h", "Port": 1, "Tags": [("endpoints", text)]}]
    data = reference.encode("BrokerMetadataResponse", {"Brokers": brokers}, dialect="kip-35-v7", version=0)

    def ask(**switches: Any) -> list[tuple[Any, ...]]:
        (found,) = Reference(Rules(**switches)).lookup("BrokerMetadataResponse", data, "endpoints", dialect="kip-35-v7")
        return [tuple(one) for one in found]

    return ask


def looked_up(key: int, digits: str) -> Question:
    data = bytes.fromhex(digits)
    return lambda **switches: attempt(
        lambda: Reference(Rules(**switches)).lookup("HEADERS", data, key, dialect="kip-82-int-keys")
    )


def sorting(*keys: int) -> Question:
    """The keys of headers, in the order in which they are written."""

    def ask(**switches: Any) -> list[int]:
        written = Reference(Rules(**switches)).encode(
            "HEADERS", [(key, b"") for key in keys], dialect="kip-82-int-keys"
        )
        return [int.from_bytes(written[at : at + 4], signed=True) for at in range(0, len(written), 8)]

    return ask


def of_wire_format(op: str, *arguments: Any, **named: Any) -> Question:
    """An op of the reference on this dialect; bytes in hex, "refused" for a refusal."""

    def ask(**switches: Any) -> Any:
        try:
            found = getattr(Reference(Rules(**switches)), op)(*arguments, dialect="wire-format", **named)
        except WireError:
            return "refused"
        return found.hex() if isinstance(found, bytes) else found

    return ask


def fetch(correlation_id: int) -> dict[str, Any]:
    common = {"request_type_id": 1, "version_id": 0, "correlation_id": correlation_id, "client_id": ""}
    return {**common, "replica_id": -1, "max_wait": 0, "min_bytes": 0, "topic_offsets": []}


def fetch_of(topics: str, count: int) -> bytes:
    """A FetchRequest of so many topics, in hex, with correlation id 0."""
    inside = f"00010000{'00' * 4}0000ffffffff{'00' * 8}{count:04x}{topics * max(1, count)}"
    return bytes.fromhex(f"{len(inside) // 2:08x}{inside}")


def produce_of(messages: bytes) -> bytes:
    """A ProduceRequest with acks 1 of one set, to partition 0 of the topic "t"."""
    inside = bytes.fromhex("0000 0000 00000007 0000 01 00000000 0001 0001 74 0001 00000000")
    inside += len(messages).to_bytes(4) + messages
    return len(inside).to_bytes(4) + inside


FETCH_END = "0000" + "ffffffff" + "00000000" + "00000000" + "0000"
#: acks as given; topic "", partition 0, an empty set.
PRODUCE = "0000001d" + "0000" + "0000" + "00000007" + "0000" + "{}" + "00000000" + "0001" + "0000" + "0001" + "00000000"
PRODUCE += "00000000"
#: Error, the error of the one set, and its offset as given.
PRODUCED = "00000016" + "00000007" + "0000" + "{}" + "0001" + "{}" + "0001" + "{:016x}"


def answered(request_error: str, error: str, offset: int = 0) -> tuple[bytes, bool]:
    return bytes.fromhex(PRODUCED.format(request_error, error, offset)), False


def produced(required_acks: str) -> Question:
    return of_wire_format("serve", [bytes.fromhex(PRODUCE.format(required_acks))])


def small(raw: dict[str, Any], digits: str, version: int = 0) -> Question:
    return lambda **switches: Message(raw, version, **switches).decode(digits)


MARKED = schema(field("S", "In", fields=[field("X", "int8")], nullableVersions="0+"))
MARKED_TAG = schema(
    tagged("S", "In", 0, fields=[field("X", "int8")], nullableVersions="0+", default="null"), flexible="0+"
)
ONE_TAG = schema(tagged("A", "int8", 0), tagged("B", "int8", 1, "5+"), flexible="0+")
MANY_TAGS = "914e" + "".join(
    (f"{tag:02x}" if tag < 128 else f"{tag & 127 | 128:02x}{tag >> 7:02x}") + "00" for tag in range(10_001)
)
MANY_TAGS_VALUE = [(tag, b"") for tag in range(10_001)]
FULL = "00000016" + "00000001" + "0023" + "00000002" + "000300000001" + "001200000002"


def batch(count: int, content: bytes, attributes: int = 0) -> str:
    """A batch of magic 2 with such a count and content, its sizes and CRC right."""
    fields = struct.pack(">hiqqqhii", attributes, 0, 0, 0, -1, -1, -1, count) + content
    return (struct.pack(">qiibI", 0, 9 + len(fields), -1, 2, crc32c(fields)) + fields).hex()


def entry(
    magic: int, offset: int, attributes: int, value: bytes, length: int | None = None, timestamp: int = 0
) -> bytes:
    """A message of magic 0 or 1 without a key, its size and CRC right; `length`: what stands before the value."""
    length = len(value) if length is None else length
    inside = (
        bytes([magic, attributes])
        + struct.pack(">q", timestamp)[: 8 * magic]
        + b"\xff" * 4
        + struct.pack(">i", length)
        + value
    )
    return struct.pack(">qiI", offset, 4 + len(inside), zlib.crc32(inside)) + inside


def contents(type_name: str, digits: str, version: int | None = None) -> Question:
    """The values of the messages or records that are read."""

    def ask(**switches: Any) -> Any:
        found = decode(type_name, digits, version=version, **switches)
        if isinstance(found, Refused):
            return found
        if type_name == "RecordBatch":
            return [record["value"] for record in found["records"]]
        return [inner["value"] for message in found for inner in message.get("messages", [message])]

    return ask


def times(type_name: str, digits: str, version: int | None = None) -> Question:
    """The deltas of a batch's records, or the timestamps of a wrapper's messages, in milliseconds."""

    def ask(**switches: Any) -> Any:
        found = decode(type_name, digits, version=version, **switches)
        if type_name == "RecordBatch":
            return [record["timestampDelta"] for record in found["records"]]
        return [inner["timestamp"] for inner in found[0]["messages"]]

    return ask


#: length 7: attributes, deltas, null key, value "a", no headers
A_RECORD = bytes.fromhex("0e" + "00" + "00" + "00" + "01" + "02" + "61" + "00")
#: The same, a second later than its batch.
LATER_RECORD = bytes.fromhex("10" + "00" + "d00f" + "00" + "01" + "02" + "61" + "00")
GZIPPED = gzip.compress(A_RECORD, mtime=0)
#: Of more than one block: a lone one has nothing to be linked with.
LINKED = lz4.frame.compress(A_RECORD * 10_000, block_size=lz4.frame.BLOCKSIZE_MAX64KB, block_linked=True)
#: A frame with a dictionary id, 5, and one block that is not compressed.
DICTIONARY = bytes.fromhex("04224d18" + "6140" + "05000000" + "4e" + "08000080") + A_RECORD + bytes(4)
#: Xerial's header with both versions 1, and a block: raw snappy of one literal.
XERIAL = bytes.fromhex("82534e4150505900" + "00000001" + "00000001" + "0000000a" + "08" + "1c") + A_RECORD


def zstd_frame(window: int) -> bytes:
    """A frame of unknown size whose header has this descriptor of its window, with one raw block."""
    return bytes.fromhex("28b52ffd00") + bytes([window]) + (len(A_RECORD) << 3 | 1).to_bytes(3, "little") + A_RECORD


INNER = entry(0, 0, 0, b"a")
#: A message of magic 1 a second later than the one that `entry` makes without a time.
LATER = entry(1, 0, 0, b"a", timestamp=1000)
#: A message with each bit of its attributes that means nothing; of magic 1 with its timestamp type too.
BITS_OF_MAGIC_0, BITS_OF_MAGIC_1 = entry(0, 0, 0xF8, b"a").hex(), entry(1, 0, 0xF8, b"a").hex()
#: UpdateRaftVoterResponse 0 with its one tag: 14 bytes, leader −1 of epoch −1, an empty host, port 0, no tags.
LEADER_AT_DEFAULT = "00000000" + "0000" + "01000e" + "ffffffff" + "ffffffff" + "01" + "00000000" + "00"

#: A message of magic 2 with the flag for headers, and a HeadersLength of 0.
_NO_HEADERS = bytes.fromhex("02 10 0000000000000000 ffffffff 00000000 ffffffff")
NO_HEADERS = f"{0:016x}{4 + len(_NO_HEADERS):08x}{zlib.crc32(_NO_HEADERS):08x}{_NO_HEADERS.hex()}"


def writing_bits(attributes: int) -> Question:
    """The bytes of a message of string keys with these attributes, in hex."""
    value = FLAGGED | {"attributes": attributes, "headers": []}
    return lambda **switches: Reference(Rules(**switches)).encode("MESSAGE", value, dialect="kip-82-string-keys").hex()


def drafted_sets(type_name: str, digits: str) -> Question:
    """The offset deltas in each batch that comes of a conversion with string keys."""
    to, found_in = ("draft", "BATCH") if type_name == "RecordSet" else ("shipped", "RecordBatch")
    dialect = "kip-82-string-keys" if to == "draft" else KAFKA

    def ask(**switches: Any) -> Any:
        own = Reference(Rules(**switches))
        left = attempt(lambda: own.convert(type_name, bytes.fromhex(digits), to, dialect="kip-82-string-keys"))
        batches = []
        while isinstance(left, bytes) and left:
            end = 12 + int.from_bytes(left[8:12])
            batches.append(own.decode(found_in, left[:end], dialect=dialect))
            left = left[end:]
        return left or [[one["offsetDelta"] for one in batch["records"]] for batch in batches]

    return ask


def converted_times(to: str, digits: str) -> Question:
    """Of each entry of a RecordSet that is converted: its magic, its attributes, and those and the time of each message
    in it, or the time of each record."""

    def ask(**switches: Any) -> Any:
        own = Reference(Rules(**switches))
        data = attempt(lambda: own.convert("RecordSet", bytes.fromhex(digits), to, dialect=KAFKA))
        if isinstance(data, Refused):
            return data
        return [
            (
                one["magic"],
                one["attributes"],
                [(inner["attributes"], inner.get("timestamp")) for inner in one.get("messages", ())]
                + [one["baseTimestamp"] + record["timestampDelta"] for record in one.get("records", ())],
            )
            for one in own.decode("RecordSet", data, dialect=KAFKA)
        ]

    return ask


def consuming(digits: str, position: int, aborted: Sequence[Mapping[str, int]] = ()) -> Question:
    """The offsets that a consumer delivers of a partition's records under read_uncommitted, and the position after."""

    def ask(**switches: Any) -> Any:
        own = Reference(Rules(**switches))
        found = attempt(
            lambda: own.consume(
                bytes.fromhex(digits), position=position, isolation="read_uncommitted", aborted=aborted, dialect=KAFKA
            )
        )
        return found if isinstance(found, Refused) else ([one["offset"] for one in found["records"]], found["position"])

    return ask


def sending(magic: int, codec: str, *records: tuple[int, bytes], **options: Any) -> Question:
    """The batches and messages that a producer sends for records, each a time and a value: their codecs, times and
    numbers of records."""

    def ask(**switches: Any) -> Any:
        own = Reference(Rules(**switches))
        given: list[dict[str, Any]] = [
            {"timestamp": time, "key": None, "value": value, "headers": []} for time, value in records
        ]
        data = attempt(
            lambda: own.produce(given, magic=magic, codec=codec, options={**OPTIONS, **options}, dialect=KAFKA)
        )
        if isinstance(data, Refused):
            return data
        return [
            (
                entry["attributes"],
                entry.get("maxTimestamp", entry.get("timestamp")),
                len(entry.get("records", entry.get("messages", [entry]))),
            )
            for entry in own.decode("RecordSet", data, dialect=KAFKA)
        ]

    return ask


def writing_headers(*pairs: tuple[Any, Any]) -> Question:
    """The bytes of headers under int keys, in hex."""

    def ask(**switches: Any) -> Any:
        own = Reference(Rules(**switches))
        return attempt(lambda: own.encode("HEADERS", [*pairs], dialect="kip-82-int-keys").hex())

    return ask


def converting(to: str, digits: str) -> Question:
    """A set of messages with int keys, converted, in hex."""
    data = bytes.fromhex(digits)

    def ask(**switches: Any) -> Any:
        own = Reference(Rules(**switches))
        return attempt(lambda: own.convert("MESSAGE_SET", data, to, dialect="kip-82-int-keys").hex())

    return ask


def unpacking(to: str, digits: str) -> Question:
    """What each message of a converted set has: messages of its own, or a value."""

    def ask(**switches: Any) -> list[str]:
        own = Reference(Rules(**switches))
        data = own.convert("MESSAGE_SET", bytes.fromhex(digits), to, dialect="kip-82-int-keys")
        found = own.decode("MESSAGE_SET", data, dialect="kip-82-int-keys")
        return ["messages" if "messages" in one else "value" for one in found]

    return ask


def headed_message(attributes: int, headers: str = "", magic: int = 2) -> str:
    """A message of magic 2 or 1: timestamp 0, no key, value "v". `headers`: HeadersLength and the headers."""
    inside = bytes([magic, attributes]) + bytes(8) + bytes.fromhex(f"ffffffff{headers}0000000176")
    return f"{0:016x}{4 + len(inside):08x}{zlib.crc32(inside):08x}{inside.hex()}"


def drafted_batch(attributes: int, content: str) -> str:
    """A batch of KIP-98's draft with all numbers 0."""
    inside = bytes([2]) + attributes.to_bytes(2) + bytes(4 + 8 + 8 + 8 + 2 + 4) + bytes.fromhex(content)
    return f"{0:016x}{4 + len(inside):08x}{zlib.crc32(inside):08x}{inside.hex()}"


#: A message of string keys with one header, bit 4 of its attributes set.
FLAGGED = {
    "attributes": 16,
    "timestampDelta": 0,
    "offsetDelta": 0,
    "key": b"k",
    "value": b"v",
    "headers": [("a", b"\1")],
}
#: acks 1, timeout 1000, topic "t", partition 0, and as records an offset with the size 0, which no message has.
PRODUCED_RECORDS = "0001" + "000003e8" + "00000001" + "000174" + "00000001" + "00000000" + "0000000c" + "00" * 12
