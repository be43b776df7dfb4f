"""A broker that runs, as a connection of the kit: the questions of `serve` over sockets.

Each question has a connection of its own. Many are asked at a time, so a broker that says nothing costs one wait for
all of them. A silence has lasted when nothing came for several times as long as the broker needed for its slowest
answer so far; options set the least and the most. A broker may have no room for so many connections that wait to be
accepted: then fewer are opened at once, and what has not arrived there is asked again.

A conversation that loads the broker is held alone; a program that has failed one is started again.

After each batch in which connections were closed, the kit sees whether the broker still listens. If it has ended, each
of these questions may be to blame. A program is started again and asked them in ever smaller groups; at an address
nobody can be started again, so nothing more is asked.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import json
import secrets
import selectors
import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from wireproof.conformance.connection.base import Connection, ImplementationError, Options, no_block
from wireproof.conformance.connection.live import announced, login
from wireproof.conformance.connection.live.address import SCHEME, Address, resolve, speaks_tls
from wireproof.conformance.connection.live.exchange import LONGEST_ANSWER, PAUSE, Exchange
from wireproof.conformance.connection.live.load import Load
from wireproof.conformance.connection.live.talk import Talk
from wireproof.conformance.connection.process.child import FAILED_STARTS, ChildConnection
from wireproof.conformance.connection.process.endings import Ending
from wireproof.conformance.connection.protocol.transcript import Transcript
from wireproof.conformance.model import Case, Description, Effect, Observation, Op, Status
from wireproof.conformance.script import Facts, Script, Send
from wireproof.conformance.script import Load as LoadAction

if TYPE_CHECKING:
    from wireproof.conformance.connection.live.upstream import Upstream

#: At most so many questions are asked at a time.
AT_ONCE = 64
#: Once a broker had no room for a connection, so many times fewer are opened at once.
FEWER = 4
#: A silence lasts so many times as long as the slowest answer so far.
PATIENCE = 4.0
#: Seconds in which a server that may speak TLS has to do so.
_TLS_WITHIN = 2.0
#: Seconds in which a broker that has closed connections may turn out to have ended.
DOUBT = 0.05
#: … and after a load, of which it may run out of memory: what it has been sent is read first.
DOUBT_OF_LOAD = 0.2
#: Seconds in which a program has to listen after it has described itself, and between two looks whether it does.
LISTENS_WITHIN, BETWEEN_TRIES = 60.0, 0.1
#: Seconds after which the kit was absent.
ABSENT = 0.1
#: So many bytes of what a client that misbehaves sends stand in a transcript.
LONGEST_SHOWN = 100
_GONE = "gone"
#: Cases of which one has ended the broker are asked again in so many groups.
GROUPS = 8
DIALECT = "kafka"


def address_connection(spec: str, options: Options) -> BrokerConnection:
    """A connection to the broker at `tcp://HOST:PORT`. Raises ImplementationError."""
    address = resolve(spec, remote=options.allow_remote, authorities=options.tls_ca)
    described = Description(
        name=f"broker at {address}",
        language="unknown",
        dialects=(options.dialect,),
        ops=frozenset({Op.SERVE}),
        effects=frozenset(_permitted(options)),
    )
    return BrokerConnection(spec, address, described, options)


def program_connection(spec: str, program: ChildConnection, options: Options) -> BrokerConnection:
    """A connection to a program whose description says where it listens. Raises ImplementationError."""
    try:
        address = _listening(spec, program.description)
        return BrokerConnection(spec, address, program.description, options, program)
    except BaseException:
        program.close()
        raise


def _listening(spec: str, described: Description) -> Address:
    """Where a program listens: on this machine only."""
    try:
        return resolve(f"{SCHEME}{described.listens}", remote=False)
    except ImplementationError as error:
        raise ImplementationError(f"{spec}: `listens` is wrong: {error}") from None


def _permitted(options: Options) -> Iterator[Effect]:
    """What may be done to a broker at an address."""
    yield Effect.READ
    if options.allow_writes:
        yield Effect.WRITE
    if options.load:
        yield Effect.LOAD


def _given(options: Options) -> Iterator[str]:
    """The options of the command line by which a broker is reached."""
    if options.allow_remote:
        yield "--allow-remote"
    if options.allow_writes:
        yield "--allow-writes"
    if options.load:
        yield f"--load={options.load}"
    if options.tls_ca is not None:
        yield f"--tls-ca={options.tls_ca}"
    if options.sasl is not None:
        yield f"--sasl={options.sasl}"


def _alone(case: Case) -> bool:
    """Whether a case loads the broker, so that nothing else can be asked."""
    script: Script | None = case.args.get("script")
    return script is not None and script.alone


def _failed(seen: Observation) -> bool:
    return seen.status is not Status.ANSWER or seen.answer.deviation is not None


def _connections(one: Exchange | Talk) -> Sequence[Exchange]:
    return (one,) if isinstance(one, Exchange) else [*one.connections.values()]


class Program(Protocol):
    """A program that listens."""

    @property
    def description(self) -> Description:
        """What it is."""

    def listen(self, seconds: float = 0.0) -> bool:
        """Read its output, waiting for it at most so long. Whether it still runs."""

    def restart(self) -> tuple[Ending | None, Description]:
        """End it, and start it again. How it ended, if it ended wrongly. Raises ImplementationError."""

    def stop(self) -> Ending | None:
        """End it. How it ended, if it ended wrongly."""

    def close(self) -> None:
        """End it. Safe to repeat."""


class BrokerConnection(Connection):
    """A connection to a broker that listens at an address; `program`: the program that is this broker."""

    repeats = True

    def __init__(
        self,
        spec: str,
        address: Address,
        described: Description,
        options: Options,
        program: Program | None = None,
        upstream: Upstream | None = None,
    ) -> None:
        """Ask for its versions. `upstream`: the kit's broker behind a proxy, which is closed with this. Raises
        ImplementationError."""
        self._spec = spec
        self._address = address
        self._options = options
        self._program = program
        self._upstream = upstream
        self._token = login.token(options.sasl)
        self._load = Load(options.load, functools.partial(self._connect, self._token))
        self._patient = False
        #: So many connections at most are being opened.
        self._opened_at_once = AT_ONCE
        #: Seconds that it needed for its slowest answer.
        self._slowest = 0.0
        self._waiting: list[Case] = []
        #: Groups of cases of which one may have ended the broker. They are asked before others, in ever smaller groups.
        self._suspects: list[list[Case]] = []
        #: The batch that runs: those for which no connection is opened yet, and the others.
        self._next: list[Case] = []
        self._batch: dict[Exchange | Talk, Case] = {}
        #: No topic's name begins with it; the numbers behind it are the conversations'.
        self._name = f"wireproof-{secrets.token_hex(4)}"
        self._talks = itertools.count()
        self._looked = time.monotonic()
        self._seen: dict[str, Observation] = {}
        self._block: Sequence[Case] | None = None
        self._last: Case | None = None
        #: Whether it may be out of order, for it has not answered beside a load.
        self._impaired = False
        #: Why it cannot be asked any more; empty while it can.
        self._gone = ""
        self._transcript = Transcript(options.transcript)
        #: What it is asked first: its versions, where its dialect has a request for them.
        self._first = [announced.REQUEST] if DIALECT in described.dialects else []
        self._description = dataclasses.replace(
            described, apis=self._announced(), reached_by=tuple(_given(options)), logs_in=self._token is not None
        )

    @property
    def description(self) -> Description:
        """What it announces of itself."""
        return self._description

    def configure(self, dialect: str, settings: Mapping[str, Any]) -> bool:  # noqa: ARG002 (it is never told to be another one)
        """Its apis are those that it announces: whether it announces any."""
        return bool(self._description.apis)

    def expect_hangs(self, hangs: Callable[[str], bool]) -> None:
        """Does nothing: a broker's silence is an answer."""

    def ask(self, cases: Sequence[Case]) -> list[Observation]:
        """One observation for each case."""
        self.begin(cases)
        return self.finish()

    def ask_again(self, cases: Sequence[Case]) -> list[Observation]:
        """Ask them once more: silence lasts until the time limit, so an answer that was only late is seen."""
        self._patient = True
        try:
            return self.ask(cases)
        finally:
            self._patient = False

    def begin(self, cases: Sequence[Case]) -> None:
        """Open a block."""
        no_block(self._block is not None)
        self._block, self._waiting, self._seen = cases, [*cases], {}
        self.poll()

    def poll(self) -> bool:
        """Read what has arrived, and ask more."""
        if self._block is not None:
            self._go_on(0.0)
        return self._block is not None and self._done

    def answered(self, seconds: float) -> list[Observation]:  # noqa: ARG002 (nothing to wait for)
        """Nothing is certain before the end of a block: deviations are asked once more then."""
        return []

    def finish(self) -> list[Observation]:
        """Wait for the rest of the block."""
        if self._block is None:
            raise RuntimeError("there is no block to finish: none has been begun")
        while not self._done:
            self._go_on(PAUSE)
        block, self._block = self._block, None
        return [self._seen[case.id] for case in block]

    def end(self) -> Observation | None:
        """See `Connection.end`: a broker listens to the end, and a program ends well when its stdin is closed."""
        gone = self._gone or ("" if self._listens() else f"nobody listens at {self._address} any more")
        ending = None if self._program is None else self._program.stop()
        self.close()
        if self._last is None or not (gone or ending):
            return None
        if ending is not None:
            return Observation(self._last, ending.status, error=ending.error, detail=ending.detail, frame=ending.frame)
        return Observation(self._last, Status.CRASH, error=_GONE, detail=gone)

    def close(self) -> None:
        """Close all connections, and end the program."""
        for exchange in (*self._batch, self._load):
            exchange.close()
        self._batch.clear()
        self._next.clear()
        self._waiting.clear()
        self._suspects.clear()
        if self._program is not None:
            self._program.close()
        if self._upstream is not None:
            self._upstream.close()
        self._transcript.close()

    # --- Asking ---

    @property
    def _done(self) -> bool:
        return not (self._batch or self._next or self._waiting or self._suspects)

    def _go_on(self, seconds: float) -> None:
        """Begin a batch if none runs, and do what can be done now, or within these seconds."""
        if self._gone:
            self._not_asked([*itertools.chain(*self._suspects), *self._waiting])
            self._suspects, self._waiting = [], []
        if not (self._batch or self._next or self._done):
            if self._impaired and self._program is not None:
                self._restart(self._program)
            self._impaired = False
            self._next = self._next_cases()
        self._load.keep()
        if not self._load.felt:
            self._advance([one for one in self._load.sockets if one.events], seconds)
            return
        opening = sum(not (one.asked or one.over) for one in self._batch)
        room = self._opened_at_once - opening
        for case in self._next[:room]:
            self._batch[self._asked(case)] = case
        del self._next[:room]
        if self._program is not None:
            self._program.listen()
        self._excuse()
        open_ones = [one for one in self._batch if not self._is_over(one)]
        exchanges = [one for one in open_ones if isinstance(one, Exchange)]
        talks = [one for one in open_ones if isinstance(one, Talk)]
        sockets = itertools.chain(self._load.sockets, *(talk.sockets for talk in talks))
        others = [one for one in sockets if one.events]
        self._advance([*exchanges, *others], seconds)
        for exchange in exchanges:
            self._slowest = max(self._slowest, exchange.needed or 0.0)
        for talk in talks:
            talk.go_on(self._quiet, self._options.timeout)
        if self._batch and all(self._is_over(one) for one in self._batch):
            self._settle()

    def _excuse(self) -> None:
        """While the kit judges, nobody looks at the connections: that is no silence of the broker."""
        now = time.monotonic()
        absent, self._looked = now - self._looked, now
        if absent > ABSENT:
            for one in self._batch:
                one.excuse(absent)

    def _asked(self, case: Case) -> Exchange | Talk:
        """What asks a case: one connection, or a conversation."""
        script: Script | None = case.args.get("script")
        if script is None:
            return self._connect(self._token, case.args["chunks"])
        token = None if script.logs_in else self._token
        name, connect = f"{self._name}-{next(self._talks)}", functools.partial(self._connect, token)
        if self._upstream is None:
            return Talk(script, Facts(name, self._token or b"", stays=self._program is None), connect)
        return Talk(script, Facts(name, behind=self._upstream.address), connect, self._upstream.reached)

    def _connect(
        self, token: bytes | None, chunks: Sequence[bytes] = (), *, pause: float = PAUSE, reads: bool = True
    ) -> Exchange:
        return Exchange(self._address, chunks, token, pause=pause, reads=reads)

    def _next_cases(self) -> list[Case]:
        if self._suspects:
            return self._suspects.pop(0)
        alone = next((at for at, case in enumerate(self._waiting[:AT_ONCE]) if _alone(case)), AT_ONCE)
        size = max(1, alone)
        cases, self._waiting = self._waiting[:size], self._waiting[size:]
        return cases

    def _advance(self, exchanges: Sequence[Exchange], seconds: float) -> None:
        """Do what their sockets are ready for, now or within these seconds."""
        if not exchanges:
            time.sleep(min(seconds, PAUSE))
            return
        with selectors.PollSelector() as selector:
            for exchange in exchanges:
                selector.register(exchange.socket, exchange.events, exchange)
            for key, events in selector.select(seconds):
                key.data.advance(events)

    @property
    def _quiet(self) -> float:
        """The seconds for which a silence lasts."""
        limit = self._options.timeout
        return limit if self._patient else min(limit, max(self._options.silence, PATIENCE * self._slowest))

    def _is_over(self, one: Exchange | Talk) -> bool:
        """Whether the conversation is over, the broker closed the connection, or its silence has lasted."""
        if isinstance(one, Talk):
            return one.over
        limit = self._options.timeout
        return one.over or one.silence > (self._quiet if one.asked or self._opened_at_once > 1 else limit)

    def _settle(self) -> None:
        """The observations of a batch that is over."""
        batch, self._batch = self._batch, {}
        for one in batch:
            one.close()
        *_, self._last = batch.values()
        late = {one: case for one, case in batch.items() if not (one.asked or one.over)}
        if late and self._opened_at_once > 1:
            self._opened_at_once //= FEWER
            self._next[:0] = late.values()
            batch = {one: case for one, case in batch.items() if one not in late}
        self._waiting, self._next = [*self._next, *self._waiting], []
        closed = {
            case.id: case for one, case in batch.items() if _alone(case) or any(each.over for each in _connections(one))
        }
        loaded = any(map(_alone, closed.values()))
        if closed and not self._still_listens(DOUBT_OF_LOAD if loaded else DOUBT):
            self._ended_at([*closed.values()])
            batch = {one: case for one, case in batch.items() if case.id not in closed}
        for one, case in batch.items():
            if isinstance(one, Talk):
                self._seen[case.id] = self._of_talk(one, case)
                self._record_talk(one, case)
            else:
                self._seen[case.id] = self._observation(one, case)
                self._record(one, case)
            self._impaired = self._impaired or (_alone(case) and _failed(self._seen[case.id]))
        self._transcript.flush()

    def _of_talk(self, talk: Talk, case: Case) -> Observation:
        for connection in talk.connections.values():
            if connection.refused or connection.flooded:
                return self._observation(connection, case)
        if talk.unready:
            return Observation(case, Status.UNSUPPORTED, detail=talk.unready)
        return Observation(case, Status.ANSWER, talk.held)

    def _record_talk(self, talk: Talk, case: Case) -> None:
        for action, event in talk.held.events:
            if isinstance(action, Send):
                data = "secret" if action.secret else action.data.hex()
                self._transcript.sent(json.dumps({"id": case.id, "on": action.on, "data": data}).encode())
            elif isinstance(action, LoadAction):
                begins = action.data[:LONGEST_SHOWN].hex()
                line = {"id": case.id, "clients": action.count, "bytes": len(action.data), "begins": begins}
                self._transcript.sent(json.dumps(line).encode())
            elif event.data or event.kind != "done":
                line = {"id": case.id, "on": getattr(action, "on", ""), "event": event.kind, "data": event.data.hex()}
                self._transcript.heard(json.dumps(line).encode())

    def _observation(self, exchange: Exchange, case: Case) -> Observation:
        if exchange.refused:
            text = f"{self._address} took no connection{exchange.problem and ': '}{exchange.problem}"
            return Observation(case, Status.CRASH, error="refused", detail=text)
        if exchange.flooded:
            text = f"more than {LONGEST_ANSWER} bytes came: {bytes(exchange.sent[:64]).hex()}…"
            return Observation(case, Status.VIOLATION, error="flood", detail=text)
        if not exchange.asked and not exchange.closed:
            text = f"for {self._options.timeout:g} seconds the broker read nothing more of the question"
            return Observation(case, Status.HANG, error="timeout", detail=text)
        return Observation(case, Status.ANSWER, (bytes(exchange.sent), exchange.closed))

    def _record(self, exchange: Exchange, case: Case) -> None:
        chunks = [chunk.hex() for chunk in case.args["chunks"]]
        self._transcript.sent(json.dumps({"id": case.id, "chunks": chunks}).encode())
        answer = {"id": case.id, "sent": exchange.sent.hex(), "closed": exchange.closed}
        self._transcript.heard(json.dumps(answer).encode())

    # --- Its end ---

    def _listens(self) -> bool:
        try:
            socket.create_connection((self._address.ip, self._address.port), self._options.timeout).close()
        except OSError:
            return False
        return True

    def _still_listens(self, seconds: float) -> bool:
        """Whether it listens so much later: a process that ends closes its connections first, and may still have to
        write why. It waits, with its port open, while nobody reads that."""
        if self._program is None:
            time.sleep(seconds)
        else:
            deadline = time.monotonic() + seconds
            while (left := deadline - time.monotonic()) > 0 and self._program.listen(left):
                pass
        return self._listens()

    def _ended_at(self, cases: Sequence[Case]) -> None:
        """It has ended while it was asked these."""
        names = ", ".join(case.id for case in cases[:3]) + (f" and {len(cases) - 3} more" if len(cases) > 3 else "")
        detail = f"nobody listens at {self._address} any more: it ended when it was asked {names}"
        error = _GONE
        if self._program is None:
            self._gone = detail
        else:
            ending = self._restart(self._program)
            detail, error = (detail, error) if ending is None else (ending.detail, ending.error)
        if len(cases) == 1:
            self._seen[cases[0].id] = Observation(cases[0], Status.CRASH, error=error, detail=detail)
        elif self._program is None:
            self._not_asked(cases)
        else:
            size = max(1, len(cases) // GROUPS)
            self._suspects[:0] = [[*cases[at : at + size]] for at in range(0, len(cases), size)]

    def _restart(self, program: Program) -> Ending | None:
        """Start the program again. How the old process ended, if it ended wrongly."""
        ending: Ending | None = None
        self._load.close()
        for _ in range(FAILED_STARTS):
            try:
                ended, described = program.restart()
                ending = ending or ended
                self._address = _listening(self._spec, described)
                self._announced()
            except ImplementationError as error:
                failed = str(error).splitlines()[0]
            else:
                return ending
        self._gone = f"not asked: {FAILED_STARTS} times in a row it did not start again: {failed}"
        return ending

    def _not_asked(self, cases: Sequence[Case]) -> None:
        for case in cases:
            self._seen[case.id] = Observation(case, Status.NOT_ASKED, detail=self._gone)

    def _announced(self) -> announced.Ranges:
        """The apis that it announces: none of a broker of another dialect, or from before KIP-35, which closes the
        connection. Raises ImplementationError."""
        exchange = self._first_exchange()
        limit = self._options.timeout
        answer = bytes(exchange.sent)
        ranges = announced.read(answer)
        if exchange.refused:
            if self._program is None or exchange.problem:
                why = exchange.problem or "nobody listens there. Start the broker first."
                raise ImplementationError(f"{self._spec}: {why}")
            ended = self._program.stop()
            silent = f"nobody listens at {self._address} within {LISTENS_WITHIN:g} seconds of its description."
            raise ImplementationError(f"{self._spec}: {ended.detail if ended else silent}")
        closed = exchange.closed and not answer
        plain = self._program is None and self._address.tls is None
        if self._first and closed and plain and speaks_tls(self._address, min(limit, _TLS_WITHIN)):
            raise ImplementationError(f"{self._spec}: TLS is spoken there: write tls://{self._address}")
        if self._first and ranges is None and not closed:
            got = answer[:32].hex() if answer else f"nothing within {limit:g} seconds"
            raise ImplementationError(
                f"{self._spec}: no Kafka broker answers there: {got} came for an ApiVersions request of version 0. If "
                "TLS is on this port, write tls://; if another protocol is, name another port."
            )
        return ranges or {}

    def _first_exchange(self) -> Exchange:
        """Connect, and ask for its apis. A program may begin to listen a while after it has described itself."""
        deadline = time.monotonic() + LISTENS_WITHIN
        while True:
            exchange = Exchange(self._address, self._first, self._token)
            try:
                while not (
                    exchange.over
                    or exchange.silence > self._options.timeout
                    or announced.read(bytes(exchange.sent))
                    or (exchange.connected and not self._first)
                ):
                    self._advance([exchange], PAUSE)
            finally:
                exchange.close()
            self._slowest = max(self._slowest, exchange.needed or 0.0)
            runs = self._program is not None and self._program.listen(BETWEEN_TRIES)
            if not exchange.refused or exchange.problem or not runs or time.monotonic() > deadline:
                return exchange
