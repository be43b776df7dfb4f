"""Errors of jobs, and what people are told of Spark's own."""

from __future__ import annotations

import itertools
import re

from wireproof.errors import WireproofError

#: The beginning of an exception's text on a worker; it tells the driver that an implementation did not start there.
NO_START = "wireproof: the implementation cannot be used here: "
#: The same for a file of the output folder that cannot be read or written there.
NO_FILE = "wireproof: the output folder cannot be used here: "


class PipelineError(WireproofError):
    """Something that the user can mend. The text says what was tried, what was wrong and what to do."""


class CountError(RuntimeError):
    """A job has lost rows, or made too many. The text gives the difference by stage."""


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


def first_line(error: BaseException) -> str:
    """The line of an error that says what happened: of Java's errors the message, without the stack."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    message = next((line for line in lines if re.match(r"(: )?[a-z]+(\.\w+)+(Exception|Error): ", line)), None)
    if message is None:
        return lines[0] if lines else type(error).__name__
    return message.partition(": ")[2] if not message.startswith(": ") else message[2:].partition(": ")[2]
