"""`wireproof pipeline corpus`: merge the corpora of fuzz campaigns on Spark."""

from __future__ import annotations

import itertools
from pathlib import Path

import click

from wireproof.conformance.connection import ImplementationError
from wireproof.console import say
from wireproof.spark import master_option, need_spark, spark_and_progress, user_errors

#: The number of unusable inputs that are shown.
_SHOWN = 20


@click.command(epilog="Exit codes: 0 it is merged, 2 a usage error, 3 inputs were lost.")
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="DIR...")
@click.option(
    "--out",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="The folder of the merged campaign. `wireproof fuzz run … --out DIR` goes on from it.",
)
@click.option(
    "--impl", "spec", default="reference", show_default=True, metavar="SPEC", help="The implementation that was fuzzed."
)
@master_option
def corpus(folders: tuple[Path, ...], out: Path, spec: str, master: str) -> None:
    """Merge the corpora of fuzz campaigns: for each line reached, the smallest input.

    DIR is the folder of a campaign. Inputs are only copied; these folders are not changed.
    """
    need_spark()
    from wireproof.fuzz.campaign.dependencies import dependencies_of
    from wireproof.fuzz.campaign.store import Store as Campaign
    from wireproof.fuzz.corpus.features import Features
    from wireproof.fuzz.errors import FuzzError
    from wireproof.pipeline.corpus import find, merge

    counts = []
    try:
        with user_errors("Nothing was merged."):
            files = find(folders)
        dependencies = dependencies_of(spec)
        features = Features(spec, frozenset(dependencies.packages), dependencies.in_child)
        with (
            user_errors("Nothing was merged."),
            Campaign(out) as campaign,
            spark_and_progress(master, out / "spark.log") as (spark, told),
        ):
            merged = merge(spark, files, features, told)
            for (target, dialect), group in itertools.groupby(merged.kept, lambda one: (one.target, one.dialect)):
                campaign.corpus(target, dialect)  # refuses links
                inputs = [*group]
                for one in inputs:
                    campaign.add(target, dialect, one.path.read_bytes())
                counts.append(f"{target} {dialect}: {len(inputs):,} inputs are kept")
    except (FuzzError, ImplementationError) as error:
        raise click.UsageError(str(error)) from None
    except OSError as error:
        raise click.UsageError(f"--out {out}: {error.strerror or error}") from None
    for path, problem in merged.unusable[:_SHOWN]:
        say(f"{path}: {problem}", err=True)
    if len(merged.unusable) > _SHOWN:
        say(f"… and {len(merged.unusable) - _SHOWN} more that cannot be used", err=True)
    for line in counts:
        say(line)
    say(
        f"{merged.inputs:,} inputs of {len(folders)} campaigns, {merged.equal:,} of them twice, "
        f"{len(merged.unusable):,} unusable: {len(merged.kept):,} are kept in {out / 'corpus'}"
    )
