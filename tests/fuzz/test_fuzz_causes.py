"""The causes of what a campaign finds: what comes of one cause is one finding, and is named by it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from support.recorder import Recorder, Refuser

from wireproof.conformance import vectors
from wireproof.conformance.asking.examiner import Examiner
from wireproof.conformance.evidence.known_deviations import Known, KnownDeviation
from wireproof.conformance.generation.arguments import arguments_of
from wireproof.conformance.generation.mutations.checksums import sealed
from wireproof.conformance.judging.clusters import Group
from wireproof.conformance.model import Case, Observation, Op, Status
from wireproof.conformance.oracle.ask import refusal
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.fuzz.targets.finding import FuzzFinding
from wireproof.fuzz.targets.session import ChildSession
from wireproof.fuzz.targets.session_start import forms, kind_of
from wireproof.reference.codec import NodeCodec, decode
from wireproof.reference.errors import DecodeError
from wireproof.reference.rules import Rules
from wireproof.reference.schema.plan import Struct


class Told:
    """What a session told: the names of its findings, the last one, and how many deviations it counted."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self.last: FuzzFinding | None = None
        self.findings = 0
        self.known = 0

    def found(self, finding: FuzzFinding) -> None:
        self.names.add(finding.name)
        self.last = finding

    def novel(self, raw: bytes, shown: object) -> None:
        pass


def told_of(implementation: Recorder, *raws: bytes, known: Sequence[KnownDeviation] = ()) -> Told:
    """What a session tells of inputs."""
    told = Told()
    with Examiner(implementation, Known(None, tuple(known))) as examiner:
        kind = kind_of("differential")
        session = ChildSession(kind, forms(kind, examiner.description, "kafka", None), examiner, told)
        for raw in raws:
            session.execute(raw)
        session.finish()
    told.findings, told.known = session.counts.findings.total(), session.counts.known.total()
    return told


@pytest.mark.parametrize(("version", "asked"), [(2, True), (3, False)])
def test_no_frame_of_a_request_that_is_not_offered_is_judged(version: int, asked: bool) -> None:
    """As in the suite: a RequestFrame has no version, and the one in its header counts. Here of a Heartbeat."""
    types = {"kafka": {"RequestFrame": None, "HeartbeatRequest": (0, 2)}}
    body = "0000" + "00000000" + "0000" + ("" if version < 3 else "ffff")
    header = f"000c000{version}" + "00000000" + "ffff"
    size = len(header + body) // 2
    with Examiner(Refuser(types=types, dialects=("kafka",))) as examiner:
        kind = kind_of("differential")
        session = ChildSession(kind, forms(kind, examiner.description, "kafka", None), examiner, Told())
        judged = session.judged(f"gen/kafka/RequestFrame/-/x{size:08x}{header}{body}#decode")
    assert (judged is not None) is asked


class _LongAttributes(Recorder):
    """Takes a record's attributes for a varint: with the highest bit set they have a second byte."""

    def observe(self, case: Case) -> Observation:
        data = case.args["data"]
        if data[1] & 0x80:
            data = data[:1] + bytes(1) + data[3:]
        seen = super().observe(msgspec.structs.replace(case, args={"data": data}))
        return msgspec.structs.replace(seen, case=case)


@pytest.mark.parametrize(
    ("data", "is_the_cause"),
    [
        ("0c800000010100", True),  # refused: the record is a byte short
        ("0c800100010100", True),
        ("0c000000010100", False),
    ],
)
def test_what_follows_from_a_field_that_is_read_wrong_is_no_finding_of_its_own(data: str, is_the_cause: bool) -> None:
    read_wrong = Group("fail", "wrong-value", "read", place="Record.attributes")
    entry = KnownDeviation("bug", "attributes are no varint", finding=read_wrong, reported="pending")
    for known in ((entry,), ()):
        implementation = _LongAttributes(types={"kafka": {"Record": None}}, ops={Op.DECODE})
        seen = told_of(implementation, b"Record/-\n" + bytes.fromhex(data), known=known)
        assert seen.known == (is_the_cause and bool(known))
        assert len(seen.names) == (is_the_cause and not known)


class _WritesLongAttributesAgain(_LongAttributes):
    """What it reads again and writes has a byte too many, so no other attributes make that right."""

    def observe(self, case: Case) -> Observation:
        seen = super().observe(case)
        if case.op is Op.DECODE or seen.status is not Status.ANSWER:
            return seen
        return msgspec.structs.replace(seen, answer=seen.answer + b"\0")


@pytest.mark.parametrize(("data", "told"), [("0c800100010100", 0), ("0c000000010100", 1)])
def test_what_is_read_wrong_is_written_again_wrong(data: str, told: int) -> None:
    read_wrong = Group("fail", "wrong-value", "read", place="Record.attributes")
    entry = KnownDeviation("bug", "attributes are no varint", finding=read_wrong, reported="pending")
    implementation = _WritesLongAttributesAgain(types={"kafka": {"Record": None}}, ops={Op.DECODE, Op.RECODE})
    seen = told_of(implementation, b"Record/-\n" + bytes.fromhex(data), known=[entry])
    assert len(seen.names) == told


class _DeliversByLongAttributes(Recorder):
    """The same in what it delivers of a batch: there are no keys then."""

    def observe(self, case: Case) -> Observation:
        seen = super().observe(case)
        if case.args["data"][62] & 0x80:
            records = [{**record, "key": None} for record in seen.answer["records"]]
            return msgspec.structs.replace(seen, answer={**seen.answer, "records": records})
        return seen


@pytest.mark.parametrize("is_known", [True, False])
def test_what_a_consumer_is_given_of_a_field_that_is_read_wrong_is_no_finding_of_its_own(is_known: bool) -> None:
    read_wrong = Group("fail", "wrong-value", "read", place="Record.attributes")
    entry = KnownDeviation("bug", "attributes are no varint", finding=read_wrong, reported="pending")
    (vector,) = (one for one in vectors.load(["kafka"], ["delivery"]) if one.id == "offsets-are-absolute")
    data = sealed(vector.data[:62] + b"\x80" + vector.data[63:])
    implementation = _DeliversByLongAttributes(types={"kafka": {"RecordSet": None}}, ops={Op.CONSUME})
    seen = told_of(implementation, b"RecordSet/-\n" + data, known=[entry] if is_known else [])
    assert (seen.known, len(seen.names)) == (is_known, not is_known)


class _WithoutFirstField(Recorder):
    """Does not read the first field of a FetchResponse, but in its simplest value."""

    def observe(self, case: Case) -> Observation:
        if case.args["data"] == bytes(14):
            return super().observe(case)
        message = reference_codec().dialect("kafka").codec("FetchResponse", case.version)
        assert isinstance(message, NodeCodec)
        assert isinstance(message.node, Struct)
        fields = message.node.plain[1:]
        layout = NodeCodec(dataclasses.replace(message.node, fields=fields, plain=fields))
        try:
            value = decode(layout, case.args["data"], Rules())
            return Observation(case, Status.ANSWER, {"ThrottleTimeMs": 0, **value})
        except DecodeError as error:
            return refusal(case, error)


def test_a_smaller_input_is_no_other_finding() -> None:
    """Zeros alone do not say which of the fields is not read; the finding says it, so it keeps the byte that does."""
    implementation = _WithoutFirstField(types={"kafka": {"FetchResponse": (7, 7)}}, ops={Op.DECODE})
    # A throttle time and an error code; a session and no count.
    seen = told_of(implementation, b"FetchResponse/7\n" + bytes.fromhex("00000005 0000 00000000"))
    assert {name.rpartition("-")[0] for name in seen.names} == {"kafka-fail-read-first-field-not-read"}


class _TakesWrongChecksums(Recorder):
    """Reads and delivers batches whatever their CRC is."""

    def observe(self, case: Case) -> Observation:
        seen = super().observe(msgspec.structs.replace(case, args={**case.args, "data": sealed(case.args["data"])}))
        return msgspec.structs.replace(seen, case=case)


@pytest.mark.parametrize(
    ("ops", "name"),
    [
        ({Op.DECODE, Op.CONSUME}, "kafka-fail-accepted-invalid-read-crc-mismatch-crc"),
        ({Op.CONSUME}, "kafka-fail-accepted-invalid-consume-crc-mismatch"),
    ],
)
def test_what_is_read_wrong_is_no_second_finding_of_a_consumer(ops: set[Op], name: str) -> None:
    """Unless the bytes alone cannot be read."""
    (vector,) = (one for one in vectors.load(["kafka"], ["delivery"]) if one.id == "refused-crc")
    implementation = _TakesWrongChecksums(types={"kafka": {"RecordSet": None}}, ops=ops)
    seen = told_of(implementation, b"RecordSet/-\n" + vector.data)
    assert {one.rpartition("-")[0] for one in seen.names} == {name}


@pytest.mark.parametrize(("places", "told"), [(("length", "size"), 1), (("length", "size", "what follows"), 0)])
def test_a_refusal_that_is_known_to_be_missing_at_three_places_is_missing_at_each(
    places: tuple[str, ...], told: int
) -> None:
    (vector,) = (one for one in vectors.load(["kafka"], ["delivery"]) if one.id == "refused-crc")
    lacks = Group("fail", "accepted-invalid", "read", demanded="crc-mismatch")
    entries = tuple(
        KnownDeviation("bug", "so it is", finding=msgspec.structs.replace(lacks, place=place), reported="pending")
        for place in places
    )
    implementation = _TakesWrongChecksums(types={"kafka": {"RecordSet": None}}, ops={Op.DECODE})
    seen = told_of(implementation, b"RecordSet/-\n" + vector.data, known=entries)
    assert len(seen.names) == told


class _HangsInBrokenBatches(Recorder):
    """Gives no answer where the reference refuses."""

    def observe(self, case: Case) -> Observation:
        seen = super().observe(case)
        return Observation(case, Status.HANG, error="timeout") if seen.status is Status.REJECT else seen


@pytest.mark.parametrize(
    ("implementation", "ops", "known", "told"),
    [
        (_TakesWrongChecksums, {Op.CONSUME}, Group("fail", "accepted-invalid", "read", demanded="crc-mismatch"), 0),
        (_HangsInBrokenBatches, {Op.CONSUME}, Group("fail", "accepted-invalid", "read", demanded="crc-mismatch"), 1),
        (_HangsInBrokenBatches, {Op.CONSUME}, Group("hang", None, "read", "timeout", demanded="crc-mismatch"), 0),
        (_HangsInBrokenBatches, {Op.CONSUME, Op.DECODE}, None, 1),
    ],
)
def test_a_consumer_lacks_the_refusal_of_its_reader(
    implementation: type[Recorder], ops: set[Op], known: Group | None, told: int
) -> None:
    (vector,) = (one for one in vectors.load(["kafka"], ["delivery"]) if one.id == "refused-crc")
    place = known and msgspec.structs.replace(known, place="crc")
    entries = [KnownDeviation("bug", "no batch is broken", finding=place, reported="pending")] if place else []
    asked = implementation(types={"kafka": {"RecordSet": None}}, ops=ops)
    seen = told_of(asked, b"RecordSet/-\n" + vector.data, known=entries)
    assert len(seen.names) == told


class _EmptiesNullValues(Recorder):
    """Writes empty values in the place of null ones as a producer."""

    def observe(self, case: Case) -> Observation:
        if case.op is not Op.PRODUCE:
            return super().observe(case)
        records = [{**record, "value": record["value"] or b""} for record in case.args["records"]]
        seen = super().observe(msgspec.structs.replace(case, args={**case.args, "records": records}))
        return msgspec.structs.replace(seen, case=case)


def test_a_producers_finding_has_one_record_if_that_shows_it() -> None:
    records: list[dict[str, Any]] = [
        {"timestamp": 3, "key": b"k", "value": value, "headers": []} for value in (b"a", None, b"b", None)
    ]
    options = {"producer_id": -1, "producer_epoch": -1, "base_sequence": -1, "transactional": False}
    data = reference_codec().produce(records, magic=2, codec="none", options=options, dialect="kafka")
    implementation = _EmptiesNullValues(types={"kafka": {"RecordSet": None}}, ops={Op.DECODE, Op.PRODUCE})
    seen = told_of(implementation, b"RecordSet/-\n" + data)
    assert seen.last is not None
    args = arguments_of(Op.PRODUCE, bytes.fromhex(seen.last.id.rpartition("/x")[2].partition("#")[0]))
    assert [record["value"] for record in args["records"]] == [None]


class _InflatesNoControlBatch(Recorder):
    """Takes what is compressed in a control batch for the record itself, and tells a byte of it."""

    def observe(self, case: Case) -> Observation:
        seen = super().observe(case)
        data = case.args["data"]
        if len(data) < 62 or not data[22] & 0x20 or not data[22] & 0x07:
            return seen
        return Observation(case, Status.REJECT, detail=f"corrupt by {'abcdefgh'[data[-1] % 8]}")


def test_one_cause_in_batches_of_records_is_one_finding() -> None:
    """What is compressed in the batch decides what the refusal says."""
    record = {"attributes": 0, "timestampDelta": 0, "offsetDelta": 0, "value": None}
    raws = []
    for number in range(12):
        marker = record | {"key": b"\0\0\0\1", "headers": [["a" * number, b""]]}
        batch = {"magic": 2, "attributes": 0x30 + number % 4 + 1, "producerId": number, "records": [marker]}
        raws.append(b"RecordSet/-\n" + reference_codec().encode("RecordSet", [batch], dialect="kafka"))
    seen = told_of(_InflatesNoControlBatch(types={"kafka": {"RecordSet": None}}, ops={Op.CONSUME}), *raws)
    assert (len(seen.names), seen.findings) == (1, 12)


class _TakesShortBatches(Recorder):
    """Does not refuse batches that are shorter than their header: what becomes of them depends on their codec."""

    def __init__(self, *errors: str) -> None:
        super().__init__(types={"kafka": {"RecordBatch": None}}, ops={Op.DECODE})
        self._errors = errors

    def observe(self, case: Case) -> Observation:
        data = case.args["data"]
        if int.from_bytes(data[8:12], "big") >= 49:
            return super().observe(case)
        error = self._errors[int.from_bytes(data[22:23], "big") & 1]
        frame = f"library:{error}" * (not error.startswith("SIG"))
        return Observation(case, Status.CRASH if error else Status.ANSWER, [], error=error, frame=frame)


@pytest.mark.parametrize(
    ("errors", "known", "told"),
    [
        (("TypeError", "KeyError"), False, 1),
        (("TypeError", ""), False, 1),
        (("", "TypeError"), False, 1),
        (("TypeError", "KeyError"), True, 0),
        (("", "SIGSEGV"), False, 2),  # an end of the process is more than an exception
        (("", "SIGSEGV"), True, 1),
    ],
)
def test_what_comes_of_a_refusal_that_lacks_is_one_finding(errors: tuple[str, str], known: bool, told: int) -> None:
    lacks = Group("fail", "accepted-invalid", "read", demanded="truncated", place="batchLength")
    entry = KnownDeviation("bug", "no size is too small", finding=lacks, reported="pending")
    raws = []
    for crc, attributes in (("ce2c0a18", "0000"), ("db974b11", "0001")):
        header = f"0000000000000000 00000028 00000000 02 {crc} {attributes} 00000000"
        raws.append(b"RecordBatch/-\n" + bytes.fromhex(header + 2 * "00000174876e8000" + 9 * "ff"))
    seen = told_of(_TakesShortBatches(*errors), *raws, known=[entry] if known else [])
    assert len(seen.names) == told


class _CrashesOfLargeNumbers(Recorder):
    """Reads varints of any size, and has no exception for what a size is too large for; and so with one text."""

    def observe(self, case: Case) -> Observation:
        data = case.args["data"]
        if b"\x80" * 5 in data or b"?" in data:
            return Observation(case, Status.CRASH, [], error="OverflowError", frame="library:read")
        return super().observe(case)


@pytest.mark.parametrize(
    ("data", "known", "told"),
    [
        # A text of 31 bytes that is cut. What stands there is read on, as a size of more than 64 bits.
        ("20 80808080808080808001", True, 0),
        ("20 80808080808080808001", False, 1),
        ("20 3f3f3f3f", True, 1),
        ("20 3f80808080808001", True, 1),  # shorter varints change nothing
    ],
)
def test_what_comes_of_a_varint_that_is_too_long_is_no_finding_of_its_own(data: str, known: bool, told: int) -> None:
    lacks = Group("fail", "accepted-invalid", "read", demanded="varint-overflow", place="a varint")
    entry = KnownDeviation("bug", "any size is read", finding=lacks, reported="pending")
    implementation = _CrashesOfLargeNumbers(types={"kafka": {"COMPACT_STRING": None}}, ops={Op.DECODE})
    seen = told_of(implementation, b"COMPACT_STRING/-\n" + bytes.fromhex(data), known=[entry] if known else [])
    assert len(seen.names) == told


class _OtherLayout(Recorder):
    """Has the layout of version 3 for version 4, in these ops."""

    wrong: frozenset[Op] = frozenset({Op.DECODE, Op.ENCODE})

    def observe(self, case: Case) -> Observation:
        seen = super().observe(msgspec.structs.replace(case, version=3) if case.op in self.wrong else case)
        return msgspec.structs.replace(seen, case=case)


@pytest.mark.parametrize(
    ("wrong", "names"),
    [
        (
            {Op.DECODE, Op.ENCODE},
            {"kafka-fail-refused-valid-read-truncated-length-1", "kafka-fail-wrong-bytes-write-length-1-unreadable"},
        ),
        ({Op.DECODE}, {"kafka-fail-refused-valid-read-truncated-length-1"}),
    ],
)
def test_of_a_type_whose_simplest_value_is_read_or_written_wrong_that_alone_is_a_finding(
    wrong: set[Op], names: set[str]
) -> None:
    """The layout of another version: each value is read and written wrong in another way."""
    implementation = _OtherLayout(types={"kafka": {"HeartbeatRequest": (4, 4)}}, ops={Op.DECODE, Op.ENCODE})
    implementation.wrong = frozenset(wrong)
    values = ("026700000005026d0000", "8001" + 127 * "61" + "00000000010000", "026700000000026d00010501aa")
    seen = told_of(implementation, *(b"HeartbeatRequest/4\n" + bytes.fromhex(value) for value in values))
    assert {name.rpartition("-")[0] for name in seen.names} == names
    assert seen.findings > len(names)


class _LosesEqualIds(Recorder):
    """Keeps brokers in a map by their ids, ignores what follows, and takes text of any bytes."""

    rules = Rules(trailing_bytes="ignored", invalid_text="replaced")

    def observe(self, case: Case) -> Observation:
        codec = reference_codec().dialect("kafka").codec("MetadataResponse", case.version)
        try:
            value = decode(codec, case.args["data"], self.rules)
        except DecodeError as error:
            return refusal(case, error)
        brokers = {broker["NodeId"]: broker for broker in value["Brokers"]}
        return Observation(case, Status.ANSWER, {**value, "Brokers": [*brokers.values()]})


_BROKERS = "00000002" + 2 * "00000007 0000 00000000"
_BROKEN_TEXT = "00000002" + "00000007 0003 61ff63 00000000" + "00000007 0000 00000000"
_NULL_TEXT = "00000002" + "00000007 ffff 00000000" + "00000007 0000 00000000"


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (f"{_BROKERS} 00000000", "kafka-fail-wrong-value-read-count-missing"),
        (f"{_BROKERS} 00000000 ff", "kafka-fail-wrong-value-read-count-missing"),
        (f"{_BROKEN_TEXT} 00000000", "kafka-fail-wrong-value-read-count-missing"),
        (f"{_BROKEN_TEXT} 00000000 ff", "kafka-fail-wrong-value-read-count-missing"),
        (f"{_NULL_TEXT} 00000000", None),  # is refused
    ],
)
def test_what_is_wrong_with_valid_bytes_is_wrong_with_invalid_ones(data: str, name: str | None) -> None:
    """Neither what follows nor broken text is taken for the cause: an element is lost."""
    implementation = _LosesEqualIds(types={"kafka": {"MetadataResponse": (0, 0)}}, ops={Op.DECODE})
    seen = told_of(implementation, b"MetadataResponse/0\n" + bytes.fromhex(data))
    assert {one.rpartition("-")[0] for one in seen.names} == ({name} if name else set())


class _RecodesAlone(Recorder):
    """Is asked to write again what it only should read, and accepts everything."""

    def observe(self, case: Case) -> Observation:
        if case.op is Op.DECODE:
            return Observation(case, Status.UNSUPPORTED)
        return Observation(case, Status.ANSWER, case.args["data"])


def test_who_only_recodes_is_not_asked_for_the_cause_without_end() -> None:
    implementation = _RecodesAlone(types={"kafka": {"MetadataResponse": (0, 0)}}, ops={Op.DECODE, Op.RECODE})
    seen = told_of(implementation, b"MetadataResponse/0\n" + bytes.fromhex("ffffffff00000000"))
    assert {one.rpartition("-")[0] for one in seen.names} == {"kafka-fail-accepted-invalid-read-null-not-allowed-count"}
