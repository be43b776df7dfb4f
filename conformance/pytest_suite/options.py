"""The options of `pytest --impl`, checked."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

import pytest

from wireproof.conformance import vectors, writing
from wireproof.conformance.connection import Options
from wireproof.conformance.connection.protocol.transcript import IS_TRANSCRIPT
from wireproof.conformance.model import CONVERSATIONS, FAULTS, RELAY, Outcome
from wireproof.conformance.pytest_suite.start import connection_options
from wireproof.conformance.report.jsonl import IS_REPORT
from wireproof.conformance.report.text import paragraph


def usage_error(text: str) -> pytest.UsageError:
    """An error in the command line. The text is made safe: it may hold file names and text from implementations."""
    return pytest.UsageError(paragraph(text))


#: The largest number of examples of each property.
MOST_EXAMPLES = 100_000
#: pytest's options for a look at something, by the names of their values.
_ONLY_SHOWN = ("collectonly", "cacheshow", "showfixtures", "show_fixtures_per_test")


def asks_nothing(config: pytest.Config) -> bool:
    """Whether an option of pytest only shows something: no item will run."""
    return any(config.getoption(name, None) for name in _ONLY_SHOWN)


@dataclasses.dataclass(frozen=True, slots=True)
class Settings:
    """The options of a run."""

    implementations: tuple[str, ...]
    dialects: tuple[str, ...] | None
    areas: tuple[str, ...] | None
    known: str | None
    write_known: Path | None
    #: Whether files of the user's may be replaced by `report` and `write_known`.
    overwrite: bool
    contested: str
    unsteady: str
    properties: int
    report: Path | None
    connection: Options
    #: Folders of the user's own vectors.
    vectors: tuple[Path, ...] = ()
    #: Whether every failure gets a page; else only the first of each finding.
    every_page: bool = False

    @classmethod
    def of(cls, config: pytest.Config) -> Settings:
        """Raises pytest.UsageError, whose text names the mistake and the permitted values."""
        option = config.getoption
        folders = tuple(Path(folder).absolute() for folder in option("--vectors") or ())
        try:
            vectors.use_folders(folders)
        except vectors.VectorError as error:
            raise usage_error(f"--vectors: {error}") from None
        return cls(
            implementations=tuple(dict.fromkeys(option("--impl"))),
            dialects=_among(option("--dialect"), vectors.dialects(), "dialect"),
            areas=_among(option("--area"), (*vectors.AREAS, CONVERSATIONS, FAULTS, RELAY), "area"),
            known=option("--known"),
            write_known=_path(option("--write-known"), writing.nothing, overwrite=option("--overwrite")),
            overwrite=option("--overwrite"),
            contested=option("--contested"),
            unsteady=option("--unsteady"),
            properties=_count(option("--properties")),
            report=_path(option("--report"), IS_REPORT, overwrite=option("--overwrite")),
            connection=_connection(config),
            vectors=folders,
            every_page=config.getoption("verbose", 0) > 0,
        )

    @property
    def strict(self) -> frozenset[Outcome]:
        """The outcomes that fail the run although they are no deviations."""
        chosen = {Outcome.CONTESTED: self.contested, Outcome.UNSTEADY: self.unsteady}
        return frozenset(outcome for outcome, what in chosen.items() if what == "fail")

    def wants(self, dialect: str, area: str) -> bool:
        """Whether the options include this area of this dialect."""
        return (self.dialects is None or dialect in self.dialects) and (self.areas is None or area in self.areas)

    def one_line(self) -> str:
        """The options of this run, for the header and the report."""
        parts = {
            "dialects": ",".join(self.dialects or ("all",)),
            "areas": ",".join(self.areas or ("all",)),
            "contested": self.contested,
            "properties": self.properties or "off",
            "timeout": f"{self.connection.timeout:g} s",
            "memory": f"{self.connection.memory} MiB",
        }
        if self.vectors:
            parts["vectors"] = ",".join(folder.resolve().name for folder in self.vectors)
        where = " in-process" if self.connection.in_process else ""
        return " ".join(f"{key}={value}" for key, value in parts.items()) + where


def _among(chosen: Sequence[str] | None, there: Sequence[str], what: str) -> tuple[str, ...] | None:
    if not chosen:
        return None
    for name in chosen:
        if name not in there:
            raise usage_error(f"--{what}: there is no {what} {name!r}; there are {', '.join(there)}")
    return tuple(dict.fromkeys(chosen))


def _count(examples: int | None) -> int:
    """The number of examples of each property; 0 without --properties."""
    if examples is None:
        return 0
    if not 1 <= examples <= MOST_EXAMPLES:
        raise usage_error(
            f"--properties={examples}: it has to be from 1 to {MOST_EXAMPLES:,}, which takes a fast codec days; "
            "leave the option out for none. `wireproof fuzz run` looks as long as you like, and keeps what it finds"
        )
    return examples


def _path(text: str | None, ours: writing.Ours, *, overwrite: bool | None = None) -> Path | None:
    """A file to be written. It is checked here: an error before the run is better than one after it."""
    if text is None:
        return None
    path = Path(text).absolute()
    try:
        writing.check_free(path, ours, overwrite=overwrite)
    except OSError as error:
        raise usage_error(f"{error.filename or path} can't be written: {error.strerror}") from None
    return path


def _connection(config: pytest.Config) -> Options:
    _path(config.getoption("--transcript"), IS_TRANSCRIPT)
    try:
        return connection_options(config)
    except ValueError as error:
        raise usage_error(str(error)) from None
