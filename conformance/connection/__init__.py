"""Connections to implementations: `open_connection(spec, options).ask(cases)`.

base          the interface, and its options
spec          what a SPEC names
loading       imports a Python module; `module` calls its functions
description   what an implementation says of itself
in_process    a module in this process, for a debugger
process       a child process: started, watched, ended
live          brokers and clients that run, over sockets
protocol      the line protocol; which question is to blame for a death
patience      how long to wait for an answer
quarantine    cases that are not asked any more
"""

from __future__ import annotations

from wireproof.conformance.connection.base import Connection, ImplementationError, Options

__all__ = ["Connection", "ImplementationError", "Options", "open_connection"]


def open_connection(spec: str, options: Options | None = None) -> Connection:
    """Connect to an implementation: `package.module[:attribute]`, `exec:COMMAND ARGS`, `tcp://HOST:PORT`, or
    `client:COMMAND {bootstrap}`.

    Raises ImplementationError; its text says what was tried, what went wrong and what to do.
    """
    # Imported here: each child imports this package too, and does not need what this module imports.
    from wireproof.conformance.connection.process.start import Starting

    return Starting(spec, options or Options()).connection()
