"""Vectors that a user wrote and that nobody is asked are no pass."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.pytest_run import run

MODULES = Path(__file__).parent / "modules"
GOOD: dict[str, Any] = {
    "id": "one",
    "about": "one byte",
    "type": "VARINT",
    "bytes": [["02", "1"]],
    "value": 1,
    "rulings": [],
    "source": "the protocol guide",
}


def folder(tmp_path: Path, **changes: Any) -> Path:
    own = tmp_path / "own"
    own.mkdir()
    file = {"format": 1, "dialect": "kafka", "area": "varints", "vectors": [GOOD | {"id": "two"}, GOOD | changes]}
    (own / "some.json").write_text(json.dumps(file, indent=1))
    return own


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"type": "VARNT"}, "line 20, vector 'one': type: the dialect kafka has no type 'VARNT'; near it are VARINT"),
        (
            {"type": "FetchRequest", "version": 99},
            "line 20, vector 'one': version: FetchRequest has versions 4-18, not 99",
        ),
        ({"type": "FetchRequest"}, "version: FetchRequest needs a version"),
        ({"ops": ["decod"]}, "Invalid enum value 'decod'"),
        ({"type": "ARRAY<VARNT>"}, "the dialect kafka has no type 'ARRAY<VARNT>'"),
    ],
)
def test_a_misspelt_one_is_an_error_with_its_line(changes: dict[str, Any], told: str, tmp_path: Path) -> None:
    done = run("--impl=right", f"--vectors={folder(tmp_path, **changes)}", cwd=MODULES)
    assert done.code == 4
    assert told in " ".join(done.text.split())


def test_a_version_that_has_to_be_refused_may_be_none_of_the_types(tmp_path: Path) -> None:
    refused = {"type": "FetchRequest", "version": 99, "reject": {"reason": "unsupported-version"}, "twin": "two"}
    own = folder(tmp_path, **refused)
    file = json.loads((own / "some.json").read_text())
    del file["vectors"][1]["value"]
    (own / "some.json").write_text(json.dumps(file))
    assert run("--impl=right", f"--vectors={own}", "-k", "own", cwd=MODULES).code == 0


def test_a_folder_of_which_none_was_asked_fails_the_run(tmp_path: Path) -> None:
    done = run("--impl=right", f"--vectors={folder(tmp_path)}", cwd=MODULES)
    assert done.code == 0
    (tmp_path / "text.py").write_text((MODULES / "right.py").read_text().replace("VARINT", "STRING"))
    done = run("--impl=text", f"--vectors={tmp_path / 'own'}", cwd=tmp_path)
    assert done.code == 1
    assert "own was asked: it offers none of their types and ops" in " ".join(done.text.split())
