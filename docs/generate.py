"""Writes the pages of docs/ that follow from the code and the vectors, and in pages of proposals the table of claims:
`python docs/generate.py`.

With `--check` it writes nothing, names the pages that are not fresh, and ends with exit code 1 when there are any.
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
from conformance import claims, known, ledger, vectors
from conformance.coverage import REASONS, FieldCoverage, Gap, State, coverage, everything
from conformance.vectors import Vector, VectorKind
from reference import catalog
from reference.rules import Ruling
from wireproof import cli

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
#: click's mark in help texts: the paragraph behind it is left as it is.
_AS_IT_IS = "\b"

Lines = Iterator[str]

_NOTE = "<!-- Written by `python docs/generate.py`: change its sources, not this page. -->"

_RULINGS = """\
A ruling is the kit's reading of a point that the specification leaves open. Every vector that rests on one names it.

A ruling marked ‡ is *contested*: the kit demands what stands under "demanded". An implementation that takes the other
reading is reported as `contested`, which is neither a pass nor a failure; any third outcome fails. The last column is
what a wrapper writes into its `readings` when its library takes the other reading, see
[the contract](reference/contract.md#readings); where that is empty, the reference has no switch for it.

[Why rulings are contested](explanation/contested-rulings.md) · [How to dispute one](how-to/dispute-a-ruling.md)
"""

_BUGS = """\
{total} bugs that released software had, as public trackers and histories tell of them. For {caught} of them a vector's
`wrong` entry holds what the buggy library did, and a test of the kit sees to it that the judge fails it. What {ruled}
did is right or contested under a ruling. {unreached} are not reached yet, for the reason that is given.

`wireproof repro` takes the ids in the last column.
"""

_PYTEST = """\
`pytest --impl=SPEC` collects the conformance suite and nothing else. pytest's own options work with it: `-k`, `-x`,
`--lf`, `--junitxml`, and `-n` where pytest-xdist is installed. Without `--impl` there is no other option of
Wireproof's, so that none can meet one of yours.

An argument without an option is an id, as it stands behind FAILED: `pytest --impl=my_codec
'my_codec::kafka/varints/varint-1#decode'` asks that one, and without `my_codec::` it is asked of every
implementation. In `-k` an id, or a part of one, stands as it is: `-k 'varint-1#decode or tag-'`. `--tb=short` shows a
failure in two lines, `--tb=line` in one, `--tb=no` not at all.

pytest-timeout's `--timeout` is a limit for a test. Items of the suite have none, since one may wait for the answers
to a whole block of questions: `--case-timeout` is the limit of each question.
"""

_PYTEST_ENDS = """\
The exit codes are pytest's own: 0 no deviation that is not known; 1 deviations, a file of known deviations that is no
longer true, or nothing asked; 2 ended early, by SIGINT or SIGTERM, or because the report or the transcript can't be
written on; 4 a usage error; 5 nothing collected. A run that is ended early, by `-x` too, says how much was asked.
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


class _Catalogue(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    format: Literal[1]
    bugs: list[_Bug]


def bugs_page() -> Lines:
    """Every bug of the catalogue, and what becomes of it here. Raises ClickException where nothing does."""
    content = (DOCS.parent / "vectors" / "bugs.json").read_bytes()
    catalogue = msgspec.json.decode(content, type=_Catalogue).bugs
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
    """Bug → ids of the verdicts that its behaviour fails."""
    found: dict[str, list[str]] = {}
    for vector in vectors.load():
        for wrong in vector.wrong:
            found.setdefault(wrong.bug, []).append(f"{vector.path}#{wrong.op}")
    return found


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
What the vectors really hold of every message of the catalogue: the values of all ledger cases and of the vectors that
are written by hand, field by field and version by version. A field's cell shows the versions in which

- **default**: a value of it equals its default;
- **set**: one is neither its default nor null;
- **null**: one is null;
- **tagged**: one is sent in a tag buffer, because it is not the default;
- **boundary**: of a number or UUID, its type's least and its greatest value both occur; of text, bytes or an array, one
  is empty, or its compact length takes two bytes; of an array, too, one has a single element.

✓ without versions means all versions that have the field; a letter, that none of them is covered, for this reason:
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
    """Message × version × field × state: whether the vectors hold it, and if not, why."""
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
    totals = [[count[state, gap] for gap in gaps] for state in State]
    names = [f"**{state}**" for state in State]
    rows = [*zip(names, totals, strict=True), ("all", [sum(column) for column in zip(*totals, strict=True)])]
    yield from _table(head, [(name, *(f"{n:,}" for n in (*numbers, sum(numbers)))) for name, numbers in rows])
    keys = {f"{api}{kind}": key for key, api in catalog.current().apis.items() for kind in ("Request", "Response")}
    for message in sorted(messages, key=lambda message: (keys.get(message.name, 2**15), message.name)):
        key = f", api {keys[message.name]}" if message.name in keys else ""
        yield from (f"## {message.name} {_ranges(message.versions)}{key}", "")
        if message.rows:
            yield from _table(("field", "type", "versions", *State), map(_coverage_row, message.rows))
        else:
            yield from ("It has no fields.", "")


def _coverage_row(row: FieldCoverage) -> tuple[str, ...]:
    cells = (_coverage_cell(row, row.cells[state]) for state in State)
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
How many vectors each dialect has in each area. They are written by hand; what is derived from them (each prefix of a
valid one, counts that promise too much) and what `--properties` draws is not counted here.
"""
_LEDGER = """\
Besides, message ledgers have a few cases for every version of every message, as [the format](../../vectors/FORMAT.md)
tells; what Kafka's holds, field by field, is [a page of its own](coverage-messages.md).
"""


def dialects_page() -> Lines:
    """Dialect × area × count, and the vectors of each ruling. Raises ClickException for a gap without a reason."""
    found = list(vectors.load())
    count = Counter((vector.dialect, vector.area) for vector in found)
    yield from ("# What the vectors hold of each dialect", "", _NOTE, "", _DIALECTS)
    rows = [(area, *(_count(count[name, area]) for name in reference.dialects)) for area in vectors.AREAS]
    totals = Counter(vector.dialect for vector in found)
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
        yield from _dialect(name, [vector for vector in found if vector.dialect == name])


def _makers(dialect: str) -> str:
    """What made the bytes of a dialect's ledgers."""
    return "; ".join(sorted({_cell(ledger.load(name, dialect).made_by) for name in ledger.names(dialect)}))


def _count(number: int) -> str:
    return f"{number:,}" if number else "–"


def _dialect(name: str, found: list[Vector]) -> Lines:
    """A dialect's kinds of vectors by area, why areas are empty, and how many vectors rest on each ruling."""
    yield from (f"## {name}", "")
    kinds = [kind for kind in VectorKind if any(vector.kind is kind for vector in found)]
    count = Counter((vector.area, vector.kind) for vector in found)
    areas = [area for area in vectors.AREAS if any(vector.area == area for vector in found)]
    yield from _table(("area", *kinds), [(area, *(_count(count[area, kind]) for kind in kinds)) for area in areas])
    why = reference.dialect_named(name).empty_areas
    _no_gap(f"{name}: areas without vectors", set(vectors.AREAS) - set(areas), why)
    if why:
        yield from (f"- no `{area}`: {_cell(why[area])}" for area in vectors.AREAS if area in why)
        yield ""
    rulings = reference.rulings(name).values()
    rest = Counter(ruling for vector in found for ruling in vector.rulings)
    other = Counter(ruling for vector in found for also in vector.also for ruling in also.rulings)
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
    """Raises ClickException where something is empty without a reason, or has a reason and is not empty."""
    if empty != set(why):
        raise click.ClickException(f"{what}: {sorted(empty)}; the reasons are for {sorted(why)}")


# --- docs/reference/command-line.md -------------------------------------------------------------------------------


def command_line_page() -> Lines:
    """The options of the pytest plugin, and every command of `wireproof`."""
    yield from ("# Command line", "", _NOTE, "", "## pytest", "", _PYTEST)
    recorder = _Recorder()
    pytest_wireproof.pytest_addoption(cast("Any", recorder))
    pytest_wireproof.add_suite_options(cast("Any", recorder))
    yield from _table(("option", "meaning"), recorder.rows)
    yield _PYTEST_ENDS
    yield from _command(cli.group, click.Context(cli.group, info_name="wireproof"), 2)


class _Recorder:
    """Stands for pytest's parser and its groups, and keeps what is registered."""

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
            found = command.get_command(context, name)
            if found is not None:
                yield from _command(found, click.Context(found, info_name=name, parent=context), level + 1)


def _option_row(option: click.Option) -> tuple[str, ...]:
    names = ", ".join(option.opts)
    if not option.is_flag:
        names += f" {option.metavar or (option.name or '').upper()}"
    help_text = option.help or ""
    if option.show_default and not option.is_flag:
        help_text += f" [default: {option.default}]"
    return _code(names), _cell(help_text + (" [required]" if option.required else ""))


def _prose(text: str) -> Lines:
    """Help text as Markdown; what click leaves as it is becomes a code block."""
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


# --- The claims of a proposal's page, in docs/explanation/ ------------------------------------------------------------

_CLAIMS_BEGIN = "<!-- claims: written by `python docs/generate.py` from docs/claims/{}.toml -->"
_CLAIMS_END = "<!-- end of claims -->"


def claims_table(dialect: str) -> Lines:
    """Each claim of a proposal's page, the rulings that read it, and the vectors that ask it, or why none do. Raises
    ClickException for what is wrong with the claims."""
    try:
        found = claims.load(DOCS / "claims" / f"{dialect}.toml")
    except claims.ClaimsError as error:
        raise click.ClickException(f"docs/claims/{error}") from None
    there = [*vectors.load([dialect]), *(ledger.every_vector(dialect) if ledger.names(dialect) else ())]
    wrong = list(claims.problems(found, reference.rulings(dialect), there))
    if wrong:
        raise click.ClickException("\n".join(f"docs/claims/{dialect}.toml: {problem}" for problem in wrong))
    for section in found.sections:
        yield from (f"**{_cell(section)}**", "")
        yield from _table(("the page says", "rulings", "asked by"), map(_claim_row, found.of(section)))


def _claim_row(claim: claims.Claim) -> tuple[str, ...]:
    rulings = ", ".join(f"[{ruling}](../rulings.md#{ruling.lower()})" for ruling in claim.rulings)
    asked = ", ".join(map(_code, claim.vectors)) if claim.vectors else f"*beyond*: {_cell(claim.beyond)}"
    return _cell(claim.says), rulings, asked


def claims_page(dialect: str) -> Lines:
    """The proposal's page as it stands, with its table of claims made anew. Raises ClickException where the page has
    no place for it."""
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
A bug here is an entry of the class `bug` in the library's file of known deviations: one cause, and a point in which the
protocol leaves no choice. One that shows in several areas is counted in each of them.
"""
#: File of known deviations → what it is about.
_LIBRARIES = {
    "aiokafka.known.toml": "aiokafka",
    "aiokafka.python.known.toml": "aiokafka, record codecs in Python",
    "kafka_python.known.toml": "kafka-python",
    "kio.known.toml": "kio",
    "java/wrapper.known.toml": "kafka-clients, generated messages",
    "java/wrapper-schema.known.toml": "kafka-clients, `Schema` and `Struct`",
}


def readme_page() -> Lines:
    """The README as it stands, with its table of findings made anew."""
    yield from _between((ROOT / "README.md").read_text("utf-8"), _FOUND_BEGIN, _FOUND_END, found_table(), "README.md")


def found_table() -> Lines:
    """What is known of each library under test: how many bugs, and in which areas."""
    yield from _FOUND.splitlines()
    yield ""
    rows = (_library_row(name, title) for name, title in _LIBRARIES.items())
    yield from _table(("library", "version", "bugs", "in the areas"), rows)


def _library_row(name: str, title: str) -> tuple[str, ...]:
    path = ROOT / "implementations" / name
    bugs = [entry for entry in known.load(path, None).deviations if entry.kind == "bug"]
    version = _version(path, bugs)
    bugs = [entry for entry in bugs if entry.concerns(version)]
    areas = Counter(area for entry in bugs for area in {glob.split("/")[1] for glob in entry.globs})
    counts = ", ".join(f"{area} {areas[area]}" for area in sorted(areas, key=lambda one: (-areas[one], one)))
    anywhere = sum(not entry.globs for entry in bugs)
    cells = [counts, f"wherever it occurs {anywhere}"] if anywhere else [counts]
    return f"[{title}](implementations/{name})", version, str(len(bugs)), ", ".join(cells)


def _version(path: Path, entries: Iterable[known.KnownDeviation]) -> str:
    """The release that is tested: that of the Java wrapper's build, else the one that all entries name."""
    if path.parent.name == "java":
        built = re.search(r"<kafka.version>(.*?)</kafka.version>", (path.parent / "pom.xml").read_text("utf-8"))
        assert built is not None
        return built[1]
    (version,) = {entry.versions for entry in entries}
    return str(version)


def _between(text: str, begin: str, end: str, lines: Lines, name: str) -> Lines:
    """A page with other lines between two marks. Raises ClickException where it does not have the marks."""
    before, opened, rest = text.partition(f"{begin}\n")
    _, closed, behind = rest.partition(f"{end}\n")
    if not opened or not closed:
        raise click.ClickException(f"{name}: what is generated stands between lines {begin} and {end}")
    yield from (before + begin, "", *lines)
    yield end + "\n" + behind


PAGES: Mapping[str, Callable[[], Lines]] = {
    "rulings.md": rulings_page,
    "reference/bugs.md": bugs_page,
    "reference/command-line.md": command_line_page,
    "reference/coverage-dialects.md": dialects_page,
    "reference/coverage-messages.md": coverage_page,
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
