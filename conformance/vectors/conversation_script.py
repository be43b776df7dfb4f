"""The script of a conversation for a broker with certain versions: what is sent, and which answers are allowed.

First the topics that it needs are made, on a connection of their own, and it waits until they answer; at the end they
are deleted, if the broker stays. Each request has the next correlation id of its connection. An answer has to be a
response of the version asked, header included, and to match the pattern as far as that version has its fields.
"""

from __future__ import annotations

import contextlib
import json
import re
import uuid
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from wireproof.conformance.oracle.codec import reference_codec
from wireproof.conformance.script import Deviation, Event, Facts, Load, Play, Receive, Rest, Send, Sleep, Unready
from wireproof.conformance.values.encoding import to_json
from wireproof.conformance.vectors import patterns, requests
from wireproof.conformance.vectors.conversations import DIALECT, Clients, Conversation, Step, Topic, filled, of_version
from wireproof.conformance.vectors.model import ABSENT

Apis = Mapping[int, tuple[int, int]]
#: Seconds for which a request is repeated until its answer matches, and between two tries.
PATIENCE, BETWEEN_TRIES = 10.0, 0.02
#: The connection on which topics are made and deleted.
_KIT = "kit"
#: Settings of these topics, beside their own: no record is deleted for its age, a segment holds records of all times.
_KEPT = {"retention.ms": "-1", "segment.ms": str(10**15)}
_INDEX = re.compile(r"\[\d+\]")
#: Seconds by which an answer may come too early: clocks differ.
EARLY = 0.005


@dataclass(frozen=True, slots=True)
class ConversationScript:
    """A conversation with a broker that announces these versions. `version`: of the api for each of whose versions it
    is held. Raises ValueError if it cannot be held: an api or a version is missing."""

    conversation: Conversation
    version: int | None
    apis: tuple[tuple[int, tuple[int, int]], ...]

    def __post_init__(self) -> None:
        for step in self._steps():
            if step.ask is not None:
                self.versions(step)

    @property
    def logs_in(self) -> bool:
        """Whether the steps log in by themselves."""
        return self.conversation.needs.sasl

    @property
    def alone(self) -> bool:
        """Whether the broker is loaded, so that nothing else can be asked."""
        return self.conversation.needs.load

    def _steps(self) -> Iterator[Step]:
        if self.conversation.needs.topics:
            yield from (Step(ask=api) for api in ("CreateTopics", "Metadata", "ListOffsets", "DeleteTopics"))
        yield from self.conversation.steps

    def versions(self, step: Step) -> list[int]:
        """The versions in which a step asks, one after another. Raises ValueError if there are none."""
        if self.conversation.dialect != DIALECT:
            return [0]
        api = str(step.ask)
        keys = {name: key for key, name in reference_codec().dialect(DIALECT).apis().items()}
        announced = dict(self.apis).get(keys[api])
        if announced is None:
            raise ValueError(f"the conversation asks {api}, which the broker does not announce")
        both = [one for one in range(announced[0], announced[1] + 1) if requests.has_version(api, one)]
        match step.version:
            case "each" if api == self.conversation.each:
                wanted = [one for one in both if one == self.version]
            case "each":
                wanted = [one for one in both if step.versions[0] <= one <= step.versions[1]]
            case int(number):
                wanted = [one for one in both if one == number]
            case (low, high):
                wanted = [one for one in both if low <= one <= high][-1:]
            case None:
                wanted = both[-1:]
        if not wanted:
            said = f"{announced[0]} to {announced[1]}"
            raise ValueError(
                f"the conversation asks {api} in a version that the broker (it has {said}) does not announce"
            )
        return wanted

    def told(self) -> Iterator[str]:
        """See `Script.told`."""
        for number, step in enumerate(self.conversation.steps, 1):
            if step.clients is not None:
                yield f"{number} {said(step.clients)}"
            else:
                yield f"{number} {step.on}: {', '.join(self._said(step))}"

    def _said(self, step: Step) -> Iterator[str]:
        if step.ask is not None:
            yield f"{step.ask} {', '.join(map(str, self.versions(step)))} {json.dumps(step.value)}"
        if step.send is not None:
            yield f"the bytes {step.data.hex()}"
        if step.token:
            yield "the token"
        if step.times > 1:
            yield f"{step.times} times"
        if step.answer is not ABSENT:
            yield f"answered with {json.dumps(step.answer)}{' in the end' if step.until else ''}"
        if step.frame is not None:
            yield f"answered with the bytes {step.frame.hex()}"
        if step.waits is not None:
            yield f"after {step.waits[0]:g} to {step.waits[1]:g} seconds"
        if step.closes:
            yield "then it is closed"
        if step.silent or not step.answered:
            yield "nothing is answered"

    def play(self, facts: Facts) -> Play:
        """See `Script.play`."""
        running = _Running(self, facts)
        found: Deviation | Unready | None = None
        try:
            yield from running.make_topics()
            for number, step in enumerate(self.conversation.steps, 1):
                yield from running.step(step, f"step {number}")
            yield from running.rest()
        except (Deviation, Unready) as error:
            found = error
        yield from running.delete_topics()
        if found is not None:
            raise found


def said(clients: Clients) -> str:
    """What clients that misbehave do, for a person."""
    data = clients.data
    first = f" {data[:16].hex()}{'…' if len(data) > 16 else ''}" if data else ""
    how = [f"{clients.count:,} other clients send {len(data)} bytes{first}"]
    how += [f"one every {clients.byte_every:g} seconds"] if clients.byte_every else []
    how += [] if clients.reads else ["read nothing"]
    how += [f"and {clients.ends} the connection" if clients.ends else "and stay"]
    return ", ".join(how)


#: What is asked and not answered yet: api, version, correlation id, when.
_Asked = tuple[str, int, int, float]


class _Running:
    """A script that is being played."""

    def __init__(self, script: ConversationScript, facts: Facts) -> None:
        self._script = script
        self._facts = facts
        self._marks: dict[str, Any] = {"token": facts.token, "name": facts.name}
        self._sent = 0
        self._made: list[str] = []
        #: By connection.
        self._open: dict[str, deque[_Asked]] = {}
        self._closed: set[str] = set()
        #: The last answer that matched: its step and version, and its bytes but for the correlation id. Of a thousand
        #: equal answers to one step only the first is decoded.
        self._matched: tuple[Step, int, bytes, bytes] | None = None
        #: Why a conversation that was held asked less than it should; empty if it did not.
        self._late = ""

    # --- Topics ---

    def make_topics(self) -> Play:
        """Make the topics that the conversation needs, and wait until they answer. Raises Unready."""
        for name, topic in self._script.conversation.needs.topics.items():
            try:
                yield from self._make(name, topic)
            except Deviation as error:
                raise Unready(f"the topic that it needs could not be made: {error}") from None

    def _make(self, name: str, topic: Topic) -> Play:
        real = f"{self._facts.name}-{name}"
        self._marks |= {name: real, f"{name}-id": uuid.UUID(int=0)}
        settings = [{"Name": key, "Value": value} for key, value in {**_KEPT, **topic.configs}.items()]
        made = {"Name": real, "NumPartitions": topic.partitions, "ReplicationFactor": 1, "Configs": settings}
        partitions = [{"PartitionIndex": index, "Timestamp": -1} for index in range(topic.partitions)]
        for step in (
            Step(
                on=_KIT,
                ask="CreateTopics",
                value={"Topics": [made], "timeoutMs": 10000},
                answer={"Topics": [{"ErrorCode": 0}]},
            ),
            Step(
                on=_KIT,
                ask="Metadata",
                value={"Topics": [{"Name": real}]},
                until=True,
                answer={"Topics": [{"ErrorCode": 0, "TopicId": {"mark": f"{name}-id"}}]},
            ),
            Step(
                on=_KIT,
                ask="ListOffsets",
                value={"ReplicaId": -1, "Topics": [{"Name": real, "Partitions": partitions}]},
                until=True,
                answer={"Topics": [{"Partitions": [{"ErrorCode": 0}] * topic.partitions}]},
            ),
        ):
            yield from self.step(step, str(step.ask))
            self._made = [*self._made, real] if step.ask == "CreateTopics" else self._made

    def delete_topics(self) -> Play:
        """Delete the topics that were made, if the broker stays; whatever is answered."""
        if self._facts.stays and self._made and _KIT not in self._closed:
            topics = {"Topics": [{"Name": name} for name in self._made], "TopicNames": self._made, "TimeoutMs": 10000}
            with contextlib.suppress(Deviation):
                yield from self.step(Step(on=_KIT, ask="DeleteTopics", value=topics, answer={}), "DeleteTopics")

    # --- Steps ---

    def step(self, step: Step, place: str) -> Play:
        """One step. Raises Deviation, and Unready where a precondition does not hold."""
        if step.pause:
            yield Sleep(step.pause)
        if step.clients is not None:
            one = step.clients
            event = yield Load(one.count, one.data, one.byte_every, one.ends, one.reads, one.seconds)
            if event.kind == "late":
                self._late = f"not all of {one.count:,} clients came and went within {one.seconds:g} seconds"
            return
        for version in [0] if step.ask is None else self._script.versions(step):
            try:
                yield from self._of_version(step, version, place)
            except Deviation as error:
                if step.precondition:
                    raise Unready(f"the broker does without it: {error}") from None
                raise

    def _of_version(self, step: Step, version: int, place: str) -> Play:
        if step.until:
            yield from self._until(step, version, place)
            return
        if step.sends:
            yield from self._send(step, version)
        for _ in range(step.times if step.answer is not ABSENT else 0):
            yield from self._answer(step, place)
        if step.frame is not None:
            yield from self._exactly(step.on, step.frame, place)
        if step.closes or step.silent:
            yield from self._end(step, place)

    def _until(self, step: Step, version: int, place: str) -> Play:
        first: float | None = None
        while True:
            yield from self._send(step, version)
            asked = self._open[step.on][-1][3]
            first = asked if first is None else first
            try:
                yield from self._answer(step, place)
            except Deviation:
                if asked - first > PATIENCE or step.on in self._closed:
                    raise
                yield Sleep(BETWEEN_TRIES)
            else:
                return

    def _send(self, step: Step, version: int) -> Play:
        token = self._facts.token
        frames, asked = [step.data, len(token).to_bytes(4) + token if step.token else b""], []
        for _ in range(step.times if step.ask is not None else 0):
            self._sent += 1
            frames.append(self._request(str(step.ask), version, self._sent, filled(step.value, self._marks)))
            asked.append((str(step.ask), version, self._sent))
        event = yield Send(step.on, b"".join(frames), step.is_secret, step.reads)
        if step.answered:
            self._open.setdefault(step.on, deque()).extend((*one, event.at) for one in asked)

    def _request(self, api: str, version: int, correlation_id: int, value: Any) -> bytes:
        codec, dialect = reference_codec(), self._script.conversation.dialect
        keys = {name: key for key, name in codec.dialect(dialect).apis().items()}
        if dialect == DIALECT:
            return requests.frame_of(api, keys[api], version, correlation_id, value)
        common = {"request_type_id": keys[api], "version_id": version, "correlation_id": correlation_id}
        return codec.encode(f"{api}Request", {**common, "client_id": "wireproof", **value}, dialect=dialect)

    def _expected(self, answer: Any, api: str, version: int, correlation_id: int) -> dict[str, Any]:
        """The pattern of a response."""
        if self._script.conversation.dialect == DIALECT:
            body = _in_json(of_version(answer, requests.answer_plan(api, version)), self._marks)
            value = {"header": {"CorrelationId": correlation_id}, "body": body}
            return {"type": f"ResponseFrame:{api}", "version": version, "strict": True, "value": value}
        choices = answer["either"] if answer.keys() == {"either"} else [answer]
        values = [{"correlation_id": correlation_id, **_in_json(one, self._marks)} for one in choices]
        value = values[0] if len(values) == 1 else {"either": values}
        return {"type": f"{api}Response", "strict": True, "value": value}

    def _answer(self, step: Step, place: str) -> Play:
        """The oldest answer that is still to come. Raises Deviation."""
        api, version, correlation_id, asked = self._open[step.on].popleft()
        place = f"{place}: the answer of {api} {version}"
        event = yield Receive(step.on)
        if event.kind != "frame":
            self._closed.add(step.on)
            raise Deviation(f"{place} does not come: {_without_answer(event)}", api)
        without_id = (step, version, event.data[:4], event.data[8:])
        if without_id != self._matched or event.data[4:8] != correlation_id.to_bytes(4):
            self._compare(step.answer, api, version, correlation_id, event.data, place)
            self._matched = without_id
        if step.waits is not None:
            least, most = step.waits
            lasted = event.at - asked
            if not least - EARLY <= lasted <= most:
                said = f"came after {lasted:.3f} seconds, {least:g} to {most:g} are expected"
                raise Deviation(f"{place} {said}", f"{api} time")

    def _compare(self, answer: Any, api: str, version: int, correlation_id: int, frame: bytes, place: str) -> None:
        """Compare an answer with its pattern. Raises Deviation."""
        pattern = self._expected(answer, api, version, correlation_id)
        difference = patterns.frame_mismatch(pattern, frame, self._marks, self._script.conversation.dialect)
        if difference is not None:
            path = difference.partition(" ")[0] if difference.startswith("body.") else "frame"
            raise Deviation(
                f"{place}: {difference}", f"{api} {_INDEX.sub('[]', path.removeprefix('body.')).rstrip(':')}"
            )

    @staticmethod
    def _exactly(on: str, frame: bytes, place: str) -> Play:
        event = yield Receive(on)
        if event.kind != "frame" or event.data != frame:
            came = event.data.hex()[:64] if event.kind == "frame" else _without_answer(event)
            raise Deviation(f"{place}: {frame.hex()} is expected: {came}", "bytes")

    def _end(self, step: Step, place: str) -> Play:
        event = yield Receive(step.on, silence=step.silent)
        expected = "closed" if step.closes else "silent"
        if event.kind == "closed":
            self._closed.add(step.on)
        if event.kind != expected or event.data:
            came = event.data.hex()[:64] if event.data else _without_answer(event)
            demanded = "the connection has to close" if step.closes else "nothing has to come"
            raise Deviation(f"{place}: {demanded}, but there is: {came}", f"{demanded}")

    def rest(self) -> Play:
        """Nothing more may have come than what was awaited. Raises Deviation, and Unready if there was too little
        load."""
        for on in self._open:
            event = yield Rest(on)
            if event.data:
                raise Deviation(f"{len(event.data)} bytes more than was asked for: {event.data.hex()[:64]}", "more")
        if self._late:
            raise Unready(self._late)


def _without_answer(event: Event) -> str:
    said = "the connection was closed" if event.kind == "closed" else "nothing came"
    return f"{said}, after {event.data.hex()[:64]}" if event.data else said


def _in_json(pattern: Any, marks: Mapping[str, Any]) -> Any:
    """A pattern with what is marked in place of the names, still as JSON."""
    match pattern:
        case {"marked": str(name), **rest} if not rest:
            return to_json(marks[name])
        case dict():
            return {name: _in_json(item, marks) for name, item in pattern.items()}
        case list():
            return [_in_json(item, marks) for item in pattern]
    return pattern
