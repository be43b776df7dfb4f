"""The page docs/reference/tables.md."""

from __future__ import annotations

import click

from pages.markdown import NOTE, Lines, cell, code, table

_TABLES = """\
The tables that `wireproof pipeline` writes, as Parquet, and the columns of its data sources. Bytes are binary, times
are in milliseconds since 1970 in UTC. `wireproof.pipeline.tables` holds the same schemas for Arrow and Spark. The
folders of `cases` and `verdicts` have a subfolder for each group of cases; a run's other tables are in
`reports/<run>/`.

[How to run jobs on Spark](../how-to/run-on-spark.md)
"""


def page() -> Lines:
    """The tables of jobs on Spark. They need the extra `pipeline`."""
    try:
        from wireproof.pipeline import tables
    except ImportError as error:
        raise click.ClickException(f"the page on tables needs the extra `pipeline`: {error}") from None

    yield from ("# Tables", "", NOTE, "", _TABLES)
    for shown in tables.ALL:
        yield from (f"## `{shown.name}`", "", f"A row is {shown.row}.", "")
        yield from table(
            ("column", "type", "meaning"),
            (
                (code(one.name), code(str(one.type)), cell(one.meaning + ("" if one.nullable else " (never null)")))
                for one in shown.columns
            ),
        )
