"""`wireproof pipeline audit`: judge log segments and captures on Spark."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.table import Table

from conformance.report.text import safe
from wireproof.output import say, show
from wireproof.spark import master_option, need_spark

if TYPE_CHECKING:
    from pipeline.audit.job import Audit


@click.command(name="audit")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--out", type=click.Path(path_type=Path), help="A new folder for the tables, as Parquet.")
@click.option("--redact", is_flag=True, help="Keep lengths; leave keys, values, header values and frames out.")
@click.option(
    "--range-mb",
    type=click.IntRange(1, 1 << 20),
    default=64,
    show_default=True,
    help="Divide larger segments into ranges of this many MiB.",
)
@click.option(
    "--port",
    "ports",
    type=click.IntRange(1, 65535),
    multiple=True,
    help="A broker's port: of captures, only its connections are read. Without it those that begin as Kafka's.",
)
@master_option
def audit(
    paths: tuple[str, ...], out: Path | None, redact: bool, range_mb: int, ports: tuple[int, ...], master: str
) -> None:
    """Judge every batch of Kafka's log segments, and every frame of captures.

    PATH is a segment (`.log`), a capture (`.pcap`, `.pcapng`, or the bytes of one connection in `NAME.requests` and
    `NAME.responses`), a folder with such files, or a glob. Two things are told that are nothing malformed: a torn tail,
    the end of a segment that was not written completely, and an unmatched frame, whose counterpart is not in the
    capture.

    \b
    Exit codes:
        0   nothing is malformed
        1   something is
        2   there is nothing to audit, or it can't be read

    \b
    Examples:
        wireproof pipeline audit /var/lib/kafka/data
        wireproof pipeline audit --out tables orders-0/00000000000000000000.log
        wireproof pipeline audit --redact capture.pcapng
    """  # noqa: D301 (\b is click's sign for text that keeps its lines)
    need_spark()
    from pipeline.audit.files import find
    from pipeline.audit.job import audit as run
    from pipeline.errors import PipelineError
    from pipeline.session import session

    try:
        find(paths)  # before Java is started
        with session(master) as spark:
            result = run(spark, paths, out=out, redact=redact, range_mb=range_mb, ports=ports)
    except PipelineError as error:
        raise click.UsageError(str(error)) from None
    _show(result)
    sys.exit(1 if result.malformed else 0)


def _show(result: Audit) -> None:
    table = Table(box=None, pad_edge=False)
    for name in ("", "verdict", "reason"):
        table.add_column(name)
    for name in ("count", "records", "MiB"):
        table.add_column(name, justify="right")
    for one in result.counts:
        records = f"{one.records:,}" if one.kind == "batch" else ""
        table.add_row(
            one.kind, one.verdict, safe(one.reason), f"{one.count:,}", records, f"{one.size / (1 << 20):,.1f}"
        )
    show(table)
    for finding in result.findings:
        place = f" ({finding.where})" if finding.where else ""
        say(f"{finding.file}{place} byte {finding.offset}: {finding.reason}: {finding.detail}")
    if len(result.findings) < result.malformed:
        say(f"… and {result.malformed - len(result.findings):,} more: see the tables that --out writes")
    say(f"segments: {result.segments:,}, captures: {result.captures:,}, malformed: {result.malformed:,}")
