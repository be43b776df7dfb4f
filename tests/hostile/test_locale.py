"""Under a locale of ASCII alone a run and its pages keep their lines."""

from __future__ import annotations

from pathlib import Path

from support.pytest_run import run_anew

MODULES = Path(__file__).parent / "modules"
ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"}


def test_a_green_run() -> None:
    done = run_anew("-q", "--impl=right", "--area=varints", cwd=MODULES, **ASCII)
    assert done.code == 0
    assert "\nquestions by area" in done.text
    assert "\n--------" in done.text
    assert "\\n" not in done.text
    assert done.text.isascii()


def test_a_page() -> None:
    done = run_anew("-q", "--impl=crashes", "--area=varints", cwd=MODULES, **ASCII)
    assert done.code == 1
    assert "\nrepeat    wireproof repro" in done.text
    assert done.text.isascii()
