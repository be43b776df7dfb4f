"""The wrapper of librdkafka: what it offers, and that the kit finds what is known to be wrong in the library, and what
is planted in the wrapper.

Skipped where it is not built; `implementations/c/build` does that, with gcc and librdkafka's headers. Whole runs are
`tox -e impl-c`.
"""

from __future__ import annotations

import json
import shutil
from functools import cache
from typing import TYPE_CHECKING

import pytest
from support.clang import FOLDER, LAUNCHER, SPEC, build_changed, run, skip_unless_built

from wireproof.conformance import vectors
from wireproof.conformance.asking.examiner import Examiner
from wireproof.conformance.connection import Options, open_connection
from wireproof.conformance.connection.spec import known_beside
from wireproof.conformance.evidence import known_deviations
from wireproof.conformance.model import Op, Outcome, Verdict
from wireproof.conformance.questions import selection

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from wireproof.conformance.vectors import Vector

#: The version of Debian 12, which the file of known deviations is about.
KNOWN = "2.0.2"


@cache
def every_vector() -> tuple[Vector, ...]:
    return tuple(vectors.load())


def verdicts(examiner: Examiner, ids: Iterable[str]) -> dict[str, Verdict]:
    """Id, without the dialect → its verdict."""
    wanted = {f"kafka/{one}" for one in ids}
    chosen = selection.of_vectors(every_vector(), examiner.description)
    questions = [question for question in chosen if question.case.id in wanted]
    return {judged.verdict.id.removeprefix("kafka/"): judged.verdict for judged in examiner.judge(questions)}


@pytest.fixture(scope="module")
def examiner() -> Iterator[Examiner]:
    """The library in a child process, asked without its known deviations."""
    skip_unless_built()
    with Examiner(open_connection(SPEC, Options(timeout=5))) as one:
        yield one


def test_the_description(examiner: Examiner) -> None:
    description = examiner.description
    assert description.types == {"kafka": {"RecordBatch": None, "MessageSet": (0, 1)}}
    assert description.type_ops["kafka"]["RecordBatch"] == {Op.DECODE, Op.ENCODE}
    assert description.type_ops["kafka"]["MessageSet"] == {Op.DECODE}
    assert (description.name, description.language, description.dialects) == ("librdkafka", "c", ("kafka",))
    assert description.version is not None
    assert description.version[0].isdigit()


def test_the_file_of_known_deviations_is_found_and_complete() -> None:
    path = known_beside(SPEC)
    assert path == LAUNCHER.with_suffix(".known.toml")
    for entry in known_deviations.load(path, None).deviations:
        assert entry.versions == KNOWN
        assert entry.reason.endswith(".")
        assert "\n" not in entry.reason


# --- What is known to be wrong in it ------------------------------------------------------------------------------

#: Id → the verdict, and a part of its detail.
FACTS = {
    "framing/batch-count-negative#decode": (Outcome.FAIL, "must be refused: negative-length"),
    "framing/batch-gzip-empty#decode": (Outcome.CRASH, "rd_slice_init_full"),
    "framing/batch-gzip-members#decode": (Outcome.FAIL, "expected {baseOffset"),
    "framing/batch-gzip-cut#decode": (Outcome.HANG, "no answer within 5 seconds"),
    "framing/message-set-1-size-negative#decode": (Outcome.CRASH, "rd_slice_narrow_copy"),
    "unsupported-versions/broker-v99#serve": (Outcome.FAIL, "count 16781824, but 7 bytes are left"),
    "unsupported-versions/broker-produce-v3-acks-0#serve": (Outcome.FAIL, "answer 1 of 1"),
    "unsupported-versions/broker-size-7#serve": (Outcome.FAIL, "the connection stayed open"),
    "framing/batch-timestamps-least-base#decode": (Outcome.PASS, ""),
    "framing/batch-offset-deltas-descending#decode": (Outcome.PASS, ""),
    "null-encodings/batch-nulls#encode": (Outcome.PASS, ""),
    "resource-limits/message-0-size-greatest#decode": (Outcome.PASS, ""),
}


def test_what_is_known_is_found(examiner: Examiner) -> None:
    if examiner.description.version != KNOWN:
        pytest.skip(f"librdkafka is {examiner.description.version} here")
    found = verdicts(examiner, FACTS)
    assert set(found) == set(FACTS)
    for identifier, verdict in found.items():
        outcome, detail = FACTS[identifier]
        assert verdict.outcome is outcome, identifier
        assert detail in verdict.detail, identifier


# --- What the wrapper must not get wrong --------------------------------------------------------------------------


def ask(*questions: object) -> list[dict[str, object]]:
    """One conversation with the wrapper: an answer for each question."""
    skip_unless_built()
    lines = "".join(f"{json.dumps(question)}\n" for question in questions)
    return [json.loads(line) for line in run(LAUNCHER, stdin=lines).stdout.splitlines()]


def test_empty_batches_are_read_however_often_they_come() -> None:
    """The consumer complains of the size of what it fetches once ten fetches of a partition brought no message."""
    empty = next(one for one in every_vector() if one.path == "kafka/framing/batch-empty")
    question = {"op": "decode", "dialect": "kafka", "type": "RecordBatch", "data": empty.data.hex()}
    answers = ask(*(question | {"seq": number} for number in range(1000)))
    assert answers == [{"value": {"records": []}, "seq": number} for number in range(1000)]


UNRULY = [
    {"op": "decode", "type": "RecordBatch", "data": "0"},
    {"op": "decode", "type": "RecordBatch", "data": 7},
    {"op": "decode", "type": "MessageSet", "version": 0},
    {"op": "encode", "type": "RecordBatch", "value": []},
    {"op": "serve", "chunks": ["zz"]},
    {"op": "serve", "chunks": {}},
]


@pytest.mark.parametrize("question", UNRULY)
def test_what_is_no_question_ends_the_conversation(question: dict[str, object]) -> None:
    skip_unless_built()
    ended = run(LAUNCHER, stdin=json.dumps({"seq": 1, "dialect": "kafka"} | question))
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.startswith("the conversation broke off: line 1: it is no question: ")


@pytest.mark.parametrize("version", [-1, 2, 2**40, None, "1"])
def test_a_version_that_it_lacks_is_not_offered(version: object) -> None:
    (answer,) = ask(
        {"seq": 1, "op": "decode", "dialect": "kafka", "type": "MessageSet", "version": version, "data": ""}
    )
    assert answer["unsupported"] == "no such magic of message sets"


# --- What is planted in a copy of it ------------------------------------------------------------------------------

#: File, its text, what it is replaced by, and a case that passes without that and fails with it.
PLANTED = {
    "a sign": (
        "librdkafka/decode.c",
        "difference(time, base_time)",
        "difference(base_time, time)",
        "framing/batch-timestamps-descending#decode",
    ),
    "a null": (
        "lines.c",
        'return data ? json_pack("{so}"',
        'return size ? json_pack("{so}"',
        "null-encodings/batch-nulls#decode",
    ),
    "a header": (
        "librdkafka/encode.c",
        "value, (ssize_t)size);",
        "value, 0);",
        "header-multimaps/batch-headers#encode",
    ),
    "an end": (
        "librdkafka/mock.c",
        "closed = arrived(connection, &sent) || closed;",
        "arrived(connection, &sent);",
        "unsupported-versions/broker-nothing-after-unknown-api#serve",
    ),
}


def test_what_is_planted_is_found(examiner: Examiner, tmp_path: Path) -> None:
    """All at once, in one build: no bug is seen in the case of another one."""
    ids = [identifier for *_, identifier in PLANTED.values()]
    assert {name: one.outcome for name, one in verdicts(examiner, ids).items()} == dict.fromkeys(ids, Outcome.PASS)
    planted = build_changed([change[:3] for change in PLANTED.values()], tmp_path)
    with Examiner(open_connection(planted, Options(timeout=5))) as one:
        found = verdicts(one, ids)
    assert {name: one.outcome for name, one in found.items()} == dict.fromkeys(ids, Outcome.FAIL)


# --- Launchers ----------------------------------------------------------------------------------------------------


class TestLaunchers:
    def test_its_own_tests(self) -> None:
        skip_unless_built()
        done = run(FOLDER / "check")
        assert done.returncode == 0, done.stderr

    def test_what_is_not_built_is_said_with_what_to_do(self, tmp_path: Path) -> None:
        ended = run(LAUNCHER, WIREPROOF_C_BUILD=str(tmp_path))
        assert (ended.returncode, ended.stdout) == (2, "")
        assert ended.stderr == f"implementations/c: the wrapper is not built: run {FOLDER / 'build'}\n"

    def test_what_is_of_other_sources_does_not_run(self, tmp_path: Path) -> None:
        (tmp_path / "built").write_text("1 2\n")
        ended = run(LAUNCHER, WIREPROOF_C_BUILD=str(tmp_path))
        assert (ended.returncode, ended.stdout) == (2, "")
        assert ended.stderr == f"implementations/c: what is built is of other sources: run {FOLDER / 'build'}\n"

    @pytest.mark.parametrize("script", ["build", "check"])
    def test_without_a_compiler(self, script: str, tmp_path: Path) -> None:
        for tool in ("sh", "dirname"):
            (tmp_path / tool).symlink_to(str(shutil.which(tool)))
        ended = run(FOLDER / script, PATH=str(tmp_path), CC="cc")
        assert (ended.returncode, ended.stdout) == (2, "")
        assert ended.stderr == "implementations/c: there is no cc on PATH: install gcc\n"

    def test_without_the_library(self, tmp_path: Path) -> None:
        compiler = tmp_path / "cc"
        compiler.write_text("#!/bin/sh\nexit 1\n")
        compiler.chmod(0o755)
        ended = run(FOLDER / "build", CC=str(compiler))
        assert (ended.returncode, ended.stdout) == (2, "")
        assert ended.stderr == "implementations/c: there is no librdkafka: apt-get install librdkafka-dev\n"

    def test_an_argument_is_met_with_the_usage(self) -> None:
        skip_unless_built()
        ended = run(LAUNCHER, "--nonsense")
        assert (ended.returncode, ended.stdout) == (2, "")
        assert ended.stderr.startswith("usage: wrapper, or broker ")
