"""`wireproof attest`: who agrees with an expectation, who dissents, and how many independent groups support it."""

from __future__ import annotations

import itertools
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from click.testing import Result as Invocation
from support import pytest_run
from support.paths import ROOT, TESTS
from support.planted import CODEC, Clone

from wireproof.cli import group
from wireproof.clone import known_issues, registry
from wireproof.clone.known_issues import Example, explaining
from wireproof.conformance import ledger, vectors
from wireproof.conformance.evidence import attestation, consensus
from wireproof.conformance.evidence.attestation import Answer, Attestation, Header, Result, collect, digest
from wireproof.conformance.evidence.consensus import Support
from wireproof.conformance.evidence.known_deviations import KnownDeviation
from wireproof.conformance.judging.alternatives import incidental_entries
from wireproof.conformance.judging.judge import judge
from wireproof.conformance.model import Observation, Op, Outcome, Status, Verdict
from wireproof.conformance.questions import conversations
from wireproof.conformance.report.failure import failure_page
from wireproof.conformance.vectors import Vector, VectorError, VectorKind, kit_files
from wireproof.reference.errors import Reason

#: It reads every BOOLEAN as true.
LIAR = CODEC + "\ndef decode(type, data, **named):\n    return _decode(type, data, **named) or type == 'BOOLEAN'\n"
KNOWN = """
[[deviation]]
match = "kafka/framing/boolean-*#decode"
class = "bug"
reason = "it is planted"
reported = "pending"
"""
#: A decision about what LIAR gets wrong.
DECIDED = b"""
[[decision]]
subject = "false"
match = ["kafka/*#decode", "kafka/*#recode"]
outcome = "stands"
why = "00 is false."
"""


def header(name: str = "one", version: str = "1", of_group: str = "") -> Header:
    return Header(1, name, version, "python", of_group or name, "kafka")


def by_id(path: str) -> Vector:
    return next(one for one in vectors.load(["kafka"]) if f"{one.area}/{one.id}" == path)


FALSE = "framing/boolean-false"
ANSWERS = {result: Answer(result, "wrong-value" if result is Result.DISSENT else "") for result in Result}


def who(result: Result, vector: Vector, name: str = "one", of_group: str = "") -> Attestation:
    """An implementation that says the same of each op of a vector."""
    return collect(header(name, of_group=of_group), [(vector, op, ANSWERS[result]) for op in vector.ops])


def support(vector: Vector, *files: Attestation, op: Op | None = None) -> Support:
    found = consensus.of_expectations(files, [(vector, attestation.current_digest(vector))])
    return next(one.support for one in found if op in (None, one.op))


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Clone:
    return Clone(tmp_path, monkeypatch)


def run(*arguments: str) -> Invocation:
    return CliRunner().invoke(group, ["attest", *arguments])


#: Reads the record in the middle of a batch wrong; recode writes it as it was read.
DEEP = """
from wireproof import reference
from wireproof.reference import encode as encode

types = {"kafka": {"RecordBatch": None}}

def decode(type, data, *, dialect, version=None):
    value = reference.decode(type, data, dialect=dialect, version=version)
    records = value["records"]
    if len(records) > 100:
        records[len(records) // 2] = records[len(records) // 2] | {"attributes": 1}
    return value
"""


class TestAsking:
    def test_a_lie_is_a_dissent_also_a_known_one(self, clone: Clone) -> None:
        clone.add("honest", CODEC)
        clone.add("liar", LIAR)
        clone.write("liar.known.toml", KNOWN)
        done = run()
        assert done.exit_code == 0, done.output
        honest, liar = (clone.attested(name) for name in ("honest", "liar"))
        vector = by_id(FALSE)
        assert honest.answer(vector, Op.DECODE) == Answer(Result.AGREE)
        assert liar.answer(vector, Op.DECODE) == Answer(Result.DISSENT, "wrong-value")
        assert liar.answer(vector, Op.ENCODE) == Answer(Result.AGREE)
        assert liar.answer(by_id("varints/varint-1"), Op.DECODE) is None
        disputed = consensus.count(consensus.of_expectations([liar])).disputed
        assert {one.op for one in disputed if one.vector.id == vector.id} == {Op.DECODE, Op.RECODE}
        text = run("--show").output
        assert "two groups or more agree" in text
        assert "liar 7: wrong-value; known, bug: it is planted" not in text  # honest outweighs it: one against one

    def test_more_dissent_than_agreement_is_listed_with_the_known_cause(self, clone: Clone) -> None:
        clone.add("liar", LIAR)
        clone.write("liar.known.toml", KNOWN.replace("boolean-*", "boolean-false"))
        assert run().exit_code == 0
        text = run("--show").output
        assert "kafka/framing/boolean-false#decode" in text
        assert "liar 7: wrong-value; known, bug: it is planted" in text
        clone.write("liar.known.toml", "")
        assert "liar 7: wrong-value; no entry of known deviations names it" in run("--show").output

    def test_how_it_was_decided_is_shown(self, clone: Clone, monkeypatch: pytest.MonkeyPatch) -> None:
        clone.add("liar", LIAR)
        assert run().exit_code == 0
        assert "not decided: vectors/attested/decisions.toml has no decision about it" in run("--show").output
        made = consensus.parse_decisions(DECIDED, "made")
        monkeypatch.setattr(consensus, "load_decisions", lambda: made)
        text = run("--show").output
        assert "decided, stands: 00 is false." in text
        assert "not decided" not in text

    def test_check_fails_for_a_file_that_is_not_what_the_run_gives(self, clone: Clone) -> None:
        clone.add("honest", CODEC)
        assert run("--check").exit_code == 1  # there is none
        assert not clone.file("honest").exists()
        assert run().exit_code == 0
        content = clone.file("honest").read_bytes()
        done = run("--check")
        assert (done.exit_code, "unchanged" in done.output) == (0, True), done.output
        clone.file("honest").write_bytes(content.replace(b'"agree":"decode', b'"contested":"decode', 1))
        done = run("--check")
        assert done.exit_code == 1
        assert "not what the run gives: honest" in done.output
        assert "differs at kafka/" in done.output
        assert run().exit_code == 0
        assert clone.file("honest").read_bytes() == content  # byte for byte
        clone.file("honest").with_name("gone.jsonl").write_bytes(content)
        done = run("--check")
        assert (done.exit_code, "gone.jsonl: the registry has no such" in done.output) == (1, True)

    def test_how_a_process_ends_may_differ_from_run_to_run_and_nothing_else(self, clone: Clone) -> None:
        clone.add("liar", LIAR)
        assert run().exit_code == 0
        content = clone.file("liar").read_bytes()
        assert b'"wrong-value"' in content
        ended, other = (content.replace(b'"wrong-value"', f'"{kind}"'.encode()) for kind in ("hang", "oom"))
        at_rest, loaded = (attestation.parse(one, "one") for one in (ended, other))
        assert at_rest != loaded
        assert list(consensus.differences(at_rest, loaded)) == []
        lied = list(consensus.differences(at_rest, attestation.parse(content, "one")))
        assert f"kafka/{FALSE}#decode" in lied
        clone.file("liar").write_bytes(ended)
        done = run("--check")
        assert done.exit_code == 1
        assert f"differs at {', '.join(lied)}" in " ".join(done.output.split())
        assert clone.file("liar").read_bytes() == ended

    def test_what_cannot_be_asked_is_told_and_its_file_stays(self, clone: Clone) -> None:
        clone.add("honest", CODEC)
        clone.add("lacking", "import a_library_that_is_not_there", install="pip install it")
        clone.file("lacking").parent.mkdir(parents=True)
        clone.file("lacking").write_bytes(b"as it was")
        done = run("--impl=honest", "--impl=lacking")
        assert done.exit_code == 2
        assert "lacking cannot be asked (pip install it)" in done.output
        done = run()
        assert done.exit_code == 0
        assert "lacking: not asked, its file stays (pip install it)" in done.output
        assert clone.file("lacking").read_bytes() == b"as it was"

    def test_nothing_to_ask(self, clone: Clone) -> None:
        clone.add("lacking", "import a_library_that_is_not_there")
        done = run()
        assert (done.exit_code, "none of the implementations can be asked" in done.output) == (2, True)
        assert run("--show").exit_code == 2  # there are no files

    def test_wrong_use(self, clone: Clone) -> None:
        clone.add("honest", CODEC)
        done = run("--impl=\x1b[31mx")
        assert (done.exit_code, "\x1b" in done.output) == (2, False)
        assert "There is honest" in done.output or "There are honest" in done.output
        assert run("--show", "--check").exit_code == 2
        assert run("--all").exit_code == 2

    def test_a_damaged_file_is_a_paragraph(self, clone: Clone) -> None:
        clone.add("honest", CODEC)
        clone.file("honest").parent.mkdir(parents=True)
        clone.file("honest").write_bytes(b'{"attested":2}\n')
        done = run("--show")
        assert done.exit_code == 2
        assert "honest.jsonl, line 1" in done.output
        assert "Traceback" not in done.output


class TestChanges:
    def test_a_vector_with_another_expectation_loses_its_attestation(self) -> None:
        vector = by_id(FALSE)
        files = [who(Result.AGREE, vector, name) for name in ("one", "two")]
        assert support(vector, *files) is Support.TWO
        changed = msgspec.structs.replace(vector, value=True)
        assert support(changed, *files) is Support.CHANGED
        assert files[0].answer(changed, Op.DECODE) is None
        assert support(by_id("framing/boolean-true"), *files) is Support.NOT_OFFERED  # never asked

    @pytest.mark.parametrize("part", ["data", "value", "canonical", "reject", "version"])
    def test_each_part_of_the_expectation_counts(self, part: str) -> None:
        vector = by_id(FALSE)
        changed: dict[str, dict[str, Any]] = {
            "data": {"pieces": (vectors.Piece(b"\x01", ""),)},
            "value": {"value": 0},
            "canonical": {"canonical": (vectors.Piece(b"\x02", ""),)},
            "reject": {"reject": vectors.Reject(Reason.TRUNCATED)},
            "version": {"version": 1},
        }
        assert digest(msgspec.structs.replace(vector, **changed[part])) != digest(vector)

    def test_texts_do_not_count(self) -> None:
        vector = by_id(FALSE)
        pieces = tuple(vectors.Piece(piece.data, "another label") for piece in vector.pieces)
        assert digest(msgspec.structs.replace(vector, about="", source="", pieces=pieces)) == digest(vector)

    def test_another_reading_does_not_count(self) -> None:
        also = vectors.Also(("R-K-1",), frozenset({Op.DECODE}), True, {})
        vector = by_id(FALSE)
        assert digest(msgspec.structs.replace(vector, also=(also,))) == digest(vector)

    def test_a_changed_ledger_loses_it(self, monkeypatch: pytest.MonkeyPatch) -> None:
        vector = ledger.vector("HeartbeatResponse/0/default")
        assert vector is not None
        files = [who(Result.AGREE, vector, name) for name in ("one", "two")]
        assert support(vector, *files) is Support.TWO
        monkeypatch.setattr(attestation, "ledger_digest", lambda *_: "another")
        assert support(vector, *files) is Support.CHANGED


class TestSupport:
    def test_two_implementations_of_one_group_are_one(self) -> None:
        vector = by_id(FALSE)
        files = [who(Result.AGREE, vector, name, "jar") for name in ("one", "two")]
        assert support(vector, *files) is Support.ONE
        assert support(vector, *files, who(Result.AGREE, vector, "three")) is Support.TWO

    @pytest.mark.parametrize(
        ("second", "expected"),
        [
            (Result.AGREE, Support.TWO),
            (Result.DISSENT, Support.DISSENT),
            (Result.CONTESTED, Support.CONTESTED),
            (Result.UNJUDGED, Support.UNJUDGED),
        ],
    )
    def test_by_what_the_second_says(self, second: Result, expected: Support) -> None:
        vector = by_id(FALSE)
        files = [who(Result.AGREE, vector), who(second, vector, "two")]
        assert support(vector, *files) is expected
        assert support(vector, files[0]) is Support.ONE

    def test_of_none(self) -> None:
        serve = next(one for one in vectors.load(["kafka"]) if one.kind is VectorKind.SERVE)
        assert support(serve) is Support.PEERS
        plain = by_id(FALSE)
        assert support(plain) is Support.NOT_OFFERED
        assert support(msgspec.structs.replace(plain, needs=("apis",))) is Support.SETTINGS

    @pytest.mark.parametrize(
        ("agree", "dissent", "disputed"), [(0, 1, True), (1, 1, False), (1, 2, True), (2, 2, False), (1, 0, False)]
    )
    def test_more_dissent_than_agreement(self, agree: int, dissent: int, disputed: bool) -> None:
        vector = by_id(FALSE)
        files = [who(Result.AGREE, vector, f"a{number}") for number in range(agree)]
        files += [who(Result.DISSENT, vector, f"d{number}") for number in range(dissent)]
        expectation = next(consensus.of_expectations(files, [(vector, digest(vector))]))
        assert expectation.disputed is disputed

    def test_the_sum_has_every_expectation(self) -> None:
        found = consensus.count(consensus.of_expectations([]))
        handwritten = sum(len(attestation.expectations(one)) for one in vectors.load(["kafka"]))
        held = len(conversations.every_vector())
        assert found.total() == handwritten + held + 3 * sum(1 for _ in ledger.every_vector("kafka"))
        assert found.total() == sum(found.total(area) for area in found.areas())
        assert found.total(support=Support.TWO) == 0

    def test_what_is_asked_of_peers_is_counted_apart(self) -> None:
        serve, decode = by_id("unsupported-versions/broker-v0"), by_id(FALSE)
        files = [who(Result.AGREE, serve, "a"), who(Result.AGREE, serve, "b")]
        found = consensus.count(consensus.of_expectations(files, [(one, digest(one)) for one in (serve, decode)]))
        assert found.total(consensus.PEERS) == len(attestation.expectations(serve))
        assert found.total(support=Support.TWO) > 0
        assert found.codec == (0, len(attestation.expectations(decode)))

    def test_nine_of_ten_codec_expectations_have_two_groups(self) -> None:
        two, total = consensus.count(consensus.of_expectations(attestation.load())).codec
        assert 10 * two >= 9 * total
        assert total > 16_000

    def test_most_expectations_of_peers_have_two_groups(self) -> None:
        """What is left is told in docs/explanation/attestation.md."""
        counted = consensus.count(consensus.of_expectations(attestation.load()))
        assert 100 * counted.total(consensus.PEERS, Support.TWO) >= 86 * counted.total(consensus.PEERS)
        two, total = counted.peers
        assert total > 1200
        assert 100 * two >= 88 * total

    def test_each_expectation_with_more_dissent_is_decided(self) -> None:
        disputed = consensus.count(consensus.of_expectations(attestation.load())).disputed
        number = consensus.decided_by(disputed, consensus.load_decisions())
        assert not [one.id for one in disputed if consensus.decision(one, consensus.load_decisions()) is None]
        assert not [one.subject for one in consensus.load_decisions() if not number[one]], "nothing is left of these"

    def test_contested_is_what_has_another_reading(self) -> None:
        """A decision calls contested what the vectors call so, and nothing else."""
        disputed = consensus.count(consensus.of_expectations(attestation.load())).disputed
        for one in disputed:
            found = consensus.decision(one, consensus.load_decisions())
            assert found is not None
            if found.outcome == "contested":
                assert one.vector.also or incidental_entries(one.vector), one.id

    @pytest.mark.parametrize("outcome", list(Outcome))
    def test_from_a_verdict(self, outcome: Outcome) -> None:
        verdict = Verdict("x", "kafka", "framing", None, None, Op.DECODE, outcome, known="an entry")
        expected = {
            "pass": Result.AGREE,
            "contested": Result.CONTESTED,
            "skip": Result.UNJUDGED,
            "not-asked": Result.UNJUDGED,
            "unsteady": Result.UNJUDGED,
        }
        answer = Answer.of(verdict)
        assert answer.result is expected.get(outcome, Result.DISSENT)
        assert answer.kind == (str(outcome) if answer.result is Result.DISSENT else "")


class TestDecisions:
    def test_the_first_that_concerns_it_counts(self) -> None:
        vector = by_id("varints/uvarint-bit-32")
        expectation = next(consensus.of_expectations([], [(vector, digest(vector))]))
        one, other, third = (
            consensus.Decision("a", ("kafka/varints/*#decode",), "stands", "b", ruling)
            for ruling in ("R-K-5", "R-K-6", None)
        )
        assert consensus.decision(expectation, (one,)) is None
        assert consensus.decision(expectation, (one, other, third)) is other
        assert consensus.decision(expectation, (third, other)) is third
        assert consensus.decided_by([expectation], (one, other)) == {other: 1}

    @pytest.mark.parametrize(
        "wrong", [b"decision = 1", b"\xff", b"[", DECIDED.replace(b"stands", b"falls"), DECIDED + b"a=1"]
    )
    def test_a_damaged_file(self, wrong: bytes) -> None:
        with pytest.raises(VectorError, match=r"^made: "):
            consensus.parse_decisions(wrong, "made")


class TestFiles:
    def test_the_ledger_s_lines_lose_nothing(self) -> None:
        """Of every op some versions are not offered; the others say anything, a few things more often than the rest."""
        random = Random("ledger lines")
        answers = [*ANSWERS.values(), Answer(Result.DISSENT, "crash")]
        cases = ledger.load("MetadataResponse").vectors
        for _ in range(40):
            weights = [random.random() ** 4 for _ in answers]
            low, high = sorted(random.choices(range(14), k=2))
            asked = [
                (one, op, random.choices(answers, weights)[0])
                for one, op in itertools.product(cases, cases[0].ops)
                if op is Op.DECODE or low <= (one.version or 0) <= high
            ]
            made = attestation.parse(attestation.encoded(collect(header(), asked)), "made")
            expected = {(one.id, op): answer for one, op, answer in asked}
            for one, op in itertools.product(cases, cases[0].ops):
                assert made.answer(one, op) == expected.get((one.id, op))

    def test_who_offers_messages_says_nothing_of_frames(self) -> None:
        frame, body = (ledger.vector(f"MetadataResponse/13/{case}") for case in ("frame", "set"))
        assert frame is not None
        assert body is not None
        agrees = Answer(Result.AGREE)
        of_bodies = collect(header(), [(one, Op.DECODE, agrees) for one in ledger.load("MetadataResponse").vectors[:3]])
        assert of_bodies.by_message["MetadataResponse"].agree == {"decode": "0"}
        alone = collect(header(), [(body, Op.DECODE, agrees)])
        assert (alone.answer(body, Op.DECODE), alone.answer(frame, Op.DECODE)) == (agrees, None)
        both = collect(header(), [(body, Op.DECODE, agrees), (frame, Op.DECODE, agrees)])
        assert both.by_message["MetadataResponse"].agree == {"decode": "13 frame:13"}

    def test_invalid_bytes_are_one_expectation(self) -> None:
        invalid = next(one for one in vectors.load(["kafka"]) if one.kind is VectorKind.INVALID and len(one.ops) == 2)
        made = collect(header(), [(invalid, Op.RECODE, Answer(Result.AGREE))])
        assert made.answer(invalid, Op.DECODE) == made.answer(invalid, Op.RECODE) == Answer(Result.AGREE)
        assert attestation.expectations(invalid) == (Op.DECODE,)

    @pytest.mark.parametrize("content", [b"", b"\xff", b"[]", b'{"attested":1}', b"[" * 5000])
    def test_a_damaged_header(self, content: bytes) -> None:
        with pytest.raises(VectorError, match="made, line 1"):
            attestation.parse(content, "made")

    def test_a_damaged_line(self) -> None:
        first = attestation.encoded(collect(header(), []))
        with pytest.raises(VectorError, match="made, line 2"):
            attestation.parse(first + b'{"ledger":1}\n', "made")

    def test_those_of_the_vector_set(self) -> None:
        names = {one.name: one.group for one in registry.implementations()}
        files = attestation.load()
        assert {one.header.name for one in files} <= names.keys()
        assert {one.header.name: one.header.group for one in files}.items() <= names.items()
        for path in (ROOT / "vectors" / "attested").iterdir():
            assert path.stat().st_size < 320_000, path.name

    def test_they_are_no_part_of_the_vector_set_s_version(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:

        (tmp_path / "attested").mkdir()
        (tmp_path / "kafka").mkdir()
        (tmp_path / "kafka" / "varints.json").write_bytes(b"{}")
        monkeypatch.setattr(kit_files, "_root", lambda: tmp_path)
        before = vectors.digest.__wrapped__()
        (tmp_path / "attested" / "kio.jsonl").write_bytes(b"{}")
        assert vectors.digest.__wrapped__() == before
        (tmp_path / "kafka" / "framing.json").write_bytes(b"{}")
        assert vectors.digest.__wrapped__() != before


class TestPages:
    @pytest.fixture
    def files(self, monkeypatch: pytest.MonkeyPatch) -> list[Attestation]:
        files: list[Attestation] = []
        monkeypatch.setattr(attestation, "_own", lambda: tuple(files))
        return files

    def page(self, vector: Vector, op: Op = Op.DECODE) -> str:
        case = vector.case(op)
        observation = Observation(case, Status.CRASH, error="KeyError")
        verdict = judge(vector, observation)
        return failure_page(vector, case, observation, verdict, implementation="mine 1", repro="", width=100).plain

    def test_it_names_who_agrees_one_of_a_group(self, files: list[Attestation]) -> None:
        vector = by_id(FALSE)
        files += [
            who(Result.AGREE, vector, "b-schema", "b"),
            who(Result.AGREE, vector, "b"),
            who(Result.AGREE, vector, "c"),
            who(Result.DISSENT, vector, "d"),
            who(Result.AGREE, vector, "mine"),
        ]
        assert "agree     b 1, c 1 give the demanded answer" in self.page(vector)
        changed = msgspec.structs.replace(vector, value=True)
        assert "demanded answer" not in self.page(changed)

    def test_none_for_derived_cases(self, files: list[Attestation]) -> None:
        source = ledger.vector("HeartbeatResponse/0/default")
        assert source is not None
        files.append(who(Result.AGREE, source))
        assert attestation.agreeing(source, source.case(Op.DECODE)) == ("one 1",)
        vector, case = next(ledger.prefixes(source, Op.DECODE))
        assert attestation.agreeing(vector, case) == ()

    def test_a_proposal_has_grammars(self) -> None:
        vector = next(one for one in vectors.load(["kip-35-v7"]) if one.kind is VectorKind.VALID)
        assert "tests/second_opinion" in self.page(vector)
        assert "tests/second_opinion" not in self.page(by_id(FALSE))


class TestFindings:
    def test_the_severity_and_the_shortest_input(self, clone: Clone) -> None:
        clone.add("liar", LIAR)
        clone.write("liar.known.toml", KNOWN.replace("boolean-*", "bool*"))
        (implementation,) = registry.implementations()
        vector = by_id(FALSE)
        file = who(Result.DISSENT, vector, "liar")
        (found,) = known_issues.of_implementation(implementation, file)
        assert (found.severity, found.cases) == ("loses data", 1)
        assert found.shortest is not None
        assert found.shortest.id == "kafka/framing/boolean-false#decode"
        clone.write("liar.known.toml", KNOWN + 'severity = "cosmetic"\n')
        (found,) = known_issues.of_implementation(implementation, file)
        assert found.severity == "cosmetic"
        (found,) = known_issues.of_implementation(implementation, None)
        assert (found.severity, found.shortest) == ("cosmetic", None)
        clone.write("liar.known.toml", KNOWN)
        (found,) = known_issues.of_implementation(implementation, None)
        assert found.severity is None

    def test_ids_come_before_patterns_and_the_narrowest_pattern_first(self) -> None:
        def entry(**parts: object) -> KnownDeviation:
            return msgspec.convert({"class": "bug", "reason": "x", "reported": "pending", **parts}, KnownDeviation)

        named = entry(match="kafka/framing/boolean-false#decode")
        wide = entry(signature={"verdict": "crash"})
        narrow = entry(signature={"verdict": "crash", "type": "BOOLEAN"})
        other = entry(signature={"verdict": "crash", "type": "INT8"})
        shown = Example(by_id(FALSE), Op.DECODE)
        assert explaining([wide, narrow, other, named], shown, "crash") == [named]
        assert explaining([wide, narrow, other], shown, "crash") == [narrow]
        assert explaining([other], shown, "crash") == []
        assert explaining([wide], shown, "oom") == []

    def test_the_text_of_a_report(self, clone: Clone) -> None:
        clone.add("liar", LIAR)
        clone.write("liar.known.toml", KNOWN)
        files = {"liar": who(Result.DISSENT, by_id(FALSE), "liar")}
        clone.monkeypatch.setattr(known_issues, "attested_by_name", lambda: files)
        clone.monkeypatch.setattr(attestation, "_own", lambda: (who(Result.AGREE, by_id(FALSE), "honest"),))
        listed = CliRunner().invoke(group, ["finding", "liar"])
        assert listed.output == "kafka/framing/boolean-false#decode: loses data: it is planted\n"
        text = CliRunner().invoke(group, ["finding", "liar", "kafka/framing/boolean-false#decode"]).output
        assert text.startswith("# liar 1: decode as BOOLEAN: loses data\n\nit is planted\n")
        assert "\n00\n" in text
        assert "The value is `false`." in text
        assert "- The same answer is given by honest 1" in text
        assert "wireproof repro 'kafka/framing/boolean-false#decode' --impl=liar" in text
        assert CliRunner().invoke(group, ["finding", "liar", "kafka/framing/other#decode"]).exit_code == 2
        assert CliRunner().invoke(group, ["finding", "nobody"]).exit_code == 2

    def test_the_findings_of_a_report_whoever_wrote_it(self, tmp_path: Path) -> None:
        (tmp_path / "liar.py").write_text(LIAR, "utf-8")
        (tmp_path / "liar.known.toml").write_text(KNOWN, "utf-8")
        pytest_run.run("--impl=liar", "-k", "boolean", "--known=none", "--report=liar.jsonl", cwd=tmp_path)
        report, known = str(tmp_path / "liar.jsonl"), f"--known={tmp_path / 'liar.known.toml'}"
        shortest = "kafka/framing/boolean-false#decode"
        listed = CliRunner().invoke(group, ["finding", report, known]).output
        assert f"{shortest}: loses data: it is planted\n" in listed
        without = CliRunner().invoke(group, ["finding", report]).output
        assert f"{shortest}: loses data: fail (wrong-value): " in without
        text = CliRunner().invoke(group, ["finding", report, shortest, known]).output
        assert text.startswith("# liar")
        assert "it is planted" in text
        assert f"wireproof repro '{shortest}' --impl=liar" in text

    def test_it_says_what_is_asked_beside_bytes(self, tmp_path: Path) -> None:
        report, case = str(tmp_path / "report.jsonl"), "kafka/delivery/aborted-alone#consume"
        wrong = "--impl=miniatures.consumer_delivers_aborted_transactions"
        pytest_run.run(wrong, "-k", "aborted-alone", f"--report={report}", cwd=TESTS)
        text = CliRunner().invoke(group, ["finding", report, case]).output
        assert "from position 100 on, read_committed, aborted: producer 9 from offset 100:\n" in text
        assert "00 00 00 00 00 00 00 64: baseOffset 100" in text
        assert "position: 10" in text.partition("## What the protocol demands")[2]

    def test_one_cause_is_one_finding_told_by_its_simplest_case(self, tmp_path: Path) -> None:
        (tmp_path / "deep.py").write_text(DEEP, "utf-8")
        pytest_run.run("--impl=deep", "-k", "batch-128 or batch-256", "--report=deep.jsonl", cwd=tmp_path)
        listed = CliRunner().invoke(group, ["finding", str(tmp_path / "deep.jsonl")]).output
        assert listed.startswith("kafka/framing/batch-128-records#decode: loses data: ")
        assert "lastOffsetDelta: 127" in listed  # not that of 256 records, which were asked first
        assert listed.count("\n") == 1

    def test_one_that_ends_a_process_is_marked(self, clone: Clone) -> None:
        clone.add("liar", LIAR)
        clone.write("liar.known.toml", KNOWN)
        made = collect(header("liar"), [(by_id(FALSE), Op.DECODE, Answer(Result.DISSENT, "crash"))])
        clone.monkeypatch.setattr(known_issues, "attested_by_name", lambda: {"liar": made})
        text = CliRunner().invoke(group, ["finding", "liar", "kafka/framing/boolean-false#decode"]).output
        assert text.startswith("<!-- Private first: this may be a vulnerability.")
        assert ": ends the process, private first: " in CliRunner().invoke(group, ["finding", "liar"]).output
