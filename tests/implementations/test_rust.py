"""The wrappers of Rust's libraries: what they offer, and that the kit finds what is known to be wrong in them, and
what is planted.

Skipped where they are not built; `implementations/rust/build` does that, with Rust. Whole runs are `tox -e impl-rust`.
"""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from support.rust import COPIED, FOLDER, LIBRARIES, build_changed, run, skip_unless_built, spec

from wireproof.conformance import vectors
from wireproof.conformance.asking.examiner import Examiner
from wireproof.conformance.connection import Options, open_connection
from wireproof.conformance.connection.spec import known_beside
from wireproof.conformance.evidence import known_deviations
from wireproof.conformance.model import Op, Outcome, Verdict
from wireproof.conformance.questions import selection

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from wireproof.conformance.vectors import Vector

VERSIONS = {"kafka-protocol": "0.18.0", "kacrab-protocol": "0.4.0", "kafka_wire_protocol": "3.0.0"}


@cache
def every_vector() -> tuple[Vector, ...]:
    return tuple(vectors.load())


class Asked:
    """A library in a child process, asked by the ids of vectors, without its known deviations."""

    def __init__(self, library: str) -> None:
        self.examiner = Examiner(open_connection(spec(library), Options(timeout=20)))
        chosen = selection.of_vectors(every_vector(), self.examiner.description)
        self._questions = {question.case.id: question for question in chosen}

    def verdicts(self, ids: Iterable[str]) -> dict[str, Verdict]:
        questions = [self._questions[f"kafka/{one}"] for one in ids]
        return {judged.verdict.id.removeprefix("kafka/"): judged.verdict for judged in self.examiner.judge(questions)}


@pytest.fixture(scope="module")
def asked() -> Iterator[Mapping[str, Asked]]:
    skip_unless_built()
    every = {library: Asked(library) for library in LIBRARIES}
    yield every
    for one in every.values():
        one.examiner.close()


# --- What they say of themselves ----------------------------------------------------------------------------------

#: Library → the number of requests and responses, and of their versions; some spans; a type that has one op alone.
OFFERED: dict[str, tuple[int, int, dict[str, tuple[int, int] | None], tuple[str, set[Op]]]] = {
    "kafka-protocol": (174, 580, {"MetadataResponse": (0, 13), "RequestHeader": (1, 2)}, ("VotersRecord", {Op.RECODE})),
    "kacrab-protocol": (178, 604, {"MetadataResponse": (0, 13), "ARRAY": None}, ("MetadataResponse", {Op.RECODE})),
    "kafka_wire_protocol": (174, 555, {"MetadataResponse": (0, 13), "UUID": None}, ("MetadataResponse", {Op.RECODE})),
}


@pytest.mark.parametrize("library", LIBRARIES)
def test_descriptions(asked: Mapping[str, Asked], library: str) -> None:
    count, versions, spans, (name, ops) = OFFERED[library]
    description = asked[library].examiner.description
    assert description.types is not None
    types = description.types["kafka"]
    found = [span for type_name, span in types.items() if type_name.endswith(("Request", "Response"))]
    assert (description.name, description.version) == (library, VERSIONS[library])
    assert (description.language, description.dialects) == ("rust", ("kafka",))
    assert (len(found), sum(span[1] - span[0] + 1 for span in found if span)) == (count, versions)
    assert {one: types[one] for one in spans} == spans
    assert description.type_ops["kafka"][name] == ops
    assert (Op.PRODUCE in description.ops) is (library == "kafka-protocol")


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_file_of_known_deviations_is_found_and_complete(library: str) -> None:
    path = known_beside(spec(library))
    assert path == FOLDER / LIBRARIES[library] / "wrapper.known.toml"
    for entry in known_deviations.load(path, None).deviations:
        assert entry.versions == VERSIONS[library]
        assert entry.reason.endswith(".")
        assert "\n" not in entry.reason


# --- What is known to be wrong in them ----------------------------------------------------------------------------

#: Library → id → the verdict, and a part of its detail.
FACTS = {
    "kafka-protocol": {
        "header-multimaps/batch-headers#decode": (Outcome.FAIL, "first difference at records[0].headers"),
        "resource-limits/response-v0-keys-max#recode": (Outcome.CRASH, "memory allocation of"),
        "messages/init-producer-id-request-6-two-phase#recode": (Outcome.FAIL, "specified version not supported"),
        "tag-ordering/request-header-tag-2147483648#encode": (Outcome.FAIL, "first difference at byte 12"),
        "null-encodings/consumer-group-heartbeat-response-marker-2#recode": (Outcome.FAIL, "invalid-marker"),
        "delivery/produce-transactional#produce": (Outcome.PASS, ""),
    },
    "kacrab-protocol": {
        "null-encodings/array-null#decode": (Outcome.FAIL, "null-not-allowed at byte 0; accepted as []"),
        "resource-limits/batch-lz4-zeros#decode": (Outcome.FAIL, "provided output is too small"),
        "tag-ordering/vote-response-0-tag-0-unknown#recode": (Outcome.CONTESTED, "first difference at byte 3"),
        "header-multimaps/record-triple#decode": (Outcome.PASS, ""),
    },
    "kafka_wire_protocol": {
        "null-encodings/compact-string-longest#encode": (Outcome.FAIL, "got 0x8080feff0f"),
        "tag-ordering/request-header-size-too-large#decode": (Outcome.FAIL, "truncated at byte 13; accepted as"),
        "tag-ordering/response-tag-3-size-4294967295#recode": (Outcome.CRASH, "capacity overflow"),
        "varints/compact-string-length-six-bytes#decode": (Outcome.FAIL, "varint-overflow at byte 0"),
    },
}


@pytest.mark.parametrize("library", LIBRARIES)
def test_what_is_known_is_found(asked: Mapping[str, Asked], library: str) -> None:
    facts = FACTS[library]
    for identifier, verdict in asked[library].verdicts(facts).items():
        outcome, detail = facts[identifier]
        assert verdict.outcome is outcome, identifier
        assert detail in verdict.detail, identifier


# --- What is planted in kacrab-protocol ---------------------------------------------------------------------------

NULL_TEXT = """\
fn read_nullable_compact_len(buf: &mut Bytes) -> Result<Option<usize>> {
    let raw = read_unsigned_varint(buf)?;
    if raw == 0 {
        return Ok(None);
"""
#: File, its text, what it is replaced by, and a case that passes without that and fails with it.
PLANTED = {
    "a sign": (
        "src/primitives.rs",
        "let encoded = ((value << 1) ^ (value >> 63)).cast_unsigned();\n    write_unsigned_varlong(buf, encoded);",
        "let encoded = (value << 1).cast_unsigned();\n    write_unsigned_varlong(buf, encoded);",
        "varints/varlong-minus-1#encode",
    ),
    "a null": (
        "src/string.rs",
        NULL_TEXT,
        NULL_TEXT.replace("None", "Some(0)"),
        "null-encodings/compact-nullable-string-null#decode",
    ),
    "a bound": (
        "src/primitives.rs",
        "const VARINT_MAX_BYTES: u8 = 5;",
        "const VARINT_MAX_BYTES: u8 = 6;",
        "varints/uvarint-six-bytes-of-zero#decode",
    ),
}


def test_what_is_planted_is_found(asked: Mapping[str, Asked], monkeypatch: pytest.MonkeyPatch) -> None:
    """All at once, in one build: no bug is seen in the case of another one."""
    changes: dict[str, list[tuple[str, str]]] = {}
    for file, text, wrong, _ in PLANTED.values():
        changes.setdefault(file, []).append((text, wrong))
    ids = [identifier for *_, identifier in PLANTED.values()]
    assert {verdict.outcome for verdict in asked[COPIED].verdicts(ids).values()} == {Outcome.PASS}
    monkeypatch.setenv("WIREPROOF_RUST_BUILD", str(build_changed(changes)))
    planted = Asked(COPIED)
    with planted.examiner:
        for identifier, verdict in planted.verdicts(ids).items():
            assert verdict.outcome is Outcome.FAIL, identifier


# --- Launchers ----------------------------------------------------------------------------------------------------

LAUNCHER = FOLDER / "kacrab-protocol" / "wrapper"


class TestLaunchers:
    def test_what_is_not_built_is_said_with_what_to_do(self, tmp_path: Path) -> None:
        ended = run(LAUNCHER, WIREPROOF_RUST_BUILD=str(tmp_path))
        assert (ended.returncode, ended.stdout) == (2, "")
        assert ended.stderr == f"implementations/rust: the wrappers are not built: run {FOLDER / 'build'}\n"

    def test_what_is_of_other_sources_does_not_run(self, tmp_path: Path) -> None:
        (tmp_path / "built").write_text("1 2\n")
        ended = run(LAUNCHER, WIREPROOF_RUST_BUILD=str(tmp_path))
        assert (ended.returncode, ended.stdout) == (2, "")
        expected = f"implementations/rust: what is built is of other sources: run {FOLDER / 'build'}\n"
        assert ended.stderr == expected

    @pytest.mark.parametrize("script", ["build", "check"])
    def test_without_cargo(self, script: str, tmp_path: Path) -> None:
        for tool in ("sh", "dirname", "sed"):
            (tmp_path / tool).symlink_to(str(shutil.which(tool)))
        ended = run(FOLDER / script, PATH=str(tmp_path))
        assert (ended.returncode, ended.stdout) == (2, "")
        assert ended.stderr == "implementations/rust: there is no cargo on PATH: install Rust of 1.95 or later\n"

    def test_a_line_that_is_no_question_ends_it_with_the_line(self) -> None:
        skip_unless_built()
        ended = run(LAUNCHER, stdin='{"op":"describe","protocol":1}\n{"seq":1\n')
        assert ended.returncode == 1
        assert ended.stderr.startswith("the conversation broke off: line 2: EOF while parsing an object")
        assert ended.stderr.endswith(': "{\\"seq\\":1"\n')

    def test_an_argument_is_met_with_the_usage(self) -> None:
        skip_unless_built()
        ended = run(LAUNCHER, "--nonsense")
        assert (ended.returncode, ended.stdout) == (2, "")
        assert ended.stderr.startswith("usage: wrapper ")

    def test_nothing_is_built_into_the_sources(self) -> None:
        listed = subprocess.run(
            ["git", "-C", str(FOLDER), "status", "--porcelain", "--ignored", "."],
            capture_output=True,
            text=True,
            check=False,
        )
        assert {line.split("/")[-1] for line in listed.stdout.splitlines() if line[:2] == "!!"} <= {"Cargo.lock"}
