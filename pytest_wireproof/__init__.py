"""The pytest plugin. pytest loads it in every project where Wireproof is installed, so it must not disturb others.

Without `--impl` it registers only this option, and imports nothing else of the kit: a conftest or another plugin may
have its own `--report`. With `--impl` it registers its other options too, before pytest loads the first conftest.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

#: The argument of --pyargs that stands for the suite.
_SUITE = "wireproof.conformance"
#: Words in the errors of pytest and argparse about an option that exists already, in all their versions.
_TAKEN = ("already added", "already used", "conflicting option")
#: Settings in pytest.ini, pyproject.toml or tox.ini.
_IMPL, _KNOWN, _AREAS = "wireproof_impl", "wireproof_known", "wireproof_areas"
_GROUP = ("wireproof", "Wireproof: conformance of Kafka wire-protocol implementations")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup(*_GROUP).addoption(
        "--impl",
        action="append",
        default=[],
        metavar="SPEC",
        help="the implementation to test: package.module[:attribute], 'exec:./program --flag', the address of a "
        "broker, tcp://HOST:PORT, a client's command, 'client:COMMAND {bootstrap}', or a proxy's, "
        "'proxy:COMMAND {listen} {upstream}'; repeatable, to compare several. "
        "pytest then collects the conformance suite and nothing else. "
        "For the suite's other options: pytest --impl=reference --help",
    )
    parser.addini(
        _IMPL, "Wireproof: what --impl names, for a `pytest` without --impl and without files", type="args", default=[]
    )
    parser.addini(_KNOWN, "Wireproof: what --known names, from this file's folder; or `none`")
    parser.addini(_AREAS, "Wireproof: what --area names", type="args", default=[])


def add_suite_options(parser: pytest.Parser) -> None:
    """Register the suite's options. Raises ValueError when one of these names is registered already."""
    group = parser.getgroup(*_GROUP)
    group.addoption("--dialect", action="append", metavar="NAME", help="only this dialect (repeatable; default: all)")
    group.addoption("--area", action="append", metavar="NAME", help="only this area (repeatable; default: all)")
    group.addoption(
        "--vectors",
        action="append",
        metavar="DIR",
        help="vectors of your own beside the kit's: a folder of files in the same format (repeatable)",
    )
    group.addoption(
        "--known",
        metavar="FILE",
        help="file of known deviations; `none` for no file (default: NAME.known.toml beside the implementation)",
    )
    group.addoption(
        "--write-known", metavar="FILE", help="write the findings of this run as a draft of a file of known deviations"
    )
    group.addoption(
        "--contested",
        choices=("report", "fail"),
        default="report",
        help="another reading of a contested ruling is only reported, or fails the run (default: report)",
    )
    group.addoption("--case-timeout", type=float, metavar="SECONDS", help="time limit of each case (default: 5)")
    group.addoption(
        "--memory", type=int, default=1024, metavar="MIB", help="memory limit of the child process (default: 1024)"
    )
    group.addoption(
        "--silence",
        type=float,
        metavar="SECONDS",
        help="of a broker: the least time without an answer that counts as silence; the most is --case-timeout "
        "(default: 0.3)",
    )
    group.addoption(
        "--allow-remote",
        action="store_true",
        help="the broker may be on another machine, whose owner agreed to get broken and hostile bytes",
    )
    group.addoption(
        "--allow-writes",
        action="store_true",
        help="what is sent to a broker at an address may create or change something there",
    )
    group.addoption(
        "--load",
        type=int,
        default=0,
        metavar="N",
        help="of a broker: N clients beside the questions send half a request, send slowly, or do not read; and one at "
        "an address is asked faults, too (default: off)",
    )
    group.addoption(
        "--tls-ca",
        metavar="FILE",
        help="of a broker at tls://: the certificates, in PEM, that its own is checked against (default: the system's)",
    )
    group.addoption(
        "--sasl",
        metavar="plain:USER",
        help="log in to a broker as this user; of a client: the login that the kit's broker wants; the password is in "
        "the environment, WIREPROOF_SASL_PASSWORD",
    )
    group.addoption(
        "--prints",
        metavar="FORM",
        help="of a client's command: it prints the records that it is given, as `json` (kcat -J) or in a pattern such "
        "as '{offset} {key=NULL} {value=NULL}'",
    )
    group.addoption(
        "--unsteady",
        choices=("report", "fail"),
        default="report",
        help="a deviation of a broker that does not repeat is only reported, or fails the run (default: report)",
    )
    group.addoption(
        "--in-process",
        action="store_true",
        help="run a Python module inside pytest, for a debugger: without limits, and a crash of it ends pytest",
    )
    group.addoption(
        "--properties",
        nargs="?",
        type=int,
        const=100,
        metavar="N",
        help="also ask generated cases: N for each property of each type (default: off; without N: 100)",
    )
    group.addoption(
        "--catalog",
        metavar="DIR",
        help="message schemas of another Kafka version: a folder from `wireproof schema import` (default: Kafka 4.4)",
    )
    group.addoption("--report", metavar="FILE", help="write the verdicts as JSON lines")
    group.addoption(
        "--overwrite",
        action="store_true",
        help="let --report and --write-known replace a file that is not of an earlier run",
    )
    group.addoption("--transcript", metavar="FILE", help="write the conversation with the child process as JSON lines")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(
    early_config: pytest.Config, parser: pytest.Parser, args: list[str]
) -> Iterator[None]:
    """Register the suite's options if the command line, addopts or PYTEST_ADDOPTS asks for the suite."""
    options = early_config.known_args_namespace
    _set_from_file(early_config, options)
    if not _wanted(options):
        yield
        return
    try:
        add_suite_options(parser)
        # Parsed again: the value of an option that was not yet known has been taken for a path.
        options.file_or_dir = parser.parse_known_args(args).file_or_dir
        from wireproof.conformance import garbage

        # The first cleanup is the last to run, after pytest's own, which collects garbage.
        early_config.add_cleanup(garbage.restorer())
        garbage.freeze_at_exit()
        yield
    except ValueError as error:  # argparse's and pytest's, when a name is taken
        if not any(words in str(error) for words in _TAKEN):
            raise
        raise pytest.UsageError(
            f"{error}: with --impl Wireproof has this option too. If a conftest.py adds it, run pytest in another "
            "folder or with --noconftest; if a plugin adds it, turn that plugin off with -p no:NAME"
        ) from None


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> int | None:
    """With `--in-process` the run goes on in a copy of this process, so that the module under test cannot end it."""
    _set_from_file(config, config.option)
    if not _wanted(config.option) or not config.option.in_process or hasattr(config, "workerinput"):
        return None
    from wireproof.conformance.connection.process.supervisor import supervised

    others = config.pluginmanager.subset_hook_caller("pytest_cmdline_main", [sys.modules[__name__]])
    return supervised(lambda: int(others(config=config)))


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    if not _wanted(config.option):
        return
    if not config.option.impl:
        raise pytest.UsageError("--pyargs wireproof.conformance: name the implementation to test with --impl=SPEC")
    folder = config.getoption("--catalog")
    if folder is not None:
        if not (Path(folder) / "index.json").is_file():
            raise pytest.UsageError(f"--catalog={folder!r}: a folder from `wireproof schema import` is expected")
        # Set before the kit is imported, and in the environment: child processes and xdist's workers read it too.
        os.environ["WIREPROOF_CATALOG"] = str(Path(folder).resolve())
    from wireproof.conformance.pytest_suite.start import start

    started = start(config)
    from wireproof.conformance.pytest_suite import plugin  # takes as long as the start of an implementation

    plugin.install(config, started)


def _set_from_file(config: pytest.Config, options: Any) -> None:
    """Take the project's settings for options that the command line does not give. A command line that names files or
    folders asks for those, and for no implementation."""
    if not options.impl and not getattr(options, "file_or_dir", ()):
        options.impl = [*config.getini(_IMPL)]
    if options.impl and getattr(options, "known", ...) is None and (known := config.getini(_KNOWN)):
        beside = config.inipath.parent if config.inipath else config.rootpath
        options.known = known if known == "none" else str(beside / known)
    if options.impl and getattr(options, "area", ...) is None:
        options.area = [*config.getini(_AREAS)] or None


def _wanted(options: Any) -> bool:
    """Whether the options ask for the suite. With --help, `file_or_dir` may not exist yet."""
    return bool(options.impl) or (options.pyargs and _SUITE in getattr(options, "file_or_dir", ()))
