"""Connections to implementations: `open_connection(spec, options).ask(cases)`.

`base` defines the interface, `lines` the line protocol; `conversation` decides which case caused a crash or a hang.
"""

from __future__ import annotations

from wireproof.conformance.connection.base import Connection, ImplementationError, Options

__all__ = ["Connection", "ImplementationError", "Options", "open_connection"]


def open_connection(spec: str, options: Options | None = None) -> Connection:
    """Connect to an implementation: `package.module[:attribute]`, or `exec:COMMAND ARGS`.

    Raises ImplementationError; its text says what was tried, what went wrong and what to do.
    """
    # Imported here: each child imports this package too, and does not need what this module imports.
    from wireproof.conformance.connection.process.start import Starting

    return Starting(spec, options or Options()).connection()
