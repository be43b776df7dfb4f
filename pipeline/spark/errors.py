"""Errors of Spark's jobs, for people."""

from __future__ import annotations

import itertools

from wireproof.pipeline.errors import NO_FILE, NO_START, PipelineError
from wireproof.pipeline.spark.session import first_line


def failed(error: Exception) -> PipelineError:
    """The error to show in place of Spark's own."""
    text = str(error)
    if NO_START in text:
        return PipelineError(f"--impl: on a worker, {_in_one_line(text.rpartition(NO_START)[2])}")
    if "No space left" in text:
        return PipelineError("there is no room left for the output")
    if NO_FILE in text:
        return PipelineError(
            f"--out: on a worker, {_in_one_line(text.rpartition(NO_FILE)[2])}. All workers have to see the folder "
            "under the same path."
        )
    return PipelineError(f"Spark gave up: {first_line(error)}. See spark.log in the output folder.")


def _in_one_line(told: str) -> str:
    """What a worker said, without the frames of Python and Java in and after it."""
    whole = itertools.takewhile(str.strip, told.splitlines())
    said = (line for line in whole if not line[0].isspace() and not line.startswith("Traceback"))
    return " ".join(said)
