"""Readings that an implementation takes and does not declare are named where it ends and on the failure's page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from support.pytest_run import run

from wireproof.cli import group

#: Takes every length below -1 for null, which R-K-15 names as its other reading.
LAX = """\
from wireproof import reference

types = {"kafka": {"NULLABLE_STRING": None}}
rejects = (reference.WireError,)
rules = reference.rules_with(reference.rulings("kafka").values(), {"R-K-15": "other"})
decode = reference.Reference().under(rules).decode
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "lax.py").write_text(LAX)
    common: dict[str, Any] = {"about": "some", "type": "NULLABLE_STRING", "rulings": [], "source": "the protocol guide"}
    vectors = [
        common | {"id": "empty", "bytes": [["0000", "length 0"]], "value": ""},
        common
        | {"id": "below", "bytes": [["fffe", "length -2"]], "reject": {"reason": "negative-length"}, "twin": "empty"},
    ]
    (tmp_path / "own").mkdir()
    content = {"format": 1, "dialect": "kafka", "area": "null-encodings", "vectors": vectors}
    (tmp_path / "own" / "some.json").write_text(json.dumps(content))
    return tmp_path


COMMAND = "Which to declare: wireproof readings --impl=lax"
NOTE = "exactly so does a contested ruling's other reading, R-K-15: other. Declare it in `readings` if it is meant"


def test_contested_answers(folder: Path) -> None:
    done = run("--impl=lax", "--area=null-encodings", cwd=folder)
    assert done.code == 0
    assert "lax: other readings of contested rulings that it does not declare: " in done.text
    assert "R-K-15" in done.text
    assert COMMAND in done.text


def test_what_has_no_name_to_declare(tmp_path: Path) -> None:
    """More than the kit's limit for compressed content is read (R-K-35): the reference has no such reading."""
    generous = "decode = reference.Reference(reference.Rules(inflate_limit=128 << 20)).decode\n"
    types = 'types = {"kafka": {"RecordBatch": None}}\nrejects = (reference.WireError,)\n'
    (tmp_path / "generous.py").write_text("from wireproof import reference\n\n" + types + generous)
    done = run("--impl=generous", "--area=resource-limits", "-k", "snappy", cwd=tmp_path)
    assert done.code == 0
    assert "that it does not declare: 1 R-K-35. Which to declare: none has a name" in done.text


@pytest.mark.parametrize("workers", [(), ("-n1",)], ids=["alone", "xdist"])
def test_a_failure_that_another_reading_explains(folder: Path, workers: tuple[str, ...]) -> None:
    """Vectors of the user's own list no other readings."""
    done = run("--impl=lax", "--vectors=own", "-k", "own", "--report=r.jsonl", *workers, cwd=folder)
    assert done.code == 1
    assert NOTE in " ".join(done.text.split())
    assert "that it does not declare: 1 R-K-15. " + COMMAND in done.text
    assert NOTE in (folder / "r.jsonl").read_text()


def test_repro_names_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    result = CliRunner().invoke(group, ["repro", "own/null-encodings/below#decode", "--impl=lax", "--vectors=own"])
    assert result.exit_code == 1
    assert NOTE in " ".join(result.output.split())


def test_a_declared_one_is_not_named(folder: Path) -> None:
    (folder / "lax.py").write_text(LAX + 'readings = {"R-K-15": "other"}\n')
    done = run("--impl=lax", "--area=null-encodings", "--vectors=own", cwd=folder)
    assert done.code == 0
    assert "does not declare" not in done.text
