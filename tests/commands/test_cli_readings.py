"""`wireproof readings`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from wireproof.cli import group

#: The reference under other readings, as an implementation of its own.
MODULE = """
from wireproof import reference
name = "other"
types = reference.types
rejects = reference.rejects
readings = {declared!r}
_codec = reference.Reference(reference.rules_with(reference.rulings("kafka").values(), {taken!r}))
_plain = reference.Reference()
for _op in ("decode", "encode", "recode", "serve", "interpret", "negotiate", "configure"):
    globals()[_op] = getattr(_codec, _op)
"""
#: Classic nullable lengths below −1 are null in strings alone.
MIXED = (
    MODULE
    + """
def decode(type, data, *, dialect, version=None):
    codec = _codec if type == "NULLABLE_STRING" else _plain
    return codec.decode(type, data, dialect=dialect, version=version)
"""
)

#: A broker that lists more than the one api of the vector set's settings.
FULL = """
name = "broker"
from wireproof import reference
_codec = reference.Reference(reference.rules_with(reference.rulings("kafka").values(), {taken!r}))
_codec.configure({{"apis": {{"18": [0, 5], "3": [0, 13]}}}}, dialect="kafka")
serve = _codec.serve
def configure(settings, *, dialect):
    pass
"""

Make = Callable[..., str]


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Write an implementation that takes (and declares) these readings; gives its spec."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))

    def write(name: str, taken: dict[str, str], declared: dict[str, str], text: str = MODULE) -> str:
        (tmp_path / f"{name}.py").write_text(text.format(taken=taken, declared=declared))
        return name

    return write


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(group, ["readings", *arguments])
    return result.exit_code, result.output


def found(spec: str) -> tuple[dict[str, str], dict[str, str]]:
    """(taken by ruling, to declare)."""
    code, text = run(f"--impl={spec}", "--in-process", "--json")
    assert code == 0, text
    document = json.loads(text)
    return {one["ruling"]: one["taken"] for one in document["rulings"]}, document["readings"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("readings.kip_82s_groups_headers", {"R-82s-6": "grouped"}),
        ("readings.kip_82s_sorts_headers", {"R-82s-6": "sorted"}),
        ("readings.kip_82s_zigzag", {"R-82s-8": "other"}),
        ("readings.kip_82s_zigzag_and_groups", {"R-82s-6": "grouped", "R-82s-8": "other"}),
        ("miniatures.kip_82s_headers_in_a_dict", {}),
    ],
)
def test_of_several_other_readings_the_one_is_found_that_fits_all(name: str, expected: dict[str, str]) -> None:
    """Some vectors fit two of them, or the demanded one too; and some only show two rulings' readings together."""
    taken, declared = found(name)
    assert declared == expected
    assert {ruling: taken[ruling] for ruling in expected} == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("kip_482_absent_is_null", {"R-482-7": "other"}),
        ("kip_482_sends_defaults", {"R-482-16": "other"}),
        ("kip_482_refuses_inner_arrays", {"R-482-10": "other"}),
        ("kip_482_renames_are_reuses", {"R-482-13": "other"}),
        ("kip_35_old_client", {"R-35-8": "other"}),
        ("kip_35_old_client_says_no_more", {"R-35-8": "other"}),
        ("kip_35_numbers_of_their_own", {"R-35-7": "other"}),
    ],
)
def test_of_rulings_whose_other_readings_look_alike_the_right_one_is_named(name: str, expected: dict[str, str]) -> None:
    assert found(f"readings.{name}")[1] == expected


def test_the_reference_takes_what_is_demanded() -> None:
    taken, declared = found("reference")
    assert declared == {}
    assert set(taken.values()) <= {"demanded", "not asked"}
    assert taken["R-K-15"] == "demanded"


def test_other_readings_are_found(make: Make) -> None:
    readings = {"R-K-1": "other", "R-K-6": "other", "R-K-15": "other", "R-K-17": "empty", "R-K-21b": "other"}
    taken, declared = found(make("others", readings, {}))
    assert declared == readings
    assert taken["R-K-5"] == "demanded"


@pytest.mark.parametrize("reading", ["full", "empty"])
def test_the_right_one_of_several_readings_is_named(make: Make, reading: str) -> None:
    assert found(make(f"broker_{reading}", {"R-K-17": reading}, {}, FULL))[1] == {"R-K-17": reading}


#: A program around one of the modules above.
PROGRAM = """
import json, sys
import {name} as codec
for line in sys.stdin:
    asked = json.loads(line)
    answer = {{"seq": asked.get("seq")}}
    if asked["op"] == "describe":
        answer = {{"name": "program", "ops": ["decode"], "types": {{"kafka": {{"NULLABLE_STRING": None}}}}}}
    elif asked["op"] == "configure":
        answer["ok"] = True
    else:
        try:
            value = codec.decode(asked["type"], bytes.fromhex(asked["data"]), dialect="kafka")
            answer["value"] = value
        except codec.rejects as error:
            answer["reject"] = {{}}
    print(json.dumps(answer), flush=True)
"""


def test_for_a_program_they_are_json(make: Make, tmp_path: Path) -> None:
    """Ready to paste into the answer to describe."""
    make("null_below", {"R-K-15": "other"}, {})
    (tmp_path / "program.py").write_text(PROGRAM.format(name="null_below"))
    code, text = run(f"--impl=exec:{sys.executable} program.py")
    assert code == 0, text
    lines = text.splitlines()
    (pasted,) = [line for line in lines if line.startswith('"readings"')]
    assert json.loads(f"{{{pasted}}}") == {"readings": {"R-K-15": "other"}}
    assert "readings = {" not in text


def test_what_is_declared_does_not_hide_what_is_taken(make: Make) -> None:
    spec = make("declares", {"R-K-15": "other"}, {"R-K-5": "other"})
    code, text = run(f"--impl={spec}", "--in-process")
    assert code == 0
    assert '    "R-K-15": "other",  # null (Java)' in text
    assert "It does not declare R-K-15 yet." in text
    assert "It declares R-K-5, and no answer shows that reading." in text


def test_one_reading_for_some_types_and_another_for_the_rest(make: Make) -> None:
    code, text = run(f"--impl={make('mixed', {'R-K-15': 'other'}, {}, MIXED)}", "--in-process")
    assert code == 0
    assert "R-K-15   mixed" in text
    assert '    "R-K-15": {"NULLABLE_STRING": "other"},  # ' in text
    assert "It does not declare R-K-15 yet." in text
    assert "other: kafka/" in text
    assert "demanded: kafka/" in text


@pytest.mark.parametrize(
    ("name", "declared", "told"),
    [
        ("for_all", "other", False),
        ("for_more", {"NULLABLE_*": "other"}, False),
        ("for_others", {"COMPACT_*": "other"}, True),
    ],
)
def test_what_is_declared_for_more_types_is_not_missed(make: Make, name: str, declared: Any, told: bool) -> None:
    _, text = run(f"--impl={make(name, {'R-K-15': 'other'}, {'R-K-15': declared}, MIXED)}", "--in-process")
    assert ("It does not declare R-K-15 yet." in text) is told


def test_nothing_that_could_be_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tiny_codec.py").write_text("def negotiate(api_key, client, broker, *, dialect):\n    return None\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    code, text = run("--impl=tiny_codec", "--in-process")
    assert code == 1
    assert "readings = {}" in text


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "Missing option '--impl'"),
        (("--impl=reference", "--in-process", "--dialect=klingon"), "there is no dialect 'klingon'"),
        (("--impl=no.such.module",), "no.such.module"),
    ],
)
def test_usage_errors(options: tuple[str, ...], words: str) -> None:
    code, text = run(*options)
    assert code == 2
    assert words in text
