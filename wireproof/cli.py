"""The command line. Commands are imported when they are called, so that `wireproof --help` is quick."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click


@dataclass(frozen=True, slots=True)
class LazyCommand:
    """A command's place, and its line in help, which needs no import."""

    module: str
    attribute: str
    help: str


#: In the order in which help lists them.
COMMANDS = {
    "explain": LazyCommand("wireproof.commands.explain", "explain", "Show the meaning of each byte of an input."),
    "repro": LazyCommand("wireproof.commands.repro", "repro", "Ask one question again, and show all details."),
    "readings": LazyCommand(
        "wireproof.commands.readings", "readings", "Find out which readings of contested points a codec takes."
    ),
    "fuzz": LazyCommand("wireproof.commands.fuzz", "group", "Search for new inputs that show deviations."),
    "pipeline": LazyCommand("wireproof.commands.pipeline", "group", "Run jobs on Spark: many cases, many bytes."),
    "serve": LazyCommand("wireproof.commands.serve", "serve", "Run the reference as a broker on this machine."),
    "capture": LazyCommand(
        "wireproof.commands.capture", "capture", "Judge and write what passes between clients and a broker."
    ),
    "export": LazyCommand(
        "wireproof.commands.export", "export", "Write the vectors as data for other languages' tests."
    ),
    "ledger": LazyCommand("wireproof.commands.ledger", "ledger", "Have implementations write the bytes of messages."),
    "attest": LazyCommand(
        "wireproof.commands.attest", "attest", "Record which released implementations agree with the vectors."
    ),
    "matrix": LazyCommand(
        "wireproof.commands.matrix", "matrix", "Run the suite against all implementations of the clone."
    ),
    "report": LazyCommand("wireproof.commands.report", "report", "Make a page for the browser of one or more runs."),
    "finding": LazyCommand(
        "wireproof.commands.finding", "finding", "Print a text about a finding, to report it to the library's project."
    ),
    "schema": LazyCommand("wireproof.commands.schema", "schema", "Import, compare or convert message schemas."),
    "wrapper": LazyCommand(
        "wireproof.commands.wrapper_check", "wrapper", "Check that a program follows the line protocol."
    ),
    "new": LazyCommand("wireproof.commands.new_wrapper", "new", "Write a scaffold that runs."),
}


class LazyGroup(click.Group):
    """A group that imports a command's module when the command is called, not before."""

    def main(self, *arguments: Any, **named: Any) -> Any:
        """As click's, inside the guard."""
        from wireproof.cli_errors import guarded

        run = super().main
        ended = guarded(lambda: run(*arguments, **named | {"standalone_mode": False}))
        sys.exit(ended if isinstance(ended, int) else 0)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click's, but `--catalog` may stand anywhere: it has to be in force before a command is imported."""
        kept, folder = _without_catalog(args)
        if folder is not None:
            if not (Path(folder) / "index.json").is_file():
                raise click.UsageError(
                    f"--catalog={folder!r}: a folder from `wireproof schema import` is expected", ctx
                )
            before = os.environ.get(_CATALOG)
            ctx.call_on_close(lambda: _set_catalog(before))
            _set_catalog(str(Path(folder).resolve()))
        return super().parse_args(ctx, kept)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click's signature)
        """The commands' names, in the order of help; without those whose module is missing."""
        return [name for name, command in COMMANDS.items() if _is_there(command.module)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 (click's)
        """Import a command; None when there is none of this name."""
        entry = COMMANDS.get(cmd_name)
        if entry is None or not _is_there(entry.module):
            return None
        try:
            command = getattr(importlib.import_module(entry.module), entry.attribute)
        except ImportError as error:
            raise click.ClickException(f"{cmd_name} needs a package that is not there: {error}") from None
        if not isinstance(command, click.Command):
            raise click.ClickException(f"{entry.module}.{entry.attribute} is no command: the installation is broken")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click's, but an unknown name gets similar ones as a hint."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError:
            import difflib

            near = difflib.get_close_matches(args[0], self.list_commands(ctx))
            meant = f" Did you mean {' or '.join(near)}?" if near else ""
            commands = ", ".join(self.list_commands(ctx))
            message = f"There is no command {args[0]!r}.{meant} The commands are {commands}."
            raise click.UsageError(message, ctx) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Help from the table, so that nothing is imported for it."""
        rows = [(name, COMMANDS[name].help) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


#: The variable that names the catalogue in force (`reference.catalog.VARIABLE`, which is not imported for this).
_CATALOG = "WIREPROOF_CATALOG"


def _without_catalog(arguments: Sequence[str]) -> tuple[list[str], str | None]:
    """The arguments without `--catalog`, and its folder; what follows `--` is not an option."""
    end = [*arguments, "--"].index("--")
    kept, folder = [], None
    options = iter(arguments[:end])
    for word in options:
        if word.startswith("--catalog="):
            folder = word.partition("=")[2]
        elif word == "--catalog":
            folder = next(options, "")
        else:
            kept.append(word)
    return [*kept, *arguments[end:]], folder


def _set_catalog(folder: str | None) -> None:
    if folder is None:
        os.environ.pop(_CATALOG, None)
    else:
        os.environ[_CATALOG] = folder


def _is_there(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def _version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if not value or ctx.resilient_parsing:
        return
    import wireproof
    from wireproof.conformance import vectors
    from wireproof.console import say

    count = len(vectors.load())
    say(f"wireproof {wireproof.__version__}")
    say(f"vectors   {vectors.digest()} ({count} vectors; dialects: {', '.join(vectors.dialects()) or 'none'})")
    ctx.exit()


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_version,
    help="Show the version of the kit and of its vector set, and exit.",
)
@click.option(
    "--catalog",
    metavar="DIR",
    expose_value=False,
    help="Of every command, before or behind its name: the message schemas of another Kafka version, a folder from "
    "`wireproof schema import`.",
)
def group() -> None:
    """A conformance test kit for Kafka's wire protocol.

    It tests a codec, client, broker or proxy in any language, and shows byte by byte where it departs from the
    protocol. The whole suite runs under pytest:

    \b
        pytest --impl=reference              the kit's own codec
        pytest --impl=your_package.wrapper   yours, behind a wrapper of about a hundred lines
        pytest --impl="exec:./wrapper"       yours, in any language

    The commands below look at single inputs, questions and wrappers.

    \b
    Exit codes:
        0   all is well
        1   the input is refused, or the implementation departs from the protocol
        2   wrong use of the command, or it can't be done: a missing file, no room for the output
        3   a bug of Wireproof itself, shown with a traceback and how to report it
    """  # noqa: D301 (\b is click's sign for text that keeps its lines)


def main(arguments: Sequence[str] | None = None) -> Any:
    """The entry point of `wireproof`. Its streams never fail on a character that they cannot show."""
    if sys.stderr is None:  # closed: its messages are lost
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 (until the process ends)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
    if arguments is None and "--in-process" in sys.argv:
        from wireproof.conformance.connection.process.supervisor import supervised

        sys.exit(supervised(lambda: group(prog_name="wireproof")))
    return group(args=None if arguments is None else list(arguments), prog_name="wireproof")
