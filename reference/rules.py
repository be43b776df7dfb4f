"""Rules: the reading of each contested ruling that a codec follows. They are passed in, never global."""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from wireproof.reference.texts import LINKS

#: The name of a ruling's other reading where it has only one.
OTHER = "other"


@dataclass(frozen=True, slots=True)
class Rules:
    """One switch for each contested ruling; its first value is the demanded reading.

    A dialect maps its ruling ids to these switches (`Ruling.others`).
    """

    #: A varint of more bytes than it needs.
    overlong_varints: Literal["decoded", "refused"] = "decoded"
    #: Bits above the width in a varint's last byte.
    high_bits: Literal["refused", "dropped"] = "refused"
    #: Text that is not UTF-8: U+FFFD in its place, or its bytes kept, each as a lone surrogate U+DC80 to U+DCFF.
    invalid_text: Literal["refused", "replaced", "kept"] = "refused"
    #: Bytes left over after a value, a body, or a body inside its frame.
    trailing_bytes: Literal["refused", "ignored"] = "refused"
    #: Classic nullable lengths and counts below −1.
    negative_length: Literal["refused", "null"] = "refused"
    #: Compact lengths and counts of 2³¹+1 and more.
    compact_length: Literal["unsigned", "signed"] = "unsigned"
    #: Tags out of order or twice; in a map the last of equal tags counts, and they are sorted.
    tag_order: Literal["ascending", "any", "map"] = "ascending"
    #: The size before a known tag's value.
    tag_size: Literal["exact", "ignored"] = "exact"
    #: A tag that the schema knows, but not in this version.
    foreign_tags: Literal["kept", "refused"] = "kept"
    #: Tag numbers of 2³¹−1 and more.
    tag_numbers: Literal["unsigned", "signed"] = "unsigned"
    #: Unknown tags of a structure: kept and written again, or skipped and left out.
    unknown_tags: Literal["kept", "dropped"] = "kept"
    #: Writing a tagged field whose value equals that of an absent one. "structures-sent": a structure alone is sent.
    tag_at_default: Literal["left-out", "structures-sent", "sent"] = "left-out"
    #: Whether −0.0 equals the default 0.0 of a field that may be left out: by its bits, or as a number.
    float_default: Literal["bits", "number"] = "bits"
    #: Writing a value of a field that the version lacks: refused unless it is the default or the field is ignorable;
    #: left out; or refused whatever it is.
    field_not_in_version: Literal["ignorable", "left-out", "refused"] = "ignorable"
    #: Compact text of more than 32,767 bytes.
    long_text: Literal["refused", "read"] = "refused"
    #: The marker byte before a nullable struct.
    struct_marker: Literal["exact", "sign", "minus-1"] = "exact"
    #: Limits on the number of tags in a buffer and elements in an array, although the bytes are there.
    policy_limits: Literal["none", "kafka-4.4"] = "none"
    #: The key list of an ApiVersions answer with error 35.
    fallback_keys: Literal["own", "empty", "full"] = "own"
    #: A broker's answer to an unknown api, or to an unsupported version of an api other than ApiVersions.
    unsupported_request: Literal["closes", "error-35"] = "closes"
    #: A client's reaction to error 35 with the full table of keys.
    full_table: Literal["retry", "accepted"] = "retry"
    #: A client's reaction to a connection that is closed on its ApiVersions request.
    closed_api_versions: Literal["error", "retry-0"] = "error"
    #: Lengths below −1 of a record's key, value and header value, and of a message's.
    record_length: Literal["refused", "null"] = "refused"
    #: Writing the bits of attributes that mean nothing.
    unused_bits: Literal["kept", "cleared"] = "kept"
    #: A batch with recordsCount 0 that is not empty.
    empty_batch: Literal["refused", "ignored"] = "refused"
    #: Bytes after a gzip or lz4 stream.
    after_stream: Literal["refused", "ignored"] = "refused"
    #: A compressed batch of no records without any content.
    empty_content: Literal["read", "refused"] = "read"
    #: LZ4 frames whose blocks depend on each other, or that name a dictionary.
    linked_blocks: Literal["read", "refused"] = "read"
    #: The version in xerial's header: from 1 on, or ignored.
    xerial_version: Literal["from-1", "any"] = "from-1"
    #: The greatest window of a zstd frame: 128 MiB, or the library's maximum.
    zstd_window: Literal["128-mib", "any"] = "128-mib"
    #: A partial entry inside a compressed wrapper.
    inner_partial: Literal["refused", "dropped"] = "refused"
    #: Messages of another magic than their wrapper.
    inner_magic: Literal["same", "any"] = "same"
    #: The fields of messages that hold records: any bytes, or batches and messages that can be read.
    message_records: Literal["raw", "read"] = "raw"
    #: A compressed wrapper: as it is, or its messages in its place.
    wrapped_messages: Literal["wrapper", "in-its-place"] = "wrapper"
    #: The times of a batch's records, and of a wrapper's messages, under LogAppendTime: as they are stored, or the
    #: batch's greatest time and the wrapper's.
    log_append_time: Literal["stored", "outer"] = "stored"
    #: A broken batch: nothing of it is delivered, but what stands before it, and alone it is refused; none of the set;
    #: its own records too, up to the fault; or it is passed, if nothing of it is for the consumer.
    broken_batch: Literal["stops", "refused", "before-the-fault", "unread"] = "stops"
    #: Batches that end before a consumer's position: passed over, or the position is behind them then.
    earlier_batches: Literal["passed-over", "go-back"] = "passed-over"
    #: A set whose only batch is cut: nothing is delivered, or it is refused.
    cut_alone: Literal["nothing", "refused"] = "nothing"
    #: What magic 0 and 1 can't hold of what a producer is given: headers, its id and sequence, a transaction.
    unheld: Literal["refused", "left-out"] = "refused"
    #: The times of records that a producer is to write in magic 0.
    timestamp_in_magic_0: Literal["left-out", "refused"] = "left-out"
    #: `maxTimestamp` of a produced batch: the greatest time of its records, or that of the last one.
    max_timestamp: Literal["greatest", "last"] = "greatest"
    #: The time of a produced wrapper: the greatest of its messages, 0, or the first one's.
    wrapper_timestamp: Literal["greatest", "zero", "first"] = "greatest"
    #: Content that a codec makes no smaller: compressed as the producer was told, or not.
    small_content: Literal["compressed", "plain"] = "compressed"
    #: Converting a set: entries of a lower magic than the asked one.
    lower_magics: Literal["converted", "kept"] = "converted"
    #: Converting a zstd batch to an older magic, which has no such codec.
    converted_zstd: Literal["refused", "gzip"] = "refused"
    #: What is compressed, has a time of appending and is converted: this is the time of each record inside, and in a
    #: wrapper the type of it; the time alone; or the times inside are those that are stored.
    converted_append_time: Literal["outer", "unmarked", "stored"] = "outer"
    #: A message of ConsumerProtocol, or a marker's value, behind a version above the highest one.
    newer_version: Literal["as-the-highest", "refused"] = "as-the-highest"
    #: Any other message behind a version that its schema does not have.
    unknown_version: Literal["refused", "nearest"] = "refused"
    #: The whole records of a batch that is cut: they wait for the rest of it, or are delivered.
    cut_batch: Literal["nothing", "whole-records"] = "nothing"
    #: The position behind a batch that lost its last records to compaction: behind the batch, or behind the last record
    #: that it has, and one further where there is none.
    compacted_end: Literal["behind-the-batch", "behind-the-last-record"] = "behind-the-batch"
    #: Batches and messages in one set: all are delivered, or those before the first one of the other format.
    mixed_formats: Literal["all", "first-alone"] = "all"
    #: The list of aborted transactions: it holds under read_committed, or always.
    aborted_list: Literal["read-committed", "always"] = "read-committed"
    #: Another default of a plain field, in the next release's schema.
    plain_default: Literal["compatible", "breaks"] = "compatible"
    # kip-35-v7
    #: The length in the answer to an unknown request: it counts the correlation id, or is 0.
    empty_response: Literal["counted", "literal"] = "counted"
    #: A client's reaction to that answer: it knows the proposal, or is older.
    empty_response_means: Literal["unsupported", "malformed"] = "unsupported"
    #: Additions to the protocol under the same ProtocolVersion.
    shared_number: Literal["allowed", "refused"] = "allowed"
    #: What a broker reads of a request before it says that it does not know it: key, version and correlation id, or the
    #: whole header, without which it closes.
    unknown_request: Literal["beginning", "header"] = "beginning"
    #: A broker's reaction to a supported request whose body is malformed.
    malformed_request: Literal["closed", "empty-response"] = "closed"
    #: A broker's reaction to a request that is too short for a correlation id.
    short_request: Literal["closed", "passed-over"] = "closed"
    #: How often a broker is in the answer to a request that names it several times.
    repeated_ids: Literal["once", "each"] = "once"
    #: What the node id −1 selects beside other ids: the broker asked and the others, or it alone.
    this_broker: Literal["beside", "alone"] = "beside"
    #: The ProtocolVersion that a client chooses of those inside both ranges.
    protocol_version: Literal["highest", "lowest"] = "highest"
    #: A node id in a request that no broker has: left out of the answer, or listed without what a broker tells.
    unknown_ids: Literal["left-out", "listed"] = "left-out"
    #: A broker's tags, read and written: all in their order; as a map, in which the last of equal keys counts; sorted
    #: by key; or refused where a key stands twice.
    broker_tags: Literal["kept", "map", "sorted", "refused"] = "kept"
    #: The host of an endpoint that is an IPv6 address: without its brackets, or with them.
    ipv6_host: Literal["bare", "bracketed"] = "bare"
    #: The lowest ProtocolVersion that a new removal or deprecation may have: the next one, or the current one.
    ended_in: Literal["next", "current"] = "next"
    # kip-82-string-keys
    #: The order of headers after reading.
    header_order: Literal["kept", "grouped", "sorted"] = "kept"
    #: The varint of lengths and offset deltas.
    uint_var: Literal["unsigned", "zigzag", "unsigned-64"] = "unsigned"
    #: The signed varint of timestamp deltas: zigzag, or the 64 bits of two's complement as they are.
    int_var: Literal["zigzag", "plain"] = "zigzag"
    #: The count before headers.
    header_count: Literal["none", "int32", "uint-var"] = "none"
    #: Whether a bit of a message's attributes says that there are headers.
    header_flag: Literal["none", "bit-4"] = "none"
    #: The messages of a batch whose attributes name a codec.
    batch_codec: Literal["inflated", "refused", "kept"] = "inflated"
    #: Converting older messages: each one is a batch, or those that stand side by side are one.
    older_messages: Literal["a-batch-each", "one-batch"] = "a-batch-each"
    #: Converting a set of older messages or shipped batches: a partial last one.
    converted_partial: Literal["dropped", "refused"] = "dropped"
    #: Converting a batch whose attributes have bit 5, which means nothing in the draft, to another format.
    batch_bit_5: Literal["dropped", "refused"] = "dropped"
    # kip-82-int-keys
    #: A message whose attributes announce headers, but that has none.
    flag_without_headers: Literal["decoded", "refused"] = "decoded"
    #: The order of int32 header keys: as signed or unsigned numbers.
    int_key_order: Literal["signed", "unsigned"] = "signed"
    #: The content of a message with a codec: messages, or bytes that are not decompressed.
    headed_wrappers: Literal["read", "kept"] = "read"
    #: A partial message at the end of a set.
    headed_partial: Literal["dropped", "refused"] = "dropped"
    #: The field `Records` of Produce and Fetch: any bytes, or messages of the version's magic.
    headed_records: Literal["raw", "messages"] = "raw"
    #: The headers after the key of a lookup; "unread-at-once": after the key itself nothing is read, not even a key.
    behind_the_key: Literal["unread", "read", "unread-at-once"] = "unread"
    #: Writing an int32 header key twice: the last one counts, as in a map.
    int_key_twice: Literal["refused", "last"] = "refused"
    #: The length −1 of the value of a header with an int32 key.
    header_value_null: Literal["refused", "null"] = "refused"
    #: Converting a set in which every message has the asked magic already: its bytes are passed on.
    same_magic: Literal["written-again", "passed-on"] = "written-again"
    #: The headers of a message that is converted to an older magic: their length is enough to drop them.
    dropped_headers: Literal["read", "skipped"] = "read"
    #: What is compressed, a wrapper or a batch, and converted to an older magic: its messages may stand in the set
    #: themselves.
    older_wrappers: Literal["wrapper", "messages"] = "wrapper"
    # kip-482-v1
    #: The FieldLength of an optional field, and the type VARINT.
    field_length: Literal["zigzag", "unsigned"] = "zigzag"
    #: What a FieldLength counts.
    field_length_counts: Literal["value", "tag-and-value"] = "value"
    #: The value of an absent optional field: its stated default, or null.
    absent_optional: Literal["stated", "null"] = "stated"
    #: Schemas with an optional structure that holds an array of structures.
    optional_inner_arrays: Literal["allowed", "refused"] = "allowed"
    #: Another name for an optional field's tag and type, from one release to the next.
    renamed_tag: Literal["compatible", "reuse"] = "compatible"
    #: Another default of an optional or mandatory field.
    optional_default: Literal["compatible", "breaks"] = "compatible"
    #: Another structure under a tag in new versions.
    replaced_structure: Literal["breaks", "compatible"] = "breaks"
    #: Another name for a mandatory field in the same place.
    renamed_mandatory: Literal["compatible", "breaks"] = "compatible"
    #: Optional fields that do not ascend by tag: refused, or read and sorted; in a map the last of equal tags counts.
    optional_order: Literal["ascending", "any", "map"] = "ascending"
    #: A known optional field's value that is shorter than its FieldLength.
    optional_size: Literal["exact", "ignored"] = "exact"
    # wire-format
    #: The common fields of a FetchRequest: in the order of their table, or of its own section.
    fetch_request_order: Literal["table", "section"] = "table"
    #: The meaning of required_acks: −1 is all replicas in sync; or it means nothing, as less does; or the connection is
    #: closed on all but 0 to the number of replicas.
    required_acks: Literal["signed", "replicas", "replicas-or-closed"] = "signed"
    #: The number for "no error" in a ProduceResponse's errors.
    no_error: Literal["-1", "0"] = "-1"
    #: A string's negative length.
    null_text: Literal["refused", "null"] = "refused"
    #: One to three bytes of a message's size before any whole message of a set.
    first_residue: Literal["refused", "kept"] = "refused"
    #: A message of a set that was cut off: given as "partial", left out, or refused, everywhere or in a ProduceRequest.
    partial_message: Literal["kept", "dropped", "refused", "refused-produced"] = "kept"
    #: When the CRC of a message in a request or response is looked at: as it is read, or when the message is used.
    message_crc: Literal["read", "used"] = "read"
    #: A topic, or a partition of it, that a request or response names twice.
    named_twice: Literal["taken", "refused"] = "taken"
    #: The partitions of a fetch that have no messages for it.
    empty_partitions: Literal["listed", "left-out"] = "listed"
    #: Requests that wait on one connection: handled as they came, or in another order.
    pipelined: Literal["in-order", "last-first"] = "in-order"
    #: The content of a message with a codec: bytes, or a message set.
    wrappers: Literal["kept", "read"] = "kept"
    #: Whether a Produce with acks 0 has a response.
    acks_0: Literal["silent", "answered"] = "silent"
    #: The number for "no error" in a response's own error.
    no_request_error: Literal["-1", "0"] = "-1"
    #: The limit of inflated bytes for one batch or wrapper. It is no reading: every reader needs a limit.
    inflate_limit: int = 32 * 2**20


#: What the kit demands.
DEMANDED = Rules()


@dataclass(frozen=True, slots=True)
class Ruling:
    """The kit's reading of an unclear point.

    `others`: name of each other reading ("other" where there is one) → its switch in Rules; empty where the ruling is
    not contested. `beyond`: the part that no op, and so no vector, can ask, and why; a ruling without vectors has to
    have it. `incidental`: what it is about stands in vectors of other points too, so that its other readings are looked
    for in every answer, not only in those to vectors that list them. `layout`: its other readings change nearly all
    bytes, so that vectors of other points refuse them: who takes one has to declare it.

    Where it comes from, in three parts. `quote`: what a public text says, word for word; empty where all texts are
    silent. `source`: the name of the text and its section, also of a silent one. `kafka`: what Kafka's classes do, by
    class and method. `kit`: what this kit asks beyond both. Only a quote makes a deviation a bug.
    """

    id: str
    question: str
    demanded: str
    others: Mapping[str, tuple[str, str]] = dataclasses.field(default_factory=dict)
    other: str = ""
    source: str = ""
    beyond: str = ""
    incidental: bool = False
    layout: bool = False
    quote: str = ""
    kafka: str = ""
    kit: str = ""

    @property
    def contested(self) -> bool:
        return bool(self.other)

    @property
    def origin(self) -> str:
        """The text's name and section, and what it says there."""
        return f"{self.source}: “{self.quote}”" if self.quote else self.source

    @property
    def link(self) -> str:
        """The address of the text that `source` names; empty if it has none."""
        return LINKS.get(re.split("[,:]", self.source)[0], "")


def rules_with(rulings: Iterable[Ruling], readings: Mapping[str, str], base: Rules | None = None) -> Rules:
    """Rules under which the named rulings have these other readings. Raises ValueError for an unknown name."""
    by_id = {ruling.id: ruling for ruling in rulings}
    switches: dict[str, Any] = {}
    for ruling_id, reading in readings.items():
        ruling = by_id.get(ruling_id)
        if ruling is None or not ruling.contested:
            contested = ", ".join(sorted(r.id for r in by_id.values() if r.contested))
            raise ValueError(f"there is no contested ruling {ruling_id!r}; contested are {contested}")
        if reading not in ruling.others:
            raise ValueError(f"{ruling_id} has no reading {reading!r}; it has {', '.join(ruling.others) or 'none yet'}")
        switch, value = ruling.others[reading]
        switches[switch] = value
    return dataclasses.replace(base or Rules(), **switches)


#: Switches whose other readings accept something that the demanded reading refuses, and change nothing else.
_LOOSENING = frozenset(
    {
        "high_bits",
        "invalid_text",
        "trailing_bytes",
        "negative_length",
        "compact_length",
        "long_text",
        "tag_order",
        "tag_size",
        "optional_order",
        "struct_marker",
        "record_length",
        "empty_batch",
        "after_stream",
        "xerial_version",
        "zstd_window",
        "inner_partial",
        "inner_magic",
        "message_crc",
        "unknown_version",
    }
)


#: Switches whose other readings refuse nothing: they say what is kept, and what is written.
_KEEPING = frozenset({"float_default", "tag_at_default", "unknown_tags", "unused_bits"})


@functools.lru_cache(256)
def refuses_no_more(rules: Rules) -> bool:
    """Whether these rules accept all that the demanded readings accept, with whatever values."""
    return all(
        field.name in _KEEPING or getattr(rules, field.name) == getattr(DEMANDED, field.name)
        for field in dataclasses.fields(Rules)
    )


@functools.lru_cache(64)
def accepts_more(rules: Rules) -> bool:
    """Whether these rules accept all that the demanded readings accept, with the same values."""
    return all(
        field.name in _LOOSENING or getattr(rules, field.name) == getattr(DEMANDED, field.name)
        for field in dataclasses.fields(Rules)
    )
