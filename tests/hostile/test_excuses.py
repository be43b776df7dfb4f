"""What an implementation declares in its own favour, and what a known-deviations file excuses, is bounded and told."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.pytest_run import run

from wireproof.conformance.evidence.known_deviations import KnownError, load

MODULES = Path(__file__).parent / "modules"
AREA = "--area=varints"
KNOWN = 'class = "bug"\nreason = "some"\nreported = "pending"\n'


def entry(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "known.toml"
    path.write_text(f"[[deviation]]\n{text}\n{KNOWN}")
    return path


@pytest.mark.parametrize(
    ("module", "told"),
    [
        ("writes_zeros", "rebuilds[\"MetadataResponse\"]` is ['ThrottleTimeMs', 'Brokers'"),
        ("refuses_by_accident", "`rejects` has Exception, which its bugs raise too: every crash would be a refusal"),
    ],
)
def test_too_much_leniency_is_refused(module: str, told: str) -> None:
    done = run(f"--impl={module}", cwd=MODULES)
    assert done.code == 4
    assert told in " ".join(done.text.split())


def test_what_is_not_compared_and_taken_for_refusals_is_told(tmp_path: Path) -> None:
    (tmp_path / "lenient.py").write_text(
        "from wireproof import reference\n"
        "class Refused(Exception): pass\n"
        "types = {'kafka': {'RecordBatch': None}}\n"
        "rebuilds = {'RecordBatch': ['maxTimestamp']}\n"
        "rejects = (Refused, ValueError)\n"
        "def encode(type, value, *, dialect, version=None):\n"
        "    value = {**value, 'maxTimestamp': 1} if 'maxTimestamp' in value else value\n"
        "    return reference.encode(type, value, dialect=dialect, version=version)\n"
    )
    report = tmp_path / "report.jsonl"
    text = " ".join(run("--impl=lenient", "--area=framing", f"--report={report}", cwd=tmp_path).text.split())
    assert "answers compared without maxTimestamp of RecordBatch, which its writer sets" in text
    assert "lenient: taken for refusals too: Refused" in text
    assert '"note":"not compared, set by its writer: maxTimestamp"' in report.read_text()


@pytest.mark.parametrize(
    "match",
    [
        "*",
        "kafka/*",
        "kafka/varints/*",
        "kafka*",
        "kafka/varints/*#decode",
        "*#encode",
        "*varint*",
        "*/*/*[a-z]*",
        "gen/*",
    ],
)
def test_a_glob_over_an_area_is_refused(match: str, tmp_path: Path) -> None:
    with pytest.raises(KnownError, match="which covers a whole area: name a type, a message or a vector in it"):
        load(entry(tmp_path, f'match = "{match}"'), None)


@pytest.mark.parametrize(
    "match",
    [
        "kafka/varints/varint-*",
        "kafka/messages/*/4/set#decode",
        "kafka/messages/*+bomb:*#decode",
        "gen/kafka/INT8/*",
        "end/*",
    ],
)
def test_a_glob_with_a_place_is_taken(match: str, tmp_path: Path) -> None:
    assert load(entry(tmp_path, f'match = "{match}"'), None).deviations[0].globs == (match,)


@pytest.mark.parametrize("signature", ['{verdict = "fail"}', '{op = "decode", kind = "wrong-value"}', "{}"])
def test_a_signature_without_a_place_is_refused(signature: str, tmp_path: Path) -> None:
    with pytest.raises(KnownError, match="names no type, cause or frame"):
        load(entry(tmp_path, f"signature = {signature}"), None)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('match = "kafka/varints/varint-*"', 1),
        ('match = "kafka/varints/varint-*"\nverdict = "hang"', 1),
        ('match = "kafka/varints/varint-*"\nverdict = ["crash", "oom"]', 0),
        ('signature = {type = "VARINT"}', 1),
        (
            'signature = {type = "VARINT"}\nclass="bug"\nreason="x"\nreported="pending"\n[[deviation]]\n'
            'signature = {type = "VARINT", verdict = "crash"}',
            0,
        ),
    ],
    ids=["glob", "other kind", "own kinds", "signature", "signature of a crash"],
)
def test_a_crash_is_excused_by_its_own_kind_only(text: str, code: int, tmp_path: Path) -> None:
    known = entry(tmp_path, text)
    done = run("--impl=crashes", f"--known={known}", AREA, "-k", "varint-minus-1 or varint-1", cwd=MODULES)
    assert done.code == code
    if code == 0:
        assert "crashes: known deviations: " in done.text
        assert "1 crash" in done.text


def test_marks_of_the_users_are_told(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(
        "import pytest\ndef pytest_collection_modifyitems(items):\n"
        "    for item in items: item.add_marker(pytest.mark.xfail(reason='mine'))\n"
    )
    (tmp_path / "crashes.py").write_text((MODULES / "crashes.py").read_text())
    done = run("--impl=crashes", AREA, "-k", "varint-minus-1 or varint-1", cwd=tmp_path)
    assert "crashes: excused by xfail marks of yours, in no file of known deviations: " in done.text
    assert "1 crash" in done.text


@pytest.mark.parametrize("workers", [[], ["-n", "2"]])
def test_items_that_are_removed_are_told(workers: list[str], tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text("def pytest_collection_modifyitems(items): del items[1:]\n")
    (tmp_path / "right.py").write_text((MODULES / "right.py").read_text())
    told = " items of the suite were not asked: a plugin or conftest.py removed them"
    assert told in run("--impl=right", AREA, *workers, cwd=tmp_path).text
    assert told not in run("--impl=right", AREA, "-k", "varint-0 or varint-1", *workers, cwd=MODULES).text
