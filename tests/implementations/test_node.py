"""The wrappers of Node.js's libraries: what they offer, and that the kit finds what is known to be wrong in them, and
what is planted.

Skipped where the libraries are not installed; `implementations/node/build` does that, with Node.js and npm. Whole runs
are `tox -e impl-node`.
"""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from support.node import FOLDER, LIBRARIES, installed, run, skip_unless_built, spec
from support.toolchains import skip_without

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

VERSIONS = {"kafkajs": "2.2.4", "@platformatic/kafka": "1.35.0", "kafka-ts": "1.5.0"}


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

#: Library → the number of responses and of their versions; some spans; a type that has one op alone.
OFFERED: dict[str, tuple[int, int, dict[str, tuple[int, int] | None], tuple[str, set[Op]]]] = {
    "kafkajs": (31, 96, {"MetadataResponse": (0, 6), "MessageSet": (0, 1)}, ("UINT32", {Op.ENCODE})),
    "@platformatic/kafka": (60, 105, {"MetadataResponse": (9, 12), "UUID": None}, ("RecordSet", {Op.DECODE})),
    "kafka-ts": (74, 255, {"MetadataResponse": (0, 13), "RecordBatch": None}, ("MetadataResponse", {Op.DECODE})),
}


@pytest.mark.parametrize("library", LIBRARIES)
def test_descriptions(asked: Mapping[str, Asked], library: str) -> None:
    responses, versions, spans, (name, ops) = OFFERED[library]
    description = asked[library].examiner.description
    assert description.types is not None
    types = description.types["kafka"]
    found = [span for type_name, span in types.items() if type_name.endswith("Response")]
    assert (description.name, description.version) == (library, VERSIONS[library])
    assert (description.language, description.dialects) == ("javascript", ("kafka",))
    assert (len(found), sum(span[1] - span[0] + 1 for span in found if span)) == (responses, versions)
    assert {one: types[one] for one in spans} == spans
    assert description.type_ops["kafka"][name] == ops
    assert (Op.CONSUME in description.ops) is (library != "kafka-ts")
    assert (Op.PRODUCE in description.ops) is (library != "kafka-ts")


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
    "kafkajs": {
        "tag-ordering/tag-1#decode": (Outcome.FAIL, "refused: trailing-bytes at byte 4"),
        "varints/varint-64-cut-1#decode": (Outcome.FAIL, "truncated at byte 0; accepted as 0"),
        "header-multimaps/record-triple#encode": (Outcome.FAIL, "Received null"),
        "header-multimaps/record-duplicate-apart#decode": (Outcome.FAIL, "first difference at headers"),
        "framing/boolean-07#decode": (Outcome.FAIL, "expected true, got false"),
        "delivery/empty-batch#consume": (Outcome.FAIL, "got {records: [], position: 100}"),
        "delivery/aborted#consume": (Outcome.PASS, ""),
    },
    "@platformatic/kafka": {
        "tag-ordering/tag-1#decode": (Outcome.FAIL, "refused: trailing-bytes at byte 1"),
        "tag-ordering/tags-127-and-128#decode": (Outcome.FAIL, "refused: trailing-bytes at byte 2"),
        "varints/varlong-2147483648#encode": (Outcome.FAIL, "expected 0x8080808010, got 0x01"),
        "framing/batch-snappy-xerial#decode": (Outcome.CRASH, "unreachable"),
        "delivery/aborted#consume": (Outcome.FAIL, "first difference at records[0].offset"),
        "delivery/empty-set#consume": (Outcome.PASS, ""),
        "delivery/control-between#consume": (Outcome.PASS, ""),
        "delivery/produce-transactional#produce": (Outcome.PASS, ""),
        "delivery/produce-time-zero-beside-a-late-one#produce": (
            Outcome.FAIL,
            "first difference at [0].records[1].timestamp",
        ),
    },
    "kafka-ts": {
        "header-multimaps/record-header-value-any-bytes#decode": (Outcome.FAIL, "first difference at headers"),
        "framing/batch-crc-0#decode": (Outcome.FAIL, "must be refused: crc-mismatch"),
        "tag-ordering/tag-1#decode": (Outcome.PASS, ""),
    },
}


@pytest.mark.parametrize("library", LIBRARIES)
def test_what_is_known_is_found(asked: Mapping[str, Asked], library: str) -> None:
    facts = FACTS[library]
    for identifier, verdict in asked[library].verdicts(facts).items():
        outcome, detail = facts[identifier]
        assert verdict.outcome is outcome, identifier
        assert detail in verdict.detail, identifier


# --- What is planted in kafkajs -----------------------------------------------------------------------------------

NULL_TEXT = """\
  readUVarIntString() {
    const byteLength = this.readUVarInt()

    if (byteLength === 0) {
      return null
"""
#: File in src/protocol, its text, what it is replaced by, and a case that passes without that.
PLANTED = {
    "a sign": (
        "decoder.js",
        "this.buffer.readInt16BE(this.offset)",
        "this.buffer.readUInt16BE(this.offset)",
        "framing/int16-minus-1#decode",
    ),
    "a null": (
        "decoder.js",
        NULL_TEXT,
        NULL_TEXT.replace("null", "''"),
        "null-encodings/compact-nullable-string-null#decode",
    ),
    "a bound": (
        "encoder.js",
        "const UNSIGNED_INT32_MAX_NUMBER = 0xffffff80",
        "const UNSIGNED_INT32_MAX_NUMBER = 0xffffff00",
        "varints/uvarint-128#encode",
    ),
}


@pytest.mark.parametrize("bug", PLANTED)
def test_what_is_planted_is_found(
    asked: Mapping[str, Asked], bug: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, text, wrong, identifier = PLANTED[bug]
    assert asked["kafkajs"].verdicts([identifier])[identifier].outcome is Outcome.PASS
    package = tmp_path / "node_modules" / "kafkajs"
    shutil.copytree(installed() / "node_modules" / "kafkajs", package)
    source = package / "src" / "protocol" / file
    before = source.read_text("utf-8")
    assert text in before
    source.write_text(before.replace(text, wrong), "utf-8")
    shutil.copy(installed() / "built", tmp_path)
    monkeypatch.setenv("WIREPROOF_NODE_BUILD", str(tmp_path))
    planted = Asked("kafkajs")
    with planted.examiner:
        assert planted.verdicts([identifier])[identifier].outcome is Outcome.FAIL


# --- Launchers ----------------------------------------------------------------------------------------------------

LAUNCHER = FOLDER / "kafkajs" / "wrapper"


class TestLaunchers:
    def test_what_is_not_installed_is_said_with_what_to_do(self, tmp_path: Path) -> None:
        skip_without("node")
        ended = run(LAUNCHER, WIREPROOF_NODE_BUILD=str(tmp_path))
        assert (ended.returncode, ended.stdout) == (2, "")
        assert ended.stderr == f"implementations/node: the libraries are not installed: run {FOLDER / 'build'}\n"

    def test_what_is_made_from_another_package_json_does_not_run(self, tmp_path: Path) -> None:
        skip_without("node")
        (tmp_path / "built").write_text("1 2\n")
        ended = run(LAUNCHER, WIREPROOF_NODE_BUILD=str(tmp_path))
        assert (ended.returncode, ended.stdout) == (2, "")
        assert ended.stderr.startswith("implementations/node: what is installed is of another package.json")

    @pytest.mark.parametrize("script", ["kafkajs/wrapper", "build", "check"])
    def test_without_node(self, script: str, tmp_path: Path) -> None:
        for tool in ("sh", "dirname", "find"):
            (tmp_path / tool).symlink_to(str(shutil.which(tool)))
        ended = run(FOLDER / script, PATH=str(tmp_path))
        assert (ended.returncode, ended.stdout) == (2, "")
        assert ended.stderr == "implementations/node: there is no node on PATH: install Node.js of 20 or later\n"

    def test_a_line_that_is_no_question_ends_it_with_the_line(self) -> None:
        skip_unless_built()
        ended = run(LAUNCHER, stdin='{"op":"describe","protocol":1}\n{"seq":1\n')
        assert ended.returncode == 1
        assert ended.stderr == 'the conversation broke off: line 2 is no JSON object: "{\\"seq\\":1"\n'

    def test_the_versions_installed_are_those_of_the_lock_file(self) -> None:
        skip_unless_built()
        for name in ("package.json", "package-lock.json"):
            assert (installed() / name).read_text("utf-8") == (FOLDER / name).read_text("utf-8")

    def test_nothing_is_installed_into_the_sources(self) -> None:
        listed = subprocess.run(
            ["git", "-C", str(FOLDER), "status", "--porcelain", "--ignored", "."],
            capture_output=True,
            text=True,
            check=False,
        )
        assert "node_modules" not in listed.stdout
