"""What all commands share that start Spark."""

from __future__ import annotations

import importlib.util

import click

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
