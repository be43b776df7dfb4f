"""Deviations with one cause are one finding."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from support.paths import TESTS
from support.pytest_run import run

from wireproof import reference
from wireproof.conformance import vectors
from wireproof.conformance.evidence import known_deviations
from wireproof.conformance.evidence.known_deviations import Known, KnownDeviation
from wireproof.conformance.generation.expectations import vector_of_arguments
from wireproof.conformance.judging.clusters import Group, clusters, group, missing_refusal
from wireproof.conformance.judging.judge import judge
from wireproof.conformance.judging.location import FRAME_SIZE, UNTOLD
from wireproof.conformance.model import DEVIATIONS, FailureKind, Observation, Op, Outcome, Status, Verdict
from wireproof.reference.errors import Reason


def verdict(number: int, outcome: Outcome = Outcome.FAIL, **fields: Any) -> Verdict:
    usual: dict[str, Any] = {
        "dialect": "kafka",
        "area": "framing",
        "type": "INT8",
        "version": None,
        "op": Op.DECODE,
        "kind": FailureKind.WRONG_VALUE if outcome is Outcome.FAIL else None,
    }
    return Verdict(id=f"kafka/framing/{number}#decode", outcome=outcome, **usual | fields)


def of(**fields: Any) -> Group:
    found = group(verdict(1, **fields))
    assert found is not None
    return found


def test_only_deviations_are_findings() -> None:
    harmless = [Outcome.PASS, Outcome.CONTESTED, Outcome.SKIP, Outcome.NOT_ASKED, Outcome.UNSTEADY]
    assert clusters(verdict(number, outcome) for number, outcome in enumerate(harmless)) == []
    harmful = [Outcome.FAIL, Outcome.CRASH, Outcome.HANG, Outcome.OOM, Outcome.VIOLATION]
    found = clusters(verdict(number, outcome) for number, outcome in enumerate(harmful))
    assert [finding.group.verdict for finding in found] == harmful
    assert set(harmless) | set(harmful) == set(Outcome)


@pytest.mark.parametrize(
    ("one", "another"),
    [
        ({"demanded": "truncated"}, {"demanded": "varint-overflow"}),
        ({"ground": "R-K-6"}, {"ground": "R-K-6c"}),
        ({"place": "tag size"}, {"place": "count"}),
        ({"type": "INT8"}, {"type": "INT16"}),
        ({"op": Op.DECODE}, {"op": Op.ENCODE}),
        ({"kind": FailureKind.ACCEPTED_INVALID}, {"kind": FailureKind.WRONG_VALUE}),
    ],
)
def test_what_is_demanded_its_ruling_and_the_place_tell_findings_apart(
    one: dict[str, Any], another: dict[str, Any]
) -> None:
    usual = {"kind": FailureKind.ACCEPTED_INVALID, "demanded": "truncated"}
    found = clusters([verdict(1, **usual | one), verdict(2, **usual | another), verdict(3, **usual | one)])
    assert [len(finding.verdicts) for finding in found] == [2, 1]


@pytest.mark.parametrize("kind", [FailureKind.ACCEPTED_INVALID, None])
def test_a_frame_s_size_is_one_finding_however_it_is_wrong(kind: FailureKind | None) -> None:
    reasons = (Reason.TRUNCATED, Reason.NEGATIVE_LENGTH, Reason.TRAILING_BYTES)
    outcome = Outcome.FAIL if kind else Outcome.HANG
    alike = [verdict(1, outcome, kind=kind, demanded=str(one), ground="R-K-7", place=FRAME_SIZE) for one in reasons]
    assert [len(finding.verdicts) for finding in clusters(alike)] == [3]
    known = KnownDeviation(
        "bug", "so it is", finding=Group(outcome, kind, "read", demanded="truncated", place=FRAME_SIZE)
    )
    assert [Known(None, (known,)).find(one) for one in alike] == [known] * 3


@pytest.mark.parametrize(
    ("name", "wrong", "place"),
    [
        ("one-record", {"position": 7}, "position"),
        ("one-record", {"records": []}, "records: too few"),
        ("control-commit", {"records": 2}, "records: too many"),
        ("append-time", {"timestamp": 1}, "records.timestamp"),
    ],
)
def test_what_a_consumer_does_wrong_is_the_difference(name: str, wrong: dict[str, Any], place: str) -> None:
    """Whatever ruling a vector is about, as it is for a generated case, which names none."""
    (vector,) = (one for one in vectors.load(["kafka"], ["delivery"]) if one.id == name)
    case = vector.case(Op.CONSUME)
    answer = dict(vector.expected)
    match wrong:
        case {"records": int(times)}:
            answer["records"] = times * answer["records"]
        case {"timestamp": at}:
            answer["records"] = [record | {"timestamp": at} for record in answer["records"]]
        case _:
            answer |= wrong
    seen = Observation(case, Status.ANSWER, answer)
    for about in (vector, msgspec.structs.replace(vector, rulings=("R-K-39",))):
        assert group(judge(about, seen)) == Group("fail", "wrong-answer", "consume", place=place)


def test_a_consumer_that_is_silent_about_broken_batches_is_one_finding() -> None:
    silent = []
    for vector in vectors.load(["kafka"], ["delivery"]):
        if vector.reject is not None and vector.id.startswith("refused-"):
            case = vector.case(Op.CONSUME)
            answer = {"records": [], "position": case.args["position"]}
            silent.append(judge(vector, Observation(case, Status.ANSWER, answer)))
    (one,) = clusters(silent)
    assert len(one.verdicts) == len(silent) >= 5
    assert one.group == Group("fail", "accepted-invalid", "consume", place=UNTOLD)


def test_a_place_that_is_known_is_one_finding_in_every_type_and_version() -> None:
    alike = [
        verdict(1, type="FetchRequest", version=12, place="tag count: missing", offset=3, detail="words"),
        verdict(2, type="ApiVersionsResponse", version=3, place="tag count: missing", area="varints"),
    ]
    assert [finding.verdicts for finding in clusters(alike)] == [tuple(alike)]
    assert len(clusters(msgspec.structs.replace(one, place="") for one in alike)) == 2


@pytest.mark.parametrize("op", [Op.DECODE, Op.ENCODE])
def test_a_group_is_the_same_wherever_the_case_comes_from(op: Op) -> None:
    """Each vector that demands a refusal, and the generated case of the same bytes or value, both accepted."""
    other, asked = [], 0
    for vector in vectors.load():
        reject = vector.reject
        unanswered = reject is None or reject.reason is Reason.UNSUPPORTED_VERSION or vector.type is None
        if unanswered or op not in vector.ops or sum(len(piece.data) for piece in vector.pieces) > 4096:
            continue
        try:
            made, case = vector_of_arguments(op, vector.dialect, vector.type, vector.version, vector.case(op).args)
        except (ValueError, reference.WireError):  # no whole value
            continue
        if made.reject is None:  # tags out of order may be sorted
            continue
        found = [
            group(judge(one, Observation(at, Status.CRASH))) for one, at in ((vector, vector.case(op)), (made, case))
        ]
        asked += 1
        if found[0] != found[1]:
            other.append((vector.path, *map(repr, found)))
    assert other == []
    assert asked > (600 if op is Op.DECODE else 80)


def test_what_was_recoded_wrong_was_written_wrong() -> None:
    written = [verdict(1, op=op, kind=FailureKind.WRONG_BYTES, place="VARINT") for op in (Op.ENCODE, Op.RECODE)]
    assert [finding.group.side for finding in clusters(written)] == ["write"]
    assert of(op=Op.RECODE, kind=FailureKind.ACCEPTED_INVALID).side == "read"


def test_what_recode_writes_wrong_belongs_to_what_decode_reads_wrong_at_the_same_place() -> None:
    read = verdict(1, op=Op.DECODE, kind=FailureKind.WRONG_VALUE, place="tag count")
    written, recoded = (
        verdict(2, op=op, kind=FailureKind.WRONG_BYTES, place="tag count") for op in (Op.ENCODE, Op.RECODE)
    )
    (one,) = clusters([recoded, read])
    assert (one.group, one.verdicts) == (group(read), (recoded, read))
    assert [(cluster.group.side, len(cluster.verdicts)) for cluster in clusters([read, recoded, written])] == [
        ("write", 2),
        ("read", 1),
    ]
    elsewhere = msgspec.structs.replace(recoded, place="tag size")
    assert len(clusters([read, elsewhere])) == 2
    entry = known_deviations.KnownDeviation("bug", "so it is", finding=group(read), reported="pending")
    known = known_deviations.Known(None, (entry,))
    assert [known.find(one) for one in (read, recoded, elsewhere, written)] == [entry, entry, None, None]


def test_a_traceback_s_line_is_the_cause_whatever_was_asked() -> None:
    crashes = [
        verdict(1, Outcome.CRASH, error="IndexError", frame="mine:read", type="INT8", demanded="truncated"),
        verdict(2, Outcome.CRASH, error="IndexError", frame="mine:read", type="STRING", op=Op.RECODE),
    ]
    (finding,) = clusters(crashes)
    assert finding.group == Group("crash", cause="IndexError", frame="mine:read")
    assert len(clusters([*crashes, verdict(3, Outcome.CRASH, error="IndexError", frame="mine:write")])) == 2


@pytest.mark.parametrize(
    ("one", "another", "alike"),
    [
        ({"kind": FailureKind.ACCEPTED_INVALID}, {"outcome": Outcome.CRASH, "error": "IndexError"}, True),
        ({"kind": FailureKind.ACCEPTED_INVALID}, {"outcome": Outcome.CRASH, "error": "SIGSEGV"}, False),
        ({"kind": FailureKind.ACCEPTED_INVALID}, {"outcome": Outcome.HANG, "error": "timeout"}, False),
        ({"outcome": Outcome.OOM, "error": "SIGABRT"}, {"outcome": Outcome.CRASH, "error": "SIGABRT"}, True),
        ({"outcome": Outcome.OOM, "error": "memory"}, {"outcome": Outcome.HANG, "error": "timeout"}, False),
    ],
)
@pytest.mark.parametrize("announces", [False, True])
def test_a_refusal_is_missing_whatever_comes_in_its_place(
    one: dict[str, Any], another: dict[str, Any], alike: bool, announces: bool
) -> None:
    """Where a count announces too much, its number decides between a value, a hang and an exhausted memory."""
    usual = {"demanded": "truncated", "ground": "R-K-10"} if announces else {"demanded": "crc-mismatch"}
    lacks = [missing_refusal(verdict(1, **{"kind": None} | usual | fields)) for fields in (one, another)]
    assert None not in lacks
    assert (lacks[0] == lacks[1]) is (alike or (announces and another["error"] != "SIGSEGV"))
    assert missing_refusal(verdict(1)) is None


def test_without_one_a_crash_is_told_by_what_was_asked() -> None:
    found = of(outcome=Outcome.CRASH, error="SIGABRT", demanded="truncated", ground="R-K-10", place="count")
    assert found == Group("crash", side="read", cause="SIGABRT", demanded="truncated", ruling="R-K-10", place="count")


def test_a_refusal_is_told_by_its_words_without_what_they_say_of_the_case() -> None:
    said = [
        "refused: ValueError: 771 is not a valid ErrorCode",
        "refused: ValueError: -32768 is not a valid ErrorCode",
    ]
    assert {of(kind=FailureKind.REFUSED_VALID, detail=words).cause for words in said} == {
        "ValueError: … is not a valid ErrorCode"
    }
    assert of(kind=FailureKind.REFUSED_VALID, detail="refused: Listener.__init__() got 'x' and b'y' [1, 2]").cause == (
        "… got … and … …"
    )


def test_a_refusal_that_names_a_reason_is_told_by_that_and_the_place() -> None:
    named = of(
        kind=FailureKind.REFUSED_VALID, reason="truncated", place="tag size", detail="refused: truncated at byte 3"
    )
    assert named == Group("fail", kind="refused-valid", side="read", cause="truncated", place="tag size")
    silent = of(kind=FailureKind.REFUSED_VALID, detail="refused: without a reason")
    assert (silent.cause, silent.type) == (None, "INT8")


def test_another_reading_is_grouped_by_its_rulings_and_is_no_finding() -> None:
    taken = verdict(1, Outcome.CONTESTED, rulings=("R-K-5", "R-K-6"))
    assert group(taken) == Group("contested", ruling="R-K-5, R-K-6")
    assert group(verdict(1, Outcome.PASS)) is None


def test_the_most_frequent_comes_first_and_each_keeps_its_order() -> None:
    rare, often = [verdict(1)], [verdict(number, type="INT16") for number in (5, 3, 4)]
    found = clusters([*rare, *often])
    assert [finding.verdicts for finding in found] == [tuple(often), tuple(rare)]
    assert clusters([]) == []


def test_a_group_says_what_it_is_in_one_line() -> None:
    found = of(kind=FailureKind.ACCEPTED_INVALID, demanded="varint-overflow", ground="R-K-6", place="a varint")
    assert str(found) == "accepted-invalid on read where varint-overflow is demanded at a varint"
    assert (
        str(of(kind=FailureKind.WRONG_ANSWER, op=Op.SERVE, type=None, ground="R-K-18"))
        == "wrong-answer in serve (R-K-18)"
    )
    assert str(Group("crash", cause="KeyError", frame="mine:read")) == "crash with KeyError in mine:read"


def test_a_known_file_can_name_each_part_of_a_group(tmp_path: Path) -> None:
    whole = Group(*(f"{name} of it" for name in Group.__struct_fields__))
    parts = ", ".join(f'{name} = "{part}"' for name, part in whole.row().items())
    file = tmp_path / "mine.known.toml"
    file.write_text(
        f'[[deviation]]\nclass = "unsupported"\nreason = "so it is"\nreported = "pending"\nfinding = {{{parts}}}\n'
    )
    assert [entry.finding for entry in known_deviations.load(file, None).deviations] == [whole]


def test_kafka_python_s_49_deviations_in_varints_are_three_findings(tmp_path: Path) -> None:
    report = tmp_path / "report.jsonl"
    done = run(
        *("--impl=implementations.kafka_python", "--known=none", "--area=varints", "--dialect=kafka"),
        f"--report={report}",
        cwd=TESTS.parent,
    )
    assert done.code == 1
    lines = [json.loads(line) for line in report.read_text().splitlines()][1:-1]
    deviating = [line for line in lines if line["verdict"] in DEVIATIONS]
    assert len(deviating) == 49
    groups = {json.dumps(line["group"]) for line in deviating}
    assert len(groups) == 4  # attributes are read wrong, and so written wrong by recode
    assert "3 findings in 49 cases that deviate" in done.text
