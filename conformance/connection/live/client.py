"""Clients that run, as a connection of the kit: any command that takes the address of a broker.

The command is started for each script, in its own process group, with a broker of its own, or two: a thread. Many
run at a time, because most wait; but only a few are started at a time, because a start takes a processor. A run is
over when the process has ended; it is ended when it tries too often, when its time is up, or when it writes or takes
too much.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import threading
import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from wireproof.conformance.client_run import ClientRun, ClientScript
from wireproof.conformance.connection.base import AtOnce, Connection, ImplementationError, Options
from wireproof.conformance.connection.live import login, wanted_login
from wireproof.conformance.connection.live.scripted import MOST_TRIES, Record, Scripted
from wireproof.conformance.connection.live.server import Server
from wireproof.conformance.connection.live.wanted_login import WantedLogin
from wireproof.conformance.connection.process import endings, limits
from wireproof.conformance.connection.process.pipes import Process
from wireproof.conformance.connection.protocol.transcript import Transcript
from wireproof.conformance.model import Case, Description, Observation, Op, Status
from wireproof.reference.dialects import DIALECTS
from wireproof.reference.peers.answers import Cluster, Node
from wireproof.reference.peers.broker import Broker

DIALECT = "kafka"
#: The part of a command that stands for the address, and the name of the environment's variable that has the script's.
PLACE, SCRIPT = "{bootstrap}", "WIREPROOF_SCRIPT"
#: The topic that the broker has, with one partition.
TOPIC = "test"
#: At most so many clients run at a time, and so many of them have not connected yet.
AT_ONCE, STARTING = 32, 4
#: Seconds after which a process is looked at that has not connected.
STARTS_WITHIN = 1.0
#: Seconds in which a client has to connect for the first time.
CONNECTS_WITHIN = 60.0
#: Seconds between two looks at the clients.
_PAUSE = 0.005
#: The most bytes that a client may write to its stdout.
FLOOD = 1 << 24


def client_command(spec: str) -> list[str]:
    """The words of `client:COMMAND … {bootstrap} …`. Raises ImplementationError."""
    try:
        words = shlex.split(spec.removeprefix("client:"))
    except ValueError as error:
        raise ImplementationError(f"{spec}: {error}. Quote the command as in a shell.") from None
    if not any(PLACE in word for word in words[1:]):
        raise ImplementationError(f"{spec}: {PLACE} is expected in the place of the broker's address")
    if shutil.which(words[0]) is None:
        raise ImplementationError(f"{spec}: there is no program {words[0]!r}")
    return words


def client_connection(spec: str, options: Options) -> ClientConnection:
    """A connection to the client that `client:COMMAND` is. Raises ImplementationError."""
    return ClientConnection(spec, client_command(spec), options)


class _Running:
    """One process with its brokers. `token`: that of the login which these want; None: they want none."""

    def __init__(self, case: Case, command: Sequence[str], options: Options, token: bytes | None) -> None:
        self.case = case
        self._token = token
        self._options = options
        self._script: ClientScript = case.args["script"]
        self._server = Server(0)
        self._broker = DIALECTS[DIALECT].broker(("127.0.0.1", self._server.port), {TOPIC: 1})
        self._record = Record(self._script, self._inner().topics)
        others = range(1, len(self._record.scripts))
        ports = [self._server.port, *(self._server.also(partial(self._opened, node)) for node in others)]
        self._nodes = tuple(Node(node, "127.0.0.1", port) for node, port in enumerate(ports))
        until, self._until = os.pipe()
        self._thread = threading.Thread(target=self._serve, args=(until,), daemon=True)
        self._thread.start()
        words = [word.replace(PLACE, f"127.0.0.1:{self._server.port}") for word in command]
        self._began = time.monotonic()
        try:
            self._process = Process(limits.limited(options.memory, words), os.environ | {SCRIPT: self._script.name})
        except BaseException:
            self._close_server()
            raise
        self._process.close_stdin()
        self._written = 0
        #: When it has connected for the first time.
        self._connected = 0.0

    def _inner(self) -> Broker:
        """Who answers on a connection what the script leaves open."""
        broker = self._broker()
        assert isinstance(broker, Broker)
        return broker

    def _opened(self, node: int) -> Scripted | None:
        """A broker's side of a new connection; None: it is gone."""
        if node in self._record.gone:
            return None
        inner, script = self._inner(), self._record.scripts[node]
        inner.cluster = Cluster(node, self._nodes)
        usual = {**inner.apis, **({} if self._token is None else wanted_login.APIS)}
        inner.apis = {key: span for key, span in {**usual, **script.apis}.items() if span != (0, -1)}
        wanted = None if self._token is None else WantedLogin(inner, self._token, script.before_login)
        return Scripted(inner, self._record, node, wanted)

    def _serve(self, until: int) -> None:
        try:
            self._server.run(partial(self._opened, 0), until)
        finally:
            os.close(until)

    @property
    def starting(self) -> bool:
        """Whether it has not connected yet."""
        return self._record.connections == 0

    def look(self) -> Observation | None:
        """What has become of it; None while it runs."""
        now = time.monotonic()
        if self.starting and self._process.running and now - self._began < STARTS_WITHIN:
            return None  # to look at a process waits until it has been started
        lines = self._process.pump(0.0)
        self._written += sum(map(len, lines))
        if not self.starting and not self._connected:
            self._connected = now
        limit = self._options.timeout
        late = now - self._connected > limit if self._connected else now - self._began > max(limit, CONNECTS_WITHIN)
        if not self._process.running:
            _, code = self._process.wait(1.0)
            return self._ended(code or 0)
        if self._record.busy:
            return self._busy()
        if late:
            return self._seen(Status.HANG, "timeout", f"it had not ended after {limit:g} seconds: it was killed; ")
        if self._process.memory > self._options.memory << 20:
            return self._seen(Status.OOM, "memory", f"it took {self._process.memory >> 20} MiB: it was killed; ")
        if self._written + self._process.half_line_size > FLOOD:
            return self._seen(Status.VIOLATION, "flood", f"it wrote {self._written >> 20} MiB: it was killed; ")
        return None

    def _ended(self, code: int) -> Observation:
        """The process has ended by itself."""
        stderr = self._process.stderr
        ending = endings.died(code, stderr)
        if code < 0 or (code and ending.status is Status.OOM):
            return Observation(self.case, ending.status, error=ending.error, detail=ending.detail)
        if self.starting:
            text = f"it ended with exit code {code} and had not connected{endings.last_words(stderr)}"
            return Observation(self.case, Status.CRASH, error="not connected", detail=text)
        if unasked := self._record.unasked():
            return Observation(self.case, Status.UNSUPPORTED, detail=f"the client asks {unasked}")
        said = endings.last_words(stderr).strip()
        run = ClientRun(tuple(self._record.events), code, time.monotonic() - self._began, said)
        return Observation(self.case, Status.ANSWER, run)

    def _busy(self) -> Observation:
        record = self._record
        text = f"a busy loop: {record.busy} tries in less than a second, {MOST_TRIES} are allowed: it was killed; "
        return self._seen(Status.HANG, "busy loop", text)

    def _seen(self, status: Status, error: str, text: str) -> Observation:
        record = self._record
        seconds = max(record.now, 0.001)
        rate = f"{record.tries} tries on {record.connections} connections in {seconds:.1f} seconds"
        detail = f"{text}{rate}, {record.tries / seconds:.0f} a second{endings.last_words(self._process.stderr)}"
        return Observation(self.case, status, error=error, detail=detail)

    def record(self, transcript: Transcript) -> None:
        """Write down what happened."""
        for event in self._record.events:
            line = {"id": self.case.id, "on": event.connection, "event": event.kind, "at": round(event.at, 3)}
            line |= {"node": event.node} if len(self._record.scripts) > 1 else {}
            data = {"data": event.data.hex()} if event.kind in ("request", "answer") else {}
            text = json.dumps(line | data).encode()
            (transcript.sent if event.kind in ("answer", "closed") else transcript.heard)(text)

    def close(self) -> None:
        """End the process, all that it has started, and the broker."""
        self._process.kill()
        self._close_server()

    def _close_server(self) -> None:
        os.close(self._until)
        self._thread.join()
        self._server.__exit__()


class ClientConnection(AtOnce, Connection):
    """A connection to a client. Its op is `interpret`: what it makes of what a broker says."""

    repeats = True

    def __init__(self, spec: str, command: Sequence[str], options: Options) -> None:
        self._command = command
        self._options = options
        self._token = login.token(options.sasl)
        self._transcript = Transcript(options.transcript)
        self._description = Description(
            name=spec.removeprefix("client:"),
            language="unknown",
            dialects=(DIALECT,),
            ops=frozenset({Op.INTERPRET}),
            connects=True,
            logs_in=self._token is not None,
            reached_by=() if options.sasl is None else (f"--sasl={options.sasl}",),
        )

    @property
    def description(self) -> Description:
        """It says nothing of itself: its name is its command."""
        return self._description

    def configure(self, dialect: str, settings: Mapping[str, Any]) -> bool:  # noqa: ARG002 (it has no settings)
        """Scripts need no settings."""
        return False

    def ask(self, cases: Sequence[Case]) -> list[Observation]:
        """One run for each script."""
        waiting, running = [*cases], list[_Running]()
        seen: dict[str, Observation] = {}
        try:
            while waiting or running:
                while waiting and len(running) < AT_ONCE and sum(one.starting for one in running) < STARTING:
                    running.append(_Running(waiting.pop(0), self._command, self._options, self._token))
                for one in [*running]:
                    found = one.look()
                    if found is not None:
                        running.remove(one)
                        one.close()
                        one.record(self._transcript)
                        seen[one.case.id] = found
                time.sleep(_PAUSE)
        finally:
            for one in running:
                one.close()
        self._transcript.flush()
        return [seen[case.id] for case in cases]

    def close(self) -> None:
        """See `Connection.close`."""
        self._transcript.close()
