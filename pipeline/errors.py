"""Errors of jobs."""

from __future__ import annotations


class PipelineError(ValueError):
    """Something that the user can mend. The text says what was tried, what was wrong and what to do."""


class CountError(RuntimeError):
    """A job has lost rows, or made too many. The text gives the difference by stage."""
