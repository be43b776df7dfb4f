"""The page docs/reference/command-line.md."""

from __future__ import annotations

import re
import textwrap
from typing import Any, cast

import click

import pytest_wireproof
from pages.markdown import NOTE, Lines, cell, code, table
from wireproof import cli

#: click's mark in help texts: the paragraph after it is not changed.
_AS_IT_IS = "\b"

_PYTEST = """\
`pytest --impl=SPEC` only collects the conformance suite. pytest's own options work with it: `-k`, `-x`, `--lf`,
`--junitxml`, and `-n` if pytest-xdist is installed. Without `--impl`, Wireproof has no other options, so they cannot
conflict with yours.

An argument without an option is an id, as shown after FAILED: `pytest --impl=my_codec
'my_codec::kafka/varints/varint-1#decode'` asks that question. Without `my_codec::` all implementations are asked. You
can use an id, or a part of one, in `-k`: `-k 'varint-1#decode or tag-'`. `--tb=short` shows a failure in two lines,
`--tb=line` in one, `--tb=no` not at all.

pytest-timeout's `--timeout` and pytest's own `faulthandler_timeout` are limits for a test. They do not apply to items
of the suite, because one item may wait for the answers to a whole block of questions: `--case-timeout` is the limit for
each question.
"""

_PYTEST_ENDS = """\
The exit codes are pytest's own: 0 no unknown deviations; 1 deviations, an outdated file of known deviations, or nothing
asked; 2 ended early, by SIGINT or SIGTERM, or because the report or the transcript cannot be written; 4 a usage error;
5 nothing collected. A run that ends early, also with `-x`, shows how many questions were asked.
"""


def page() -> Lines:
    """The options of the pytest plugin, and all commands of `wireproof`."""
    yield from ("# Command line", "", NOTE, "", "## pytest", "", _PYTEST)
    recorder = _Recorder()
    pytest_wireproof.pytest_addoption(cast("Any", recorder))
    pytest_wireproof.add_suite_options(cast("Any", recorder))
    yield from table(("option", "meaning"), recorder.rows)
    yield from table(("setting in pytest.ini, pyproject.toml or tox.ini", "meaning"), recorder.settings)
    yield _PYTEST_ENDS
    yield from _command(cli.group, click.Context(cli.group, info_name="wireproof"), 2)


class _Recorder:
    """Replaces pytest's parser and its groups, and keeps the registered options and settings."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, ...]] = []
        self.settings: list[tuple[str, ...]] = []

    def addini(self, name: str, help: str, **_: Any) -> None:
        self.settings.append((code(name), cell(help)))

    def getgroup(self, *_: str) -> _Recorder:
        return self

    def addoption(self, name: str, **settings: Any) -> None:
        value = settings.get("metavar") or "|".join(settings.get("choices", ()))
        if value:
            name += f"[={value}]" if settings.get("nargs") == "?" else f"={value}"
        self.rows.append((code(name), cell(settings["help"])))


def _command(command: click.Command, context: click.Context, level: int) -> Lines:
    usage = (context.command_path, *command.collect_usage_pieces(context))
    yield from (f"{'#' * level} {context.command_path}", "", "```text", " ".join(usage), "```", "")
    yield from _prose(command.help or "")
    options = [option for option in command.params if isinstance(option, click.Option)]
    if options:
        yield from table(("option", "meaning"), map(_option_row, options))
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
    return code(names), cell(help_text + (" [required]" if option.required else ""))


def _prose(text: str) -> Lines:
    """Help text as Markdown. Paragraphs that click does not change become code blocks."""
    for paragraph in filter(None, re.split(r"\n\s*\n", text.strip())):
        kept = paragraph.lstrip(" ").startswith(_AS_IT_IS)
        yield from _code_block(paragraph) if kept else (cell(" ".join(paragraph.split())), "")


def _code_block(paragraph: str) -> Lines:
    first, *lines = paragraph.strip(f" {_AS_IT_IS}").strip("\n").splitlines()
    if first.startswith(" "):
        lines.insert(0, first)
    else:
        yield from (first, "")
    if lines:
        yield from ("```text", textwrap.dedent("\n".join(lines)), "```", "")
