"""Every entry of a file of known deviations says where in the library's source the cause is: file, line and function.

In Python's libraries, which are installed, it is looked whether the line lies in the function.
"""

from __future__ import annotations

import ast
import importlib.util
import re
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import pytest
from support.paths import LIBRARIES

from wireproof.conformance.evidence import known_deviations

FILES = sorted(LIBRARIES.rglob("*.known.toml"))
#: A file of known deviations → the distribution, the package, and the version that the file speaks of.
PACKAGES = {
    "kio": ("kio", "kio", "0.6.5"),
    "kafka_python": ("kafka-python", "kafka", "3.0.12"),
    "aiokafka": ("aiokafka", "aiokafka", "0.14.0"),
    "aiokafka.python": ("aiokafka", "aiokafka", "0.14.0"),
}
#: A file of a known suffix, and a line.
_PLACE = re.compile(r"[\w/-]+\.(?:c|go|java|js|json|py|pyx|rs|scala):\d+")
#: A Python file, a line, and the function or class in which that is.
_FUNCTION = re.compile(r"([\w/]+\.py):(\d+), ([A-Za-z_][\w.]*\w)")


class Place(NamedTuple):
    """What a reason says of a Python file."""

    library: str
    file: str
    line: int
    name: str


def places(library: str) -> list[Place]:
    deviations = known_deviations.load(LIBRARIES / f"{library}.known.toml", None).deviations
    return [
        Place(library, file, int(line), name)
        for entry in deviations
        for file, line, name in _FUNCTION.findall(entry.reason)
    ]


PLACES = [place for library in PACKAGES for place in places(library)]


@cache
def sources(library: str) -> list[Path]:
    distribution, package, wanted = PACKAGES[library]
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        pytest.skip(f"{distribution} is not installed: pip install -e .[implementations]")
    if version(distribution) != wanted:
        pytest.skip(f"{distribution} {version(distribution)} is installed; the lines are those of {wanted}")
    return sorted(Path(spec.origin).parent.rglob("*.py"))


@cache
def tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text("utf-8"))


def surrounding(file: Path, line: int) -> str:
    """The functions and classes in which a line lies, from the outermost, with dots between."""
    found = [
        node
        for node in ast.walk(tree(file))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        and node.lineno <= line <= (node.end_lineno or 0)
    ]
    return ".".join(node.name for node in sorted(found, key=lambda node: node.lineno))


def is_in(place: Place, files: list[Path]) -> bool:
    """Whether the line lies in what is named, which may be without the classes or functions around it."""
    (file,) = (one for one in files if one.as_posix().endswith(f"/{place.file}"))
    around = f".{surrounding(file, place.line)}."
    return f".{place.name}." in around


@pytest.mark.parametrize("path", FILES, ids=[path.relative_to(LIBRARIES).as_posix() for path in FILES])
def test_every_reason_names_a_file_and_a_line(path: Path) -> None:
    deviations = known_deviations.load(path, None).deviations
    assert deviations
    assert [entry.name for entry in deviations if not _PLACE.search(entry.reason)] == []


@pytest.mark.parametrize("place", PLACES, ids=[f"{one.library}-{one.file}-{one.line}-{one.name}" for one in PLACES])
def test_the_line_lies_in_the_function(place: Place) -> None:
    assert is_in(place, sources(place.library))


@pytest.mark.parametrize("library", PACKAGES)
def test_functions_are_named(library: str) -> None:
    assert len(places(library)) >= 9


def test_a_line_of_another_function_is_seen() -> None:
    wrong = Place("kafka_python", "codec.py", 216, "gzip_decode")
    assert is_in(wrong._replace(name="snappy_decode"), sources("kafka_python"))
    assert not is_in(wrong, sources("kafka_python"))


def test_a_reason_without_a_place_is_seen() -> None:
    assert _PLACE.search("codec.py:216, snappy_decode, slices a block.")
    assert not _PLACE.search("codec.py, snappy_decode, slices a block.")
