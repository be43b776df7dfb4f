"""Errors of jobs."""

from __future__ import annotations

from wireproof.errors import WireproofError

#: The beginning of an exception's text on a worker; it tells the driver that an implementation did not start there.
NO_START = "wireproof: the implementation cannot be used here: "
#: The same for a file of the output folder that cannot be read or written there.
NO_FILE = "wireproof: the output folder cannot be used here: "


class PipelineError(WireproofError):
    """Something that the user can mend. The text says what was tried, what was wrong and what to do."""


class CountError(RuntimeError):
    """A job has lost rows, or made too many. The text gives the difference by stage."""
