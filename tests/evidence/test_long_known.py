"""What is known for long of released libraries stands in their files of known deviations, under the id that shows it.

No process is started: that the ids deviate, a run of the suite against the library shows, in which an entry that is no
longer true is an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import pytest
from support.paths import LIBRARIES

from wireproof.conformance import ledger, vectors
from wireproof.conformance.evidence import known_deviations
from wireproof.conformance.evidence.known_deviations import KnownDeviation


class Fact(NamedTuple):
    """A deviation: the file of known deviations, what is wrong in words, the id that shows it, and a part of the reason
    that the file has to give for this id."""

    file: str
    what: str
    id: str
    reason: str


FACTS = [
    Fact(
        "kio",
        "Metadata 12 with a count of 2^32 - 2 aborts the process",
        "kafka/messages/metadata-response-12-brokers-bomb-alone#decode",
        "Vec::with_capacity(count)",
    ),
    Fact("kio", "an unknown tag is a KeyError", "kafka/tag-ordering/response-unknown-tag#decode", "parse_entity"),
    Fact(
        "kio",
        "an explicit null of a tagged string is refused",
        "kafka/messages/FetchRequest/12/explicit#decode",
        "UnexpectedNull",
    ),
    Fact(
        "kio",
        "records are cut to whole seconds",
        "kafka/varints/record-timestamp-delta-1#decode",
        "cut to whole seconds",
    ),
    Fact(
        "kio",
        "batches are cut to whole seconds",
        "kafka/framing/batch-timestamps-milliseconds#decode",
        "cut to whole seconds",
    ),
    Fact("aiokafka", "VARINT -1 is ffffffff0f", "kafka/varints/varint-minus-1#encode", "VarInt32.encode, masks"),
    Fact("aiokafka", "VARLONG 64 is c001", "kafka/varints/varlong-64#encode", "VarInt64.encode, masks"),
    Fact("aiokafka", "tags have no sizes", "kafka/tag-ordering/tag-1#encode", "leaves out the size"),
    Fact("aiokafka", "tag 0 is refused", "kafka/tag-ordering/tag-0#encode", "asserts that a tag is above 0"),
    Fact(
        "kafka_python",
        "an unknown tag may be longer than what is left",
        "kafka/tag-ordering/size-too-large#decode",
        "data.read(size)",
    ),
    Fact(
        "kafka_python",
        "ffffffff1f is 8589934590",
        "kafka/varints/uvarint-max-and-bit-32#decode",
        "ffffffff1f: 8589934590",
    ),
    Fact("kafka_python", "unknown tags are lost", "kafka/tag-ordering/tag-1#recode", "TaggedFields.encode"),
    Fact(
        "kafka_python",
        "a null header value is refused",
        "kafka/header-multimaps/record-null-header-value#encode",
        "a header whose value is null",
    ),
    Fact(
        "kafka_python",
        "a record without key and value is refused",
        "kafka/null-encodings/record-key-null-value-null#encode",
        "neither key nor value",
    ),
    Fact(
        "node/kafkajs/wrapper",
        "of a tag one byte too few is skipped",
        "kafka/tag-ordering/tag-1#decode",
        "one byte too few",
    ),
    Fact("node/kafkajs/wrapper", "80, cut off, is 0", "kafka/varints/varint-64-cut-1#decode", "80 is 0"),
    Fact(
        "node/kafkajs/wrapper",
        "a null header value is a TypeError",
        "kafka/header-multimaps/record-null-header-value#encode",
        "sizeOfHeaders",
    ),
    Fact(
        "node/kafkajs/wrapper",
        "the order of headers over different keys is lost",
        "kafka/header-multimaps/record-duplicate-apart#decode",
        "the order over different keys is lost",
    ),
    Fact("node/kafkajs/wrapper", "BOOLEAN 07 is false", "kafka/framing/boolean-07#decode", "takes 1 alone for true"),
    Fact(
        "node/platformatic/wrapper",
        "a tag count is read as zigzag, and as a number of bytes",
        "kafka/tag-ordering/tag-1#decode",
        "reads the tag count as a zigzag varint and skips so many bytes",
    ),
    Fact(
        "node/kafka-ts/wrapper",
        "binary keys are lost",
        "kafka/header-multimaps/record-key-any-bytes#decode",
        "keys, values and values of headers as texts",
    ),
    Fact(
        "node/kafka-ts/wrapper",
        "binary values are lost",
        "kafka/header-multimaps/record-value-any-bytes#decode",
        "keys, values and values of headers as texts",
    ),
    Fact(
        "node/kafka-ts/wrapper",
        "binary values of headers are lost",
        "kafka/header-multimaps/record-header-value-any-bytes#decode",
        "keys, values and values of headers as texts",
    ),
    Fact("node/kafka-ts/wrapper", "no CRC is checked", "kafka/framing/batch-crc-0#decode", "does not check it"),
    Fact(
        "go/franz-go/wrapper",
        "a tag count of 2^32 - 1 goes round as often",
        "kafka/tag-ordering/count-4294967295#decode",
        "up to 2^32 times",
    ),
    Fact(
        "go/kafka-go/wrapper",
        "what an array lacks is filled with zeroes",
        "kafka/framing/response-0-cut-6#recode",
        "missing are zeroes",
    ),
    Fact(
        "go/kafka-go/wrapper",
        "an empty STRING becomes null",
        "kafka/messages/MetadataRequest/1/elements#recode",
        "an empty one is written as null",
    ),
    Fact(
        "go/kafka-go/wrapper",
        "an empty NULLABLE_STRING becomes null",
        "kafka/null-encodings/create-topics-request-4-config-null#recode",
        "take the empty string for null",
    ),
    Fact(
        "go/kfake/wrapper",
        "an unknown api key ends the process",
        "kafka/unsupported-versions/broker-api-999#serve",
        "which is nil for a key that kmsg does not know",
    ),
    Fact(
        "go/kfake/wrapper",
        "ApiVersions 99 is closed",
        "kafka/unsupported-versions/broker-v99#serve",
        "closes the connection where that fails",
    ),
    Fact(
        "c/librdkafka/wrapper",
        "the mock broker's answer to ApiVersions 6 has neither the body of version 0 nor that of 3",
        "kafka/unsupported-versions/broker-v6#serve",
        "in the layout of a flexible version",
    ),
]


@cache
def entries(file: str) -> tuple[KnownDeviation, ...]:
    return known_deviations.load(LIBRARIES / f"{file}.known.toml", None).deviations


@cache
def every_id() -> frozenset[str]:
    return frozenset(case.id for vector in (*vectors.load(), *ledger.every_vector()) for case in vector.cases())


def covering(fact: Fact, of: Sequence[KnownDeviation]) -> list[KnownDeviation]:
    """The entries that say this of its id."""
    return [entry for entry in of if entry.matches_id(fact.id) and fact.reason in entry.reason]


@pytest.mark.parametrize("fact", FACTS, ids=[f"{fact.file}: {fact.what}" for fact in FACTS])
class TestFact:
    def test_its_id_exists(self, fact: Fact) -> None:
        assert fact.id in every_id()

    def test_it_is_an_entry_of_its_library(self, fact: Fact) -> None:
        (entry,) = covering(fact, entries(fact.file))
        assert entry.kind in ("bug", "wont-fix")

    def test_without_its_entry_it_is_missed(self, fact: Fact) -> None:
        found = covering(fact, entries(fact.file))
        assert not covering(fact, [entry for entry in entries(fact.file) if entry not in found])


def test_an_entry_about_another_cause_is_not_enough() -> None:
    fact = FACTS[0]._replace(reason="parse_entity")
    assert not covering(fact, entries(fact.file))


def test_an_entry_about_other_ids_is_not_enough() -> None:
    fact = FACTS[0]._replace(id="kafka/tag-ordering/response-unknown-tag#decode")
    assert not covering(fact, entries(fact.file))
