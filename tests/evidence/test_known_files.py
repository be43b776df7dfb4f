"""The files of known deviations of the released implementations: complete, true, and each entry needed.

Whole runs are `tox -e impl-kio` and its like; here each entry is asked once, and a small area is run end to end.
"""

from __future__ import annotations

import importlib.util
import re
import sys
import tomllib
from bisect import bisect_left
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

import pytest
import tomlkit
from support.paths import ROOT
from support.pytest_run import Run, run

from wireproof.conformance import ledger, vectors
from wireproof.conformance.asking.examiner import Examiner
from wireproof.conformance.connection import Options, open_connection
from wireproof.conformance.connection.spec import known_beside
from wireproof.conformance.evidence import known_deviations
from wireproof.conformance.evidence.known_deviations import Known, KnownDeviation
from wireproof.conformance.model import DEVIATIONS, Outcome, Verdict
from wireproof.conformance.questions import selection
from wireproof.conformance.questions.question import Derivation, Question
from wireproof.conformance.vectors import Vector

#: Wrapper → the package that it wraps, and the version that the file speaks of. A dot precedes an attribute.
RELEASES = {
    "kio": ("kio", "0.6.5"),
    "kafka_python": ("kafka", "3.0.12"),
    "aiokafka": ("aiokafka", "0.14.0"),
    "aiokafka.python": ("aiokafka", "0.14.0"),
}
#: What ends or stalls a process.
ENDS = {Outcome.CRASH, Outcome.HANG, Outcome.OOM}
#: An area in which aiokafka has few entries, and is quick.
AREA = "unsupported-versions"


def file_of(wrapper: str) -> Path:
    return ROOT / "implementations" / f"{wrapper}.known.toml"


def spec_of(wrapper: str) -> str:
    return f"implementations.{wrapper.replace('.', ':')}"


@cache
def entries(wrapper: str) -> tuple[KnownDeviation, ...]:
    return known_deviations.load(file_of(wrapper), None).deviations


ENTRIES = [(wrapper, number) for wrapper in RELEASES for number in range(len(entries(wrapper)))]
IDS = [f"{wrapper}-{number + 1}" for wrapper, number in ENTRIES]


@cache
def every_vector() -> tuple[Vector, ...]:
    return (*vectors.load(), *ledger.every_vector())


@cache
def every_id() -> list[str]:
    """Of every case, sorted."""
    return sorted(case.id for vector in every_vector() for case in vector.cases())


def matching(glob: str, ids: list[str]) -> list[str]:
    """Those of some sorted ids that a glob matches: only ids that begin as it does are compared with it."""
    beginning = re.split(r"[*?\[]", glob, maxsplit=1)[0]
    alike = ids[bisect_left(ids, beginning) : bisect_left(ids, beginning + chr(sys.maxunicode))]
    return [identifier for identifier in alike if fnmatchcase(identifier, glob)]


def source(glob: str) -> str:
    """A glob of derived cases as one of the cases that they are derived from."""
    stored, plus, mutation = glob.partition("+")
    return f"{stored}#{mutation.partition('#')[2]}" if plus else glob


class Asked:
    """A released implementation in a child process, asked one question at a time, and none twice."""

    def __init__(self, examiner: Examiner) -> None:
        self.examiner = examiner
        chosen = selection.of_vectors(every_vector(), examiner.description)
        self.questions = {question.case.id: question for question in chosen}
        self._ids = sorted(self.questions)
        self._places = {identifier: place for place, identifier in enumerate(self.questions)}
        self._verdicts_by_id: dict[str, Verdict] = {}

    def verdict(self, identifier: str) -> Verdict:
        if identifier not in self._verdicts_by_id:
            (judged,) = self.examiner.judge([self.questions[identifier]])
            self._verdicts_by_id[identifier] = judged.verdict
        return self._verdicts_by_id[identifier]

    def deviation(self, entry: KnownDeviation) -> Verdict:
        """The first case of an entry that deviates."""
        return next(verdict for glob in entry.globs for verdict in self.deviations(glob))

    def deviations(self, glob: str) -> Iterator[Verdict]:
        """What deviates of a glob."""
        return (verdict for verdict in self._verdicts(glob) if verdict.outcome in DEVIATIONS)

    def _verdicts(self, glob: str) -> Iterator[Verdict]:
        for question in self.matched(source(glob)):
            if "+" not in glob:
                yield self.verdict(question.case.id)
                continue
            derived = Derivation((question,)).questions(question)
            wanted = [made for made in derived if fnmatchcase(made.case.id, glob)]
            if wanted and self.verdict(question.case.id).outcome is Outcome.PASS:
                yield from (judged.verdict for judged in self.examiner.judge(wanted))

    def matched(self, glob: str) -> list[Question]:
        """The questions that a glob names, in the order in which they are asked."""
        return [self.questions[found] for found in sorted(matching(glob, self._ids), key=self._places.__getitem__)]


class Lazily(dict[str, Asked]):
    """The implementations by their wrappers' names, started when first wanted."""

    def __missing__(self, wrapper: str) -> Asked:
        if importlib.util.find_spec(RELEASES[wrapper][0]) is None:
            pytest.skip(f"{wrapper} is not installed: pip install -e .[implementations]")
        connection = open_connection(spec_of(wrapper), Options(timeout=3))
        self[wrapper] = Asked(
            Examiner(connection, known_deviations.load(file_of(wrapper), connection.description.version))
        )
        return self[wrapper]


@pytest.fixture(scope="module")
def asked() -> Iterator[dict[str, Asked]]:
    found = Lazily()
    yield found
    for one in found.values():
        one.examiner.close()


@pytest.mark.parametrize("wrapper", RELEASES)
def test_the_file_is_found_beside_the_wrapper(wrapper: str) -> None:
    assert known_beside(spec_of(wrapper)) == file_of(wrapper)


@pytest.mark.parametrize(("wrapper", "number"), ENTRIES, ids=IDS)
class TestEntry:
    def test_it_is_complete(self, wrapper: str, number: int) -> None:
        entry = entries(wrapper)[number]
        assert entry.versions == RELEASES[wrapper][1]
        assert entry.signature is None
        assert len(entry.reason) > 40
        assert entry.reason.endswith(".")
        assert "\n" not in entry.reason
        assert entry.reported == "pending" if entry.url is None else entry.url.startswith("https://github.com/")

    def test_its_globs_are_narrow(self, wrapper: str, number: int) -> None:
        for glob in entries(wrapper)[number].globs:
            dialect, area, *names = glob.split("/")
            assert (dialect, area in vectors.AREAS) == ("kafka", True)
            stem, _, op = "/".join(names).partition("#")
            assert op
            assert stem.strip("*?/")
            matched = matching(source(glob), every_id())
            assert matched, glob
            if area != ledger.AREA:
                assert len(matched) < 80, glob

    def test_most_of_what_a_wide_glob_excuses_does_deviate(
        self, wrapper: str, number: int, asked: dict[str, Asked]
    ) -> None:
        for glob in entries(wrapper)[number].globs:
            matched = asked[wrapper].matched(glob)
            if len(matched) > 80 and "+" not in glob:
                some = matched[:: len(matched) // 40]
                deviating = [one for one in some if asked[wrapper].verdict(one.case.id).outcome in DEVIATIONS]
                assert len(deviating) > 0.9 * len(some), glob

    def test_without_it_a_deviation_is_unknown(self, wrapper: str, number: int, asked: dict[str, Asked]) -> None:
        entry = entries(wrapper)[number]
        verdict = asked[wrapper].deviation(entry)
        assert verdict.known == entry.name
        others = tuple(one for one in entries(wrapper) if one is not entry)
        assert Known(None, others).find(verdict) is None

    def test_what_ends_a_process_is_reported_or_pending(
        self, wrapper: str, number: int, asked: dict[str, Asked]
    ) -> None:
        entry = entries(wrapper)[number]
        if asked[wrapper].deviation(entry).outcome in ENDS:
            assert entry.reported is not None


@pytest.mark.parametrize(
    ("wrapper", "identifier", "verdict", "kind", "shown"),
    [
        ("aiokafka", "kafka/varints/varint-minus-1#encode", "fail", "wrong-bytes", "0xffffffff0f"),
        ("aiokafka", "kafka/varints/varlong-64#encode", "fail", "wrong-bytes", "0xc001"),
        ("aiokafka", "kafka/tag-ordering/tag-1#encode", "fail", "wrong-bytes", "0x0101aabb"),
        ("aiokafka", "kafka/tag-ordering/tag-0#encode", "fail", "refused-valid", "Key 0 is not a positive integer"),
        ("kafka_python", "kafka/tag-ordering/size-too-large#decode", "fail", "accepted-invalid", "[[0, 0xaabb]]"),
        ("kafka_python", "kafka/varints/uvarint-max-and-bit-32#decode", "fail", "accepted-invalid", "8589934590"),
        ("kio", "kafka/tag-ordering/response-unknown-tag#decode", "fail", "refused-valid", "Unknown tagged field tag"),
        ("kio", "kafka/resource-limits/response-v3-keys-2-32#decode", "crash", None, "SIGABRT"),
        ("kio", "kafka/messages/metadata-response-12-brokers-bomb-alone#decode", "crash", None, "SIGABRT"),
        ("kio", "kafka/messages/MetadataResponse/12/unknown-tags#decode", "fail", "refused-valid", "Unknown tagged"),
        ("kio", "kafka/messages/FetchRequest/12/explicit#decode", "fail", "refused-valid", "UnexpectedNull"),
        ("kafka_python", "kafka/messages/FetchResponse/16/unknown-tags#decode", "crash", None, "AssertionError"),
        (
            "aiokafka",
            "kafka/messages/ResponseHeader/1/unknown-tags#encode",
            "fail",
            "wrong-bytes",
            "0x01010102018f4e01",
        ),
        ("aiokafka", "kafka/messages/ListOffsetsRequest/4/set#encode", "fail", "wrong-bytes", "0x"),
        (
            "kafka_python",
            "kafka/header-multimaps/record-null-header-value#encode",
            "fail",
            "refused-valid",
            "All headers items must be (str, bytes) tuples",
        ),
        (
            "kafka_python",
            "kafka/null-encodings/record-key-null-value-null#encode",
            "fail",
            "refused-valid",
            "Need at least one: key or value",
        ),
        ("kio", "kafka/varints/record-timestamp-delta-1#decode", "fail", "wrong-value", "timestampDelta"),
        ("kio", "kafka/framing/batch-timestamps-milliseconds#decode", "fail", "wrong-value", "timestampDelta: -123"),
        ("aiokafka", "kafka/header-multimaps/set-headers-after-message#decode", "crash", None, "SystemError"),
        ("aiokafka", "kafka/varints/record-attributes-minus-1#decode", "fail", "wrong-value", "key: null"),
        ("aiokafka.python", "kafka/varints/record-attributes-minus-1#decode", "fail", "wrong-value", "key: null"),
        (
            "aiokafka.python",
            "kafka/null-encodings/message-0-value-below-null#decode",
            "fail",
            "accepted-invalid",
            'value: b""',
        ),
    ],
)
def test_a_deviation_that_is_known_for_long_is_found(
    wrapper: str, identifier: str, verdict: str, kind: str | None, shown: str, asked: dict[str, Asked]
) -> None:
    found = asked[wrapper].verdict(identifier)
    assert found.kind == kind
    # On a machine with more memory than is asked for at once it is the limit that ends it.
    assert found.outcome in ({"crash", "oom"} if shown == "SIGABRT" else {verdict})
    assert shown in found.detail
    assert found.known is not None


def test_the_abort_that_is_known_for_long_is_found_among_the_bombs(asked: dict[str, Asked]) -> None:
    """Metadata 12 with 2**31 - 2 brokers."""
    bombs = asked["kio"].deviations("kafka/messages/MetadataResponse/12/default+bomb:4#decode")
    assert [found.error for found in bombs] == ["SIGABRT"]
    assert {found.outcome for found in bombs} <= {"crash", "oom"}


def run_area(file: Path | None = None) -> Run:
    pytest.importorskip("aiokafka", reason="pip install -e .[implementations]")
    chosen = [] if file is None else [f"--known={file}"]
    return run("--impl=implementations.aiokafka", f"--area={AREA}", "-q", "-p", "no:cacheprovider", *chosen, cwd=ROOT)


def changed(tmp_path: Path, **deviation: str) -> Path:
    """The file of aiokafka with one entry more."""
    document = tomlkit.parse(file_of("aiokafka").read_text("utf-8"))
    document["deviation"].append(
        tomlkit.item({"class": "bug", "reason": "added by a test", "reported": "pending"} | deviation)
    )
    path = tmp_path / "changed.known.toml"
    path.write_text(tomlkit.dumps(document), "utf-8")
    return path


class TestRun:
    def test_the_file_beside_the_wrapper_makes_the_run_green(self) -> None:
        done = run_area()
        assert done.code == 0, done.text
        assert " known" in done.text

    @pytest.mark.parametrize("number", [n for n, one in enumerate(entries("aiokafka")) if f"/{AREA}/" in one.name])
    def test_without_an_entry_it_is_red(self, number: int, tmp_path: Path) -> None:
        path = tmp_path / "fewer.known.toml"
        document = tomllib.loads(file_of("aiokafka").read_text("utf-8"))
        del document["deviation"][number]
        path.write_text(tomlkit.dumps(document), "utf-8")
        done = run_area(path)
        assert done.code == 1, done.text
        assert "did not deviate" not in done.text

    def test_an_id_that_exists_nowhere_makes_it_red(self, tmp_path: Path) -> None:
        identifier = f"kafka/{AREA}/client-of-no-vector#interpret"
        done = run_area(changed(tmp_path, match=identifier))
        assert done.code == 1, done.text
        assert f"no case has the id {identifier}" in done.text

    def test_an_id_that_passes_makes_it_red(self, tmp_path: Path) -> None:
        identifier = f"kafka/{AREA}/negotiate-identical#negotiate"
        done = run_area(changed(tmp_path, match=identifier))
        assert done.code == 1, done.text
        assert f"{identifier} did not deviate (pass): remove it" in done.text

    def test_an_entry_of_another_version_is_as_if_it_were_not_there(self, tmp_path: Path) -> None:
        done = run_area(changed(tmp_path, match=f"kafka/{AREA}/client-of-no-vector#interpret", versions="0.1.*"))
        assert done.code == 0, done.text


def test_an_entry_says_nothing_of_another_version_of_the_library() -> None:
    entry = entries("aiokafka")[0]
    assert entry.concerns("0.14.0")
    assert not entry.concerns("0.15.0")
