"""The reference as an implementation behind the contract: names, types, refusals, and recode's two halves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from wireproof import reference
from wireproof.reference import (
    DecodeError,
    EncodeError,
    Reason,
    Reference,
    Rules,
    SchemaError,
    UnknownType,
    WireError,
    catalog,
)
from wireproof.reference.errors import shown

KAFKA = "kafka"


def test_what_it_says_of_itself() -> None:
    assert reference.name == "reference"
    assert reference.dialects == (
        "kafka",
        "kip-35-v7",
        "kip-82-int-keys",
        "kip-82-string-keys",
        "kip-482-v1",
        "wire-format",
    )
    assert reference.rejects == (WireError,)
    assert issubclass(WireError, ValueError)


def test_its_types() -> None:
    prefixed = [f"{form}{kind}" for kind in ("STRING", "BYTES") for form in FORMS]
    fixed = ["BOOLEAN", "INT8", "INT16", "INT32", "INT64", "UINT16", "UINT32", "FLOAT64", "UUID"]
    fixed += ["UNSIGNED_VARINT", "VARINT", "VARLONG"]
    types = reference.types["kafka"]
    messages = catalog.current().messages
    frames = {f"ResponseFrame:{api}": messages[f"{api}Response"] for api in catalog.current().apis.values()}
    stored = [f"{record}{part}" for record in ("OffsetCommit", "GroupMetadata") for part in ("Key", "Value")]
    stored += ["TransactionLogKey", "TransactionLogValue", "EndTxnMarker"]
    behind = [*stored, "ConsumerProtocolAssignment", "ConsumerProtocolSubscription"]
    assert types == {
        **dict.fromkeys([*fixed, *prefixed, "ARRAY", "TAG_BUFFER", "RequestFrame"]),
        **dict.fromkeys(f"VersionPrefixed:{message}" for message in behind),
        **messages,
        **frames,
        "RequestHeader": (0, 2),
        **dict.fromkeys(["Record", "RecordBatch", "RecordSet"]),
        "MessageSet": (0, 1),
    }
    assert types["ResponseHeader"] == (0, 1)
    assert types["ApiVersionsRequest"] == types["ResponseFrame:ApiVersions"] == (0, 5)


FORMS = ("", "NULLABLE_", "COMPACT_", "COMPACT_NULLABLE_")


def test_other_attributes_are_not_there() -> None:
    with pytest.raises(AttributeError, match=r"module 'wireproof\.reference' has no attribute 'rebuilds'"):
        _ = reference.rebuilds


NO_TYPES = ["", "FOO", "ARRAY", "ResponseFrame:Foo", "ResponseFrame:", "NoSuchRequest", "requestframe", "../index"]


@pytest.mark.parametrize("name", NO_TYPES)
@pytest.mark.parametrize("version", [None, 0])
def test_unknown_types_are_not_offered(name: str, version: int | None) -> None:
    asks: list[Callable[[], Any]] = [
        lambda: reference.decode(name, b"", dialect=KAFKA, version=version),
        lambda: reference.encode(name, 0, dialect=KAFKA, version=version),
        lambda: reference.recode(name, b"", dialect=KAFKA, version=version),
        lambda: reference.explain(name, b"", dialect=KAFKA, version=version),
        lambda: reference.complete(name, b"", dialect=KAFKA, version=version),
    ]
    for ask in asks:
        with pytest.raises(UnknownType) as caught:
            ask()
        assert str(caught.value) == f"the dialect kafka has no type {name!r}"
        assert isinstance(caught.value, NotImplementedError)


def test_unknown_dialects_are_not_offered() -> None:
    for ask in (
        lambda: reference.decode("INT8", b"\0", dialect="kip-482"),
        lambda: reference.serve([], dialect="kip-482"),
        lambda: reference.interpret(b"", None, dialect="kip-482"),
        lambda: reference.negotiate(18, (0, 1), None, dialect="kip-482"),
        lambda: reference.rulings("kip-482"),
    ):
        with pytest.raises(UnknownType, match="there is no dialect 'kip-482'; there are kafka"):
            ask()


def test_a_message_needs_a_version() -> None:
    with pytest.raises(DecodeError, match="ApiVersionsRequest needs a version") as caught:
        reference.decode("ApiVersionsRequest", b"", dialect=KAFKA)
    assert (caught.value.reason, caught.value.offset) == (Reason.UNSUPPORTED_VERSION, None)


def test_a_version_that_is_none_is_refused_on_writing_too() -> None:
    with pytest.raises(EncodeError, match="ApiVersionsRequest has versions 0-5, not 6") as caught:
        reference.encode("ApiVersionsRequest", {}, dialect=KAFKA, version=6)
    assert caught.value.reason is Reason.UNSUPPORTED_VERSION


def half_of(type_name: str, digits: str, version: int | None = None, **switches: Any) -> tuple[str, str | None]:
    with pytest.raises(WireError) as caught:
        Reference(Rules(**switches)).recode(type_name, bytes.fromhex(digits), dialect=KAFKA, version=version)
    return caught.value.reason, caught.value.half


def test_recode_says_which_half_refused() -> None:
    assert half_of("INT16", "00") == ("truncated", "decode")
    assert half_of("TAG_BUFFER", "0202000100") == ("tag-order", "decode")
    assert half_of("TAG_BUFFER", "0202000100", tag_order="any") == ("tag-order", "encode")
    assert half_of("ApiVersionsRequest", "", 9) == ("unsupported-version", "decode")
    too_long_when_replaced = "7fff" + "ff" * 32767
    assert half_of("STRING", too_long_when_replaced, invalid_text="replaced") == ("string-too-long", "encode")


def test_a_refusal_elsewhere_has_no_half() -> None:
    with pytest.raises(DecodeError) as caught:
        reference.decode("INT16", b"", dialect=KAFKA)
    assert caught.value.half is None


def test_settings_belong_to_one_reference() -> None:
    ask = bytes.fromhex("0000000a0012000000000001ffff")
    configured = Reference()
    configured.configure({"apis": {"18": [0, 1]}}, dialect=KAFKA)
    assert configured.serve([ask], dialect=KAFKA)[0][-4:].hex() == "00000001"
    assert Reference().serve([ask], dialect=KAFKA)[0][-4:].hex() == "00000005"


def test_data_may_be_any_bytes_like() -> None:
    for data in (b"\0\1", bytearray(b"\0\1"), memoryview(b"\0\1")):
        assert Reference().decode("INT16", bytes(data), dialect=KAFKA) == 1


def test_errors_say_where_and_why() -> None:
    assert str(WireError(Reason.TRUNCATED, "more is needed")) == "truncated: more is needed"
    assert str(WireError(Reason.TRUNCATED, "more is needed", "A.B[2]")) == "truncated at A.B[2]: more is needed"
    assert str(DecodeError(Reason.TAG_ORDER, "tag 1", 7, "A")) == "tag-order at A: tag 1 (byte 7)"
    assert str(DecodeError(Reason.TAG_ORDER, "tag 1", 0)) == "tag-order: tag 1 (byte 0)"
    assert str(DecodeError(Reason.UNSUPPORTED_VERSION, "no", None)) == "unsupported-version: no"
    assert str(SchemaError("no name", "A")) == "invalid-schema at A: no name"
    assert EncodeError(Reason.OUT_OF_RANGE, "x", "A").path == "A"


REASONS = """
    truncated trailing-bytes length-mismatch varint-overflow negative-length null-not-allowed string-too-long
    invalid-utf8 invalid-marker tag-order tag-duplicate key-order key-duplicate zero-length-field count-mismatch
    crc-mismatch unsupported-magic unsupported-compression corrupt-compression invalid-wrapper resource-limit
    unsupported-version unknown-api unknown-field field-not-in-version tags-not-allowed known-tag out-of-range
    invalid-schema
"""


def test_reasons_are_the_contracts() -> None:
    assert [str(reason) for reason in Reason] == REASONS.split()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "None"),
        (5, "5"),
        (True, "True"),
        (1.5, "1.5"),
        ("ab", "'ab'"),
        ("a" * 60, repr("a" * 60)),
        ("a" * 61, repr("a" * 60) + "…"),
        (2**256 - 1, str(2**256 - 1)),
        (2**256, "an integer of 257 bits"),
        (-(2**256), "an integer of 257 bits"),
        ([1], "a list"),
        ({}, "a dict"),
        (b"ab", "a bytes"),
    ],
)
def test_values_of_unknown_origin_are_shown_shortly(value: Any, text: str) -> None:
    assert shown(value) == text
