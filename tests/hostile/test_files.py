"""Files that take time or memory without bound: vectors, known deviations, schemas, reports. Each is
refused with its place, in bounded memory. Small ones stand in `vectors/`; large ones are made here."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from support.pytest_run import run

HERE = Path(__file__).parent
#: A program gets this much memory, and so many seconds; before, they took gigabytes or minutes.
MEMORY, SECONDS = 1 << 30, 60

#: A file of `vectors/` → words of the error.
VECTORS = {
    "deep-enough": "line 2, vector 'a': it is nested too deeply: at most 100 arrays and objects",
    "deep-file": "Expected `object`, got `array`",
    "deep-names": "named 'n101': it is nested too deeply: at most 100 arrays and objects",
    "deep-settings": "it is nested too deeply",
    "deep-value": "line 2, vector 'a': it is nested too deeply",
    "doubled-names": "named 'n21': written out, it would have a size of",
    "fewer-tags-than-none": "line 2, vector 'a': derive: {'tags': -1} is none of the forms",
    "large-valid-batch": "line 2, vector 'a': derive: ",
    "latin-1": "line 2, vector 'a': it is no UTF-8: byte 80 is 0xe9",
    "latin-1-outside": "it is no UTF-8: byte 46 is 0xe9",
    "many-bytes-in-all": "line 18, vector 'a16': the bytes of the file's vectors up to here are more than 67108864",
    "many-tags": "line 2, vector 'a': derive: {'tags': 200000000} is none of the forms",
    "much-in-all": "line 18, vector 'a16': the file's vectors up to here have a size of more than 67108864",
    "repeated-beyond-memory": "line 2, vector 'a': bytes: 1000000000000 bytes; at most 4194304 are read",
    "repeated-bytes": "line 2, vector 'a': bytes: 2147483647 bytes; at most 4194304 are read",
    "repeated-less-than-once": "line 2, vector 'a': bytes: a piece is",
    "repeated-value": "line 2, vector 'a': written out, it would have a size of",
}

READ = """
import json, sys
from pathlib import Path
from wireproof.conformance.vectors import VectorError
from wireproof.conformance.vectors.parser import parse

def read(path):
    try:
        parse(path.read_bytes(), path.name)
    except VectorError as error:
        return str(error)

print(json.dumps({path.stem: read(path) for path in sorted(Path(sys.argv[1]).glob("*.json"))}))
"""


def python(code: str, *arguments: str | Path, memory: int = MEMORY) -> str:
    """The output of a program with this much memory."""
    limit = f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({memory}, {memory}))\n"
    done = subprocess.run(
        [sys.executable, "-P", "-c", limit + code, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_vectors_are_bounded_when_they_are_read() -> None:
    said = json.loads(python(READ, HERE / "vectors"))
    assert said.keys() == VECTORS.keys()
    assert {name: words for name, words in VECTORS.items() if words not in (said[name] or "")} == {}, said


def test_a_run_tells_a_file_of_vectors_with_its_line(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    for name in ("repeated-bytes", "deep-value", "latin-1"):
        (folder / "a.json").write_bytes((HERE / "vectors" / f"{name}.json").read_bytes())
        done = run("--impl=reference", f"--vectors={folder}", "--area=framing", cwd=tmp_path)
        assert done.code == 4
        assert f"a.json, {VECTORS[name]}" in " ".join(done.text.split())


KNOWN = """
import sys
from pathlib import Path
from wireproof.conformance.evidence.known_deviations import KnownError, load

try:
    load(Path(sys.argv[1]), None)
except KnownError as error:
    print(error)
"""
ENTRY = '[[deviation]]\nclass = "bug"\nreason = "r"\nreported = "pending"\n'


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (
            ENTRY + f"match = {[f'kafka/varints/{number}x*' for number in range(1001)]}",
            "1001 globs with wildcards, and 0",
        ),
        (ENTRY + 'match = "kafka/varints/' + "x*" * 400 + '"', "has a glob of more than 500 characters"),
        (ENTRY + 'match = "kafka/varints/' + "[" * 1_000_000 + '"', "has a glob of more than 500 characters"),
        (ENTRY + ".".join("a" * 40_000) + " = 1", "line 5: more than 16 words with dots between them"),
        ("#" * (1 << 20) + "\n", "it has more than 1 MiB"),
        ("a = " + "[" * 20_000, "it is nested too deeply"),
        ('a = "caf\xe9"', "it is no UTF-8: byte 8 is 0xe9"),
        (ENTRY + 'match = "caf\xe9"', "it is no UTF-8: line 5, byte 12 is 0xe9"),
    ],
    ids=["globs", "wildcards", "brackets", "dots", "size", "depth", "latin-1", "latin-1 in line 5"],
)
def test_known_deviations_are_bounded_when_they_are_read(content: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "known.toml"
    path.write_bytes(content.encode("latin-1"))
    assert words in python(KNOWN, path)


MANY = """
import sys
from pathlib import Path
from wireproof.conformance.evidence.known_deviations import load
from wireproof.conformance.model import Op, Outcome, Verdict

known = load(Path(sys.argv[1]), None)
ids = [f"kafka/varints/v{number}#decode" for number in range(20_000)]
found = [known.find(Verdict(one, "kafka", "varints", "VARINT", None, Op.DECODE, Outcome.FAIL)) for one in ids]
print(sum(one is not None for one in found), sum(map(known.hangs, ids)))
"""


def test_thousands_of_known_ids_are_looked_up(tmp_path: Path) -> None:
    path = tmp_path / "known.toml"
    entries = [ENTRY + f'match = "kafka/varints/v{number}#decode"\n' for number in range(8000)]
    path.write_text("".join(entries))
    assert python(MANY, path) == "8000 0\n"


SCHEMA = """
from wireproof.reference.errors import SchemaError
from wireproof.reference.schema import load_json

for text in ("/* " * 1_300_000, r'"' + r'\\"' * 2_000_000, '{"a": 1} /* b', "[" * 20_000, b'{"a": "caf\\xe9"}'):
    try:
        print(load_json(text))
    except SchemaError as error:
        print(error.detail)
"""


def test_a_schema_is_read_in_a_time_that_grows_with_its_size() -> None:
    comment, string, behind, deep, latin = python(SCHEMA).splitlines()
    assert comment == behind == "not JSON: the comment in line 1 has no end"
    assert string.startswith("not JSON: ")
    assert deep == "the JSON is nested too deeply"
    assert latin.startswith("the file is not UTF-8: ")
