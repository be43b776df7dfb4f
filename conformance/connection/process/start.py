"""Starts an implementation without waiting for it: what else there is to do can be done meanwhile."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from wireproof.conformance.connection.base import Connection, ImplementationError, Options
from wireproof.conformance.connection.in_process import InProcessConnection
from wireproof.conformance.connection.live.broker import address_connection, program_connection
from wireproof.conformance.connection.process.child import ChildConnection, launched, module_launch, program_launch
from wireproof.conformance.connection.spec import PROXY, is_address, is_client

if TYPE_CHECKING:
    from wireproof.conformance.connection.process.pipes import Process

_SYSTEMS = ("linux", "darwin")


class Starting:
    """An implementation that is being started: `package.module[:attribute]`, or `exec:COMMAND ARGS`. A module that is
    to run in this process is imported by `connection`. The address of a broker that runs, `tcp://HOST:PORT`, is
    connected to by `connection`. A client, `client:COMMAND`, is started for each script, and a proxy, `proxy:COMMAND`,
    by `connection`."""

    def __init__(self, spec: str, options: Options) -> None:
        """Start the process. Raises ImplementationError."""
        self._spec = spec
        self._options = options
        self._process: Process | None = None
        if options.prints is not None and not is_client(spec):
            raise ImplementationError(f"{spec}: --prints says what a client's command prints, client:COMMAND")
        if is_address(spec) or spec.startswith(PROXY):
            return
        if options.in_process and not is_client(spec):
            if spec.startswith("exec:"):
                raise ImplementationError(f"{spec} is a program; only a Python module can run inside this process")
            return
        if sys.platform not in _SYSTEMS:
            raise ImplementationError(
                f"Child processes can be limited on Linux and macOS only; this is {sys.platform}. "
                "A Python module can run inside this process, without limits."
            )
        if is_client(spec):
            return
        self._launch = (program_launch if spec.startswith("exec:") else module_launch)(spec, options.memory)
        self._process = launched(self._launch)

    def connection(self) -> Connection:
        """Wait until it has described itself. Call it once. Raises ImplementationError."""
        if is_address(self._spec):
            return address_connection(self._spec, self._options)
        # Imported here: both bring the reference, which other implementations do without.
        if is_client(self._spec):
            from wireproof.conformance.connection.live.client import client_connection
            from wireproof.conformance.connection.live.printing import printing_connection

            if self._options.prints is not None:
                return printing_connection(self._spec, self._options)
            return client_connection(self._spec, self._options)
        if self._spec.startswith(PROXY):
            from wireproof.conformance.connection.live.proxied import proxy_connection

            return proxy_connection(self._spec, self._options)
        if self._options.in_process:
            return _asked(InProcessConnection(self._spec, self._options))
        process, self._process = self._process, None
        if process is None:
            raise RuntimeError("its process has been connected to already, or was closed")
        try:
            child = ChildConnection(self._launch, self._options, process)
        except BaseException:
            process.kill()
            raise
        if child.description.listens is not None:
            return program_connection(self._spec, child, self._options)
        return _asked(child)

    def close(self) -> None:
        """Kill a process that nobody has connected to."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()


def _asked(connection: Connection) -> Connection:
    """The connection, with brokers of the kit's around it if it is to a client that runs."""
    if not connection.description.bootstrap:
        return connection
    from wireproof.conformance.connection.live.wrapper import WrapperConnection

    return WrapperConnection(connection)
