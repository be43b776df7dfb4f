"""The error that ends a campaign with a message to the user."""

from __future__ import annotations

from wireproof.errors import WireproofError


class FuzzError(WireproofError):
    """An unknown target, type or dialect, a folder that cannot be used, or a planted bug that was not found. The text
    describes the problem and what to do."""
