"""The pages of `wireproof report` and `wireproof explain --html`, without a browser: what they hold, and bad input.

What they do in a browser is tested in tests/browser.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from support.page_reports import ATTACKS, BIT_32, PASSED, TAG_1, hostile, line, report, small

from wireproof import reference
from wireproof.cli import group
from wireproof.conformance import vectors
from wireproof.conformance.judging.judge import judge
from wireproof.conformance.model import Observation, Status
from wireproof.conformance.questions.lookup import find
from wireproof.html import questions
from wireproof.html.page import json_for_script
from wireproof.html.rules import DIALECT, KINDS, rule_of


def run(*arguments: str) -> Result:
    return CliRunner().invoke(group, [*arguments])


def data_of(path: Path) -> Any:
    """The data in a page."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', path.read_text("utf-8"), re.DOTALL)
    assert found
    return json.loads(found[1])


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out.html"


class TestMatrix:
    @pytest.fixture
    def data(self, tmp_path: Path, out: Path) -> Any:
        done = run("report", str(report(tmp_path / "r.jsonl", small())), "--html", str(out))
        assert done.exit_code == 0, done.output
        assert "1 run, 7 verdicts" in done.output
        return data_of(out)

    def test_passes_are_counted_and_not_listed(self, data: Any) -> None:
        assert ["varints", "kafka", "pass", 0, 1] in data["runs"][0]["counts"]
        assert sum(count[-1] for count in data["runs"][0]["counts"]) == 7
        assert PASSED not in [question["id"] for question in data["questions"]]

    def test_deviations_of_one_cause_are_one_finding(self, data: Any) -> None:
        titles = {finding["title"]: finding for finding in data["findings"]}
        (both,) = (finding for title, finding in titles.items() if "varint-overflow" in title)
        assert len(both["cases"]) == 2
        assert [count[2:] for count in both["counts"]] == [[0, 1], [1, 1]]  # one new, one known
        assert [finding["verdict"] for finding in data["findings"]][-2:] == ["contested", "skip"]

    def test_a_case_has_its_bytes_its_rule_and_its_source(self, data: Any) -> None:
        shown = next(question["shown"] for question in data["questions"] if question["id"] == BIT_32)
        assert shown["bytes"]["data"] == find(BIT_32).vector.data.hex()
        assert shown["bytes"]["marks"] == [[0, "varint-overflow: to be refused here"]]
        assert "varint-overflow at byte 0" in shown["expected"]
        assert "R-K-6" in shown["rules"]
        assert data["rulings"]["kafka"]["R-K-6"]["demanded"]
        assert shown["source"]

    def test_written_bytes_stand_beside_the_demanded_ones(self, data: Any) -> None:
        (pieces,) = data["compared"].values()
        assert ["size 2", 2, "02", ""] in pieces

    def test_a_case_that_the_kit_cannot_make_has_no_bytes(self, data: Any) -> None:
        (made_up,) = (question for question in data["questions"] if "made-up" in question["id"])
        assert "shown" not in made_up

    def test_the_command_is_kept_once(self, data: Any) -> None:
        assert "wireproof repro \0 --impl=mine" in data["runs"][0]["commands"]

    def test_several_files_and_several_reports_of_a_file(self, tmp_path: Path, out: Path) -> None:
        one = report(tmp_path / "one.jsonl", small())
        one.write_text(one.read_text("utf-8") * 2, "utf-8")
        two = report(tmp_path / "two.jsonl", small(), name="other")
        assert run("report", str(one), str(two), "--html", str(out)).exit_code == 0
        assert [run_["title"] for run_ in data_of(out)["runs"]] == ["mine 1.0", "mine 1.0", "other 1.0"]

    def test_a_report_of_format_1(self, tmp_path: Path, out: Path) -> None:
        new = {"rulings", "note", "error", "frame", "demanded", "ground", "place", "group"}
        rows = [{name: value for name, value in row.items() if name not in new} for row in small()]
        assert run("report", str(report(tmp_path / "r.jsonl", rows, form=1)), "--html", str(out)).exit_code == 0
        assert len(data_of(out)["findings"]) > 2

    def test_what_was_not_judged_is_listed_in_part(self, tmp_path: Path, out: Path) -> None:
        rows = [line(f"kafka/varints/s-{number}#decode", "skip", note="not offered") for number in range(100)]
        assert run("report", str(report(tmp_path / "r.jsonl", rows)), "--html", str(out)).exit_code == 0
        (finding,) = data_of(out)["findings"]
        assert finding["counts"] == [["varints", "kafka", 0, 100]]
        assert len(finding["cases"]) == 20

    def test_the_room_of_the_page_is_limited(self, tmp_path: Path, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("wireproof.html.matrix._ROOM", 0)
        assert run("report", str(report(tmp_path / "r.jsonl", small())), "--html", str(out)).exit_code == 0
        assert sum("shown" in question for question in data_of(out)["questions"]) == 1


class TestTheJudgesWords:
    """The written bytes are read from the judge's description: it has to stay as it is."""

    def test_they_can_be_read(self) -> None:
        asked = find(TAG_1)
        seen = Observation(asked.case, Status.ANSWER, answer=bytes.fromhex("0101aabb"))
        verdict = judge(asked.vector, seen)
        assert questions.compared(asked, verdict.detail) is not None

    @pytest.mark.parametrize(
        "said",
        [
            "expected 0x010102…, got 0x01 (first difference at byte 2)",
            "expected 0xffff, got 0x01 (first difference at byte 0)",
            "expected 0x010102aabb, got 0x1 (first difference at byte 2)",
            "",
        ],
    )
    def test_others_are_passed_over(self, said: str) -> None:
        assert questions.compared(find(TAG_1), said) is None


@pytest.mark.parametrize(
    "identifier",
    [
        "kafka/conversations/two-connections#serve",
        "kafka/conversations/fetch-is-woken/11#serve",
        "kafka/faults/half-sizes-held#serve",
        "kafka/messages/Metadata/4#serve",
        "wire-format/conversations/max-wait-passes#serve",
    ],
)
def test_what_only_a_broker_is_asked_is_shown_too(identifier: str) -> None:
    asked = questions.found(identifier)
    assert asked is not None
    assert questions.shown(asked)["asked"]


@pytest.mark.parametrize(
    ("identifier", "asked"),
    [
        ("kafka/header-multimaps/lookup-null#lookup", "look up all values of the key 'h' in 12 bytes as Record"),
        (
            "kafka/delivery/aborted#consume",
            "deliver the records in 227 bytes of a partition from position 100 on, read_committed, "
            "aborted: producer 9 from offset 100",
        ),
    ],
)
def test_what_is_asked_beside_bytes_is_shown_too(identifier: str, asked: str) -> None:
    question = find(identifier)
    shown = questions.shown(question)
    assert shown["asked"] == asked
    assert shown["bytes"]["data"] == question.vector.data.hex()


class TestExplain:
    def test_a_type(self, out: Path) -> None:
        done = run("explain", "UNSIGNED_VARINT", "ac02", "--html", str(out))
        assert done.exit_code == 0, done.output
        data = data_of(out)
        (part,) = data["parts"]
        assert part["state"] == "accepted"
        assert part["rows"] == [[0, 2, "", "UNSIGNED_VARINT", "300", 0]]
        assert "LEB128" in data["kinds"]["UNSIGNED_VARINT"][0]
        assert "R-K-5" in data["rulings"]

    def test_a_refusal_has_its_place_and_its_ruling(self, out: Path) -> None:
        assert run("explain", "TAG_BUFFER", "02 05 00 03 00", "--html", str(out)).exit_code == 1
        (part,) = data_of(out)["parts"]
        assert part["state"] == "refused"
        assert part["marks"][0][0] == 3
        assert part["rulings"] == ["R-K-1"]

    def test_frames_have_offsets_in_the_whole(self, out: Path) -> None:
        frame = "0000000c 0012 0000 00000007 0002 6d65"
        assert run("explain", frame, frame, "--html", str(out)).exit_code == 0
        first, second = data_of(out)["parts"]
        assert (first["start"], second["start"], second["end"]) == (0, 16, 32)
        assert min(row[0] for row in second["rows"] if row[0] is not None) == 16

    def test_more_bytes_than_a_page_shows(self, tmp_path: Path, out: Path) -> None:
        (tmp_path / "large").write_bytes(bytes((1 << 20) + 1))
        done = run("explain", "BYTES", f"@{tmp_path / 'large'}", "--html", str(out))
        assert done.exit_code == 2
        assert "1 MiB" in done.output
        assert not out.exists()

    def test_json_and_a_page_are_two_outputs(self, out: Path) -> None:
        assert run("explain", "INT8", "00", "--json", "--html", str(out)).exit_code == 2


class TestRules:
    def test_each_ruling_exists(self) -> None:
        assert {rule for _, rules in KINDS.values() for rule in rules} <= reference.rulings(DIALECT).keys()

    def test_each_kind_of_bytes_in_the_vectors_has_a_sentence(self) -> None:
        seen = set()
        for vector in vectors.load():
            if vector.dialect == DIALECT and vector.type is not None and len(vector.data) < 4096:
                seen |= {
                    span.what
                    for span in reference.explain(
                        vector.type, vector.data, dialect=DIALECT, version=vector.version
                    ).spans
                }
        assert len(seen) > 40
        assert seen == KINDS.keys()

    def test_another_dialect_has_other_forms(self) -> None:
        assert rule_of("VARINT", "kip-482-v1") == ("", ())


class TestBadInput:
    """One clear paragraph, exit code 2, and no page."""

    def refused(self, said: str, *arguments: str) -> None:
        done = run(*arguments)
        assert done.exit_code == 2, done.output
        assert said in " ".join(done.output.split())
        assert "Traceback" not in done.output
        assert len(done.output) < 3000

    @pytest.mark.parametrize("cut", [10, 400, -3, -200])
    def test_a_report_that_was_cut_off(self, cut: int, tmp_path: Path, out: Path) -> None:
        path = report(tmp_path / "r.jsonl", small())
        path.write_bytes(path.read_bytes()[:cut])
        self.refused(str(path.name), "report", str(path), "--html", str(out))
        assert not out.exists()

    def test_a_report_of_another_format(self, tmp_path: Path, out: Path) -> None:
        path = report(tmp_path / "r.jsonl", small(), form=3)
        self.refused("has format 3; this version of Wireproof reads", "report", str(path), "--html", str(out))

    def test_a_verdict_that_nobody_knows(self, tmp_path: Path, out: Path) -> None:
        row = line(BIT_32, "pass") | {"verdict": "maybe\x1b[31m" + "x" * 100_000}
        self.refused("a verdict is expected", "report", str(report(tmp_path / "r.jsonl", [row])), "--html", str(out))

    @pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"[]\n", b"\n", b"null\n", b'{"report": "2"}\n'])
    def test_what_is_no_report(self, content: bytes, tmp_path: Path, out: Path) -> None:
        (tmp_path / "r.jsonl").write_bytes(content)
        self.refused("", "report", str(tmp_path / "r.jsonl"), "--html", str(out))
        assert not out.exists()

    def test_a_missing_file(self, tmp_path: Path, out: Path) -> None:
        self.refused("does not exist", "report", str(tmp_path / "none"), "--html", str(out))

    def test_no_place_for_the_page(self, tmp_path: Path) -> None:
        self.refused("--html OUT", "report", str(report(tmp_path / "r.jsonl", small())))

    @pytest.mark.parametrize("command", ["report", "explain"])
    def test_nothing_is_overwritten_without_being_asked(self, command: str, tmp_path: Path, out: Path) -> None:
        given = (
            ["explain", "INT8", "00"]
            if command == "explain"
            else ["report", str(report(tmp_path / "r.jsonl", small()))]
        )
        out.write_text("mine")
        self.refused("--overwrite", *given, "--html", str(out))
        assert out.read_text() == "mine"
        assert run(*given, "--html", str(out), "--overwrite").exit_code == 0
        assert out.read_text("utf-8").startswith("<!DOCTYPE html>")

    def test_an_empty_file_beside_a_report(self, tmp_path: Path, out: Path) -> None:
        (tmp_path / "empty.jsonl").touch()
        files = [str(report(tmp_path / "r.jsonl", small())), str(tmp_path / "empty.jsonl")]
        self.refused("empty.jsonl: there is no report in it", "report", *files, "--html", str(out))
        assert not out.exists()

    def test_a_page_does_not_replace_its_report(self, tmp_path: Path) -> None:
        path = report(tmp_path / "r.jsonl", small())
        content = path.read_bytes()
        self.refused("would replace a report", "report", str(path), "--html", str(path), "--overwrite")
        assert path.read_bytes() == content

    @pytest.mark.parametrize("place", ["", "missing/out.html"])
    def test_a_place_that_cannot_be_written(self, place: str, tmp_path: Path) -> None:
        self.refused("--html", "explain", "INT8", "00", "--html", str(tmp_path / place), "--overwrite")

    def test_a_device(self) -> None:
        self.refused("no regular file", "explain", "INT8", "00", "--html", "/dev/full", "--overwrite")


class TestHostileText:
    @pytest.fixture
    def text(self, tmp_path: Path, out: Path) -> str:
        reports = [
            report(tmp_path / f"{number}.jsonl", hostile(0 if number else 10 << 20), name=attack, version=attack)
            for number, attack in enumerate(ATTACKS)
        ]
        done = run("report", *map(str, reports), "--html", str(out))
        assert done.exit_code == 0, done.output
        return out.read_text("utf-8")

    def test_it_does_not_come_into_the_page(self, text: str) -> None:
        assert len(text) < 2 << 20  # 11 MB went in
        assert len(re.findall("<script", text)) == 2
        assert "<img" not in text
        assert {char for char in text if not char.isprintable()} <= {"\n"}

    def test_the_check_sees_what_is_not_escaped(
        self, text: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setattr("wireproof.html.page.json_for_script", lambda data: json.dumps(data, ensure_ascii=False))
        out = tmp_path / "unescaped.html"
        path = report(tmp_path / "r.jsonl", hostile(), name=ATTACKS[0])
        assert run("report", str(path), "--html", str(out)).exit_code == 0
        assert len(re.findall("<script", out.read_text("utf-8"))) > 2

    def test_json_cannot_end_its_element(self) -> None:
        made = json_for_script({"a": "</script><!--&\u2028"})
        assert not set("<>&\u2028") & set(made)
        assert json.loads(made) == {"a": "</script><!--&\u2028"}


def test_the_policy_names_the_styles_and_the_script(out: Path) -> None:
    assert run("explain", "INT8", "00", "--html", str(out)).exit_code == 0
    text = out.read_text("utf-8")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy
    said = policy[1].replace("&#39;", "'")
    assert said.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in said
    for element in ("style", "script"):
        found = re.search(rf"<{element}>(.*?)</{element}>", text, re.DOTALL)
        assert found
        digest = base64.b64encode(hashlib.sha256(found[1].encode()).digest()).decode()
        assert f"{element}-src 'sha256-{digest}'" in said
