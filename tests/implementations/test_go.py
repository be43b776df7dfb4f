"""The wrappers of Go's libraries: what they offer, and that the kit finds what is known to be wrong in them, and what
is planted.

Skipped where they are not built; `implementations/go/build` does that, with Go. Whole runs are `tox -e impl-go`.
"""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest
from support.golang import FOLDER, LIBRARIES, go, run, skip_unless_built, spec

from wireproof.conformance import vectors
from wireproof.conformance.asking.examiner import Examiner
from wireproof.conformance.connection import Options, open_connection
from wireproof.conformance.connection.spec import known_beside
from wireproof.conformance.evidence import known_deviations
from wireproof.conformance.model import Op, Outcome, Verdict
from wireproof.conformance.questions import selection

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path


@pytest.fixture(scope="module")
def examiners() -> Iterator[Mapping[str, Examiner]]:
    """Each library in a child process, asked without its known deviations."""
    skip_unless_built()
    every = {library: Examiner(open_connection(spec(library), Options(timeout=2))) for library in LIBRARIES}
    yield every
    for examiner in every.values():
        examiner.close()


def verdicts(examiner: Examiner, ids: set[str]) -> dict[str, Verdict]:
    """Id, without the dialect → its verdict."""
    chosen = selection.of_vectors(tuple(vectors.load()), examiner.description)
    questions = [question for question in chosen if question.case.id.removeprefix("kafka/") in ids]
    return {judged.verdict.id.removeprefix("kafka/"): judged.verdict for judged in examiner.judge(questions)}


# --- What they say of themselves ----------------------------------------------------------------------------------

#: Library → the number of requests and responses, and of their versions; some spans; a type that has one op alone.
OFFERED: dict[str, tuple[int, int, dict[str, tuple[int, int] | None], tuple[str, set[Op]]]] = {
    "franz-go": (190, 734, {"MetadataResponse": (0, 13), "MessageSet": (0, 1)}, ("RequestHeader", {Op.ENCODE})),
    "kafka-go": (76, 295, {"MetadataResponse": (0, 8), "RequestFrame": None}, ("MetadataResponse", {Op.RECODE})),
    "sarama": (5, 27, {"ApiVersionsResponse": (0, 4), "RecordBatch": None}, ("SyncGroupRequest", {Op.ENCODE})),
}


@pytest.mark.parametrize("library", LIBRARIES)
def test_descriptions(examiners: Mapping[str, Examiner], library: str) -> None:
    count, versions, spans, (name, ops) = OFFERED[library]
    description = examiners[library].description
    assert description.types is not None
    types = description.types["kafka"]
    found = [span for type_name, span in types.items() if type_name.endswith(("Request", "Response"))]
    assert (description.name, description.version) == (library, LIBRARIES[library])
    assert (description.language, description.dialects) == ("go", ("kafka",))
    assert (len(found), sum(span[1] - span[0] + 1 for span in found if span)) == (count, versions)
    assert {one: types[one] for one in spans} == spans
    assert description.type_ops["kafka"][name] == ops
    assert {Op.CONSUME, Op.PRODUCE} <= description.ops


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_file_of_known_deviations_is_found_and_complete(library: str) -> None:
    path = known_beside(spec(library))
    assert path == FOLDER / library / "wrapper.known.toml"
    for entry in known_deviations.load(path, None).deviations:
        assert entry.versions == LIBRARIES[library]
        assert entry.reason.endswith(".")
        assert "\n" not in entry.reason


def test_kfake_serves_and_no_more() -> None:
    """An unknown api ends its process, which is kfake's own doing, also behind a request that it answered."""
    skip_unless_built()
    with Examiner(open_connection(spec("kfake"), Options(timeout=30))) as examiner:
        assert (examiner.description.name, examiner.description.ops) == ("kfake", frozenset({Op.SERVE}))
        found = verdicts(
            examiner,
            {
                f"unsupported-versions/broker-{name}#serve"
                for name in ("v0", "v3", "api-999", "v99", "good-before-unknown-api", "one-and-a-half", "v3-body-cut")
            },
        )
    outcomes = {one.removeprefix("unsupported-versions/broker-"): two.outcome for one, two in found.items()}
    assert outcomes == {
        "v0#serve": Outcome.PASS,
        "v3#serve": Outcome.PASS,
        "one-and-a-half#serve": Outcome.PASS,
        "v3-body-cut#serve": Outcome.PASS,
        "api-999#serve": Outcome.CRASH,
        "good-before-unknown-api#serve": Outcome.CRASH,
        "v99#serve": Outcome.FAIL,
    }
    assert "client_conn.go:128" in found["unsupported-versions/broker-api-999#serve"].detail


# --- What is known to be wrong in them ----------------------------------------------------------------------------

#: Library → id → the verdict, and a part of its detail.
FACTS = {
    "franz-go": {
        "tag-ordering/count-4294967295#decode": (Outcome.HANG, "no answer within 2 seconds"),
        "null-encodings/bytes-null#decode": (Outcome.FAIL, 'accepted as b""'),
        "null-encodings/string-too-long-encode#encode": (Outcome.FAIL, "must be refused: string-too-long"),
        "framing/batch-record-attributes#decode": (Outcome.FAIL, "first difference at records[0].attributes"),
        "framing/batch-snappy-empty#decode": (Outcome.FAIL, "s2: corrupt input"),
        "tag-ordering/tag-1#decode": (Outcome.PASS, ""),
        "unsupported-versions/client-v5-retries-4#interpret": (Outcome.PASS, ""),
        "unsupported-versions/client-v3-error-42#interpret": (Outcome.PASS, ""),
        "unsupported-versions/client-v4-closed#interpret": (Outcome.PASS, ""),
        "unsupported-versions/client-heartbeat-v4-error-35#interpret": (Outcome.PASS, ""),
        "unsupported-versions/client-begin-quorum-epoch-v1-error-6#interpret": (Outcome.PASS, ""),
        "unsupported-versions/client-v3-range-above#interpret": (Outcome.FAIL, "got {outcome: 'retry', version: 2}"),
        "delivery/magic-1-wrapper-append-time#consume": (Outcome.FAIL, "first difference at records[0].timestamp"),
        "delivery/aborted#consume": (Outcome.PASS, ""),
        "delivery/produce-transactional#produce": (Outcome.SKIP, "a producer's sequence begins at 0"),
        "delivery/produce-idempotent-zeros#produce": (Outcome.PASS, ""),
    },
    "kafka-go": {
        "framing/response-0-count-beyond-the-rest#recode": (Outcome.FAIL, "must be refused: truncated"),
        "null-encodings/join-group-request-6-instance-empty#recode": (Outcome.FAIL, "first difference at byte"),
        "framing/frame-size-minus-1#recode": (Outcome.CRASH, "slice bounds out of range"),
        "delivery/empty-batch#consume": (Outcome.FAIL, "position: 1}"),
        "delivery/empty-set#consume": (Outcome.PASS, ""),
        "delivery/produce-time-zero#produce": (Outcome.FAIL, "first difference at [0].maxTimestamp"),
        "header-multimaps/produce-header-key-null#produce": (Outcome.PASS, ""),
    },
    "sarama": {
        "framing/batch-empty#decode": (Outcome.FAIL, "sarama finds no whole batch here"),
        "null-encodings/message-0-key-too-long#decode": (Outcome.FAIL, "accepted as []"),
        "unsupported-versions/record-batch-magic-3#decode": (Outcome.FAIL, "must be refused: unsupported-magic"),
        "framing/batch-gzip#decode": (Outcome.PASS, ""),
        "delivery/position-in-second-batch#consume": (Outcome.FAIL, "got {records: [], position: 5}"),
        "delivery/aborted#consume": (Outcome.PASS, ""),
        "delivery/produce-time-none#produce": (Outcome.FAIL, "invalid timestamp"),
        "header-multimaps/produce-magic-1-header-of-the-second#produce": (Outcome.PASS, ""),
    },
}


@pytest.mark.parametrize("library", LIBRARIES)
def test_what_is_known_is_found(examiners: Mapping[str, Examiner], library: str) -> None:
    facts = FACTS[library]
    found = verdicts(examiners[library], set(facts))
    assert set(found) == set(facts)
    for identifier, verdict in found.items():
        outcome, detail = facts[identifier]
        assert verdict.outcome is outcome, identifier
        assert detail in verdict.detail, identifier


# --- What is planted in kafka-go ----------------------------------------------------------------------------------

#: File in protocol, its text, what it is replaced by, and cases that pass without that.
PLANTED = {
    "a sign": (
        "decode.go",
        "return int16(binary.BigEndian.Uint16(b))",
        "return int16(binary.BigEndian.Uint16(b) & 0x7fff)",
        {"framing/response-0-extremes#recode", "null-encodings/offset-fetch-response-5-metadata-null#recode"},
    ),
    "a null": (
        "encode.go",
        's == "" {\n\t\te.writeInt16(-1)',
        's == "" {\n\t\te.writeInt16(0)',
        {"null-encodings/metadata-response-2-cluster-null#recode", "messages/metadata-response-4#recode"},
    ),
    "a bound": (
        "decode.go",
        "i < int(n) && d.remain > 0",
        "i < int(n)-1 && d.remain > 0",
        {"null-encodings/describe-configs-request-1-keys-empty#recode"},
    ),
}


@pytest.mark.parametrize("bug", PLANTED)
def test_what_is_planted_is_found(examiners: Mapping[str, Examiner], bug: str, tmp_path: Path) -> None:
    file, text, wrong, ids = PLANTED[bug]
    before = verdicts(examiners["kafka-go"], ids)
    assert {identifier: one.outcome for identifier, one in before.items()} == dict.fromkeys(ids, Outcome.PASS)
    module, library = tmp_path / "wrappers", tmp_path / "library"
    shutil.copytree(FOLDER, module)
    name = "github.com/segmentio/kafka-go"
    found = go("list", "-m", "-f", "{{.Dir}}", name, folder=FOLDER).strip()
    shutil.copytree(found, library, copy_function=shutil.copyfile)
    for folder in (library, *library.rglob("*/")):  # a module's cache is read-only
        folder.chmod(0o755)
    source = library / "protocol" / file
    assert text in source.read_text("utf-8")
    source.write_text(source.read_text("utf-8").replace(text, wrong), "utf-8")
    go("mod", "edit", f"-replace={name}={library}", folder=module)
    go("build", "-mod=mod", "-buildvcs=false", "-o", str(tmp_path / "planted"), "./kafka-go", folder=module)
    with Examiner(open_connection(f"exec:{tmp_path / 'planted'}", Options(timeout=2))) as examiner:
        after = verdicts(examiner, ids)
    assert {identifier: one.outcome for identifier, one in after.items()} == dict.fromkeys(ids, Outcome.FAIL)


# --- Launchers ----------------------------------------------------------------------------------------------------

LAUNCHER = FOLDER / "franz-go" / "wrapper"


class TestLaunchers:
    def test_what_is_not_built_is_said_with_what_to_do(self, tmp_path: Path) -> None:
        ended = run(LAUNCHER, WIREPROOF_GO_BUILD=str(tmp_path))
        assert (ended.returncode, ended.stdout) == (2, "")
        assert ended.stderr == f"implementations/go: the wrappers are not built: run {FOLDER / 'build'}\n"

    def test_what_is_made_from_other_sources_does_not_run(self, tmp_path: Path) -> None:
        (tmp_path / "built").write_text("1 2\n")
        ended = run(LAUNCHER, WIREPROOF_GO_BUILD=str(tmp_path))
        assert (ended.returncode, ended.stdout) == (2, "")
        assert ended.stderr == f"implementations/go: what is built is of other sources: run {FOLDER / 'build'}\n"

    @pytest.mark.parametrize("changed", ["lines/lines.go", "go.mod", "lines"])
    def test_what_this_clone_built_runs_until_a_source_changes(self, changed: str, tmp_path: Path) -> None:
        """Dates are compared first; a newer one only has the checksum looked at."""
        clone, out = tmp_path / "go", tmp_path / "built here"
        shutil.copytree(FOLDER, clone)
        out.mkdir()
        (out / "kafka-go").write_text("#!/bin/sh\necho it ran\n")
        (out / "kafka-go").chmod(0o755)
        (out / "built").write_text(f"1 2\n{clone}\n")
        launcher = clone / "kafka-go" / "wrapper"
        for path in (*clone.rglob("*"), clone):
            os.utime(path, (1, 1))
        assert run(launcher, WIREPROOF_GO_BUILD=str(out)).stdout == "it ran\n"
        os.utime(clone / changed)
        os.utime(out / "built", (2, 2))
        assert "what is built is of other sources" in run(launcher, WIREPROOF_GO_BUILD=str(out)).stderr
        os.utime(clone / changed, (1, 1))
        (out / "built").write_text(f"1 2\n{tmp_path}\n")
        assert "what is built is of other sources" in run(launcher, WIREPROOF_GO_BUILD=str(out)).stderr, (
            "another clone's"
        )

    @pytest.mark.parametrize("script", ["build", "check"])
    def test_without_go(self, script: str, tmp_path: Path) -> None:
        for tool in ("sh", "dirname", "sed"):
            (tmp_path / tool).symlink_to(str(shutil.which(tool)))
        ended = run(FOLDER / script, PATH=str(tmp_path))
        assert (ended.returncode, ended.stdout) == (2, "")
        assert ended.stderr == "implementations/go: there is no go on PATH: install Go of 1.26.0 or later\n"

    def test_a_line_that_is_no_question_ends_it_with_the_line(self) -> None:
        skip_unless_built()
        ended = run(LAUNCHER, stdin='{"op":"describe","protocol":1}\n{"seq":1\n')
        assert ended.returncode == 1
        assert ended.stderr == ('the conversation broke off: line 2: unexpected end of JSON input: "{\\"seq\\":1"\n')

    def test_an_argument_is_met_with_the_usage(self) -> None:
        skip_unless_built()
        ended = run(LAUNCHER, "--nonsense")
        assert (ended.returncode, ended.stdout) == (2, "")
        assert ended.stderr.startswith("usage: wrapper ")
