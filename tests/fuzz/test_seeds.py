"""What campaigns begin with: every vector and message of the ledger, once each, and the words of a dialect."""

from __future__ import annotations

import msgspec
import pytest

from wireproof import reference
from wireproof.conformance import ledger, vectors
from wireproof.conformance.generation.arguments import arguments_of
from wireproof.conformance.model import TYPED_OPS, Op
from wireproof.fuzz.corpus import vector_seeds
from wireproof.fuzz.corpus.vector_seeds import LARGEST, Seed, dictionary

KAFKA = [*vector_seeds.seeds("kafka")]


@pytest.mark.parametrize("dialect", reference.dialects)
def test_each_is_a_question_once_and_in_the_same_order(dialect: str) -> None:
    found = [*vector_seeds.seeds(dialect)]
    assert len({*found}) == len(found) > 20
    assert found == [*vector_seeds.seeds(dialect)]
    for seed in found:
        assert seed.dialect == dialect
        assert len(seed.data) <= LARGEST
        assert (seed.type is not None) is (seed.op in TYPED_OPS)
        assert arguments_of(seed.op, seed.data) is not None


def test_vectors_and_the_ledger_of_messages_are_there_invalid_input_too() -> None:
    assert Seed(Op.DECODE, "kafka", "VARINT", None, b"\x01") in KAFKA
    (message,) = [one for one in ledger.load("MetadataResponse", "kafka").vectors if one.version == 12][:1]
    assert Seed(Op.DECODE, "kafka", "MetadataResponse", 12, message.data) in KAFKA
    refused = next(one for one in vectors.load(["kafka"]) if one.reject is not None and one.type == "VARINT")
    assert Seed(Op.DECODE, "kafka", "VARINT", None, refused.data) in KAFKA


def test_ops_without_a_type_are_asked_of_none() -> None:
    assert {seed.op for seed in KAFKA if seed.type is None} == {*Op} - {*TYPED_OPS}


def test_the_same_bytes_are_not_both_decoded_and_recoded() -> None:
    decoded = {(seed.type, seed.version, seed.data) for seed in KAFKA if seed.op is Op.DECODE}
    assert decoded.isdisjoint((seed.type, seed.version, seed.data) for seed in KAFKA if seed.op is Op.RECODE)


def test_of_one_type_alone() -> None:
    found = [*vector_seeds.seeds("kafka", "VARINT")]
    assert found == [seed for seed in KAFKA if seed.type == "VARINT"]
    assert found


def test_what_inflates_to_very_much_is_left_out() -> None:
    loaded = [one for one in vectors.load(["kafka"]) if one.pieces]
    bombs = [one.data for one in loaded if one.pieces[-1].label.endswith("zeros, compressed")]
    assert bombs
    assert {seed.data for seed in KAFKA}.isdisjoint(bombs)


def test_what_is_long_is_left_out() -> None:
    vector = next(one for one in vectors.load(["kafka"]) if one.type == "BYTES" and Op.DECODE in one.ops)
    long = msgspec.structs.replace(vector, pieces=(vectors.Piece(bytes(LARGEST + 1), "long"),))
    short = msgspec.structs.replace(vector, pieces=(vectors.Piece(b"\0\0\0\x03abc", "short"),))
    elsewhere = msgspec.structs.replace(short, dialect="wire-format")
    added = {*vector_seeds.seeds("kafka", "BYTES", more=[long, short, elsewhere])} - {*KAFKA}
    assert added == {Seed(Op.DECODE, "kafka", "BYTES", None, b"\0\0\0\x03abc")}


class TestDictionary:
    @pytest.mark.parametrize("dialect", reference.dialects)
    def test_words_are_short_and_each_is_there_once(self, dialect: str) -> None:
        words = dictionary(dialect)
        assert len({*words}) == len(words) > 20
        assert all(0 < len(word) <= 64 for word in words)
        assert words == dictionary(dialect)

    @pytest.mark.parametrize(
        ("what", "word"),
        [
            ("ApiVersions 3", "00 12 00 03"),
            ("null as a length of four bytes", "ff ff ff ff"),
            ("the smallest INT32", "80 00 00 00"),
            ("the greatest INT64", "7f ff ff ff ff ff ff ff"),
            ("a varint with a byte too many", "80 00"),
            ("a varint of 35 bits", "ff ff ff ff 1f"),
            ("128 as an unsigned varint", "80 01"),
            ("zstd", "28 b5 2f fd"),
            ("magic 2", "02"),
            ("no UTF-8", "c3 28"),
        ],
    )
    def test_what_kafka_is_made_of(self, what: str, word: str) -> None:
        assert bytes.fromhex(word) in dictionary("kafka")

    def test_only_what_a_dialect_has(self) -> None:
        zstd, gzip = bytes.fromhex("28 b5 2f fd"), bytes.fromhex("1f 8b 08 00")
        assert {zstd, gzip}.isdisjoint(dictionary("kip-35-v7"))  # it has no batches
        assert bytes.fromhex("00 12 00 04") not in dictionary("kip-35-v7")
        assert gzip in dictionary("wire-format")

    def test_tags_stand_as_their_dialect_writes_them(self) -> None:
        optional = {word for word in dictionary("kip-482-v1") if len(word) == 2 and word[0] == 0}
        assert {bytes([0, 0]), bytes([0, 1])} & optional
