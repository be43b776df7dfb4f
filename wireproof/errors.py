"""The base class of the kit's errors. It imports nothing, so every module can import it."""

from __future__ import annotations


class WireproofError(ValueError):
    """What the kit refuses: bytes, a value, a file, an option, an implementation.

    Its text says what is wrong, where, and what to do. A bug of the kit itself raises something else.
    """

    @property
    def text(self) -> str:
        """The text for a person at the command line."""
        return str(self)
