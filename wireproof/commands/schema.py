"""`wireproof schema`: message schemas, imported and checked."""

from __future__ import annotations

from pathlib import Path

import click

from reference.errors import SchemaError
from wireproof import catalog


@click.group()
def schema() -> None:
    """Import message schemas: test against the Kafka that you run."""


@schema.command(name="import")
@click.argument("source", metavar="JAR-OR-FOLDER", type=click.Path(exists=True, path_type=Path))
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
def import_(source: Path, folder: Path) -> None:
    """Make a catalogue in DIR of the message schemas in a kafka-clients jar, or in a folder of *.json files.

    Schemas are read as Kafka's own generator reads them, comments and all, and checked: names, ranges of versions,
    keys, tags, defaults, structures that contain themselves. What changes no byte is left out. Nothing is written when
    a schema is refused.

    pytest's --catalog takes the folder, and then asks what the vectors' own Kafka and this one have alike. All commands
    take it from the environment variable WIREPROOF_CATALOG.

    \b
    Examples:
        wireproof schema import kafka-clients-3.9.0.jar kafka-3.9
        pytest --impl=my_codec --catalog=kafka-3.9
        WIREPROOF_CATALOG=kafka-3.9 wireproof explain MetadataRequest --version 0 0000000100026162

    \b
    Exit codes: 0 done, 1 a schema is refused, 2 usage.
    """  # noqa: D301 (\b is click's sign for text that keeps its lines)
    try:
        files, live = catalog.make(source, folder)
    except SchemaError as error:
        place = f"{error.path}: " if error.path else ""
        raise click.ClickException(f"{place}{error.detail}") from None
    except OSError as error:
        raise click.UsageError(f"{error.filename} cannot be written: {error.strerror}") from None
    click.echo(f"{folder}: {files} schemas, {live} messages with versions, from {catalog.made_by(source)}")
