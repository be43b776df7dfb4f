"""KIP-82 with string keys: its types, its rulings, and points that no vector can ask."""

from __future__ import annotations

import re
from typing import Any

import pytest
from support.judging import judged_by_asking
from support.paths import TESTS
from support.pytest_run import run
from support.wire import Refused, attempt

from wireproof import reference
from wireproof.conformance import vectors
from wireproof.conformance.generation import case_ids, expectations
from wireproof.conformance.judging.alternatives import readings_for
from wireproof.conformance.judging.rulings import deciding_rulings
from wireproof.conformance.model import Op, Outcome
from wireproof.conformance.vectors import VectorKind
from wireproof.reference import Reference, Rules
from wireproof.reference.dialects.kip_82_string_keys import batch

DRAFT = "kip-82-string-keys"
#: The vectors in which all bytes of a number but the last are there.
CUT = {"uintvar": "cut-of-4", "intvar": "cut-of-9"}
TYPES = ("UVARINT", "INTVAR", "HEADER", "HEADERS", "MESSAGE", "BATCH")


def decode(type_name: str, digits: str, **switches: Any) -> Any:
    own = Reference(Rules(**switches))
    return attempt(lambda: own.decode(type_name, bytes.fromhex(digits), dialect=DRAFT))


def encode(type_name: str, value: Any, **switches: Any) -> Any:
    own = Reference(Rules(**switches))
    return attempt(lambda: own.encode(type_name, value, dialect=DRAFT).hex())


def message(**fields: Any) -> dict[str, Any]:
    """k and v, but for these fields."""
    plain = {"attributes": 0, "timestampDelta": 0, "offsetDelta": 0, "key": b"k", "value": b"v", "headers": []}
    return plain | fields


# --- Rulings ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("digits", "value"),
    [
        ("07 00 00 00 01 6b 01 76", message()),
        (
            "0e 03 01 03 03 01 61 01 02 01 61 03 01 62 ff",
            message(
                attributes=3,
                timestampDelta=-1,
                offsetDelta=3,
                key=None,
                value=None,
                headers=[("a", b"\1"), ("a", b""), ("b", b"\xff")],
            ),
        ),
        ("05 00 00 00 00 00", message(key=b"", value=b"")),
    ],
)
def test_the_worked_bytes(digits: str, value: dict[str, Any]) -> None:
    assert decode("MESSAGE", digits) == value
    assert encode("MESSAGE", value) == digits.replace(" ", "")
    written = {vector.data.hex() for vector in vectors.load([DRAFT]) if vector.type == "MESSAGE"}
    assert digits.replace(" ", "") in written


def test_every_ruling_is_whole_and_has_vectors() -> None:
    rulings = reference.rulings(DRAFT)
    assert list(rulings) == ["R-D-1", "R-D-2", "R-D-3", "R-D-5", *(f"R-82s-{number}" for number in range(1, 18))]
    contested = [
        "R-D-1",
        "R-D-2",
        "R-D-5",
        "R-82s-4",
        "R-82s-6",
        "R-82s-7",
        "R-82s-8",
        "R-82s-10",
        "R-82s-12",
        "R-82s-13",
        "R-82s-14",
        "R-82s-15",
        "R-82s-16",
        "R-82s-17",
    ]
    assert [name for name, ruling in rulings.items() if ruling.contested] == contested
    for ruling in rulings.values():
        assert ruling.question
        assert ruling.demanded
        assert ruling.source
        assert ruling.contested == bool(ruling.others)


def test_a_length_of_more_bytes_than_it_needs() -> None:
    assert decode("MESSAGE", "8700" + "0000000" + "16b0176") == message()
    assert decode("MESSAGE", "08" + "0000" + "8000" + "016b0176") == message()
    assert decode("HEADER", "04" + "8100" + "61" + "01") == ("a", b"\1")
    for type_name, digits, at in (("MESSAGE", "8700000000016b0176", 0), ("HEADER", "0481006101", 1)):
        assert decode(type_name, digits, overlong_varints="refused") == Refused("varint-overflow", at)


def test_order_is_kept_of_all_headers_or_of_equal_keys() -> None:
    wire, interleaved = "0302" + "6262" + "0301" + "6101" + "0302" + "6262", [("bb", b""), ("a", b"\1"), ("bb", b"")]
    assert decode("HEADERS", wire) == interleaved
    grouped, ordered = "0302626203026262" + "03016101", "03016101" + "0302626203026262"
    assert decode("HEADERS", wire, header_order="grouped") == [interleaved[0], interleaved[2], interleaved[1]]
    assert decode("HEADERS", wire, header_order="sorted") == [interleaved[1], interleaved[0], interleaved[2]]
    assert encode("HEADERS", interleaved) == wire
    assert encode("HEADERS", interleaved, header_order="grouped") == grouped
    assert encode("HEADERS", interleaved, header_order="sorted") == ordered


def test_a_zigzag_length_can_be_negative() -> None:
    assert decode("HEADER", "0602" + "61" + "01", uint_var="zigzag") == ("a", b"\1")
    assert decode("HEADER", "01", uint_var="zigzag") == Refused("negative-length", 0, "length")
    assert decode("HEADER", "0401" + "61", uint_var="zigzag") == Refused("negative-length", 1, "key")
    assert decode("MESSAGE", "0e000003026b0276", uint_var="zigzag") == message(offsetDelta=-2)
    assert encode("MESSAGE", message(offsetDelta=-2), uint_var="zigzag") == "0e000003026b0276"


#: Bytes.
LONG = 10_000


@pytest.mark.parametrize("order", ["grouped", "sorted"])
def test_two_readings_at_once_are_contested_under_both(order: str) -> None:
    """What is written under zigzag and in another order the vectors know by themselves; what is read, what is
    compressed, whose bytes are free, and what is long, once declared."""
    readings = {"R-82s-6": order, "R-82s-8": "other"}
    both = Reference(reference.rules_with(reference.rulings(DRAFT).values(), readings))
    under_both = set()
    for vector in vectors.load([DRAFT]):
        for op in vector.ops:
            _, declared = judged_by_asking(both, vector, vector.case(op), readings_for(DRAFT, readings))
            assert declared.outcome in (Outcome.PASS, Outcome.CONTESTED, Outcome.SKIP), declared
            free = vector.compare_decoded or len(vector.data) > LONG
            if op is Op.ENCODE and vector.kind is VectorKind.VALID and not free:
                _, found = judged_by_asking(both, vector, vector.case(op))
                assert found.outcome in (Outcome.PASS, Outcome.CONTESTED), found
                under_both |= {vector.id} if found.rulings == ("R-82s-6", "R-82s-8") else set()
    interleaved = {"headers-interleaved", "headers-interleaved-descending", "message-interleaved"}
    descending = {"headers-descending", "headers-normal-forms", "message-descending"}
    assert under_both == interleaved | (descending if order == "sorted" else set())


# --- What is refused, and where ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("type_name", "digits", "refusal"),
    [
        ("HEADER", "0303" + "6101", Refused("truncated", 1, "key")),
        ("HEADERS", "03016101" + "0301ff01", Refused("invalid-utf8", 5, "[1].key")),
        ("MESSAGE", "0b0000" + "00016b0176" + "04016101", Refused("truncated", 8, "headers[0].length")),
        ("MESSAGE", "07000000046b0176", Refused("truncated", 4, "key")),
        ("MESSAGE", "08" + "000000" + "016b0176", Refused("truncated", 0, "length")),
        ("MESSAGE", "0700000001" + "6b0276", Refused("truncated", 6, "value")),
    ],
)
def test_a_refusal_names_the_place(type_name: str, digits: str, refusal: Refused) -> None:
    assert decode(type_name, digits) == refusal


@pytest.mark.parametrize(
    ("type_name", "value", "refusal"),
    [
        ("HEADER", ("\ud834", b""), Refused("invalid-utf8", None, "key")),
        ("HEADER", (b"a", b""), Refused("out-of-range", None, "key")),
        ("HEADER", ("a", "text"), Refused("out-of-range", None, "value")),
        ("HEADER", ("a", None), Refused("null-not-allowed", None, "value")),
        ("HEADER", ("a",), Refused("out-of-range", None, "")),
        ("HEADER", "ab", Refused("out-of-range", None, "")),
        ("HEADERS", {"a": b""}, Refused("out-of-range", None, "")),
        ("HEADERS", [("a", b""), ("b", None)], Refused("null-not-allowed", None, "[1].value")),
        ("MESSAGE", message(headers=[("a", b""), ("b", None)]), Refused("null-not-allowed", None, "headers[1].value")),
        ("MESSAGE", message(headers=None), Refused("null-not-allowed", None, "headers")),
        ("MESSAGE", message(offsetDelta=-1), Refused("out-of-range", None, "offsetDelta")),
        ("MESSAGE", message(timestampDelta=1 << 63), Refused("out-of-range", None, "timestampDelta")),
        ("MESSAGE", message(attributes=128), Refused("out-of-range", None, "attributes")),
        ("MESSAGE", message(attributes=None), Refused("null-not-allowed", None, "attributes")),
        ("MESSAGE", message(key="text"), Refused("out-of-range", None, "key")),
        ("MESSAGE", message(topic="t"), Refused("unknown-field", None, "")),
        ("MESSAGE", None, Refused("null-not-allowed", None, "")),
        ("BATCH", {"records": [message(), message(value=7)]}, Refused("out-of-range", None, "records[1].value")),
        ("BATCH", {"attributes": 4}, Refused("unsupported-compression", None, "attributes")),
        ("BATCH", {"epoch": 1 << 15}, Refused("out-of-range", None, "epoch")),
    ],
)
def test_a_value_that_has_no_bytes_is_refused_by_name(type_name: str, value: Any, refusal: Refused) -> None:
    assert encode(type_name, value) == refusal


def test_a_header_s_key_has_no_limit_of_its_own() -> None:
    header = ("a" * 40_000, b"\1")
    written = encode("HEADER", header)
    assert written == "c4b802" + "c0b802" + "61" * 40_000 + "01"
    assert decode("HEADER", written) == header


def test_a_batch_in_which_a_bit_differs_is_refused() -> None:
    """Each bit that the CRC covers, and each of the CRC."""
    plain = bytes.fromhex(encode("BATCH", {"records": [message(headers=[("a", b"\1")])]}))
    assert batch.crc(plain[16:]) == int.from_bytes(plain[12:16])
    for bit in range(12 * 8, len(plain) * 8):
        flipped = bytearray(plain)
        flipped[bit // 8] ^= 1 << bit % 8
        magic = bit // 8 == 16
        expected = Refused("unsupported-magic", 16) if magic else Refused("crc-mismatch", 12)
        assert decode("BATCH", flipped.hex()) == expected, bit


def test_messages_that_promise_much_take_no_memory() -> None:
    for count in (5, 500):
        digits = "0100" * count
        assert len(decode("HEADERS", digits)) == count
        assert decode("HEADERS", digits + "ffffffff0f") == Refused("truncated", 2 * count, f"[{count}].length")


# --- Ops, explanations, generated cases -------------------------------------------------------------------------------


def test_lookup() -> None:
    headers = bytes.fromhex("03016102" + "030162ff" + "03016101")
    own = reference.lookup
    assert own("HEADERS", headers, "a", dialect=DRAFT) == [b"\2", b"\1"]
    assert own("HEADERS", headers, "c", dialect=DRAFT) == []
    for type_name in ("HEADER", "BATCH", "UVARINT"):
        with pytest.raises(NotImplementedError, match=f"not in {type_name}"):
            own(type_name, headers, "a", dialect=DRAFT)
    with pytest.raises(reference.DecodeError):
        own("HEADERS", headers + b"\0", "a", dialect=DRAFT)


def test_there_are_no_requests() -> None:
    assert tuple(reference.types[DRAFT]) == (*TYPES, "RecordSet")  # that is only converted
    assert reference.dialect_named(DRAFT).apis() == {}
    with pytest.raises(NotImplementedError, match="kip-82-string-keys does not say"):
        reference.serve([b""], dialect=DRAFT)
    with pytest.raises(NotImplementedError, match="kip-82-string-keys does not say"):
        reference.interpret(b"", None, dialect=DRAFT)
    with pytest.raises(NotImplementedError, match="kip-82-string-keys does not say"):
        reference.negotiate(0, (0, 1), (0, 1), dialect=DRAFT)
    with pytest.raises(reference.UnknownType, match="no type 'Record'"):
        reference.decode("Record", b"", dialect=DRAFT)


def test_every_byte_is_explained() -> None:
    value = {"records": [message(headers=[("a", b"\1"), ("", b"")]), message(key=None, value=b"")]}
    data = bytes.fromhex(encode("BATCH", value))
    found = reference.explain("BATCH", data, dialect=DRAFT)
    assert found.error is None
    assert [span.start for span in found.spans] == [0, *(span.end for span in found.spans)][:-1]
    assert found.spans[-1].end == len(data)
    paths = {span.path for span in found.spans}
    assert {"firstOffset", "length", "crc", "magic", "records[0].headers[1].key", "records[1].value"} <= paths


def rests_on(type_name: str, data: bytes) -> tuple[str, ...]:
    found = reference.explain(type_name, data, dialect=DRAFT)
    assert found.error is not None
    return deciding_rulings(type_name, data, DRAFT, None, found.error, found.spans)


@pytest.mark.parametrize(
    ("type_name", "digits", "named"),
    [
        ("MESSAGE", "03" + "000000", ("R-82s-1",)),  # no key, and no bit that says so
        ("MESSAGE", "05" + "010000" + "0276", ("R-82s-3",)),  # a value longer than what the message has left
        ("MESSAGE", "02" + "0300", ("R-82s-3",)),  # no offset delta
        ("MESSAGE", "03" + "0000", ("R-82s-8", "R-82s-3")),  # under zigzag the length is -2
        ("HEADER", "08016101", ("R-82s-3",)),
        ("HEADER", "03036101", ("R-82s-5",)),
        ("HEADERS", "03016101" + "04016101", ("R-82s-4",)),
        ("MESSAGE", "07" + "030000" + "06016101", ("R-82s-7", "R-82s-4")),  # no header may stand there without a flag
        ("MESSAGE", "07" + "030000" + "03046101", ("R-82s-5",)),
        ("HEADER", "0301ff01", ("R-D-2",)),
        ("UVARINT", "ffffffff1f", ("R-D-1", "R-82s-8")),
        ("UVARINT", "0100", ("R-D-5",)),
        ("UVARINT", "80", ()),  # a number that is cut off rests on none
    ],
)
def test_refusals_rest_on_rulings(type_name: str, digits: str, named: tuple[str, ...]) -> None:
    assert rests_on(type_name, bytes.fromhex(digits)) == named


def test_refusals_of_batches_rest_on_rulings() -> None:
    data = bytes.fromhex(encode("BATCH", {}))
    assert rests_on("BATCH", data[:12] + bytes(4) + data[16:]) == ("R-82s-10",)
    assert rests_on("BATCH", data[:-1]) == ("R-82s-10",)
    assert rests_on("BATCH", data[:8]) == ("R-82s-10",)
    data = bytes.fromhex(encode("BATCH", {"records": [message()]}))
    covered = data[16:-1]
    cut = data[:8] + (len(covered) + 4).to_bytes(4) + batch.crc(covered).to_bytes(4) + covered
    assert rests_on("BATCH", cut) == ("R-82s-8", "R-82s-3")


def test_each_refusal_of_a_vector_rests_on_a_ruling() -> None:
    without = [
        vector.id
        for vector in vectors.load([DRAFT])
        if vector.type and vector.kind is VectorKind.INVALID and not rests_on(vector.type, vector.data)
    ]
    assert without == [f"{name}-{how}" for name in ("uintvar", "intvar") for how in ("nothing", "cut", CUT[name])]


@pytest.mark.parametrize("type_name", TYPES)
def test_generated_cases(type_name: str) -> None:
    expected = "varints" if type_name.endswith(("INT", "VAR")) else "header-multimaps"
    assert expectations.area(DRAFT, type_name) == ("framing" if type_name == "BATCH" else expected)
    zero = {"UVARINT": "00", "INTVAR": "00", "HEADER": "0100", "HEADERS": "", "MESSAGE": "03030000"}
    digits = zero.get(type_name) or encode("BATCH", {}) if type_name != "HEADERS" else ""
    vector, case = expectations.vector_of(Op.RECODE, DRAFT, type_name, None, bytes.fromhex(digits))
    assert vector.canonical_data == bytes.fromhex(digits)
    assert case_ids.parse(case.id) == (vector, case)


# --- The suite --------------------------------------------------------------------------------------------------------


def test_the_reference_passes_the_suite() -> None:
    found = run("--impl=reference", f"--dialect={DRAFT}", "--properties=15", "--tb=short", "-q", cwd=TESTS)
    assert found.code == 0, found.text
    assert "skipped" not in found.text


@pytest.mark.parametrize("name", ["kip_82s_sorts_headers", "kip_82s_zigzag", "kip_82s_zigzag_and_groups"])
def test_another_reading_fails_when_told_to(name: str) -> None:
    arguments = (f"--impl=readings.{name}", "--area=header-multimaps", "--tb=no", "-q")
    reported = run(*arguments, cwd=TESTS)
    strict = run(*arguments, "--contested=fail", cwd=TESTS)
    assert (reported.code, strict.code) == (0, 1), reported.text
    contested, failed = re.search(r"(\d+) contested", reported.text), re.search(r"(\d+) failed", strict.text)
    assert contested is not None
    assert failed is not None
    assert contested[1] == failed[1]
