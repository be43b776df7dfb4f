"""Jobs on Spark: more cases than one pytest run can ask, and more bytes than one process can read.

run        asks implementations generated cases, group by group; `identity` decides which earlier groups are used again
reports    what a job found, and what changed between two
triage     failures as clusters
corpus     one corpus from those of many fuzz campaigns
audit      judges log segments and captures
workers    what a worker does for a task; `parts` are its files
store      the folder of a job
spark      starts Spark and ends it
tables     the columns of all tables; `verdict_rows`: verdicts in them
errors     the errors of jobs
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def register(spark: SparkSession) -> None:
    """Make the data sources `kafka_segments` and `kafka_frames` known to a session."""
    from wireproof.pipeline.audit.sources import register as register_sources

    register_sources(spark)
