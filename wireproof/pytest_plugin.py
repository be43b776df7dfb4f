"""The pytest plugin: registers the options, and imports nothing else of the kit unless `--impl` is given."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence

#: The kit's import packages. A folder of the user's with such a name would be found before them.
_PACKAGES = ("conformance", "reference", "vectors")
_HOME = Path(__file__).resolve().parent.parent


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("wireproof", "Wireproof: conformance of Kafka wire-protocol implementations")
    group.addoption(
        "--impl",
        action="append",
        default=[],
        metavar="SPEC",
        help="the implementation to test: package.module[:attribute] or 'exec:./program --flag'; "
        "repeat it to compare several. Collects the conformance suite and nothing else",
    )
    group.addoption("--dialect", action="append", metavar="NAME", help="only this dialect (repeatable; default: all)")
    group.addoption("--area", action="append", metavar="NAME", help="only this area (repeatable; default: all)")
    group.addoption(
        "--known",
        metavar="FILE",
        help="the file of known deviations (default: NAME.known.toml beside the implementation), or none",
    )
    group.addoption("--write-known", metavar="FILE", help="draft a file of known deviations from this run")
    group.addoption(
        "--contested",
        choices=("report", "fail"),
        default="report",
        help="whether another reading of a contested ruling fails the run (default: report)",
    )
    if importlib.util.find_spec("pytest_timeout") is None:  # else its --timeout, seconds a test, is ours too
        group.addoption("--timeout", type=float, metavar="SECONDS", help="how long a case may take (default: 5)")
    group.addoption("--memory", type=int, default=1024, metavar="MIB", help="how much a child may take (default: 1024)")
    group.addoption(
        "--in-process",
        action="store_true",
        help="run a Python module inside pytest, for a debugger: no limits, and its crash is pytest's",
    )
    group.addoption(
        "--properties",
        nargs="?",
        type=int,
        const=100,
        metavar="N",
        help="generated cases too, N examples a property and type (default: off; without a number 100)",
    )
    group.addoption(
        "--catalog",
        metavar="DIR",
        help="message schemas of another Kafka, as `wireproof schema import` wrote them (default: Kafka 4.4)",
    )
    group.addoption("--report", metavar="FILE", help="write the verdicts as JSON lines")
    group.addoption("--transcript", metavar="FILE", help="write the conversation with the child as JSON lines")


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    if not config.getoption("--impl"):
        return
    shadowed = list(_shadowed())
    if shadowed:
        raise pytest.UsageError("\n".join(shadowed))
    folder = config.getoption("--catalog")
    if folder is not None:
        if not (Path(folder) / "index.json").is_file():
            raise pytest.UsageError(f"--catalog={folder!r}: a folder that `wireproof schema import` made is expected")
        # Before the kit is imported, and in the environment, for the children and xdist's workers read it too.
        os.environ["WIREPROOF_CATALOG"] = str(Path(folder).resolve())
    from conformance import suite

    suite.install(config)


def _shadowed() -> Sequence[str]:
    """A line for each package of the kit that something else hides."""
    lines = []
    for package in _PACKAGES:
        spec = importlib.util.find_spec(package)
        places = [] if spec is None else [Path(place).resolve() for place in spec.submodule_search_locations or ()]
        if places != [_HOME / package]:
            found = ", ".join(str(place) for place in places) or (spec.origin if spec and spec.origin else "nothing")
            lines.append(
                f"wireproof's package {package!r} is hidden by {found}: rename it, or run pytest from another folder "
                f"(the kit's own is {_HOME / package})"
            )
    return lines
