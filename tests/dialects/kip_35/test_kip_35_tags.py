"""KIP-35's tags: parsers and uses of the builtin ones, and tags of a properties file."""

from __future__ import annotations

from typing import Any

import pytest

from wireproof import reference
from wireproof.reference.dialects.kip_35 import tags
from wireproof.reference.dialects.kip_35.properties import PropertiesError, load
from wireproof.reference.dialects.kip_35.tags import Endpoint, TagError

#: The page's own examples, and what they mean.
EXAMPLES = {
    "broker.id": ("3", 3),
    "broker.version": ("0.9.0.0-SNAPSHOT-d12ca4f", "0.9.0.0-SNAPSHOT-d12ca4f"),
    "broker.version.int": ("0x00090000", 0x00090000),
    "compression.codecs": ("1=gzip,2=snappy,3=lz4", {1: "gzip", 2: "snappy", 3: "lz4"}),
    "message.max.bytes": ("1000000", 1000000),
    "message.formats": ("v1,v2", [1, 2]),
    "endpoints": (
        "plaintext://host:9092,ssl://host:9192",
        [Endpoint("plaintext", "host", 9092), Endpoint("ssl", "host", 9192)],
    ),
}
BUILTIN = [(key, value) for key, (value, _) in EXAMPLES.items()]


def entry(node_id: int, *pairs: tuple[str, str]) -> dict[str, Any]:
    return {"NodeId": node_id, "Host": "host", "Port": 9092, "Tags": list(pairs)}


def test_every_builtin_tag_of_the_page_has_a_parser() -> None:
    assert tags.BUILTIN.keys() == EXAMPLES.keys()


@pytest.mark.parametrize("key", EXAMPLES)
def test_the_examples(key: str) -> None:
    value, meaning = EXAMPLES[key]
    assert tags.parse(key, value) == meaning


@pytest.mark.parametrize(
    ("key", "value", "meaning"),
    [
        ("broker.id", "0", 0),
        ("broker.id", "2147483647", 2147483647),
        ("broker.version", "", ""),
        ("broker.version.int", "0xFFffFFff", 0xFFFFFFFF),
        ("compression.codecs", "", {}),
        ("compression.codecs", "0=none", {0: "none"}),
        ("message.formats", "", []),
        ("message.formats", "v2,v0", [2, 0]),
        ("endpoints", "", []),
        ("endpoints", "SASL_SSL://kafka-1.example:1", [Endpoint("SASL_SSL", "kafka-1.example", 1)]),
        ("endpoints", "ssl://[2001:db8::1]:65535", [Endpoint("ssl", "2001:db8::1", 65535)]),
        ("rack", "0x!", "0x!"),
        ("Broker.Id", "three", "three"),
    ],
)
def test_values_at_the_borders(key: str, value: str, meaning: Any) -> None:
    assert tags.parse(key, value) == meaning


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("broker.id", "three", "broker.id is 'three'; a decimal number from 0 to 2147483647"),
        ("broker.id", "", "broker.id is ''"),
        ("broker.id", "-1", "'-1'"),
        ("broker.id", "2147483648", "'2147483648'"),
        ("broker.id", "٣", "a decimal number"),
        ("broker.id", "3\n", "a decimal number"),
        ("message.max.bytes", "1e6", "message.max.bytes is '1e6'"),
        ("broker.version.int", "0x90000", "eight hex digits"),
        ("broker.version.int", "00090000", "0x and eight hex digits"),
        ("broker.version.int", "589824", "0x and eight hex digits"),
        ("compression.codecs", "gzip", "compression.codecs has 'gzip'; bits and a name"),
        ("compression.codecs", "1=gzip,", "has ''"),
        ("compression.codecs", "1=gzip,1=snappy", "the bits 1 twice"),
        ("message.formats", "1,2", "message.formats has '1'; v and a number"),
        ("endpoints", "host:9092", "protocol://host:port"),
        ("endpoints", "ssl://host", "protocol://host:port"),
        ("endpoints", "ssl://:9092", "protocol://host:port"),
        ("endpoints", "ssl://host:0", "protocol://host:port"),
        ("endpoints", "ssl://host:65536", "protocol://host:port"),
        ("endpoints", "ssl://a:b:9092", "protocol://host:port"),
    ],
)
def test_another_form_is_refused_by_name(key: str, value: str, said: str) -> None:
    with pytest.raises(TagError) as caught:
        tags.parse(key, value)
    assert said in str(caught.value)


def test_the_first_of_a_key_counts_and_none_is_none() -> None:
    assert tags.first([("rack", "r2"), ("rack", "r1")], "rack") == "r2"
    assert tags.first([("Rack", "r2")], "rack") is None


def test_versions_can_be_compared() -> None:
    assert tags.parse("broker.version.int", "0x00080203") < tags.parse("broker.version.int", "0x00090000")


def test_is_this_the_broker_meant() -> None:
    assert tags.is_meant(entry(3, *BUILTIN), 3)
    assert not tags.is_meant(entry(3, *BUILTIN), 4)
    assert tags.is_meant(entry(4), 4)
    assert tags.identity(entry(3, *BUILTIN)) == 3
    with pytest.raises(TagError, match=r"broker\.id is 3, but the entry's NodeId is 4"):
        tags.is_meant(entry(4, *BUILTIN), 4)


def test_an_endpoint_by_protocol() -> None:
    assert tags.endpoint(BUILTIN, "ssl") == Endpoint("ssl", "host", 9192)
    assert tags.endpoint(BUILTIN, "SSL") == Endpoint("ssl", "host", 9192)
    assert tags.endpoint(BUILTIN, "ssl") == ("ssl", "host", 9192)
    assert tags.endpoint(BUILTIN, "sasl_ssl") is None
    assert tags.endpoint([], "ssl") is None


def test_a_codec_that_both_have() -> None:
    assert tags.common_codec(BUILTIN, ["zstd", "lz4", "gzip"]) == (3, "lz4")
    assert tags.common_codec(BUILTIN, ["zstd"]) is None
    assert tags.common_codec([], ["gzip"]) is None


def test_the_largest_message() -> None:
    assert tags.largest_message(BUILTIN, 2_000_000) == 1_000_000
    assert tags.largest_message(BUILTIN, 500) == 500
    assert tags.largest_message([], 500) == 500


# --- Properties -------------------------------------------------------------------------------------------------------

PAGE = """
   tag.aws.zone = eu-central-1
   tag.rack = r8a9
   tag.cluster = kafka3
"""


def test_the_page_s_own_tags() -> None:
    assert tags.from_properties(PAGE) == [("aws.zone", "eu-central-1"), ("rack", "r8a9"), ("cluster", "kafka3")]


def test_user_tags_go_over_the_wire() -> None:
    added = tags.from_properties(PAGE)
    body = {"Brokers": [entry(3, *BUILTIN, *added) | {"ProtocolVersionMin": 19, "ProtocolVersionMax": 25}]}
    data = reference.encode("BrokerMetadataResponse", body, dialect="kip-35-v7", version=0)
    read = reference.decode("BrokerMetadataResponse", data, dialect="kip-35-v7", version=0)
    assert read["Brokers"][0]["Tags"] == [*BUILTIN, *added]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("tag.tag.rack = r1", [("tag.rack", "r1")]),
        ("broker.id = 3\nlog.dirs=/data\ntag.rack=r1", [("rack", "r1")]),
        ("tags.rack = r1\ntagrack = r2\nTag.rack = r3", []),
        ("tag.rack = r1\ntag.rack = r2", [("rack", "r2")]),
        ("tag.rack =", [("rack", "")]),
        ("tag.rack", [("rack", "")]),
        ("tag.broker.id.too = 3", [("broker.id.too", "3")]),
        ("tag.Broker.Id = 3", [("Broker.Id", "3")]),
        ("# tag.rack = r1\n! tag.rack = r2", []),
        ("", []),
    ],
)
def test_only_what_begins_with_tag_is_one(text: str, found: list[tuple[str, str]]) -> None:
    assert tags.from_properties(text) == found


@pytest.mark.parametrize("key", EXAMPLES)
def test_a_builtin_key_can_not_be_shadowed(key: str) -> None:
    with pytest.raises(PropertiesError, match=f"the broker sets {key} itself"):
        tags.from_properties(f"tag.{key} = 5")


def test_a_tag_needs_a_name() -> None:
    with pytest.raises(PropertiesError, match=r"tag. = 'r1': a name is expected"):
        tags.from_properties("tag. = r1")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a=b", {"a": "b"}),
        ("a:b", {"a": "b"}),
        ("a b", {"a": "b"}),
        ("a  =  b  ", {"a": "b  "}),
        ("a==b", {"a": "=b"}),
        ("a = : b", {"a": ": b"}),
        ("a\\ b\\=c\\:d = e", {"a b=c:d": "e"}),
        ("a = b\\\n    c", {"a": "bc"}),
        ("a = b\\\\\nc = d", {"a": "b\\", "c": "d"}),
        ("a = b\\\\\\\n  c", {"a": "b\\c"}),
        ("a = b\\\n\nc = d", {"a": "b", "c": "d"}),
        ("a = b\\", {"a": "b"}),
        ("a = \\u00e9\\t\\n\\q", {"a": "é\t\nq"}),
        ("a = b\r\nc = d\re = f", {"a": "b", "c": "d", "e": "f"}),
        ("  # a = b\n\t! c = d\n\n e # = f", {"e": "# = f"}),
        ("a = b # c", {"a": "b # c"}),
        ("= b", {"": "b"}),
        ("a = b\\\n# c", {"a": "b# c"}),
        ("a = \u2028b", {"a": "\u2028b"}),
        ("a = \\ud834\\udd1e", {"a": "\U0001d11e"}),
        ("a = \\uD834\\uDD1Eb\U0001d11e", {"a": "\U0001d11eb\U0001d11e"}),
    ],
)
def test_properties_are_read_as_java_reads_them(text: str, found: dict[str, str]) -> None:
    assert load(text) == found


@pytest.mark.parametrize("text", ["a = b\nc = \\u12", "a = b\nc = \\uzzzz", "\n\\u = c"])
def test_half_a_character_is_refused_with_its_line(text: str) -> None:
    with pytest.raises(PropertiesError, match=r"line 2: \\u is followed by four hex digits"):
        load(text)


@pytest.mark.parametrize(
    ("text", "half"),
    [
        ("\na = \\ud834", "ud834"),
        ("\na = \\udd1e\\ud834", "udd1e"),
        ("\na = b\\ud834c", "ud834"),
        ("\n\\udd1e = b", "udd1e"),
    ],
)
def test_a_surrogate_without_its_other_half_is_refused_with_its_line(text: str, half: str) -> None:
    with pytest.raises(PropertiesError, match=rf"line 2: \\{half} is half a character"):
        load(text)


def response(*pairs: tuple[str, str]) -> bytes:
    whole = entry(3, *pairs) | {"ProtocolVersionMin": 1, "ProtocolVersionMax": 1}
    return reference.encode("BrokerMetadataResponse", {"Brokers": [whole]}, dialect="kip-35-v7", version=0)


def looked_up(data: bytes, key: str, type_name: str = "BrokerMetadataResponse") -> Any:
    return reference.lookup(type_name, data, key, dialect="kip-35-v7", version=0)


def test_a_look_up_of_what_has_not_the_documented_form_is_refused() -> None:
    data = response(("broker.id", "three"), ("rack", "r1"))
    with pytest.raises(reference.DecodeError, match="broker\\.id is 'three'") as refused:
        looked_up(data, "broker.id")
    assert refused.value.reason is reference.Reason.OUT_OF_RANGE
    assert looked_up(data, "rack") == ["r1"]


def test_a_look_up_reads_all_of_the_response() -> None:
    with pytest.raises(reference.DecodeError):
        looked_up(response(("rack", "r1"))[:-1], "rack")
    with pytest.raises(NotImplementedError, match="BrokerMetadataRequest has no tags"):
        looked_up(bytes(4), "rack", "BrokerMetadataRequest")
