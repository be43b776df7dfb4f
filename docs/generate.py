"""Writes the pages of docs/ that follow from the code and the vectors: `python docs/generate.py`.

With `--check` it writes nothing, names the pages that are not fresh, and ends with exit code 1 when there are any.
"""

from __future__ import annotations

import importlib
import re
import sys
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, cast

import click
import msgspec
import pytest

import reference
from conformance import vectors
from reference.rules import Ruling
from wireproof import cli, pytest_plugin

DOCS = Path(__file__).resolve().parent
_NOTE = "<!-- Written by `python docs/generate.py`: change its sources, not this page. -->"

#: click's mark in help texts: the paragraph behind it is not filled.
_AS_IT_IS = "\b"

Lines = Iterator[str]


# --- docs/rulings.md ----------------------------------------------------------------------------------------------


def rulings_page() -> Lines:
    """All rulings of all dialects."""
    yield "# Rulings"
    yield ""
    yield _NOTE
    yield ""
    yield "A ruling is the kit's reading of a point that the specification leaves open. Every vector that rests on one names it."
    yield 'A ruling marked ‡ is *contested*: the reading under "demanded" is what the kit demands; an implementation that takes the'
    yield "other one is reported as `contested`, which is neither a pass nor a failure, and any third outcome fails. The last column is"
    yield "what a wrapper's `readings` says to declare the other reading (see [the contract](reference/contract.md#readings)); where"
    yield "it is empty, only vectors know the other reading."
    yield ""
    yield "[Why rulings are contested](explanation/contested-rulings.md) · [How to dispute one](how-to/dispute-a-ruling.md)"
    for dialect in reference.dialects:
        rulings = reference.rulings(dialect).values()
        contested = sum(ruling.contested for ruling in rulings)
        yield ""
        yield f"## {dialect}"
        yield ""
        yield f"{len(rulings)} rulings, {contested} of them contested."
        yield ""
        yield from _table(
            ("ruling", "point", "demanded", "other reading", "source", "declared as"), map(_ruling_row, rulings)
        )


def _ruling_row(ruling: Ruling) -> tuple[str, ...]:
    mark = " ‡" if ruling.contested else ""
    declared = " or ".join(f'`"{name}"`' for name in ruling.others)
    name = f'<a id="{ruling.id.lower()}"></a>{ruling.id}{mark}'
    told = (ruling.question, ruling.demanded, ruling.other, ruling.source)
    return name, *map(_cell, told), declared


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
    """Every bug of the catalogue, and what this kit makes of it. Raises ClickException where it makes nothing of one."""
    catalogue = msgspec.json.decode((DOCS.parent / "vectors" / "bugs.json").read_bytes(), type=_Catalogue).bugs
    caught = _caught()
    states = {bug.id: _state(bug, caught.get(bug.id, [])) for bug in catalogue}
    strangers = sorted(set(caught) - set(states))
    if strangers:
        raise click.ClickException(f"vectors name bugs that vectors/bugs.json lacks: {', '.join(strangers)}")
    count = Counter(kind for kind, _ in states.values())
    yield "# Real bugs, and what catches them"
    yield ""
    yield _NOTE
    yield ""
    yield f"{len(catalogue)} bugs that released software had, from public trackers and histories. For {count['caught']} of them a vector's `wrong`"
    yield "entry holds what the buggy library did, and a test sees to it that the judge fails it. The behaviour of"
    yield f"{count['ruled']} is legal or contested under a ruling, and {count['unreached']} are not reached yet, for the reason given."
    yield "`wireproof repro` takes the ids of the last column."
    for area in (name for name in vectors.AREAS if any(bug.area == name for bug in catalogue)):
        yield ""
        yield f"## {area}"
        yield ""
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
    if caught:
        ids = "<br>".join(f"`{identifier}`" for identifier in dict.fromkeys(caught))
        return "caught", f"fails {ids}" + (f"<br>{_ruled(bug.ruled)}" if bug.ruled else "")
    if bug.ruled is not None:
        return "ruled", _ruled(bug.ruled)
    if bug.unreached is not None:
        return "unreached", f"not reached: {_cell(bug.unreached)}"
    raise click.ClickException(
        f"vectors/bugs.json: no vector's `wrong` names {bug.id}, so it needs `ruled` or `unreached`"
    )


def _ruled(ruled: _Ruled) -> str:
    link = f"[{ruled.ruling}](../rulings.md#{ruled.ruling.lower()})"
    word = "ruled otherwise" if ruled.how == "otherwise" else "contested"
    return f"{word}, {link}: {_cell(ruled.why)}"


def _bug_row(bug: _Bug, state: str) -> tuple[str, ...]:
    where = f"{_cell(bug.repo)}<br>{_cell(bug.ref)}<br>{bug.date}"
    return (
        f'<a id="{bug.id.lower()}"></a>{bug.id}',
        where,
        f"**{_cell(bug.title)}**: {_cell(bug.wrong_behaviour)}",
        state,
    )


# --- docs/reference/command-line.md -------------------------------------------------------------------------------


def command_line_page() -> Lines:
    """The options of pytest's plugin, and every command of `wireproof`."""
    yield "# Command line"
    yield ""
    yield _NOTE
    yield ""
    yield "## pytest"
    yield ""
    yield "`pytest --impl=SPEC` collects the conformance suite and nothing else. All of pytest's own options work with it (`-k`, `-x`,"
    yield "`--lf`, `--junitxml`, and `-n` where pytest-xdist is installed)."
    yield ""
    recorder = _Recorder()
    pytest_plugin.pytest_addoption(cast("pytest.Parser", recorder))
    yield from _table(("option", "meaning"), recorder.rows)
    yield ""
    yield "Exit codes are pytest's own: 0 no unknown deviation, 1 deviations, a stale file of known deviations or nothing asked,"
    yield "4 a usage error, 5 nothing collected."
    context = click.Context(cli.group, info_name="wireproof")
    yield from _command(cli.group, context, 2)


class _Recorder:
    """Stands for pytest's parser, and keeps what is registered."""

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
    yield ""
    yield f"{'#' * level} {context.command_path}"
    yield ""
    yield "```text"
    yield " ".join((context.command_path, *command.collect_usage_pieces(context)))
    yield "```"
    yield from _prose(command.help or "")
    options = [option for option in command.params if isinstance(option, click.Option)]
    if options:
        yield ""
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
    """Help text as Markdown: what follows click's mark for "leave as it is" becomes a code block."""
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        if not paragraph:
            continue
        yield ""
        if not paragraph.lstrip().startswith(_AS_IT_IS):
            yield " ".join(_escaped(line.strip()) for line in paragraph.splitlines())
            continue
        title, *lines = paragraph.lstrip().removeprefix(_AS_IT_IS).strip("\n").splitlines()
        if lines and not title.startswith(" "):
            yield title.strip()
            yield ""
        else:
            lines = [title, *lines]
        yield "```text"
        yield from textwrap.dedent("\n".join(lines)).splitlines()
        yield "```"


# --- Markdown -----------------------------------------------------------------------------------------------------


def _escaped(text: str) -> str:
    return text.replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_")


def _cell(text: str) -> str:
    return _escaped(text).replace("|", "\\|").replace("\n", " ")


def _code(text: str) -> str:
    return "`" + text.replace("|", "\\|") + "`"


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Lines:
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"


PAGES: Mapping[str, Callable[[], Lines]] = {
    "rulings.md": rulings_page,
    "reference/bugs.md": bugs_page,
    "reference/command-line.md": command_line_page,
}


@click.command()
@click.option("--check", is_flag=True, help="Write nothing; exit code 1 when a page is not fresh.")
def main(check: bool) -> None:
    """Write the generated pages of docs/."""
    stale = []
    for name, page in PAGES.items():
        path = DOCS / name
        text = "".join(f"{line}\n" for line in page())
        if path.exists() and path.read_text("utf-8") == text:
            continue
        stale.append(f"docs/{name}")
        if not check:
            path.write_text(text, "utf-8")
    for name in stale:
        click.echo(f"{name} {'is not fresh: run `python docs/generate.py`' if check else 'written'}")
    sys.exit(1 if check and stale else 0)


if __name__ == "__main__":
    main()
