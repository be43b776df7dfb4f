"""`wireproof ledger`: makes the message ledger."""

from __future__ import annotations

import contextlib
from pathlib import Path

import click
from rich.progress import track

from wireproof.cli_options import overwrite_option
from wireproof.conformance import ledger as ledgers
from wireproof.conformance.connection import ImplementationError, Options, open_connection
from wireproof.conformance.ledger import generate
from wireproof.conformance.writing import Folder, marked
from wireproof.console import say
from wireproof.reference import catalog


@click.group()
def ledger() -> None:
    """Make the message ledger: values by the kit, bytes by implementations."""


@ledger.command()
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--impl",
    "specs",
    metavar="SPEC",
    multiple=True,
    required=True,
    help="The implementation that writes the bytes; others (repeat the option) have to write the same.",
)
@click.option("--message", "chosen", metavar="NAME", multiple=True, help="Only this message (repeatable).")
@overwrite_option
def make(folder: Path, specs: tuple[str, ...], chosen: tuple[str, ...], overwrite: bool) -> None:
    """Write the ledger of every message into DIR.

    For each version of a message the kit makes values from its schema: defaults, every field set, nulls, tags, unknown
    tags. The first implementation writes their bytes; every other has to write the same ones, and all have to read them
    back. Differences are listed, and make the exit code 1.

    \b
    Example, as the kit's own ledger is made:
        wireproof ledger make vectors/kafka/messages \\
            --impl=exec:implementations/java/wrapper --impl=exec:implementations/java/wrapper-schema

    \b
    Exit codes: 0 made, 1 the implementations differ, 2 a usage error.
    """  # noqa: D301 (\b is click's sign for text that keeps its lines)
    messages = catalog.current().messages
    unknown = [name for name in chosen if name not in messages]
    if unknown:
        raise click.UsageError(f"There is no message {unknown[0]!r} in the catalogue ({catalog.current().made_by}).")
    count = 0
    differences: list[generate.Difference] = []
    with contextlib.ExitStack() as stack:
        try:
            sources = [stack.enter_context(open_connection(spec, Options(timeout=30))) for spec in specs]
        except ImplementationError as error:
            raise click.UsageError(str(error)) from None
        out = Folder(folder)
        for name in track(chosen or tuple(messages), "messages", transient=True):
            content, result = generate.make(name, messages[name], sources)
            out.write(f"{name}.jsonl", content, marked(b'{"ledger":'), overwrite=overwrite)
            count += len(ledgers.parse(content, name).vectors)
            differences += result
    for difference in differences:
        say(f"{difference.id}: {difference.implementation} {difference.what}")
    say(f"{folder}: {len(chosen or messages)} messages, {count} cases, {len(differences)} differences")
    if differences:
        raise SystemExit(1)
