"""A user's own vectors: `pytest --impl=… --vectors=DIR`, `wireproof repro --vectors=DIR`."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from support.pytest_run import run

from wireproof.cli import group
from wireproof.conformance import vectors
from wireproof.conformance.model import Op
from wireproof.conformance.questions.lookup import UnknownId, find
from wireproof.conformance.vectors import VectorError
from wireproof.fuzz.corpus import vector_seeds

FIVE = {
    "id": "five", "about": "5", "type": "UNSIGNED_VARINT", "bytes": [["05", "5"]], "value": 5, "source": "mine",
}  # fmt: skip
CUT = {
    "id": "cut", "about": "nothing follows", "type": "UNSIGNED_VARINT", "bytes": [["85", "5, and more"]],
    "reject": {"reason": "truncated", "offset": 0}, "twin": "five", "source": "mine",
}  # fmt: skip
#: A codec that reads all varints as 6.
SIX = """
types = {"kafka": {"UNSIGNED_VARINT": None}}

def decode(type, data, *, dialect, version=None):
    return 6
"""


def written(folder: Path, *entries: dict[str, Any], file: str = "mine.json", **head: Any) -> Path:
    """A folder with a file of these vectors."""
    (folder / file).parent.mkdir(parents=True, exist_ok=True)
    content = {"format": 1, "dialect": "kafka", "area": "varints", **head, "vectors": entries}
    (folder / file).write_text(json.dumps(content))
    return folder


@pytest.fixture(autouse=True)
def none_left() -> Iterator[None]:
    yield
    vectors.use_folders(())


def test_they_are_asked_beside_the_kits(tmp_path: Path) -> None:
    written(tmp_path / "my-own", FIVE, CUT)
    found = run("--impl=reference", "--vectors=my-own", "--area=varints", "--dialect=kafka", "-v", cwd=tmp_path)
    assert found.code == 0
    assert "vectors=my-own" in found.text
    for op in ("decode", "encode", "recode"):
        assert f"my-own/varints/five#{op} PASSED" in found.text
    assert "my-own/varints/cut#decode PASSED" in found.text
    assert "kafka/varints/varint-minus-1#decode PASSED" in found.text


def test_a_failure_says_how_it_is_asked_again(tmp_path: Path) -> None:
    folder = written(tmp_path / "my-own", FIVE, CUT)
    (tmp_path / "six.py").write_text(SIX)
    options = ("--impl=six", "--vectors=my-own", "--report=out.jsonl", "--write-known=six.known.toml")
    found = run(*options, "my-own/varints/five#decode", cwd=tmp_path)
    assert found.code == 1
    (row,) = [line for line in map(json.loads, (tmp_path / "out.jsonl").read_text().splitlines()) if "verdict" in line]
    assert (row["id"], row["dialect"], row["verdict"]) == ("my-own/varints/five#decode", "kafka", "fail")
    assert row["repro"] == f"wireproof repro 'my-own/varints/five#decode' --impl=six --vectors={folder}"
    assert "my-own/varints/five#decode" in (tmp_path / "six.known.toml").read_text()


def test_known_deviations_name_them(tmp_path: Path) -> None:
    written(tmp_path / "my-own", FIVE)
    (tmp_path / "six.py").write_text(SIX)
    entry = '[[deviation]]\nmatch = "my-own/varints/{}"\nclass = "bug"\nreason = "6"\nreported = "pending"\n'
    (tmp_path / "six.known.toml").write_text(entry.format("fi*#decode"))
    asked = ("--impl=six", "--vectors=my-own", "my-own/varints/five#decode")
    assert run(*asked, cwd=tmp_path).code == 0
    (tmp_path / "six.known.toml").write_text(entry.format("five#decode") + entry.format("six#decode"))
    found = run(*asked, cwd=tmp_path)
    assert found.code == 1
    assert "no case has the id my-own/varints/six#decode" in found.text


def test_workers_of_xdist_have_them_too(tmp_path: Path) -> None:
    written(tmp_path / "my-own", FIVE, CUT)
    found = run("--impl=reference", "--vectors=my-own", "-n1", "-kmy-own", "-v", cwd=tmp_path)
    assert found.code == 0
    assert "4 passed" in found.text


def repro(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(group, ["repro", *arguments, "--impl=reference", "--in-process"])
    return result.exit_code, result.output


def test_repro(tmp_path: Path) -> None:
    folder = written(tmp_path / "my-own", FIVE, CUT)
    code, text = repro("my-own/varints/cut#decode", f"--vectors={folder}")
    assert code == 0
    assert "valid twin my-own/varints/five#decode: accepted" in text
    assert f"--vectors={shlex.quote(str(folder))}" in text.replace("\n", "").replace(" " * 10, " ")
    code, text = repro("my-own/varints/cut#decode")
    assert code == 2
    assert "There is no vector 'my-own/varints/cut'" in text
    code, text = repro("my-own/varints/cut#decode", f"--vectors={tmp_path / 'none'}")
    assert code == 2
    assert "no such folder" in text


def test_files_lie_in_it_or_in_folders_named_as_dialects(tmp_path: Path) -> None:
    folder = written(tmp_path / "my-own", FIVE)
    header = {"id": "none", "about": "no headers", "type": "HEADERS", "bytes": [["", "nothing"]], "value": []}
    written(folder, header, file="kip-82-int-keys/h.json", dialect="kip-82-int-keys", area="header-multimaps")
    written(folder, header, file="other/h.json", dialect="no-such")
    vectors.use_folders([folder])
    assert find("my-own/header-multimaps/none#decode").case.dialect == "kip-82-int-keys"
    assert find("my-own/varints/five#decode").vector.value == 5
    assert [vector.path for vector in vectors.load(["kafka"]) if vector.folder] == ["my-own/varints/five"]
    found = [one.data for one in vector_seeds.seeds("kip-82-int-keys", "HEADERS") if one.op is Op.DECODE]
    assert b"" in found
    vectors.use_folders(())
    with pytest.raises(UnknownId):
        find("my-own/varints/five#decode")


def test_settings_of_theirs_reach_the_implementation_and_agree_with_ours(tmp_path: Path) -> None:
    ours = vectors.settings("kafka")["apis"]
    vectors.use_folders([written(tmp_path / "mine", FIVE, settings={"apis": ours, "more": 1})])
    assert vectors.settings("kafka") == {"apis": ours, "more": 1}
    other = written(tmp_path / "other", FIVE, settings={"more": 2})
    with pytest.raises(VectorError, match=r"other, kafka/varints: the setting 'more' is another one in .*mine"):
        vectors.use_folders([tmp_path / "mine", other])
    clash = written(tmp_path / "clash", FIVE, settings={"apis": {}})
    with pytest.raises(VectorError, match="the setting 'apis' is another one in the kit's vectors"):
        vectors.use_folders([clash])
    assert [one.name for one in vectors.added()] == ["mine"]  # what was there stays


def test_the_kits_own_digest_and_files_stay_what_they_are(tmp_path: Path) -> None:
    before, count = vectors.digest(), len(vectors.load())
    vectors.use_folders([written(tmp_path / "mine", FIVE, CUT)])
    assert (vectors.digest(), len(vectors.load())) == (before, count + 2)
    assert vectors.load_file("kafka", "varints") == next(
        file for file in vectors.files(["kafka"], ["varints"]) if not file.vectors[0].folder
    )


def _bad(tmp_path: Path, name: str) -> Path:
    folder = tmp_path / "mine"
    match name:
        case "missing":
            return tmp_path / "none"
        case "a file":
            return written(folder, FIVE) / "mine.json"
        case "empty":
            folder.mkdir()
        case "twice":
            written(folder, FIVE, file="again.json")
            written(folder, FIVE)
        case "no JSON" | "deep":
            content = written(folder, FIVE) / "mine.json"
            text = content.read_text()
            content.write_text("{" if name == "no JSON" else text.replace(": 5,", ": " + 100_000 * "[" + ","))
    return folder


def _odd(tmp_path: Path, name: str) -> Path:
    return {
        "odd name": lambda: written(tmp_path / "My Own", FIVE),
        "a dialect's name": lambda: written(tmp_path / "kafka", FIVE),
        "gen": lambda: written(tmp_path / "gen", FIVE),
        "no dialect": lambda: written(tmp_path / "mine", FIVE, dialect="amqp"),
        "no area": lambda: written(tmp_path / "mine", FIVE, area="elsewhere"),
        "no twin": lambda: written(tmp_path / "mine", CUT),
        "too large": lambda: written(tmp_path / "mine", {**FIVE, "value": {"repeat": "5", "times": 2**50}}),
    }.get(name, lambda: _bad(tmp_path, name))()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("missing", "no such folder; one with vectors files"),
        ("a file", "no such folder; one with vectors files"),
        ("empty", "there is no vectors file"),
        ("odd name", "it is lower-case words with hyphens"),
        ("a dialect's name", "the ids of the kit's own begin with 'kafka'"),
        ("gen", "the ids of the kit's own begin with 'gen'"),
        ("no JSON", "Input data was truncated"),
        ("deep", "nested too deeply"),
        ("no dialect", "there is no dialect 'amqp'"),
        ("no area", "there is no area 'elsewhere'"),
        ("no twin", "its twin 'five' is no valid vector of this file"),
        ("too large", "mine.json, line 1, vector 'five': written out, it would have a size of 1125899906842624"),
        ("twice", "the id mine/varints/five stands in"),
    ],
)
def test_a_bad_folder_is_told_in_a_paragraph(tmp_path: Path, name: str, said: str) -> None:
    folder = _odd(tmp_path, name)
    code, text = repro("mine/varints/five#decode", f"--vectors={folder}")
    assert code == 2
    assert said in " ".join(text.split())
    assert "Traceback" not in text


def test_a_bad_folder_is_a_usage_error_of_pytests(tmp_path: Path) -> None:
    found = run("--impl=reference", "--vectors=none", cwd=tmp_path)
    assert (found.code, found.text.count("\n")) == (4, 2)
    assert f"ERROR: --vectors: {tmp_path / 'none'}: no such folder" in found.text


def test_two_folders_of_the_same_name_are_refused(tmp_path: Path) -> None:
    first, second = written(tmp_path / "a/mine", FIVE), written(tmp_path / "b/mine", FIVE)
    with pytest.raises(VectorError, match="whose name is the same"):
        vectors.use_folders([first, second])
    vectors.use_folders([first, first])
    assert len(vectors.added()) == 1
