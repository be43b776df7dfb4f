"""The broker's side of a connection where a script says how it answers: sans IO, like the broker that answers all else.

All connections of a run write into one `Record`, those of the second broker too.
"""

from __future__ import annotations

import time
from collections import Counter, deque

from wireproof.conformance.client_run import ClientScript, Kind, Reply, RunEvent
from wireproof.conformance.connection.live.wanted_login import WantedLogin
from wireproof.reference.peers.broker import LEAST_FRAME
from wireproof.reference.peers.connection import Answer, Connection, Wait
from wireproof.reference.peers.framing import SIZE_BYTES
from wireproof.reference.peers.topics import Topics

#: A client tries at most so often in a second: it opens a connection, or asks something that brings it no records. The
#: text sets no bound; released clients that wait between two tries stay far below it.
MOST_TRIES = 100
#: Requests that may be as frequent as an application wants: Produce and Fetch.
_DATA = frozenset({0, 1})
#: So many events of a run are kept.
_MOST_EVENTS = 10_000


class Record:
    """What happens on the connections of one run. `scripts`: that of each broker, by its id; `topics`: those that its
    brokers share; `busy`: the tries of one second, if they were too many."""

    def __init__(self, script: ClientScript, topics: Topics) -> None:
        self.scripts = [script] if script.second is None else [script, script.second]
        self._topics = topics
        # Where there is a second broker, it leads the partition.
        topics.leader = len(self.scripts) - 1
        #: Brokers that are gone.
        self.gone: set[int] = set()
        self.events: list[RunEvent] = []
        self.busy = 0
        self.connections = 0
        #: Requests that the script has answered, by broker and api; and those of each broker.
        self.answered: Counter[tuple[int, int]] = Counter()
        self.asked: Counter[int] = Counter()
        self.tries = 0
        self._began = time.monotonic()
        self._recent: deque[float] = deque(maxlen=MOST_TRIES + 1)

    def opened(self, node: int) -> int:
        """The number of a new connection to a broker."""
        self.connections += 1
        self.add(RunEvent(self.now, self.connections, "opened", node=node))
        return self.connections

    def hands_over(self) -> None:
        """From now on the first broker leads the partition."""
        self._topics.leader = 0

    def unasked(self) -> str:
        """What the script answers in a way of its own, and the client does not ask; empty if it asks all that."""
        for node, script in enumerate(self.scripts):
            if node and not self.asked[node]:
                return "nothing of the second broker"
            if script.asked and not any(answered for (of, _), answered in self.answered.items() if of == node):
                return f"no {script.asked}{' of the second broker' if node else ''}"
        return ""

    @property
    def now(self) -> float:
        """Seconds since the beginning."""
        return time.monotonic() - self._began

    def add(self, event: RunEvent) -> None:
        """Keep an event, and count it if it is a try."""
        if len(self.events) < _MOST_EVENTS:
            self.events.append(event)
        api = int.from_bytes(event.data[:2])
        self.asked[event.node] += event.kind == "request"
        if event.kind == "opened" or (event.kind == "request" and (event.scripted or api not in _DATA)):
            self.tries += 1
            self._recent.append(event.at)
            if len(self._recent) > MOST_TRIES and self._recent[-1] - self._recent[0] < 1:
                self.busy = self.busy or len(self._recent)


class Scripted(Connection):
    """One connection of a run. `broker`: who answers what the script leaves open; `node`: its id; `login`: the one that
    it wants, if it wants one."""

    def __init__(self, broker: Connection, record: Record, node: int = 0, login: WantedLogin | None = None) -> None:
        super().__init__()
        self._broker = broker
        self._record = record
        self._node = node
        self._login = login
        self._number = record.opened(node)
        #: Bytes that are sent one at a time, the milliseconds between two, and when the next one is due.
        self._slow = bytearray()
        self._pause = 0.0
        self._due_at = 0.0
        self._closes = False
        #: Bytes that came before the last answer was sent, and that no request was taken from yet.
        self._early = 0

    @property
    def deadline(self) -> float | None:
        """See `Connection.deadline`."""
        return self._due_at if self._slow and not self.closed else super().deadline

    def receive(self, chunk: bytes, now: float = 0.0) -> bytes:
        """See `Connection.receive`; no bytes: the client sends no more."""
        if not chunk:
            self._add("ended")
        return super().receive(chunk, now)

    def poll(self, now: float) -> bytes:
        """See `Connection.poll`."""
        sent = b""
        if self._slow and now >= self._due_at:
            sent = bytes(self._slow[:1])
            del self._slow[:1]
            self._due_at = now + self._pause
        sent += super().poll(now)
        if (self._closes and not self._slow and not self.closed) or (self.closed and not self._closes):
            self._closes = self.closed = True
            self._add("closed")
        return sent

    def answer(self, frame: bytes, now: float) -> Answer:
        """See `Connection.answer`."""
        early, self._early = self._early > 0, self._early - SIZE_BYTES - len(frame)
        login = self._login
        if login is not None and login.awaits_token:
            self._add("token")
            return self._told(login.take(frame))
        unheard = self._node in self._record.gone or len(frame) < LEAST_FRAME
        if unheard or (login is not None and not login.admits(frame)):
            self._add("request", frame)
            return None
        asked, script = (self._node, int.from_bytes(frame[:2])), self._record.scripts[self._node]
        hands_over = script.hands_over == asked[1]
        if hands_over:
            self._record.hands_over()
        try:
            usual = self._broker.answer(frame, now)
        except NotImplementedError:  # a script lists more than the broker can answer
            usual = None
        reply = script.reply(frame, self._record.answered[asked], usual.answer() if isinstance(usual, Wait) else usual)
        self._add("request", frame, scripted=reply is not None, early=early)
        self._record.answered[asked] += hands_over or reply is not None
        if reply is None:
            return self._usual(usual, frame)
        if reply.delay:
            until = now + 1000 * reply.delay
            return Wait(until, lambda: False, lambda: self._sent(reply, until, frame))
        return self._sent(reply, now, frame)

    def _usual(self, answer: Answer, request: bytes) -> Answer:
        if isinstance(answer, Wait):
            return Wait(answer.until, answer.ready, lambda: self._told(answer.answer(), request))
        return self._told(answer, request)

    def _told(self, answer: bytes | None, request: bytes = b"") -> bytes | None:
        if answer:
            self._add("answer", answer)
        if self._login is not None:
            self._login.sent(request, answer or b"")
        return answer

    def _sent(self, reply: Reply, now: float, request: bytes) -> bytes:
        self._add("answer", reply.data, scripted=True)
        if self._login is not None:
            self._login.sent(request, reply.data)
        if reply.gone:
            self._record.gone.add(self._node)
        self._closes, self._early = reply.closes, self.held
        if reply.byte_every:
            self._slow += reply.data
            self._pause, self._due_at = 1000 * reply.byte_every, now
            return b""
        return reply.data

    def _next_frame(self) -> bytes | None:
        """The next request; none is read before all is sent that comes slowly, and behind the last answer."""
        return None if self._slow or self._closes else super()._next_frame()

    def _add(self, kind: Kind, data: bytes = b"", *, scripted: bool = False, early: bool = False) -> None:
        login = self._login
        if login is not None and kind == "request":
            data = login.hidden(data)
        before = login is not None and not login.done
        self._record.add(RunEvent(self._record.now, self._number, kind, data, scripted, early, self._node, before))
