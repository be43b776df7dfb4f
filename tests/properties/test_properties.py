"""Properties: all hold for the reference; a broken implementation is found, and its case shrunk to a small one."""

from __future__ import annotations

import importlib
import types
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from support.wire import KAFKA

from wireproof import reference
from wireproof.conformance.asking.examiner import Examiner, Judged
from wireproof.conformance.connection import Options, open_connection
from wireproof.conformance.connection.base import AtOnce
from wireproof.conformance.evidence.known_deviations import Known, KnownDeviation
from wireproof.conformance.generation.case_ids import parse
from wireproof.conformance.generation.expectations import has_partial_tail
from wireproof.conformance.model import (
    DEVIATIONS,
    Case,
    Description,
    FailureKind,
    Observation,
    Op,
    Outcome,
    Status,
    Verdict,
)
from wireproof.conformance.oracle.ask import ask
from wireproof.conformance.oracle.types import types_of
from wireproof.conformance.properties import properties
from wireproof.conformance.properties.properties import Property, offered
from wireproof.conformance.questions.lookup import find
from wireproof.conformance.values.compare import equal
from wireproof.conformance.vectors import ABSENT, Reject, VectorKind
from wireproof.reference import Reason
from wireproof.reference.codec import ShapedCodec
from wireproof.reference.dialects.kip_82_int import codecs, messages
from wireproof.reference.records import message_set

ALL = frozenset({Op.DECODE, Op.ENCODE, Op.RECODE})


class Fake(AtOnce):
    """A connection to the reference that `change` tampers with."""

    def __init__(
        self,
        change: Callable[[Case, Observation], Observation] | None = None,
        ops: frozenset[Op] = ALL,
        types: Mapping[str, tuple[int, int] | None] | None = None,
        readings: Mapping[str, str] | None = None,
    ) -> None:
        offers = None if types is None else {KAFKA: types}
        self.description = Description(
            "fake", dialects=reference.dialects, ops=ops, types=offers, readings=readings or {}
        )
        self.change = change or (lambda _, observation: observation)
        self.asked: list[str] = []

    def configure(self, dialect: str, settings: Mapping[str, Any]) -> bool:
        return True

    def ask(self, cases: Sequence[Case]) -> list[Observation]:
        self.asked += [case.id for case in cases]
        return [self.change(case, ask(reference.Reference(), case)) for case in cases]

    def close(self) -> None: ...


def examiner(fake: Fake, *known: KnownDeviation) -> Examiner:
    return Examiner(fake, Known(None, known))


def check(
    name: str, type_name: str, version: int | None = None, ops: frozenset[Op] = ALL, dialect: str = KAFKA
) -> Property:
    return Property(name, dialect, type_name, version, ops)


def run(found: Property, own: Examiner, examples: int = 60) -> Verdict:
    verdict = properties.run(found, own, examples).verdict
    assert verdict.outcome not in DEVIATIONS or verdict.known
    return verdict


def counterexample(found: Property, own: Examiner, examples: int = 200) -> Judged:
    result = properties.run(found, own, examples)
    assert result.verdict.outcome in DEVIATIONS
    # Whatever was found can be made again from its id alone.
    assert parse(result.verdict.id) == (result.vector, result.observation.case)
    return result


EVERY = [*offered(Description("reference", ops=ALL))]
#: All but most messages, which test_fast_messages.py tries all of.
SOME = [
    found
    for found in EVERY
    if found.version is None or found.type.endswith(("Header", ":ApiVersions")) or "ApiVersions" in found.type
]
#: Of the drafts, all but those of messages that a schema makes.
DRAFTS = [
    found
    for found in offered(Description("reference", dialects=reference.dialects, ops=ALL))
    if found.dialect not in (KAFKA, "kip-482-v1")
]


@pytest.mark.parametrize("found", SOME + DRAFTS, ids=lambda found: found.id)
def test_every_property_holds_for_the_reference(found: Property) -> None:
    verdict = run(found, examiner(Fake()), 3)
    assert (verdict.outcome, verdict.id) == (Outcome.PASS, found.id)


def test_in_process_they_hold_too() -> None:
    with Examiner(open_connection("reference", Options(in_process=True))) as own:
        for found in offered(own.description):
            if found.type in ("VARINT", "COMPACT_NULLABLE_STRING", "TAG_BUFFER", "ApiVersionsResponse"):
                assert run(found, own, 5).outcome is Outcome.PASS


# --- Which there are ---


def test_the_properties_of_all_types() -> None:
    ids = [found.id for found in EVERY]
    assert len(ids) == len(set(ids))
    assert {"gen/kafka/VARINT/-/round-trip", "gen/kafka/VARINT/-/prefixes", "gen/kafka/VARINT/-/arbitrary-bytes"} <= {
        *ids
    }
    types = {(found.type, found.version) for found in EVERY}
    assert types == set(types_of(KAFKA))
    for name in ("round-trip", "arbitrary-bytes"):
        assert {(found.type, found.version) for found in EVERY if found.name == name} == types
    # Nothing can be cut off from no bytes.
    without = types - {(found.type, found.version) for found in EVERY if found.name == "prefixes"}
    assert {("ApiVersionsRequest", 0), ("ApiVersionsRequest", 1), ("ApiVersionsRequest", 2)} <= without
    for name, version in without:
        assert reference.decode(name, b"", dialect=KAFKA, version=version) == {}


def test_arrays_stand_for_all_arrays() -> None:
    arrays = {found.type for found in EVERY if "ARRAY" in found.type}
    assert len(arrays) == 16
    assert {"ARRAY<INT32>", "COMPACT_NULLABLE_ARRAY<ARRAY<BOOLEAN>>", "NULLABLE_ARRAY<COMPACT_BYTES>"} <= arrays
    assert "ARRAY" not in {found.type for found in EVERY}


def test_only_what_is_offered_is_asked() -> None:
    some = Description("some", ops=ALL, types={KAFKA: {"INT8": None, "ApiVersionsRequest": (3, 4)}})
    assert {(found.type, found.version) for found in offered(some)} == {
        ("INT8", None), ("ApiVersionsRequest", 3), ("ApiVersionsRequest", 4)
    }  # fmt: skip
    reads = Description("reads", ops=frozenset({Op.DECODE}))
    assert {found.ops for found in offered(reads)} == {frozenset({Op.DECODE})}
    writes = Description("writes", ops=frozenset({Op.ENCODE}))
    assert {found.name for found in offered(writes)} == {"round-trip", "wrong-values"}
    recodes = Description("recodes", ops=frozenset({Op.RECODE}))
    assert {found.name for found in offered(recodes)} == {"round-trip", "prefixes", "flipped-bits", "arbitrary-bytes"}
    serves = Description("serves", ops=frozenset({Op.SERVE, Op.NEGOTIATE}))
    assert list(offered(serves)) == []


def test_what_a_producer_writes_is_a_property() -> None:
    producers = Description("producers", dialects=reference.dialects, ops=frozenset({Op.PRODUCE}))
    (found,) = offered(producers)
    assert found == check("produced", "RecordSet", ops=producers.ops)
    assert [*offered(producers, areas=["delivery"])] == [found]
    assert not [*offered(producers, areas=["header-multimaps"])]
    assert run(found, examiner(Fake(ops=producers.ops)), 20).outcome is Outcome.PASS

    def lost(case: Case, observation: Observation) -> Observation:
        args = {**case.args, "options": {**case.args["options"], "base_sequence": 0}}
        return msgspec.structs.replace(ask(reference.Reference(), msgspec.structs.replace(case, args=args)), case=case)

    smallest = counterexample(found, examiner(Fake(lost, producers.ops)), 40)
    assert smallest.case.args["options"]["base_sequence"] != 0


def test_dialects_and_areas_narrow_them() -> None:
    everything = Description("reference", ops=ALL)
    assert list(offered(everything, dialects=[])) == []
    assert list(offered(everything, dialects=["kip-482"])) == []
    assert list(offered(everything, dialects=[KAFKA])) == EVERY
    assert {found.type for found in offered(everything, areas=["varints"])} == {"UNSIGNED_VARINT", "VARINT", "VARLONG"}
    assert {found.type for found in offered(everything, areas=["tag-ordering"])} == {"TAG_BUFFER"}


def test_bits_are_flipped_where_there_is_a_crc() -> None:
    assert {(found.dialect, found.type, found.version) for found in EVERY + DRAFTS if found.name == "flipped-bits"} == {
        (KAFKA, "RecordBatch", None), (KAFKA, "RecordSet", None), (KAFKA, "MessageSet", 0), (KAFKA, "MessageSet", 1),
        ("kip-82-int-keys", "MESSAGE_AND_OFFSET", None), ("kip-82-int-keys", "MESSAGE_SET", None),
        ("kip-82-string-keys", "BATCH", None), ("wire-format", "MESSAGE_SET", None),
    }  # fmt: skip


# --- What they ask ---


def test_a_round_trip_asks_all_three_ops_of_each_value() -> None:
    fake = Fake()
    run(check("round-trip", "INT16"), examiner(fake), 10)
    by_seed: dict[str, set[str]] = {}
    for identifier in fake.asked:
        seed, _, op = identifier.partition("#")
        by_seed.setdefault(seed, set()).add(op)
    assert len(by_seed) > 5
    assert set(map(frozenset, by_seed.values())) == {frozenset({"decode", "encode", "recode"})}
    assert len(fake.asked) == len(set(fake.asked)), "nothing is asked twice"


def test_prefixes_ask_each_proper_prefix() -> None:
    fake = Fake()
    run(check("prefixes", "INT32"), examiner(fake), 1)
    simplest, *prefixes = fake.asked  # which is the twin, too: the first example is the simplest one
    assert prefixes == [f"{simplest.partition('#')[0]}+prefix:{length}#decode" for length in range(4)]


def test_where_the_simplest_value_deviates_nothing_is_searched() -> None:
    def refuses(case: Case, observation: Observation) -> Observation:
        return Observation(case, Status.REJECT, reason="truncated")

    fake = Fake(refuses)
    for found in properties.of_type(KAFKA, "MetadataResponse", 9, ALL):
        judged = properties.run(found, examiner(fake), 50)
        if found.name == "round-trip":
            assert judged.verdict.kind is FailureKind.REFUSED_VALID
            assert parse(judged.verdict.id) == (judged.vector, judged.observation.case)
        else:
            assert (judged.verdict.outcome, judged.verdict.id) == (Outcome.NOT_ASKED, found.id)
            assert (
                "the simplest value of the type deviates already, gen/kafka/MetadataResponse/9/"
                in judged.verdict.detail
            )
    assert len(fake.asked) < 10


@pytest.mark.parametrize(
    ("dialect", "type_name"),
    [("kip-82-int-keys", "HEADERS"), ("kip-82-int-keys", "MESSAGE_SET"), ("kip-82-string-keys", "HEADERS")],
)
def test_prefixes_are_those_of_some_bytes(dialect: str, type_name: str) -> None:
    """The simplest value of these types has none."""
    fake = Fake()
    assert run(check("prefixes", type_name, dialect=dialect), examiner(fake), 1).outcome is Outcome.PASS
    assert fake.asked


def test_only_recode_is_asked_where_only_that_is_offered() -> None:
    for name in ("prefixes", "arbitrary-bytes", "round-trip"):
        fake = Fake(ops=frozenset({Op.RECODE}))
        run(check(name, "STRING", ops=frozenset({Op.RECODE})), examiner(fake), 5)
        assert {identifier.rpartition("#")[2] for identifier in fake.asked} == {"recode"}


@pytest.mark.parametrize("name", ["prefixes", "arbitrary-bytes"])
def test_recode_is_not_asked_of_a_partial_tail(name: str) -> None:
    reading, recoding = Fake(), Fake(ops=frozenset({Op.RECODE}))
    run(check(name, "RecordSet"), examiner(reading), 40)
    run(check(name, "RecordSet", ops=frozenset({Op.RECODE})), examiner(recoding), 40)
    cut = [identifier for identifier in reading.asked if is_read_without_its_tail(identifier)]
    assert len(cut) > 5
    assert len(recoding.asked) > 5
    assert not any(is_read_without_its_tail(identifier) for identifier in recoding.asked)


def is_read_without_its_tail(identifier: str) -> bool:
    """Whether valid bytes do not end where an entry does: each has its size behind its offset of eight bytes."""
    vector, _ = parse(identifier)
    if vector.value is ABSENT:
        return False
    at, end = 0, len(vector.data)
    while end - at >= 12:
        at += 12 + int.from_bytes(vector.data[at + 8 : at + 12])
    return at != end


@pytest.mark.parametrize(
    ("dialect", "type_name", "version"),
    [
        (KAFKA, "RecordBatch", None),
        (KAFKA, "RecordSet", None),
        (KAFKA, "MessageSet", 1),
        ("kip-82-int-keys", "MESSAGE_AND_OFFSET", None),
        ("kip-82-int-keys", "MESSAGE_SET", None),
        ("kip-82-string-keys", "BATCH", None),
    ],
)
def test_a_flipped_bit_is_refused_where_the_crc_covers_it_and_makes_a_difference_elsewhere(
    dialect: str, type_name: str, version: int | None
) -> None:
    fake = Fake()
    assert run(check("flipped-bits", type_name, version, dialect=dialect), examiner(fake), 1).outcome is Outcome.PASS
    twins = {twin.id for twin in (find(identifier).twin for identifier in fake.asked) if twin is not None}
    asked = [parse(identifier)[0] for identifier in fake.asked if identifier not in twins]
    whole = bytes(max(ones, key=ones.count) for ones in zip(*(vector.data for vector in asked), strict=True))
    value = reference.decode(type_name, whole, dialect=dialect, version=version)
    first = 17 if dialect == KAFKA and whole[16] == 2 else 12
    for at, vector in enumerate(asked):
        (difference,) = (a ^ b for a, b in zip(vector.data, whole, strict=True) if a != b)
        assert vector.data[at] ^ whole[at] == difference == 1 << at % 8
        assert vector.kind is VectorKind.INVALID or (at < first and not equal(vector.value, value))
    assert len(asked) == min(12 + int.from_bytes(whole[8:12]), first + 128)
    offset_is_refused = [refused.reason for vector in asked[:8] if (refused := vector.reject) is not None]
    assert set(offset_is_refused) <= {Reason.INVALID_WRAPPER}  # where it leaves no room for those before it
    assert len(offset_is_refused) < 8


@pytest.mark.parametrize("change", ["ignores the CRC", "ignores the offset"])
def test_a_flipped_bit_that_the_reference_does_not_notice_is_the_kit_s_fault(
    change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = messages.read_message_and_offset

    def lenient(reader: Any, path: str = "") -> Any:
        return read(reader, path) | {"offset": 0}

    if change == "ignores the CRC":
        monkeypatch.setattr(messages, "zlib", types.SimpleNamespace(crc32=lambda _: 0))
        monkeypatch.setattr(message_set, "zlib", types.SimpleNamespace(crc32=lambda _: 0))
    codec = ShapedCodec(lenient, messages.append_message_and_offset, codecs.CODECS["MESSAGE_AND_OFFSET"].shape)
    monkeypatch.setattr(codecs, "CODECS", {"MESSAGE_AND_OFFSET": codec})
    found = check("flipped-bits", "MESSAGE_AND_OFFSET", dialect="kip-82-int-keys")
    with pytest.raises(RuntimeError, match="does not notice that a bit was flipped"):
        properties.run(found, examiner(Fake()), 1)


def test_the_same_examples_are_drawn_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = Fake(), Fake()
    run(check("arbitrary-bytes", "TAG_BUFFER"), examiner(first), 100)
    (tmp_path / "module_with_constants.py").write_text(f"CONSTANTS = {[bytes([at]) * 7 for at in range(200)]}\n")
    monkeypatch.syspath_prepend(tmp_path)
    importlib.import_module("module_with_constants")  # hypothesis by itself would draw these
    run(check("arbitrary-bytes", "TAG_BUFFER"), examiner(second), 100)
    assert first.asked == second.asked
    assert len(first.asked) > 50


def test_bytes_that_are_nearly_right_are_read_and_refused() -> None:
    seen: set[Status] = set()

    def note(_: Case, observation: Observation) -> Observation:
        seen.add(observation.status)
        return observation

    run(check("arbitrary-bytes", "COMPACT_STRING"), examiner(Fake(note)))
    assert seen == {Status.ANSWER, Status.REJECT}


# --- What they find ---


def answering(broken: Callable[[Case, Any], Any]) -> Callable[[Case, Observation], Observation]:
    """Answers are changed, refusals stand."""

    def change(case: Case, observation: Observation) -> Observation:
        if observation.status is not Status.ANSWER:
            return observation
        return Observation(case, Status.ANSWER, broken(case, observation.answer))

    return change


def test_unsigned_for_zigzag_is_found_with_the_least_integer() -> None:
    def unsigned(case: Case, answer: Any) -> Any:
        return answer * 2 if case.op is Op.DECODE and answer >= 0 else answer

    found = counterexample(check("round-trip", "VARINT"), examiner(Fake(answering(unsigned))))
    assert (found.verdict.id, found.verdict.kind) == ("gen/kafka/VARINT/-/x02#decode", FailureKind.WRONG_VALUE)
    assert found.verdict.detail == "expected 1, got 2"


def test_null_for_empty_is_found() -> None:
    def swapped(case: Case, answer: Any) -> Any:
        return None if case.op is Op.DECODE and answer == "" else answer

    found = counterexample(check("round-trip", "COMPACT_NULLABLE_STRING"), examiner(Fake(answering(swapped))))
    assert found.verdict.id == "gen/kafka/COMPACT_NULLABLE_STRING/-/x01#decode"


def test_a_codec_that_fails_from_some_length_on_is_shrunk_to_that_length() -> None:
    def cut(case: Case, answer: Any) -> Any:
        return answer[:5] if case.op is Op.DECODE else answer

    found = counterexample(check("round-trip", "STRING"), examiner(Fake(answering(cut))))
    assert found.verdict.id == "gen/kafka/STRING/-/x0006303030303030#decode"
    assert found.vector.value == "000000"


def test_a_writer_that_pads_varints_is_found() -> None:
    def padded(case: Case, answer: Any) -> Any:
        return bytes([answer[0] | 0x80, 0]) if case.op is Op.ENCODE and len(answer) == 1 else answer

    found = counterexample(check("round-trip", "UNSIGNED_VARINT"), examiner(Fake(answering(padded))))
    assert (found.verdict.id, found.verdict.kind) == ("gen/kafka/UNSIGNED_VARINT/-/x00#encode", FailureKind.WRONG_BYTES)


def test_a_recode_that_drops_unknown_tags_has_another_reading() -> None:
    def dropped(case: Case, answer: Any) -> Any:
        return b"\0" if case.op is Op.RECODE else answer

    verdict = run(check("round-trip", "TAG_BUFFER"), examiner(Fake(answering(dropped))))
    assert (verdict.outcome, verdict.rulings) == (Outcome.CONTESTED, ("R-K-3",))


def test_a_recode_that_changes_unknown_tags_is_found() -> None:
    def emptied(case: Case, answer: Any) -> Any:
        return b"\x01\0\0" if case.op is Op.RECODE and answer != b"\0" else answer

    found = counterexample(check("round-trip", "TAG_BUFFER"), examiner(Fake(answering(emptied))))
    assert found.verdict.kind is FailureKind.WRONG_BYTES


def test_a_reader_that_takes_half_a_value_is_found_by_its_prefixes() -> None:
    def lenient(case: Case, observation: Observation) -> Observation:
        if observation.reason == "truncated" and len(case.args.get("data", b"")) >= 2:
            return Observation(case, Status.ANSWER, 0)
        return observation

    found = counterexample(check("prefixes", "INT64"), examiner(Fake(lenient)))
    assert found.verdict.id == "gen/kafka/INT64/-/x0000000000000000+prefix:2#decode"
    assert found.verdict.kind is FailureKind.ACCEPTED_INVALID
    assert found.observation.case.args == {"data": b"\0\0"}


def test_a_reader_that_ignores_what_follows_has_another_reading() -> None:
    def lenient(case: Case, observation: Observation) -> Observation:
        if observation.reason == "trailing-bytes":
            return Observation(case, Status.ANSWER, case.args["data"][0] != 0)
        return observation

    verdict = run(check("arbitrary-bytes", "BOOLEAN"), examiner(Fake(lenient)))
    assert (verdict.outcome, verdict.rulings) == (Outcome.CONTESTED, ("R-K-7",))


@pytest.mark.parametrize(
    ("type_name", "reason"),
    [("COMPACT_STRING", "string-too-long"), ("INT8", "out-of-range"), ("ARRAY<INT32>", "null-not-allowed"),
     ("TAG_BUFFER", "tag-order"), ("RecordBatch", "out-of-range")],
)  # fmt: skip
def test_a_writer_that_does_not_check_its_value_is_found(type_name: str, reason: str) -> None:
    def lenient(case: Case, observation: Observation) -> Observation:
        if case.op is Op.ENCODE and observation.reason == reason:
            return Observation(case, Status.ANSWER, b"\x01")
        return observation

    found = counterexample(check("wrong-values", type_name), examiner(Fake(lenient)))
    # Tags out of order may be sorted too; other bytes are wrong all the same.
    kind = FailureKind.WRONG_BYTES if reason == "tag-order" else FailureKind.ACCEPTED_INVALID
    assert found.verdict.kind is kind
    assert found.case.op is Op.ENCODE


def test_a_crc_that_is_not_looked_at_is_found() -> None:
    def unchecked(case: Case, observation: Observation) -> Observation:
        if observation.reason == "crc-mismatch":
            return Observation(case, Status.ANSWER, [])
        return observation

    found = counterexample(check("flipped-bits", "RecordBatch"), examiner(Fake(unchecked)), 5)
    assert (found.verdict.kind, found.vector.reject) == (FailureKind.ACCEPTED_INVALID, Reject(Reason.CRC_MISMATCH, 17))


def test_a_partial_tail_that_is_refused_is_found() -> None:
    def strict(case: Case, observation: Observation) -> Observation:
        if has_partial_tail(KAFKA, "RecordSet", case.args["data"]):
            return Observation(case, Status.REJECT)
        return observation

    found = counterexample(check("prefixes", "RecordSet"), examiner(Fake(strict)), 20)
    assert (found.verdict.kind, found.vector.value) == (FailureKind.REFUSED_VALID, [])


def test_headers_that_collapse_are_found() -> None:
    def collapsed(case: Case, answer: Any) -> Any:
        return answer | {"headers": [*dict(answer["headers"]).items()]} if case.op is Op.DECODE else answer

    found = counterexample(check("round-trip", "Record"), examiner(Fake(answering(collapsed))))
    assert found.verdict.kind is FailureKind.WRONG_VALUE
    assert [key for key, _ in found.vector.value["headers"]] == ["a", "a"]


def test_a_crash_is_found_and_not_sought_for_ever() -> None:
    def crashes(case: Case, observation: Observation) -> Observation:
        if len(case.args.get("data", b"")) > 2:
            return Observation(case, Status.CRASH, error="SIGABRT", detail="aborted")
        return observation

    fake = Fake(crashes)
    found = counterexample(check("arbitrary-bytes", "COMPACT_BYTES"), examiner(fake))
    assert (found.verdict.outcome, found.verdict.error) == (Outcome.CRASH, "SIGABRT")
    crashed = [identifier for identifier in fake.asked if len(parse(identifier)[1].args["data"]) > 2]
    assert len(crashed) == 3, "after three crashes the property has made its point"


# --- Known deviations, contested readings, and what is not offered ---


def test_a_known_deviation_does_not_stop_a_property() -> None:
    def wrong(case: Case, answer: Any) -> Any:
        return not answer if case.op is Op.DECODE else answer

    known = KnownDeviation("bug", "known here", match="gen/kafka/BOOLEAN/*")
    verdict = run(check("round-trip", "BOOLEAN"), examiner(Fake(answering(wrong)), known))
    assert (verdict.outcome, verdict.known, verdict.id) == (
        Outcome.FAIL, "gen/kafka/BOOLEAN/*", "gen/kafka/BOOLEAN/-/round-trip"
    )  # fmt: skip


def test_an_unknown_deviation_beside_a_known_one_is_found() -> None:
    def wrong(case: Case, answer: Any) -> Any:
        return not answer if case.op is Op.DECODE else answer

    known = KnownDeviation("bug", "known here", match="gen/kafka/BOOLEAN/-/x00#decode")
    found = counterexample(check("round-trip", "BOOLEAN"), examiner(Fake(answering(wrong)), known))
    assert found.verdict.id == "gen/kafka/BOOLEAN/-/x01#decode"


def overlong_refused(case: Case, observation: Observation) -> Observation:
    strict = reference.Reference(reference.Rules(overlong_varints="refused"))
    return ask(strict, case)


def test_a_declared_reading_is_contested() -> None:
    verdict = run(
        check("arbitrary-bytes", "UNSIGNED_VARINT"), examiner(Fake(overlong_refused, readings={"R-K-5": "other"})), 300
    )
    assert (verdict.outcome, verdict.rulings) == (Outcome.CONTESTED, ("R-K-5",))


def test_an_undeclared_reading_is_contested_too() -> None:
    verdict = run(check("arbitrary-bytes", "UNSIGNED_VARINT"), examiner(Fake(overlong_refused)), 300)
    assert (verdict.outcome, verdict.rulings) == (Outcome.CONTESTED, ("R-K-5",))


def test_what_is_not_offered_is_a_skip() -> None:
    def unsupported(case: Case, _: Observation) -> Observation:
        return Observation(case, Status.UNSUPPORTED, detail="not here")

    verdict = run(check("round-trip", "UUID"), examiner(Fake(unsupported)))
    assert (verdict.outcome, verdict.detail) == (Outcome.SKIP, "not here")
    assert verdict.id == "gen/kafka/UUID/-/round-trip"


def test_a_property_of_no_bytes_passes_only_when_something_was_asked() -> None:
    with pytest.raises(RuntimeError, match="no example was drawn"):
        properties.run(check("prefixes", "ApiVersionsRequest", 0), examiner(Fake()), 3)
