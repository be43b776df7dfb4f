"""Wireproof is installed in a project that does not use it, or not in this run."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from support.pytest_run import Run, run, run_anew

AREA = "--area=varints"
#: Every option of the suite's but --impl.
OPTIONS = (
    *("--dialect", "--area", "--known", "--write-known", "--contested", "--case-timeout", "--memory"),
    *("--in-process", "--properties", "--catalog", "--report", "--transcript"),
)


def project(folder: Path, *options: str) -> Path:
    """A project whose conftest has these options, and a test that is given them."""
    lines = [f"    parser.addoption({option!r}, default='theirs')" for option in options]
    (folder / "conftest.py").write_text("def pytest_addoption(parser):\n" + "\n".join(lines or ["    pass"]) + "\n")
    (folder / "test_own.py").write_text(
        "def test_own(request):\n"
        f"    assert [request.config.getoption(name) for name in {options!r}] == ['theirs'] * {len(options)}\n"
    )
    return folder


def well(done: Run, last: str) -> bool:
    return done.code == 0 and last in done.text


# --timeout is pytest-timeout's, and none of ours.
@pytest.mark.parametrize("option", [*OPTIONS, "--timeout"])
def test_a_conftest_may_have_every_option_but_impl(tmp_path: Path, option: str) -> None:
    done = run_anew("-p", "no:timeout", cwd=project(tmp_path, option))
    assert well(done, "1 passed"), done.text


def test_without_an_implementation_help_says_how_to_see_the_rest(tmp_path: Path) -> None:
    alone, asked = run("--help", cwd=tmp_path), run("--impl=reference", "--help", cwd=tmp_path)
    assert (alone.code, asked.code) == (0, 0)
    assert "pytest --impl=reference --help" in " ".join(alone.text.split())
    for option in OPTIONS:
        assert f"  {option}" not in alone.text
        assert f"  {option}" in asked.text


@pytest.mark.parametrize("where", ["addopts", "PYTEST_ADDOPTS"])
def test_an_implementation_may_be_named_in_addopts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    if where == "addopts":
        (tmp_path / "pytest.ini").write_text(f"[pytest]\naddopts = --impl reference {AREA} tests\n")
        done = run("--dialect=wire-format", "--area=framing", "-k", "not nothing", cwd=tmp_path)
    else:
        done = run(AREA, "--dialect", "kafka", cwd=tmp_path, PYTEST_ADDOPTS="--impl=reference")
    assert done.code == 0, done.text
    assert "implementations: reference" in done.text


def test_without_an_implementation_the_suite_of_the_package_asks_for_one(tmp_path: Path) -> None:
    done = run("--pyargs", "wireproof.conformance", AREA, cwd=tmp_path)
    assert done.code == 4, done.text
    assert "name the implementation to test with --impl=SPEC" in done.text


def test_an_option_that_a_conftest_has_too_is_told_in_a_paragraph(tmp_path: Path) -> None:
    done = run("--impl=reference", AREA, cwd=project(tmp_path, "--report"))
    assert done.code == 4, done.text
    assert "--report" in done.text
    assert "--noconftest" in done.text
    assert "Traceback" not in done.text
    assert "INTERNALERROR" not in done.text
    without = run("--impl=reference", AREA, "--noconftest", "--dialect=kafka", cwd=tmp_path)
    assert without.code == 0, without.text


@pytest.mark.parametrize("as_package", [True, False])
def test_a_folder_named_wireproof_does_no_harm(tmp_path: Path, as_package: bool) -> None:
    """`python -m pytest` looks in the current folder first."""
    (tmp_path / "wireproof").mkdir()
    if as_package:
        (tmp_path / "wireproof" / "__init__.py").write_text("OURS = True\n")
    (tmp_path / "test_own.py").write_text("import wireproof\n\n\ndef test_own():\n    assert wireproof.OURS\n")
    done = run_anew(cwd=tmp_path)
    # Without an __init__ the installed package is what Python finds.
    assert "Error while loading plugin" not in done.text
    assert (done.code, "1 passed" in done.text) == ((0, True) if as_package else (1, False)), done.text


def test_python_runs_the_commands_as_a_module(tmp_path: Path) -> None:
    import subprocess

    done = subprocess.run(
        [sys.executable, "-m", "wireproof", "explain", "VARINT", "02"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "VARINT, 1 byte" in done.stdout
