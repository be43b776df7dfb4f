"""Errors of Spark's jobs, for people."""

from __future__ import annotations

from pipeline.errors import NO_START, PipelineError
from pipeline.session import first_line


def failed(error: Exception) -> PipelineError:
    """The error to show in place of Spark's own."""
    text = str(error)
    if NO_START in text:
        told = text.rpartition(NO_START)[2].partition("\n\n")[0]
        return PipelineError(f"--impl: on a worker, {told.splitlines()[0]}")
    if "No space left" in text:
        return PipelineError("there is no room left for the output")
    return PipelineError(f"Spark gave up: {first_line(error)}. See spark.log in the output folder.")
