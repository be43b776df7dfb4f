"""What all commands share that start Spark."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from wireproof.console import ProgressLine, say

master_option = click.option(
    "--master",
    default="local[*]",
    show_default=True,
    metavar="ADDRESS",
    help="The Spark master: local[N] for N cores of this machine, spark://HOST:7077, yarn or k8s://….",
)


def need_spark() -> None:
    """Raises click.UsageError where Spark is not installed. Help needs no Spark."""
    if importlib.util.find_spec("pyspark") is None:
        raise click.UsageError("this needs Spark, which is not installed: pip install 'wireproof[pipeline]'")


@contextmanager
def spark_and_progress(master: str, log: Path | None) -> Iterator[tuple[Any, Any]]:
    """Spark, and the progress of its jobs. `log`: the file for Spark's log; None: a temporary one."""
    from wireproof.pipeline.spark.progress import Progress
    from wireproof.pipeline.spark.session import session

    line = ProgressLine()
    try:
        line("starting Spark")
        with session(master, log=log) as spark:
            yield spark, Progress(spark, line)
    finally:
        line.end()


@contextmanager
def user_errors(interrupted: str) -> Iterator[None]:
    """Errors of users become click's. `interrupted`: what to tell after Ctrl-C."""
    from wireproof.pipeline.errors import CountError, PipelineError

    try:
        yield
    except PipelineError as error:
        raise click.UsageError(str(error)) from None
    except KeyboardInterrupt:
        say(f"Interrupted. {interrupted}", err=True)
        raise
    except CountError as error:
        say(f"Rows were lost. {error}", err=True)
        sys.exit(3)
