"""KIP-35, version 7 of its page, declared from the page and its rulings: grammar, broker, client."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from construct import (
    Array,
    Bytes,
    Check,
    Const,
    Construct,
    ConstructError,
    ExprAdapter,
    GreedyBytes,
    Int16sb,
    Int32sb,
    Prefixed,
    Rebuild,
    Struct,
    Terminated,
    len_,
    this,
)


class RefusedError(ValueError):
    """These bytes are not what the draft says."""


def _counted(item: Construct) -> Construct:
    """`[item]`: an int32 count, then the items. No count stands for null."""
    fields = Struct(
        "count" / Rebuild(Int32sb, len_(this.elements)), Check(this.count >= 0), "elements" / Array(this.count, item)
    )
    return ExprAdapter(fields, lambda found, _: list(found.elements), lambda items, _: {"elements": items})


def _text(of: Construct, unpack: Any, pack: Any) -> Construct:
    return ExprAdapter(of, lambda found, _: unpack(found), lambda value, _: pack(value))


_CHARACTERS = Struct(
    "length" / Rebuild(Int16sb, len_(this.octets)), Check(this.length >= 0), "octets" / Bytes(this.length)
)
#: `string`: an int16 length, then UTF-8. No length stands for null.
STRING = _text(_CHARACTERS, lambda found: found.octets.decode(), lambda text: {"octets": text.encode()})

PAIR = ExprAdapter(
    Struct("key" / STRING, "value" / STRING),
    lambda found, _: (found.key, found.value),
    lambda pair, _: {"key": pair[0], "value": pair[1]},
)
BROKER = Struct(
    "NodeId" / Int32sb,
    "Host" / STRING,
    "Port" / Int32sb,
    "ProtocolVersionMin" / Int32sb,
    "ProtocolVersionMax" / Int32sb,
    "Tags" / _counted(PAIR),
)
REQUEST = Struct("NodeIds" / _counted(Int32sb), Terminated)
RESPONSE = Struct("Brokers" / _counted(BROKER), Terminated)

API_KEY, API_VERSION = 17, 0
#: A nullable string, whose length −1 stands for null.
_CLIENT = _text(
    Struct("length" / Int16sb, Check(this.length >= -1), "octets" / Bytes(lambda context: max(0, context.length))),
    lambda found: None if found.length < 0 else found.octets.decode(),
    lambda text: (
        {"length": -1, "octets": b""} if text is None else {"length": len(text.encode()), "octets": text.encode()}
    ),
)
REQUEST_HEADER = Struct(
    "RequestApiKey" / Int16sb,
    Check(this.RequestApiKey == API_KEY),
    "RequestApiVersion" / Int16sb,
    Check(this.RequestApiVersion == API_VERSION),
    "CorrelationId" / Int32sb,
    "ClientId" / _CLIENT,
)
RESPONSE_HEADER = Struct("CorrelationId" / Int32sb)


def _frame(header: Construct, body: Construct) -> Construct:
    """A size, which counts what follows it: header and body."""
    sized = Struct("inside" / Prefixed(Int32sb, Struct("header" / header, "body" / body)), Terminated)
    return ExprAdapter(sized, lambda found, _: found.inside, lambda value, _: {"inside": value})


TYPES: Mapping[str, Construct] = {
    "BrokerMetadataRequest": REQUEST,
    "BrokerMetadataResponse": RESPONSE,
    "RequestFrame": _frame(REQUEST_HEADER, REQUEST),
    "ResponseFrame:BrokerMetadata": _frame(RESPONSE_HEADER, RESPONSE),
    # The common header alone: the length counts the correlation id, and nothing follows.
    "EmptyResponse": Struct(Const(4, Int32sb), "header" / RESPONSE_HEADER, Terminated),
}

#: What a broker needs of any request; what follows is the request's own affair.
HEAD = Struct("key" / Int16sb, "version" / Int16sb, "correlation" / Int32sb, "rest" / GreedyBytes)
_ASKED = Struct("client" / _CLIENT, "body" / REQUEST)
_ANSWER = Prefixed(Int32sb, Struct("correlation" / Int32sb, "payload" / GreedyBytes))

#: By api key, as today's protocol guide lists them.
_APIS = (
    "Produce Fetch ListOffsets Metadata LeaderAndIsr StopReplica UpdateMetadata ControlledShutdown OffsetCommit "
    "OffsetFetch FindCoordinator JoinGroup Heartbeat LeaveGroup SyncGroup DescribeGroups ListGroups BrokerMetadata"
)
_NAMES = {key: f"{name}Request" for key, name in enumerate(_APIS.split())}


def decode(type_name: str, data: bytes, version: int | None = API_VERSION) -> Any:
    """Raises RefusedError."""
    if version not in (None, API_VERSION):
        raise RefusedError(f"there is no version {version}")
    return _plain(_parse(TYPES[type_name], data))


def encode(type_name: str, value: Any) -> bytes:
    return bytes(TYPES[type_name].build(value))


def serve(received: bytes, cluster: Mapping[str, Any]) -> tuple[bytes, bool]:
    """What a broker sends for all these bytes, and whether it then closes."""
    sent = b""
    while len(received) >= 4:
        size = int.from_bytes(received[:4], signed=True)
        if size < 0:
            return sent, True
        frame, rest = received[4 : 4 + size], received[4 + size :]
        if len(frame) < size:
            break
        received = rest
        try:
            sent += _answered(frame, cluster)
        except RefusedError:
            return sent, True
    return sent, False


def _answered(frame: bytes, cluster: Mapping[str, Any]) -> bytes:
    head = _parse(HEAD, frame)
    if (head.key, head.version) != (API_KEY, API_VERSION):
        return encode("EmptyResponse", {"header": {"CorrelationId": head.correlation}})
    asked = _parse(_ASKED, head.rest).body.NodeIds
    body = encode("BrokerMetadataResponse", {"Brokers": chosen(asked, cluster)})
    return bytes(_ANSWER.build({"correlation": head.correlation, "payload": body}))


def chosen(asked: Sequence[int], cluster: Mapping[str, Any]) -> list[Any]:
    """The brokers that a request for these ids is answered with."""
    if not asked:
        return list(cluster["brokers"])
    known = {broker["NodeId"]: broker for broker in cluster["brokers"]}
    wanted = dict.fromkeys(cluster["self"] if node == -1 else node for node in asked)
    return [known[node] for node in wanted if node in known]


def interpret(request: bytes, response: bytes | None) -> dict[str, Any]:
    """What a client that knows the draft makes of an answer to a BrokerMetadata request, or of an empty one to any."""
    if response is None:
        return {"outcome": "error", "error": None}
    head = _parse(HEAD, request[4:])
    try:
        answer = _parse(Struct("frame" / _ANSWER, Terminated), response).frame
        if answer.correlation != head.correlation:
            return {"outcome": "malformed"}
        if not answer.payload:
            return {"outcome": "unsupported", "request": _NAMES.get(head.key, f"api {head.key}")}
        decode("BrokerMetadataResponse", answer.payload)
    except RefusedError:
        return {"outcome": "malformed"}
    return {"outcome": "accepted"}


def negotiate(*ranges: tuple[int, int] | None) -> int | None:
    """The highest number inside all ranges."""
    listed = [found for found in ranges if found is not None]
    lowest, highest = max(low for low, _ in listed), min(high for _, high in listed)
    return highest if len(listed) == len(ranges) and lowest <= highest else None


# --- What builtin tags say --------------------------------------------------------------------------------------------


def _codecs(text: str) -> list[Any]:
    return [[int(bits), name] for bits, name in (part.split("=") for part in text.split(","))]


def _endpoints(text: str) -> list[Any]:
    found = []
    for part in text.split(","):
        protocol, _, place = part.partition("://")
        host, _, port = place.rpartition(":")
        found.append([protocol, host.strip("[]"), int(port)])
    return found


#: Of well-formed values: what is not is nobody's to read.
_SAY: Mapping[str, Any] = {
    "broker.id": int,
    "broker.version.int": lambda text: int(text, 16),
    "compression.codecs": _codecs,
    "message.max.bytes": int,
    "message.formats": lambda text: [int(part.removeprefix("v")) for part in text.split(",")],
    "endpoints": _endpoints,
}


def lookup(type_name: str, data: bytes, key: Any) -> list[Any]:
    """What the tags of this key say, of all brokers; or what they, a properties file or a ledger are there for."""
    match type_name:
        case "PROPERTIES":
            lines = [line for line in data.decode().splitlines() if not line.startswith("#")]
            return [line.partition("=")[2].strip() for line in lines if line.partition("=")[0].strip() == f"tag.{key}"]
        case "PROTOCOL_VERSION":
            return _requests(data.decode(), key)
    brokers = decode("BrokerMetadataResponse", data)["Brokers"]
    match type_name:
        case "ENDPOINT":
            there = [place for broker in brokers for places in _said(broker, "endpoints") for place in places]
            return [place for place in there if place[0] == key]
        case "LARGEST_MESSAGE":
            return [min([key, *_said(broker, "message.max.bytes")]) for broker in brokers]
        case "IDENTITY":
            return [broker["NodeId"] == key for broker in brokers]
    return [said for broker in brokers for said in _said(broker, key)]


def _said(broker: Mapping[str, Any], key: str) -> list[Any]:
    return [_SAY.get(key, str)(value) for name, value in broker["Tags"] if name == key]


def _requests(ledger: str, number: int) -> list[Any]:
    """Of each request type the greatest version that the number has."""
    found: dict[str, int] = {}
    for entry in re.split(r"\n(?=\S)", ledger):
        name, version = entry.split(":")[0].split(" v")
        when = {word: int(at) for word, at in re.findall(r"(\w+) in ProtocolVersion: (\d+)", entry)}
        if when["Added"] <= number < when.get("Removed", number + 1):
            found[name] = max(int(version), found.get(name, 0))
    return [[*one] for one in sorted(found.items())]


# --- The ledger of ProtocolVersions -----------------------------------------------------------------------------------


def is_lawful(history: Sequence[Mapping[str, Any]], new: Mapping[str, Any]) -> bool:
    """Whether a ledger keeps what those before it published, and its new numbers leave none out."""
    now = _dated(new)
    published = 0
    for old in history:
        then = _dated(old)
        current = max(then.values(), default=0)
        if any(now.get(fact) != number for fact, number in then.items()):
            return False
        if any(number <= current for fact, number in now.items() if fact not in then):
            return False
        published = max(published, current)
    numbers = {number for number in now.values() if number > published} | {published} - {0}
    return not numbers or numbers == set(range(min(numbers), max(numbers) + 1))


def _dated(ledger: Mapping[str, Any]) -> dict[tuple[str, int, str], int]:
    """(request type, version, what happened to it) → the number."""
    words = ("added", "deprecated", "removed")
    return {
        (entry["request"], entry["version"], word): entry[word]
        for entry in ledger["protocolVersions"]
        for word in words
        if entry.get(word) is not None
    }


def _parse(grammar: Construct, data: bytes) -> Any:
    try:
        return grammar.parse(data)
    except (ConstructError, UnicodeDecodeError) as error:
        raise RefusedError(str(error)) from error


def _plain(found: Any) -> Any:
    """construct's containers as dicts, without its own `_io`."""
    if isinstance(found, Mapping):
        return {key: _plain(value) for key, value in found.items() if key != "_io"}
    return [_plain(item) for item in found] if isinstance(found, list) else found
