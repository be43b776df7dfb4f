"""What ends a campaign with a paragraph: what cannot be done as it was asked for."""

from __future__ import annotations


class FuzzError(ValueError):
    """A target, type or dialect that there is not, a folder that cannot be used, a harness that finds nothing. The text
    says what was found, and what to do."""
