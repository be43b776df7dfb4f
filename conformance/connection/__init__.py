"""Connections to implementations: `open_connection(spec, options).ask(cases)`.

`base` defines the interface, `lines` the line protocol; `conversation` decides which case caused a crash or a hang.
"""

from __future__ import annotations

import sys

from conformance.connection.base import Connection, ImplementationError, Options

__all__ = ["Connection", "ImplementationError", "Options", "open_connection"]

_SYSTEMS = ("linux", "darwin")


def open_connection(spec: str, options: Options | None = None) -> Connection:
    """Connect to an implementation: `package.module[:attribute]`, or `exec:COMMAND ARGS`.

    Raises ImplementationError; its text says what was tried, what went wrong and what to do.
    """
    options = options or Options()
    # Imported here: each child imports this package too, and does not need these modules.
    if options.in_process:
        from conformance.connection.in_process import InProcessConnection

        if spec.startswith("exec:"):
            raise ImplementationError(f"{spec} is a program; only a Python module can run inside this process")
        return InProcessConnection(spec, options)
    if sys.platform not in _SYSTEMS:
        raise ImplementationError(
            f"Child processes can be limited on Linux and macOS only; this is {sys.platform}. "
            "A Python module can run inside this process, without limits."
        )
    from conformance.connection.child import ChildConnection, module_launch, program_launch

    launch = program_launch if spec.startswith("exec:") else module_launch
    return ChildConnection(launch(spec, options.memory), options)
