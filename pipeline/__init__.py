"""Jobs on Spark: more cases than one pytest run can ask, and more bytes than one process can read.

session       starts Spark and ends it; `java` finds a Java
tables        the columns of all tables
audit         judges log segments and captures
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def register(spark: SparkSession) -> None:
    """Make the data sources `kafka_segments` and `kafka_frames` known to a session."""
    from wireproof.pipeline.audit.sources import register as register_sources

    register_sources(spark)
