"""Writes the pages of docs/ that follow from code and vectors, and the tables of claims in the pages of proposals:
`python docs/generate.py`.

With `--check` it writes nothing. It names the outdated pages, and ends with exit code 1 if there are any.
"""

from __future__ import annotations

import functools
import re
import sys
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, cast

import click
import msgspec

import pytest_wireproof
import reference
from conformance import attested, claims, consensus, decided, generated, known, ledger, vectors
from conformance.coverage import REASONS, FieldCoverage, FieldState, Gap, coverage, everything
from conformance.report.failure import repro_command
from conformance.report.text import middle
from conformance.values import to_json
from conformance.vectors import Vector, VectorKind
from reference import catalog
from reference.rules import Ruling
from wireproof import cli, known_findings, registry

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
#: click's mark in help texts: the paragraph after it is not changed.
_AS_IT_IS = "\b"

Lines = Iterator[str]

_NOTE = "<!-- Written by `python docs/generate.py`: change its sources, not this page. -->"

_RULINGS = """\
A ruling is the kit's reading of a point that the specification leaves open. Vectors name the rulings they rest on.

A ruling marked ‡ is *contested*: the kit demands the reading in the column "demanded". An implementation that takes the
other reading is reported as `contested`, which is neither a pass nor a failure. All other outcomes fail. If a library
takes the other reading, its wrapper writes the text of the last column into its `readings`, see
[the contract](reference/contract.md#readings). If the column is empty, the reference has no switch for the ruling.

[Why rulings are contested](explanation/contested-rulings.md) · [How to dispute one](how-to/dispute-a-ruling.md)
"""

_TABLES = """\
The tables that `wireproof pipeline` writes, as Parquet, and the columns of its data sources. Bytes are binary, times
are in milliseconds since 1970 in UTC. `pipeline.tables` holds the same schemas for Arrow and Spark. The folders of
`cases` and `verdicts` have a subfolder for each group of cases; a run's other tables are in `reports/<run>/`.

[How to run jobs on Spark](../how-to/run-on-spark.md)
"""

_BUGS = """\
{total} bugs of released software, from public trackers and histories. For {caught} of them, the `wrong` entry of a
vector holds the answer of the buggy library, and a test of the kit checks that the judge fails it. {ruled} are right or
contested under a ruling. {unreached} are not reached yet, for the given reason.

`wireproof repro` takes the ids in the last column.
"""

_PYTEST = """\
`pytest --impl=SPEC` only collects the conformance suite. pytest's own options work with it: `-k`, `-x`, `--lf`,
`--junitxml`, and `-n` if pytest-xdist is installed. Without `--impl`, Wireproof has no other options, so they cannot
conflict with yours.

An argument without an option is an id, as shown after FAILED: `pytest --impl=my_codec
'my_codec::kafka/varints/varint-1#decode'` asks that question. Without `my_codec::` all implementations are asked. You
can use an id, or a part of one, in `-k`: `-k 'varint-1#decode or tag-'`. `--tb=short` shows a failure in two lines,
`--tb=line` in one, `--tb=no` not at all.

pytest-timeout's `--timeout` is a limit for a test. It does not apply to items of the suite, because one item may wait
for the answers to a whole block of questions: `--case-timeout` is the limit for each question.
"""

_PYTEST_ENDS = """\
The exit codes are pytest's own: 0 no unknown deviations; 1 deviations, an outdated file of known deviations, or nothing
asked; 2 ended early, by SIGINT or SIGTERM, or because the report or the transcript cannot be written; 4 a usage error;
5 nothing collected. A run that ends early, also with `-x`, shows how many questions were asked.
"""


# --- docs/rulings.md ----------------------------------------------------------------------------------------------


def rulings_page() -> Lines:
    """All rulings of all dialects."""
    yield from ("# Rulings", "", _NOTE, "", _RULINGS)
    for dialect in reference.dialects:
        rulings = reference.rulings(dialect).values()
        contested = sum(ruling.contested for ruling in rulings)
        yield from (f"## {dialect}", "", f"{len(rulings)} rulings, {contested} of them contested.", "")
        head = ("ruling", "point", "demanded", "other reading", "source", "declared as")
        yield from _table(head, map(_ruling_row, rulings))


def _ruling_row(ruling: Ruling) -> tuple[str, ...]:
    name = f'<a id="{ruling.id.lower()}"></a>{ruling.id}{" ‡" if ruling.contested else ""}'
    beyond = f"<br>*beyond what is asked*: {_cell(ruling.beyond)}" if ruling.beyond else ""
    cells = (_cell(ruling.question), _cell(ruling.demanded) + beyond, _cell(ruling.other), _cell(ruling.source))
    return name, *cells, " or ".join(_code(f'"{other}"') for other in ruling.others)


# --- docs/reference/bugs.md ---------------------------------------------------------------------------------------


class _Ruled(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    ruling: str
    how: Literal["otherwise", "contested"]
    why: str


class _Bug(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    id: str
    repo: str
    ref: str
    date: str
    area: str
    title: str
    wrong_behaviour: str
    detect: str
    certainty: str
    ruled: _Ruled | None = None
    unreached: str | None = None


class _BugFile(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    format: Literal[1]
    bugs: list[_Bug]


def bugs_page() -> Lines:
    """All bugs of the catalogue, and how the kit treats each. Raises ClickException for a bug without an entry."""
    content = (DOCS.parent / "vectors" / "bugs.json").read_bytes()
    catalogue = msgspec.json.decode(content, type=_BugFile).bugs
    caught = _caught()
    states = {bug.id: _state(bug, caught.get(bug.id, [])) for bug in catalogue}
    strangers = sorted(set(caught) - set(states))
    if strangers:
        raise click.ClickException(f"vectors name bugs that vectors/bugs.json lacks: {', '.join(strangers)}")
    count = Counter(kind for kind, _ in states.values())
    shares = {kind: count[kind] for kind in ("caught", "ruled", "unreached")}
    yield from ("# Real bugs, and what catches them", "", _NOTE, "", _BUGS.format(total=len(catalogue), **shares))
    for area in (name for name in vectors.AREAS if any(bug.area == name for bug in catalogue)):
        yield from (f"## {area}", "")
        rows = [_bug_row(bug, states[bug.id][1]) for bug in catalogue if bug.area == area]
        yield from _table(("bug", "where", "what was wrong", "what becomes of it here"), rows)


def _caught() -> Mapping[str, list[str]]:
    """Bug → ids of the questions that its behaviour fails."""
    by_bug: dict[str, list[str]] = {}
    for vector in vectors.load():
        for wrong in vector.wrong:
            by_bug.setdefault(wrong.bug, []).append(f"{vector.path}#{wrong.op}")
    return by_bug


def _state(bug: _Bug, caught: list[str]) -> tuple[str, str]:
    ruled = [] if bug.ruled is None else [_ruled(bug.ruled)]
    if caught:
        ids = [_code(identifier) for identifier in dict.fromkeys(caught)]
        return "caught", "<br>".join(["fails", *ids, *ruled])
    if ruled:
        return "ruled", ruled[0]
    if bug.unreached is not None:
        return "unreached", f"not reached: {_cell(bug.unreached)}"
    raise click.ClickException(f"vectors/bugs.json: no vector names {bug.id}, so it needs `ruled` or `unreached`")


def _ruled(ruled: _Ruled) -> str:
    word = "ruled otherwise" if ruled.how == "otherwise" else "contested"
    return f"{word}, [{ruled.ruling}](../rulings.md#{ruled.ruling.lower()}): {_cell(ruled.why)}"


def _bug_row(bug: _Bug, state: str) -> tuple[str, ...]:
    where = "<br>".join(map(_cell, (bug.repo, bug.ref, bug.date)))
    wrong = f"**{_cell(bug.title)}**: {_cell(bug.wrong_behaviour)}"
    return f'<a id="{bug.id.lower()}"></a>{bug.id}', where, wrong, state


# --- docs/reference/coverage-messages.md --------------------------------------------------------------------------

_COVERAGE = """\
This page shows the coverage of each message of the catalogue by the values of all ledger cases and handwritten vectors,
for each field and version. A field's cell shows the versions in which

- **default**: a value of it equals its default;
- **set**: one is neither its default nor null;
- **null**: one is null;
- **tagged**: one is sent in a tag buffer, because it is not the default;
- **boundary**: for a number or UUID, the smallest and the largest value of its type both occur; for text, bytes or an
  array, one is empty, or its compact length takes two bytes; for an array, also one with a single element.

✓ without versions means all versions with the field. A letter means that no version is covered, for this reason:
"""
_LETTERS = {
    Gap.NOT_NULLABLE: "N",
    Gap.NOT_TAGGED: "T",
    Gap.NO_BOUNDARY: "B",
    Gap.ABSENT: "D",
    Gap.HIDDEN: "H",
    Gap.NOT_COVERED: "**not covered**",
}


def coverage_page() -> Lines:
    """Message × version × field × state: whether the vectors cover it, or the reason why not."""
    messages = coverage(everything())
    yield from ("# What the vectors hold of each message", "", _NOTE, "", _COVERAGE)
    reasons = [gap for gap in _LETTERS if gap in REASONS]
    yield from _table(("letter", "reason"), [(_LETTERS[gap], gap) for gap in reasons])
    yield from ("A cell is a field in a version of its message.", "")
    gaps: list[Gap | None] = [None, *reasons, Gap.NO_FIELD, Gap.NOT_COVERED]
    count = Counter(
        (state, gap)
        for message in messages
        for row in message.rows
        for state, cell in row.cells.items()
        for gap in cell.values()
    )
    head = ("cells", "covered", *(_LETTERS[gap] for gap in reasons), Gap.NO_FIELD, Gap.NOT_COVERED, "total")
    totals = [[count[state, gap] for gap in gaps] for state in FieldState]
    names = [f"**{state}**" for state in FieldState]
    rows = [*zip(names, totals, strict=True), ("all", [sum(column) for column in zip(*totals, strict=True)])]
    yield from _table(head, [(name, *(f"{n:,}" for n in (*numbers, sum(numbers)))) for name, numbers in rows])
    keys = {f"{api}{kind}": key for key, api in catalog.current().apis.items() for kind in ("Request", "Response")}
    for message in sorted(messages, key=lambda message: (keys.get(message.name, 2**15), message.name)):
        key = f", api {keys[message.name]}" if message.name in keys else ""
        yield from (f"## {message.name} {_ranges(message.versions)}{key}", "")
        if message.rows:
            yield from _table(("field", "type", "versions", *FieldState), map(_coverage_row, message.rows))
        else:
            yield from ("It has no fields.", "")


def _coverage_row(row: FieldCoverage) -> tuple[str, ...]:
    cells = (_coverage_cell(row, row.cells[state]) for state in FieldState)
    return _code(row.path), _code(row.type), _ranges(row.versions), *cells


def _coverage_cell(row: FieldCoverage, cell: Mapping[int, Gap | None]) -> str:
    by_gap: dict[Gap | None, list[int]] = {}
    for version in row.versions:
        by_gap.setdefault(cell[version], []).append(version)
    marks = [("✓" if gap is None else _LETTERS[gap], versions) for gap, versions in by_gap.items()]
    return marks[0][0] if len(marks) == 1 else ", ".join(f"{mark} {_ranges(versions)}" for mark, versions in marks)


def _ranges(versions: Iterable[int]) -> str:
    """Ascending versions as 0–3, 5."""
    spans: list[list[int]] = []
    for version in versions:
        if spans and version == spans[-1][1] + 1:
            spans[-1][1] = version
        else:
            spans.append([version, version])
    return ", ".join(str(low) if low == high else f"{low}–{high}" for low, high in spans)


# --- docs/reference/coverage-dialects.md --------------------------------------------------------------------------

_DIALECTS = """\
The number of vectors of each dialect in each area. They are written by hand. Derived cases (each prefix of a valid
vector, counts that are too large) and cases of `--properties` are not counted here.
"""
_LEDGER = """\
Message ledgers also have a few cases for each version of each message; see [the format](../../vectors/FORMAT.md).
[Another page](coverage-messages.md) shows the coverage of Kafka's ledger for each field.
"""


def dialects_page() -> Lines:
    """The counts for each dialect and area, and the vectors of each ruling. Raises ClickException for a gap without a
    reason."""
    all_vectors = list(vectors.load())
    count = Counter((vector.dialect, vector.area) for vector in all_vectors)
    yield from ("# What the vectors hold of each dialect", "", _NOTE, "", _DIALECTS)
    rows = [(area, *(_count(count[name, area]) for name in reference.dialects)) for area in vectors.AREAS]
    totals = Counter(vector.dialect for vector in all_vectors)
    rows.append(("all", *(f"{totals[name]:,}" for name in reference.dialects)))
    yield from _table(("area", *map(_code, reference.dialects)), rows)
    yield _LEDGER
    yield from _table(
        ("ledger", "messages", "cases", "bytes by"),
        [
            (
                _code(name),
                f"{len(ledger.names(name)):,}",
                f"{sum(1 for _ in ledger.every_vector(name)):,}",
                _makers(name),
            )
            for name in reference.dialects
            if ledger.names(name)
        ],
    )
    for name in reference.dialects:
        yield from _dialect(name, [vector for vector in all_vectors if vector.dialect == name])


def _makers(dialect: str) -> str:
    """The program that made the bytes of a dialect's ledgers."""
    return "; ".join(sorted({_cell(ledger.load(name, dialect).made_by) for name in ledger.names(dialect)}))


def _count(number: int) -> str:
    return f"{number:,}" if number else "–"


def _dialect(name: str, all_vectors: list[Vector]) -> Lines:
    """A dialect's kinds of vectors by area, why areas are empty, and how many vectors rest on each ruling."""
    yield from (f"## {name}", "")
    kinds = [kind for kind in VectorKind if any(vector.kind is kind for vector in all_vectors)]
    count = Counter((vector.area, vector.kind) for vector in all_vectors)
    areas = [area for area in vectors.AREAS if any(vector.area == area for vector in all_vectors)]
    yield from _table(("area", *kinds), [(area, *(_count(count[area, kind]) for kind in kinds)) for area in areas])
    why = reference.dialect_named(name).empty_areas
    _no_gap(f"{name}: areas without vectors", set(vectors.AREAS) - set(areas), why)
    if why:
        yield from (f"- no `{area}`: {_cell(why[area])}" for area in vectors.AREAS if area in why)
        yield ""
    rulings = reference.rulings(name).values()
    rest = Counter(ruling for vector in all_vectors for ruling in vector.rulings)
    other = Counter(ruling for vector in all_vectors for also in vector.also for ruling in also.rulings)
    without = {ruling.id for ruling in rulings if not rest[ruling.id]}
    reasons = {ruling.id: ruling.beyond for ruling in rulings if ruling.beyond and ruling.id in without}
    _no_gap(f"{name}: rulings without vectors", without, reasons)
    contested = {ruling.id for ruling in rulings if ruling.contested}
    _no_gap(f"{name}: rulings whose other reading no vector tells", contested - set(other), {})
    yield from _table(
        ("ruling", "vectors that rest on it", "that tell its other reading", "what of it no vector asks, and why"),
        [
            (
                f"[{ruling.id}](../rulings.md#{ruling.id.lower()}){' ‡' if ruling.contested else ''}",
                _count(rest[ruling.id]),
                _count(other[ruling.id]) if ruling.contested else "",
                _cell(ruling.beyond),
            )
            for ruling in rulings
        ],
    )


def _no_gap(what: str, empty: set[str], why: Mapping[str, str]) -> None:
    """Raises ClickException for empty areas without a reason, and for reasons of areas that are not empty."""
    if empty != set(why):
        raise click.ClickException(f"{what}: {sorted(empty)}; the reasons are for {sorted(why)}")


# --- docs/reference/command-line.md -------------------------------------------------------------------------------


def command_line_page() -> Lines:
    """The options of the pytest plugin, and all commands of `wireproof`."""
    yield from ("# Command line", "", _NOTE, "", "## pytest", "", _PYTEST)
    recorder = _Recorder()
    pytest_wireproof.pytest_addoption(cast("Any", recorder))
    pytest_wireproof.add_suite_options(cast("Any", recorder))
    yield from _table(("option", "meaning"), recorder.rows)
    yield _PYTEST_ENDS
    yield from _command(cli.group, click.Context(cli.group, info_name="wireproof"), 2)


class _Recorder:
    """Replaces pytest's parser and its groups, and keeps the registered options."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, ...]] = []

    def getgroup(self, *_: str) -> _Recorder:
        return self

    def addoption(self, name: str, **settings: Any) -> None:
        value = settings.get("metavar") or "|".join(settings.get("choices", ()))
        if value:
            name += f"[={value}]" if settings.get("nargs") == "?" else f"={value}"
        self.rows.append((_code(name), _cell(settings["help"])))


def _command(command: click.Command, context: click.Context, level: int) -> Lines:
    usage = (context.command_path, *command.collect_usage_pieces(context))
    yield from (f"{'#' * level} {context.command_path}", "", "```text", " ".join(usage), "```", "")
    yield from _prose(command.help or "")
    options = [option for option in command.params if isinstance(option, click.Option)]
    if options:
        yield from _table(("option", "meaning"), map(_option_row, options))
    yield from _prose(command.epilog or "")
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            subcommand = command.get_command(context, name)
            if subcommand is not None:
                yield from _command(subcommand, click.Context(subcommand, info_name=name, parent=context), level + 1)


def _option_row(option: click.Option) -> tuple[str, ...]:
    names = ", ".join(option.opts)
    if not option.is_flag:
        names += f" {option.metavar or (option.name or '').upper()}"
    help_text = option.help or ""
    if option.show_default and not option.is_flag:
        help_text += f" [default: {option.default}]"
    return _code(names), _cell(help_text + (" [required]" if option.required else ""))


def _prose(text: str) -> Lines:
    """Help text as Markdown. Paragraphs that click does not change become code blocks."""
    for paragraph in filter(None, re.split(r"\n\s*\n", text.strip())):
        kept = paragraph.lstrip(" ").startswith(_AS_IT_IS)
        yield from _code_block(paragraph) if kept else (_cell(" ".join(paragraph.split())), "")


def _code_block(paragraph: str) -> Lines:
    first, *lines = paragraph.strip(f" {_AS_IT_IS}").strip("\n").splitlines()
    if first.startswith(" "):
        lines.insert(0, first)
    else:
        yield from (first, "")
    if lines:
        yield from ("```text", textwrap.dedent("\n".join(lines)), "```", "")


# --- Markdown -----------------------------------------------------------------------------------------------------


def _cell(text: str) -> str:
    for character in "\\*_|":
        text = text.replace(character, f"\\{character}")
    return text.replace("<", "&lt;").replace("\n", " ")


def _code(text: str) -> str:
    return "`" + text.replace("|", "\\|") + "`"


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Lines:
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"
    yield ""


# --- docs/reference/tables.md -----------------------------------------------------------------------------------------


def tables_page() -> Lines:
    """The tables of jobs on Spark. They need the extra `pipeline`."""
    try:
        from pipeline import tables
    except ImportError as error:
        raise click.ClickException(f"the page on tables needs the extra `pipeline`: {error}") from None

    yield from ("# Tables", "", _NOTE, "", _TABLES)
    for table in tables.ALL:
        yield from (f"## `{table.name}`", "", f"A row is {table.row}.", "")
        yield from _table(
            ("column", "type", "meaning"),
            (
                (_code(one.name), _code(str(one.type)), _cell(one.meaning + ("" if one.nullable else " (never null)")))
                for one in table.columns
            ),
        )


# --- The claims of a proposal's page, in docs/explanation/ ------------------------------------------------------------

_CLAIMS_BEGIN = "<!-- claims: written by `python docs/generate.py` from docs/claims/{}.toml -->"
_CLAIMS_END = "<!-- end of claims -->"


def claims_table(dialect: str) -> Lines:
    """Each claim of a proposal's page, with its rulings, and its vectors or the reason why there are none. Raises
    ClickException for problems in the claims."""
    try:
        file = claims.load(DOCS / "claims" / f"{dialect}.toml")
    except claims.ClaimsError as error:
        raise click.ClickException(f"docs/claims/{error}") from None
    there = [*vectors.load([dialect]), *(ledger.every_vector(dialect) if ledger.names(dialect) else ())]
    wrong = list(claims.problems(file, reference.rulings(dialect), there))
    if wrong:
        raise click.ClickException("\n".join(f"docs/claims/{dialect}.toml: {problem}" for problem in wrong))
    for section in file.sections:
        yield from (f"**{_cell(section)}**", "")
        yield from _table(("the page says", "rulings", "asked by"), map(_claim_row, file.of(section)))


def _claim_row(claim: claims.Claim) -> tuple[str, ...]:
    rulings = ", ".join(f"[{ruling}](../rulings.md#{ruling.lower()})" for ruling in claim.rulings)
    asked = ", ".join(map(_code, claim.vectors)) if claim.vectors else f"*beyond*: {_cell(claim.beyond)}"
    return _cell(claim.says), rulings, asked


def claims_page(dialect: str) -> Lines:
    """The proposal's page with a new table of claims. Raises ClickException if the page has no place for it."""
    name = f"docs/explanation/{dialect}.md"
    text = (DOCS / "explanation" / f"{dialect}.md").read_text("utf-8")
    begin = _CLAIMS_BEGIN.format(dialect)
    yield from _between(text, begin, _CLAIMS_END, claims_table(dialect), name)


def _claims_pages() -> Mapping[str, Callable[[], Lines]]:
    return {
        f"explanation/{path.stem}.md": functools.partial(claims_page, path.stem)
        for path in sorted((DOCS / "claims").glob("*.toml"))
    }


# --- README.md ----------------------------------------------------------------------------------------------------

_FOUND_BEGIN = "<!-- found: written by `python docs/generate.py` from the files of known deviations -->"
_FOUND_END = "<!-- end of found -->"
_FOUND = """\
A bug here is an entry of the class `bug` in the library's file of known deviations: it has one cause, and the protocol
leaves no choice. A bug that shows in several areas is counted in each of them. A page has
[all of them](docs/reference/findings.md), with the shortest input that shows each.
"""
#: File of known deviations → the tested library.
_LIBRARIES = {
    "aiokafka.known.toml": "aiokafka",
    "aiokafka.python.known.toml": "aiokafka, record codecs in Python",
    "kafka_python.known.toml": "kafka-python",
    "kio.known.toml": "kio",
    "java/wrapper.known.toml": "kafka-clients, generated messages",
    "java/wrapper-schema.known.toml": "kafka-clients, `Schema` and `Struct`",
    "node/kafkajs/wrapper.known.toml": "kafkajs",
    "node/platformatic/wrapper.known.toml": "@platformatic/kafka",
    "node/kafka-ts/wrapper.known.toml": "kafka-ts",
    "go/franz-go/wrapper.known.toml": "franz-go",
    "go/kafka-go/wrapper.known.toml": "kafka-go",
    "go/sarama/wrapper.known.toml": "sarama",
    "rust/kafka-protocol/wrapper.known.toml": "kafka-protocol",
    "rust/kacrab-protocol/wrapper.known.toml": "kacrab-protocol",
    "rust/kafka-wire-protocol/wrapper.known.toml": "kafka_wire_protocol",
    "c/librdkafka/wrapper.known.toml": "librdkafka",
}


def readme_page() -> Lines:
    """The README with a new table of findings."""
    yield from _between((ROOT / "README.md").read_text("utf-8"), _FOUND_BEGIN, _FOUND_END, found_table(), "README.md")


def found_table() -> Lines:
    """The number of known bugs of each tested library, by area."""
    yield from _FOUND.splitlines()
    yield ""
    rows = (_library_row(name, title) for name, title in _LIBRARIES.items())
    yield from _table(("library", "version", "bugs", "in the areas"), rows)


def _library_row(name: str, title: str) -> tuple[str, ...]:
    path = ROOT / "implementations" / name
    # An entry about generated cases alone repeats the cause of another one, or is about fuzzing.
    bugs = [entry for entry in known.load(path, None).deviations if entry.kind == "bug" and not entry.generated]
    version = _version(path, bugs)
    bugs = [entry for entry in bugs if entry.concerns(version)]
    areas = Counter(area for entry in bugs for area in {_area(glob) for glob in entry.globs})
    counts = ", ".join(f"{area} {areas[area]}" for area in sorted(areas, key=lambda one: (-areas[one], one)))
    anywhere = sum(not entry.globs for entry in bugs)
    cells = [counts, f"wherever it occurs {anywhere}"] if anywhere else [counts]
    return f"[{title}](implementations/{name})", version, str(len(bugs)), ", ".join(cells)


def _area(glob: str) -> str:
    """The area of the cases that a glob matches: it is in the id of a vector's case, and of its type's in a generated
    one's."""
    parts = glob.split("/")
    return generated.area(parts[1], parts[2]) if parts[0] == "gen" else parts[1]


def _version(path: Path, entries: Iterable[known.KnownDeviation]) -> str:
    """The tested release: from the build of the Java wrapper, else the one that all entries name."""
    if path.parent.name == "java":
        built = re.search(r"<kafka.version>(.*?)</kafka.version>", (path.parent / "pom.xml").read_text("utf-8"))
        assert built is not None
        return built[1]
    (version,) = {entry.versions for entry in entries}
    return str(version)


def _between(text: str, begin: str, end: str, lines: Lines, name: str) -> Lines:
    """A page with new lines between two marks. Raises ClickException if the marks are missing."""
    before, opened, rest = text.partition(f"{begin}\n")
    _, closed, behind = rest.partition(f"{end}\n")
    if not opened or not closed:
        raise click.ClickException(f"{name}: what is generated stands between lines {begin} and {end}")
    yield from (before + begin, "", *lines)
    yield end + "\n" + behind


# --- docs/reference/findings.md ---------------------------------------------------------------------------------------

_FINDINGS = """\
What released libraries do otherwise than the protocol demands: an entry for each cause in their files of known
deviations, which say how each was looked at. Entries about generated cases alone are left out, and those of the class
`unsupported`.

The severity is the worst that a vector shows, or what the entry says, where verdicts say too much or too little.
*Ends the process* is a crash, too much memory, or an exception of a class that a caller does not expect. The shortest
input is that of the vector with the fewest bytes; the command asks it again, in a clone. `wireproof finding NAME`
prints a text for the library's project, for some findings with a program that needs nothing but the library. *Private
first*: a finding that ends or stalls a process may be a vulnerability, and is reported in private before it is
discussed; read [SECURITY.md](../../SECURITY.md).

There is no implementation in C# here: those come from NuGet, from which the project's CI builds nothing.
"""
_SUPPORT = """\
{share} of {total} expectations of codecs, in the dialect `kafka`, have the agreement of two independent groups of
released implementations or more, beside the reference.
[What this proves, and what it does not](../explanation/attestation.md).
{peers} more are asked of clients and brokers, of which few have the answer as a function.
Against {outweighed} expectations more groups dissent than agree:
[how each was decided](#where-more-dissent-than-agree).
"""
_OUTWEIGHED = """\
More groups dissent from these {outweighed} expectations than agree with them. Each was decided from Kafka's source and
the specification. *Stands*: the demanded answer is right all the same. *Contested*: the vector has the answer of
another reading too, and who gives that does not dissent. `wireproof attest --show --all` lists them, with what each
implementation said, and the known cause.
"""
#: Longer inputs are cut.
_BYTES = 24


def findings_page() -> Lines:
    """The figures of attestation, and the findings of each implementation."""
    yield from ("# What released libraries do otherwise", "", _NOTE, "")
    files = known_findings.attested_by_name()
    yield from _support([*files.values()])
    yield from ("## Findings", "", _FINDINGS)
    for implementation in registry.implementations():
        found = known_findings.known_findings(implementation, files.get(implementation.name))
        version = found[0].version if found else ""
        yield from (f"### {' '.join(filter(None, (implementation.name, version)))}", "")
        if not found:
            yield from ("No file of known deviations.", "")
            continue
        head = ("finding", "severity", "shortest input", "upstream", "ask it again")
        yield from _table(head, map(_finding_row, found))
    yield from _decisions([*files.values()])


def _support(files: list[attested.Attested]) -> Lines:
    """The number of expectations that two groups agree with, by area, and the others by reason."""
    counted = consensus.tally(consensus.opinions(files))
    two, total = counted.codec
    yield _SUPPORT.format(
        share=f"{100 * two / total:.1f} %",
        total=f"{total:,}",
        peers=f"{counted.total(consensus.PEERS):,}",
        outweighed=f"{len(counted.outweighed):,}",
    )
    yield from _table(
        ("implementation", "version", "language", "group"),
        [(one.name, one.version or "", one.language, one.group) for one in (file.header for file in files)],
    )
    reasons = [one for one in consensus.Support if counted.total(support=one)]
    yield from _table(
        ("area", "expectations", *map(_cell, reasons)),
        [
            (area or "all", f"{counted.total(area):,}", *(_count(counted.total(area, one)) for one in reasons))
            for area in (*counted.areas(), None)
        ],
    )


def _decisions(files: list[attested.Attested]) -> Lines:
    """How the expectations were decided from which more dissent."""
    outweighed = consensus.tally(consensus.opinions(files)).outweighed
    decisions = decided.load()
    number = decided.counted(outweighed, decisions)
    yield from ("## Where more dissent than agree", "", _OUTWEIGHED.format(outweighed=f"{len(outweighed):,}"))
    head = ("expectations", "number", "decided", "why")
    yield from _table(
        head, [(_cell(one.subject), f"{number[one]:,}", one.outcome, _cell(one.why)) for one in decisions]
    )


def _finding_row(found: known_findings.KnownFinding) -> tuple[str, ...]:
    kinds = sorted({entry.kind for entry in found.entries} - {"bug"})
    notes = [*kinds, *(["private first"] if found.private else [])]
    severity = str(found.severity or "not measured") + (f" ({', '.join(notes)})" if notes else "")
    links = _links("report", found.reports) + _links("page", found.pages)
    said = ", ".join(links) if found.reports else ", ".join(("no report yet", *links))
    if found.shortest is None:
        return _cell(found.reason), severity, "", said, ""
    command = repro_command(found.shortest.id, found.implementation.spec)
    return _cell(found.reason), severity, _shortest(found.shortest), said, _code(command)


def _links(name: str, addresses: tuple[str, ...]) -> list[str]:
    numbers = [""] if len(addresses) == 1 else [f" {number}" for number in range(1, len(addresses) + 1)]
    return [f"[{name}{number}]({address})" for number, address in zip(numbers, addresses, strict=False)]


def _shortest(shown: known_findings.Shown) -> str:
    """What is asked, in a few words: bytes in hex, or a value that has none."""
    vector = shown.vector
    version = "" if vector.version is None else f" {vector.version}"
    what = f"{shown.op} {vector.type or ''}{version}".strip()
    data = vector.data if vector.pieces else b""
    if not vector.pieces and vector.value is not vectors.ABSENT:
        value = msgspec.json.encode(to_json(vector.value)).decode()
        return f"{_cell(what)}: {_code(middle(value, 2 * _BYTES))}"
    more = f" … ({len(data):,} bytes)" if len(data) > _BYTES else ""
    return f"{_cell(what)}: {_code(data[:_BYTES].hex() + more) if data else 'no bytes'}"


PAGES: Mapping[str, Callable[[], Lines]] = {
    "rulings.md": rulings_page,
    "reference/tables.md": tables_page,
    "reference/bugs.md": bugs_page,
    "reference/command-line.md": command_line_page,
    "reference/coverage-dialects.md": dialects_page,
    "reference/coverage-messages.md": coverage_page,
    "reference/findings.md": findings_page,
    **_claims_pages(),
    "../README.md": readme_page,
}


@click.command()
@click.option("--check", is_flag=True, help="Write nothing; exit code 1 when a page is not fresh.")
def main(check: bool) -> None:
    """Write the generated pages of docs/."""
    stale = []
    for name, page in PAGES.items():
        path = DOCS / name
        text = "\n".join(page()).rstrip("\n") + "\n"
        if path.exists() and path.read_text("utf-8") == text:
            continue
        stale.append(name)
        if not check:
            path.write_text(text, "utf-8")
    said = "is not fresh: run `python docs/generate.py`" if check else "was written"
    for name in stale:
        click.echo(f"{(DOCS / name).resolve().relative_to(ROOT)} {said}")
    sys.exit(1 if check and stale else 0)


if __name__ == "__main__":
    main()
