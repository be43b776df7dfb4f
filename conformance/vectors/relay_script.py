"""What is asked of a proxy: the kit is its client, and the broker behind it. A request has to reach the broker, and its
answer the client, as they were sent, but for what a proxy may rewrite (`rewrites`) and for the correlation id, which
belongs to each connection.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from wireproof.conformance import relayed
from wireproof.conformance.relayed import API_VERSIONS, LARGE, LATE, PLAIN
from wireproof.conformance.script import Action, Deviation, Event, Facts, Play, Reached, Receive, Send
from wireproof.conformance.values.compare import difference
from wireproof.conformance.vectors import rewrites
from wireproof.reference import DecodeError

METADATA = 3
#: Requests that are sent at once, and those of a client that reads no answers.
PIPELINED, FLOOD = 20, 600
_INDEX = re.compile(r"\[\d+\]")
#: The first version of Metadata that has a ClusterId, by which answers are told apart.
_TOLD_APART = 2


@dataclass(frozen=True, slots=True)
class RelayScript:
    """`play_of`: what is done. `what`: for a person. `apis`: what the proxy announces."""

    what: str
    play_of: Callable[[Facts, Mapping[int, tuple[int, int]]], Play]
    apis: tuple[tuple[int, tuple[int, int]], ...]
    alone: bool = False
    logs_in: bool = False

    def play(self, facts: Facts) -> Play:
        """See `Script.play`."""
        return self.play_of(facts, dict(self.apis))

    def told(self) -> Iterator[str]:
        """See `Script.told`."""
        yield self.what


def _deviation(text: str, place: str) -> NoReturn:
    raise Deviation(text, _INDEX.sub("[]", place))


def _id(facts: Facts, number: int = 0) -> int:
    """A correlation id. Those of scripts that are played at the same time differ, so that a proxy that mixes up equal
    ones is found by the script about that."""
    return int(facts.name.rpartition("-")[2]) % 1_000_000 * 1000 + 7 * number + 1


def _frames(data: bytes) -> list[bytes]:
    found = []
    while data:
        end = 4 + int.from_bytes(data[:4])
        found.append(data[:end])
        data = data[end:]
    return found


def _said(event: Event) -> str:
    if event.kind == "frame":
        return f"{event.data[:32].hex()} came"
    return "the connection was closed" if event.kind == "closed" else "nothing came"


# --- One request ------------------------------------------------------------------------------------------------------


def one_version(key: int, version: int, kind: str = PLAIN) -> Callable[..., Play]:
    """A request of a version that the catalogue has, and that the proxy announces."""
    name = relayed.apis()[key][0]

    def play(facts: Facts, apis: Mapping[int, tuple[int, int]]) -> Play:
        rewriting = False
        if name in rewrites.DEMANDED:
            rewriting = yield from _rewrites(facts, apis)
        client_id = facts.name + kind
        yield Send("client", relayed.request(key, version, _id(facts), client_id))
        event = yield Receive("client")
        reached = yield Reached(client_id)
        _compare_requests(relayed.request(key, version, _id(facts), client_id), _frames(reached.data), event)
        expected = relayed.answer_value(key, version, _id(facts), client_id, facts.behind)
        addresses = _compare_answer(key, version, expected, event)
        if rewriting and addresses and addresses == [*facts.behind] * (len(addresses) // 2):
            _deviation(f"the answer of {name} {version} tells the broker's own address, which Metadata does not", name)

    return play


def _compare_requests(sent: bytes, reached: Sequence[bytes], event: Event) -> None:
    """What reached the broker is the request, once. Raises Deviation."""
    if not reached:
        _deviation(f"no request with its client id reached the broker, and {_said(event)}", "request")
    if len(reached) > 1:
        _deviation(f"the request reached the broker {len(reached)} times", "request")
    expected = relayed.read_request(sent)
    try:
        actual = relayed.read_request(reached[0])
    except DecodeError as error:
        _deviation(f"what reached the broker is no request: {error}: {reached[0].hex()[:200]}", "request")
    expected["header"]["CorrelationId"] = actual["header"]["CorrelationId"]
    path = difference(expected, actual)
    if path is not None:
        _deviation(f"the request differs at {path} when it reaches the broker: {reached[0].hex()}", f"request {path}")


def _compare_answer(key: int, version: int, expected: Any, event: Event) -> list[Any]:
    """The answer is what the broker sent. Returns what stands where a proxy may rewrite. Raises Deviation."""
    name = relayed.apis()[key][0]
    if event.kind != "frame":
        _deviation(f"no answer of {name} {version} came: {_said(event)}", "no answer")
    try:
        actual = relayed.read_answer(key, version, event.data)
    except DecodeError as error:
        _deviation(f"what came is no answer of {name} {version}: {error}", f"{name} answer")
    paths = rewrites.paths(name)
    expected_body, told = rewrites.cleared(expected["body"], paths)
    body, found = rewrites.cleared(actual["body"], paths)
    path = difference({**expected, "body": expected_body}, {**actual, "body": body})
    if path is not None:
        _deviation(f"the answer of {name} {version} differs at {path} when it reaches the client", f"answer {path}")
    for before, after in zip(told, found, strict=True):
        if type(before) is not type(after) or not after or (isinstance(after, int) and not 0 < after < 1 << 16):
            _deviation(f"the answer of {name} {version} has {after!r} as a host or port", f"{name} address")
    return found


def _rewrites(facts: Facts, apis: Mapping[int, tuple[int, int]]) -> Generator[Action, Event, bool]:
    """Whether the proxy puts other addresses into Metadata, by its highest version that is known."""
    low, high = apis.get(METADATA, (0, -1))
    version = min(high, relayed.apis()[METADATA][1][1])
    if version < low:
        return False
    yield Send("metadata", relayed.request(METADATA, version, _id(facts), facts.name + PLAIN + PLAIN))
    event = yield Receive("metadata")
    try:
        brokers = relayed.read_answer(METADATA, version, event.data)["body"]["Brokers"]
    except DecodeError:
        return False
    return any((one["Host"], one["Port"]) != facts.behind for one in brokers)


def announced(version: int) -> Callable[..., Play]:
    """ApiVersions: a proxy may answer it itself, but announces nothing that the broker does not."""

    def play(facts: Facts, _: Mapping[int, tuple[int, int]]) -> Play:
        yield Send("client", relayed.request(API_VERSIONS, version, _id(facts), facts.name + PLAIN))
        event = yield Receive("client")
        if event.kind != "frame":
            _deviation(f"no answer of ApiVersions {version} came: {_said(event)}", "no answer")
        try:
            answer = relayed.read_answer(API_VERSIONS, version, event.data)
        except DecodeError as error:
            _deviation(f"what came is no answer of ApiVersions {version}: {error}", "ApiVersions answer")
        if answer["header"]["CorrelationId"] != _id(facts) or answer["body"]["ErrorCode"]:
            _deviation(f"ApiVersions {version} is answered with {event.data[:10].hex()}…", "ApiVersions answer")
        ranges = relayed.announced()
        for one in answer["body"]["ApiKeys"]:
            low, high = ranges.get(one["ApiKey"], (0, -1))
            if one["MinVersion"] <= one["MaxVersion"] and not (low <= one["MinVersion"] and one["MaxVersion"] <= high):
                said = f"{low} to {high}" if low <= high else "not"
                _deviation(f"{one} is announced, the broker announces it {said}", "announced")

    return play


def unknown(key: int, version: int) -> Callable[..., Play]:
    """A version or an api that the catalogue does not have: it passes as it is, or is refused where the proxy does not
    announce it."""

    def play(facts: Facts, apis: Mapping[int, tuple[int, int]]) -> Play:
        rewriting = yield from _rewrites(facts, apis)
        client_id = facts.name + PLAIN
        sent = relayed.request(key, version, _id(facts), client_id)
        yield Send("client", sent)
        event = yield Receive("client")
        reached = _frames((yield Reached(client_id)).data)
        low, high = apis.get(key, (0, -1))
        is_announced = low <= version <= high
        if not reached:
            if is_announced:
                _deviation(f"{key} {version} is announced, but did not reach the broker, and {_said(event)}", "request")
            if event.kind == "silent" or (event.kind == "frame" and event.data[4:8] != _id(facts).to_bytes(4)):
                _deviation(f"{key} {version} neither reached the broker nor was refused: {_said(event)}", "refusal")
            return
        if [one[:8] + one[12:] for one in reached] != [sent[:8] + sent[12:]]:
            _deviation(f"{sent.hex()} reached the broker as {', '.join(one.hex() for one in reached)}", "request")
        expected = relayed.answer(sent, facts.behind)
        name = relayed.apis()[key][0] if key in relayed.apis() else ""
        if is_announced and rewriting and name in rewrites.DEMANDED and event.data == expected:
            _deviation(f"{name} {version} is announced, but its answer passes with the broker's own address", name)
        if event.data != expected:
            _deviation(f"the answer {expected.hex()[:200]} reached the client as: {_said(event)}", "answer")

    return play


# --- Several requests and clients -------------------------------------------------------------------------------------


def _metadata(apis: Mapping[int, tuple[int, int]]) -> int:
    return min(apis[METADATA][1], relayed.apis()[METADATA][1][1])


def can_tell_apart(apis: Mapping[int, tuple[int, int]]) -> bool:
    """Whether Metadata is announced in a version whose answers can be told apart."""
    return METADATA in apis and _metadata(apis) >= max(apis[METADATA][0], _TOLD_APART)


def _is_answer_to(event: Event, version: int, correlation_id: int, client_id: str) -> None:
    """Raises Deviation."""
    if event.kind != "frame":
        _deviation(f"no answer to request {correlation_id} came: {_said(event)}", "no answer")
    try:
        answer = relayed.read_answer(METADATA, version, event.data)
    except DecodeError as error:
        _deviation(f"what came is no answer of Metadata {version}: {error}", "Metadata answer")
    found = answer["header"]["CorrelationId"]
    if found != correlation_id:
        _deviation(
            f"the answer has the correlation id {found}, that of the request is {correlation_id}", "correlation id"
        )
    if answer["body"]["ClusterId"] != client_id:
        _deviation(f"the answer to {client_id} is that to {answer['body']['ClusterId'][:100]}", "answer of another")


def order(facts: Facts, apis: Mapping[int, tuple[int, int]]) -> Play:
    """Requests on one connection, the first of which takes the broker longest: their answers come in their order."""
    version = _metadata(apis)
    names = [f"{facts.name}-{number}{PLAIN if number else LATE}" for number in range(PIPELINED)]
    ids = [_id(facts, number) for number in range(PIPELINED)]
    sent = [relayed.request(METADATA, version, one, name) for one, name in zip(ids, names, strict=True)]
    yield Send("client", b"".join(sent))
    for one, name in zip(ids, names, strict=True):
        event = yield Receive("client")
        _is_answer_to(event, version, one, name)


def two_clients(facts: Facts, apis: Mapping[int, tuple[int, int]]) -> Play:
    """Two clients with the same correlation id at the same time."""
    version = _metadata(apis)
    names = {"first": f"{facts.name}-first{LATE}", "second": f"{facts.name}-second{PLAIN}"}
    for on, name in names.items():
        yield Send(on, relayed.request(METADATA, version, _id(facts), name))
    for on, name in names.items():
        event = yield Receive(on)
        _is_answer_to(event, version, _id(facts), name)


def slow_client(facts: Facts, apis: Mapping[int, tuple[int, int]]) -> Play:
    """A client that does not read its answers, of which there are many, and another one."""
    version = _metadata(apis)
    flood = relayed.request(METADATA, version, _id(facts), facts.name + LARGE) * FLOOD
    yield Send("slow", flood, reads=False)
    for name in (f"{facts.name}-first{LATE}", f"{facts.name}-second{PLAIN}"):  # by the second one its answers wait
        yield Send("other", relayed.request(METADATA, version, _id(facts), name))
        event = yield Receive("other")
        _is_answer_to(event, version, _id(facts), name)
