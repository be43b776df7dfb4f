"""A proxy under test: a command, started between the kit as its client and the kit's own broker.

    proxy:./my-proxy --listen {listen} --upstream {upstream}

`{listen}` and `{upstream}` become HOST:PORT, both on this machine; `{listen_port}` and `{upstream_port}` the ports
alone. The ports right behind the one it listens at are free too, for a proxy that opens one for each broker. Nothing is
written to its stdin, which is closed at the end; if it runs on, it is killed.
"""

from __future__ import annotations

import contextlib
import secrets
import shlex
import socket
import time
from typing import TYPE_CHECKING

from wireproof.conformance.connection.base import ImplementationError, Options
from wireproof.conformance.connection.description import LONGEST_NAME
from wireproof.conformance.connection.live.address import SCHEME, resolve
from wireproof.conformance.connection.live.broker import BETWEEN_TRIES, DIALECT, LISTENS_WITHIN, BrokerConnection
from wireproof.conformance.connection.live.upstream import Upstream
from wireproof.conformance.connection.process import endings
from wireproof.conformance.connection.process.child import launched, program_command, program_launch
from wireproof.conformance.connection.process.pipes import GRACE
from wireproof.conformance.connection.spec import PROXY
from wireproof.conformance.model import Description, Op

if TYPE_CHECKING:
    from wireproof.conformance.connection.process.endings import Ending
    from wireproof.conformance.connection.process.pipes import Process

# Many proxies open a port for each broker behind the one that they are given.
NEIGHBOURS = 15
# Below 32,768, where Linux begins to take ports for outgoing connections: one of those, opened by anybody between the
# look and the proxy's start, would stop it.
PORTS = range(20_000, 32_768 - NEIGHBOURS)
TRIES = 100


def proxy_connection(spec: str, options: Options) -> BrokerConnection:
    """A connection through a proxy. Raises ImplementationError."""
    with contextlib.ExitStack() as opened:
        upstream = Upstream()
        opened.callback(upstream.close)
        program = ProxyProgram(spec, options.memory, upstream)
        opened.callback(program.close)
        connection = BrokerConnection(spec, program.address, program.description, options, program, upstream)
        opened.pop_all()
        return connection


class ProxyProgram:
    """The process of a proxy, started again when it has ended. `address`: where it listens."""

    def __init__(self, spec: str, memory: int, upstream: Upstream) -> None:
        """Start it, and wait until it listens. Raises ImplementationError."""
        self._spec = spec
        self.address = resolve(f"{SCHEME}127.0.0.1:{_free_port()}", remote=False)
        words = [_filled(word, self.address.port, upstream.address[1]) for word in _words(spec)]
        self._launch = program_launch(f"exec:{shlex.join(words)}", memory)
        self.description = Description(
            name=spec.removeprefix(PROXY)[:LONGEST_NAME],
            language="unknown",
            dialects=(DIALECT,),
            ops=frozenset({Op.SERVE}),
            listens=str(self.address),
            is_proxy=True,
        )
        self._process: Process | None = None
        self._start()

    def _start(self) -> None:
        process = self._process = launched(self._launch)
        deadline = time.monotonic() + LISTENS_WITHIN
        while True:
            with contextlib.suppress(OSError), socket.create_connection((self.address.ip, self.address.port)):
                return
            if not self.listen(BETWEEN_TRIES) or time.monotonic() > deadline:
                ended = self.stop()
                why = ended.detail if ended else f"nobody listens at {self.address}{endings.last_words(process.stderr)}"
                raise ImplementationError(f"{self._spec}: {why}")

    def listen(self, seconds: float = 0.0) -> bool:
        """Read its output, waiting for it at most so long. Whether it still runs."""
        if self._process is None or self._process.gone:
            return False
        self._process.pump(seconds)
        return not self._process.gone

    def restart(self) -> tuple[Ending | None, Description]:
        """End it, and start it again. How it ended, if it ended by itself. Raises ImplementationError."""
        ending = self.stop()
        self._start()
        return ending, self.description

    def stop(self) -> Ending | None:
        """End it. How it ended, if it ended wrongly and before that."""
        process, self._process = self._process, None
        if process is None:
            return None
        process.pump(0.0)
        if not process.gone:
            process.close()
            return None
        _, code = process.wait(GRACE)
        process.kill()
        return endings.died(code, process.stderr) if code is not None else None

    def close(self) -> None:
        """End it. Safe to repeat."""
        self.stop()


def _words(spec: str) -> list[str]:
    """The words of the command. Raises ImplementationError if it does not take both addresses."""
    words = program_command(f"exec:{spec.removeprefix(PROXY)}")
    for name in ("listen", "upstream"):
        if not any(f"{{{name}}}" in word or f"{{{name}_port}}" in word for word in words):
            raise ImplementationError(
                f"{spec}: the command has no {{{name}}}: {PROXY}COMMAND {{listen}} {{upstream}} is expected"
            )
    return words


def _filled(word: str, listen: int, upstream: int) -> str:
    for name, port in (("listen", listen), ("upstream", upstream)):
        word = word.replace(f"{{{name}}}", f"127.0.0.1:{port}").replace(f"{{{name}_port}}", str(port))
    return word


def _free_port() -> int:
    """A port that is free, as the `NEIGHBOURS` behind it are. Raises ImplementationError."""
    for _ in range(TRIES):
        port = secrets.choice(PORTS)
        if all(map(_is_free, range(port, port + NEIGHBOURS + 1))):
            return port
    raise ImplementationError(
        f"of the ports {PORTS[0]} to {PORTS[-1]}, {TRIES} were tried for the proxy: none is free together with the "
        f"{NEIGHBOURS} behind it"
    )


def _is_free(port: int) -> bool:
    with socket.socket() as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # what it served before is no hindrance
        try:
            tried.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
