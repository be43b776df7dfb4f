"""`wireproof pipeline audit`: judge log segments and captures on Spark."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.table import Table

from wireproof.conformance.files import read_text
from wireproof.conformance.report.text import safe
from wireproof.console import say, show
from wireproof.spark import master_option, need_spark, spark_and_progress, user_errors

if TYPE_CHECKING:
    from wireproof.pipeline.audit.job import Audit


@click.command(name="audit")
@click.argument("paths", nargs=-1, metavar="PATH...")
@click.option(
    "--files-from",
    "listed",
    type=click.Path(dir_okay=False, allow_dash=True, path_type=Path),
    metavar="FILE",
    help="Also audit the paths in this file, one in each line; - is standard input.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="The folder of the tables. An audit goes on where an earlier one in this folder ended.",
)
@click.option("--redact", is_flag=True, help="Keep lengths; leave keys, values, header values and frames out.")
@click.option(
    "--range-mb",
    type=click.IntRange(1, 1 << 20),
    default=64,
    show_default=True,
    help="Divide larger segments into ranges of this many MiB.",
)
@click.option(
    "--inflate-mb",
    type=click.IntRange(1, 1 << 20),
    default=256,
    show_default=True,
    help="Do not judge a batch that inflates to more MiB: it is unreadable, with the reason resource-limit.",
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
    paths: tuple[str, ...],
    listed: Path | None,
    out: Path | None,
    redact: bool,
    range_mb: int,
    inflate_mb: int,
    ports: tuple[int, ...],
    master: str,
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
        2   there is nothing to audit, or something can't be read
        3   bytes were lost between two stages: a fault of the kit

    \b
    Examples:
        wireproof pipeline audit /var/lib/kafka/data
        wireproof pipeline audit --out tables orders-0/00000000000000000000.log
        wireproof pipeline audit --redact capture.pcapng
        find /data -name '*.log' | wireproof pipeline audit --out tables --files-from -
    """  # noqa: D301 (\b is click's sign for text that keeps its lines)
    need_spark()
    from wireproof.pipeline.audit.files import find
    from wireproof.pipeline.audit.job import Options
    from wireproof.pipeline.audit.job import audit as run
    from wireproof.pipeline.store import Store

    named = [*paths, *_listed(listed)]
    kept = (
        "Nothing was kept." if out is None else f"What was done is kept in {out}: the same command goes on from there."
    )
    with user_errors(kept), contextlib.ExitStack() as opened:
        find(named)  # before Java is started
        store = None if out is None else opened.enter_context(Store(out))
        log = None if out is None else out / "spark.log"
        spark, told = opened.enter_context(spark_and_progress(master, log))
        result = run(spark, named, Options(redact, range_mb, ports, inflate_mb), store=store, progress=told)
    _show(result)
    if result.unreadable and out is not None:
        say(f"What could not be read stands in {out / 'errors'}")
    unread = f", unreadable: {result.unreadable:,}" if result.unreadable else ""
    earlier = f" ({result.kept:,} of these files were judged by an earlier audit)" if result.kept else ""
    counts = f"segments: {result.segments:,}, captures: {result.captures:,}, malformed: {result.malformed:,}"
    say(f"{counts}{unread}{earlier}")
    sys.exit(1 if result.malformed else 2 if result.unreadable else 0)


def _listed(path: Path | None) -> list[str]:
    """The paths in a file. Lines that are empty or begin with # are left out."""
    if path is None:
        return []
    source = Path("/dev/stdin") if str(path) == "-" else path
    try:
        text = read_text(source)
    except OSError as error:
        raise click.UsageError(f"--files-from {path}: {error.strerror or error}") from None
    return [line for line in map(str.strip, text.splitlines()) if line and not line.startswith("#")]


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
    if len(result.findings) < result.malformed + result.unreadable:
        more = result.malformed + result.unreadable - len(result.findings)
        say(f"… and {more:,} more: see the tables that --out writes")
