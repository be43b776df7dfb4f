"""Every option that `pytest --help` lists is tried once, with what it means for the suite. An option that is in no
trial fails here: it may be one of a new pytest, and nobody has seen what it does to the suite."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.pytest_run import run

#: It reads numbers of one byte, and so the first of the two questions, but not the second.
ODD = """\
types = {"kafka": {"UNSIGNED_VARINT": None}}


def decode(type, data, *, dialect, version=None):
    if len(data) == 1:
        return data[0]
    raise ValueError("no")
"""
ASKED = ("--impl=odd", "--area=varints", "--dialect=kafka", "-k", "uvarint-1#decode or uvarint-129#decode")
#: Only pytest's own options and the kit's: what else is installed differs from one machine to the next.
ALONE = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_PLUGINS": "pytest_wireproof"}
PAGE = "fail (refused-valid): odd refuses what is valid"
BOTH = "1 failed, 1 passed"


@dataclass(frozen=True)
class Trial:
    """Options, and what they mean: the exit code of the run, what it prints, and what it does not."""

    options: str
    code: int = 1
    says: tuple[str, ...] = (BOTH, PAGE)
    hides: tuple[str, ...] = ()


TRIALS = (
    # Which items are asked.
    Trial("-k uvarint-1#decode", 0, ("1 passed",)),
    Trial("-m slow", 5, ("nothing was asked",)),  # the suite's items have no marks
    Trial("--deselect=odd::kafka/varints/uvarint-129#decode", 0, ("1 passed",), (PAGE,)),
    Trial("--lf", 1, ("1 failed,", "run-last-failure"), ("passed",)),
    Trial("--ff", 1, (BOTH, "1 failure first", "odd F.")),
    Trial("--lf --lfnf=none --cache-clear -o cache_dir=another", 5, ("nothing was asked",)),
    # When the run ends.
    Trial("-x", 1, (BOTH, "stopping after 1 failures")),
    Trial("--maxfail=1", 1, (BOTH, "stopping after 1 failures")),
    Trial("--sw --sw-reset", 2, ("continuing from this test next run",)),
    Trial("--sw-skip -o cache_dir=skips", 1, (BOTH,), ("continuing",)),
    # What is shown instead of a run.
    Trial("--markers", 0, ("@pytest.mark.skipif",), ("nothing was asked",)),
    Trial("--fixtures", 0, ("tmp_path",), ("nothing was asked",)),
    Trial("--fixtures-per-test", 0, (), ("nothing was asked",)),
    Trial("--cache-show", 0, ("lastfailed contains:", "odd::kafka/varints/uvarint-129#decode"), (BOTH,)),
    Trial("--co", 0, ("kafka/varints/uvarint-129#decode", "2/"), (BOTH,)),
    Trial("--setup-only", 0, ("odd::kafka/varints/uvarint-129#decode",), (PAGE,)),
    Trial("--setup-plan", 0, ("odd::kafka/varints/uvarint-129#decode",), (PAGE,)),
    Trial("--version", 0, ("pytest",), ("odd",)),
    Trial("--help", 0, ("--impl=SPEC", "--area=NAME"), ("INTERNALERROR",)),
    # What of a run is shown.
    Trial("-q", says=(BOTH, PAGE), hides=("test session starts",)),
    Trial(
        "-v --no-header --durations=2 --durations-min=0", says=(BOTH, PAGE, "slowest 2 durations"), hides=("rootdir",)
    ),
    Trial("--verbosity=2 --trace-config", says=(BOTH, PAGE, "PLUGIN registered", "not offered are")),
    Trial("--no-summary --debug=debug.log", says=(BOTH, "wrote pytest debug information"), hides=(PAGE,)),
    Trial(
        "--tb=no --report-chars=A --no-fold-skipped",
        says=(BOTH, "PASSED odd::kafka", "FAILED odd::kafka"),
        hides=(PAGE,),
    ),
    Trial("--junit-xml=junit.xml --junit-prefix=team --setup-show", says=(BOTH, PAGE, "generated xml file")),
    # A debugger stands at the report of the failure; its standard input has ended here.
    Trial("--pdb --pdbcls=pdb:Pdb", 2, ("1 failed", PAGE, "Quitting debugger")),
    # Nothing answers at this proxy: the failure is not sent to a website.
    Trial("--pastebin=failed", says=(BOTH, PAGE, "bad response")),
    # What changes nothing. There are no test functions in which --trace could stop, no files of tests or doctests to
    # collect or to rewrite, and nothing of a child is captured or logged. No question leads to a warning.
    Trial(
        "--trace --nf --strict --strict-config --strict-markers --capture=fd -s --show-capture=no -l --no-showlocals "
        "--full-trace --xfail-tb --color=no --code-highlight=no --runxfail --force-short-summary --disable-warnings "
        "-W error --max-warnings=0 --disable-plugin-autoload --assert=plain"
    ),
    Trial(
        "--pyargs --ignore=odd.py --ignore-glob=*.py --confcutdir=. --noconftest --keep-duplicates "
        "--collect-in-virtualenv --continue-on-collection-errors --import-mode=importlib --rootdir=. --basetemp=base "
        "-c /dev/null -p no:threadexception"
    ),
    Trial(
        "--doctest-modules --doctest-report=none --doctest-glob=*.txt --doctest-ignore-import-errors "
        "--doctest-continue-on-failure"
    ),
    Trial(
        "--log-level=DEBUG --log-format=%(message)s --log-date-format=%H --log-cli-level=DEBUG "
        "--log-cli-format=%(message)s --log-cli-date-format=%H --log-file=log --log-file-mode=a --log-file-level=DEBUG "
        "--log-file-format=%(message)s --log-file-date-format=%H --log-auto-indent=1 --log-disable=some"
    ),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which a run has failed before."""
    path = tmp_path_factory.mktemp("options")
    (path / "odd.py").write_text(ODD)
    assert run(*ASKED, cwd=path, **ALONE).code == 1
    return path


@pytest.mark.parametrize("trial", TRIALS, ids=[trial.options.split(" --")[0] for trial in TRIALS])
def test_what_an_option_means(folder: Path, trial: Trial) -> None:
    done = run(*ASKED, *trial.options.split(), cwd=folder, https_proxy="http://127.0.0.1:1", **ALONE)
    assert done.code == trial.code, done.text
    assert "INTERNALERROR" not in done.text
    assert [text for text in trial.says if text not in done.text] == [], done.text
    assert [text for text in trial.hides if text in done.text] == [], done.text


def test_every_option_is_tried(folder: Path) -> None:
    help_text = run("--help", cwd=folder, **ALONE).text.partition("configuration options")[0]
    listed = [
        re.findall(r"(?<!\S)(--?[a-z][a-z-]*)", line.split("   ")[0], re.IGNORECASE)
        for line in help_text.splitlines()
        if line.startswith("  -")
    ]
    assert len(listed) > 80
    tried = {word.partition("=")[0] for trial in TRIALS for word in (*ASKED, *trial.options.split())}
    assert [names for names in listed if not tried.intersection(names)] == []
