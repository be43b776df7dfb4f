"""The suite's fast paths behave like the slow ones."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import msgspec
import pytest
from support.pytest_run import run, run_anew

from wireproof.conformance import ledger, vectors
from wireproof.conformance.model import Case, Description, Op
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.conformance.pytest_suite.implementations import scopes
from wireproof.conformance.questions import question, selection
from wireproof.conformance.questions.positive_control import twin_case
from wireproof.conformance.values.compare import difference, identical
from wireproof.conformance.vectors import Vector


def test_identical_values_do_not_differ_and_no_two_forms_are_identical() -> None:
    for vector in ledger.every_vector("kafka"):
        assert vector.type is not None
        value = reference_codec().decode(vector.type, vector.data, dialect=vector.dialect, version=vector.version)
        assert not identical(vector.value, value) or difference(vector.value, value) is None
    for one, other in [(True, 1), (0, False), (1.0, 1), (0.0, -0.0), (b"a", "a"), ([], ()), (None, False)]:
        assert not identical(one, other)
        assert not identical({"a": [one]}, {"a": [other]})


@pytest.mark.parametrize("area", ["varints", "messages"])
def test_only_the_questions_that_are_asked_are_made(area: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def counted(vector: Vector, case: Case) -> Case | None:
        made.append(case.id)
        return twin_case(vector, case)

    monkeypatch.setattr(question, "twin_case", counted)
    described = Description("all", ops=frozenset(Op), dialects=("kafka",))
    entries = [*selection.entries(described, selection.NotAsked(), ["kafka"], [area])]
    assert made == []
    for entry in (entries[0], entries[-1]):
        first = entry.questions
        assert made
        made.clear()
        assert entry.questions is first
        assert made == []


def test_settings_are_those_of_all_files() -> None:
    for dialect in vectors.dialects():
        merged = {key: value for file in vectors.files([dialect]) for key, value in file.settings.items()}
        assert vectors.settings(dialect) == merged


def test_a_derived_case_is_asked_as_its_vector_says() -> None:
    source = next(iter(ledger.every_vector("kafka")))
    for op in (Op.DECODE, Op.RECODE):
        for vector, case in ledger.derive(source, op):
            assert case == vector.case(op)


def test_scopes_are_contiguous_and_of_one_implementation() -> None:
    ids = [f"{spec}::kafka/varints/{number}" for spec in ("a", "b") for number in range(5000)]
    numbers = list(scopes(ids))
    assert numbers == sorted(numbers)
    assert len({(number, one.partition("::")[0]) for number, one in zip(numbers, ids, strict=True)}) == len({*numbers})
    assert max(Counter(numbers).values()) <= 2048


def test_questions_that_take_long_are_shared_by_several_workers() -> None:
    derived, limits, quick = (
        max(Counter(scopes(f"a::kafka/{path}" for path in map(form.format, range(5000)))).values())
        for form in ("messages/One/{}/derived", "resource-limits/{}", "varints/{}")
    )
    assert derived < limits < quick / 10


#: The reference, which writes down what it is asked.
COUNTS = """
import os
import re
from wireproof.reference import decode as _decode, encode

types = {"kafka": {"UNSIGNED_VARINT": None, "VARINT": None, "VARLONG": None}}


def decode(type, data, *, dialect, version=None):
    with open("asked", "a") as file:
        file.write(f"{type} {data.hex()}\\n")
    return _decode(type, data, dialect=dialect, version=version)


def recode(type, data, *, dialect, version=None):
    return encode(type, _decode(type, data, dialect=dialect, version=version), dialect=dialect, version=version)
"""


def printed(folder: Path, *options: str) -> str:
    """What a run prints."""
    return run("-q", "-p", "no:cacheprovider", "--area=varints", *options, cwd=folder).text


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "counts.py").write_text(COUNTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    return tmp_path


def test_workers_ask_no_question_that_another_asks(folder: Path) -> None:
    printed(folder, "--impl=counts")
    alone = sorted((folder / "asked").read_text().splitlines())
    (folder / "asked").unlink()
    assert " passed" in printed(folder, "--impl=counts", "-n2")
    assert sorted((folder / "asked").read_text().splitlines()) == alone


def test_a_mark_and_a_hook_of_the_user_count(folder: Path) -> None:
    (folder / "conftest.py").write_text(
        "import pytest\n"
        "def pytest_collection_modifyitems(items):\n"
        "    items[0].add_marker(pytest.mark.xfail(run=False))\n"
    )
    assert " 1 xfailed" in printed(folder, "--impl=counts")
    (folder / "skips.py").write_text("import pytest\ndef pytest_runtest_setup(item):\n    pytest.xfail('no')\n")
    assert " passed" not in printed(folder, "--impl=counts", "-p", "skips", "-k", "uvarint-0")


def test_hypothesis_is_imported_for_properties_only(folder: Path) -> None:
    (folder / "conftest.py").write_text(
        "import sys\ndef pytest_unconfigure():\n    print('hypothesis' in sys.modules and 'imported')\n"
    )
    assert "imported" not in run_anew("-q", "--area=varints", "--impl=counts", cwd=folder).text


def test_a_vector_is_changed_by_msgspec() -> None:
    vector = vectors.load(["kafka"], ["varints"])[0]
    assert msgspec.structs.replace(vector, also=()).id == vector.id


def test_what_a_mark_of_the_user_skips_is_not_counted_as_printed(folder: Path) -> None:
    (folder / "conftest.py").write_text(
        "import pytest\n"
        "def pytest_collection_modifyitems(items):\n"
        "    for item in items[:2]:\n"
        "        item.add_marker(pytest.mark.skip(reason='mine'))\n"
    )
    text = printed(folder, "--impl=counts")
    assert " 2 skipped" in text
    counts = re.search(r"incomplete: ([\d,]+) of ([\d,]+) items asked", text)
    assert counts
    asked, planned = (int(count.replace(",", "")) for count in counts.groups())
    assert planned - asked == 2


def test_a_run_whose_every_item_a_mark_skips_fails(folder: Path) -> None:
    (folder / "conftest.py").write_text(
        "import pytest\n"
        "def pytest_collection_modifyitems(items):\n"
        "    for item in items:\n"
        "        item.add_marker(pytest.mark.skip(reason='mine'))\n"
    )
    assert "nothing was asked" in printed(folder, "--impl=counts")
