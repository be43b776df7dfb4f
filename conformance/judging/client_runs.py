"""What a client's frames have to be, and what it did: from the events of a run.

Each frame is a request of a version that the catalogue has, header and all, as a writer must write it. Its api and
version were announced on its connection: by an answer to ApiVersions without an error, or else on another connection
to this broker before. Who was told nothing by a broker may ask it anything. ApiVersions may be asked first in any
version, and first behind a login, and in version 0 always; after an error 35 that names a range of its own, inside of
that. Where the broker wants a login, nothing is asked before it is done but ApiVersions and the login itself.

Nothing more is asked on a connection within the throttle time that an answer of the script told there, in versions in
which the broker sends the answer at once; requests that had come before are none. Who asks on is contested (R-K-65).

Source: KIP-35, KIP-43, KIP-152, KIP-219 and KIP-511; Kafka protocol guide, Retrieving Supported API versions and SASL
Authentication Sequence; R-K-21.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping

from wireproof import reference
from wireproof.conformance.client_run import ClientRun, RunEvent
from wireproof.conformance.judging.mismatch import Mismatch
from wireproof.conformance.model import FailureKind
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.conformance.vectors.scripts import DIALECT, FALLS_BACK, GIVES_UP, GOES_ON, STOPS, TRIES_AGAIN, WORKS
from wireproof.reference.peers.framing import API_VERSIONS

#: The ranges that were announced: api key → the ranges that stand there.
Announced = dict[int, list[tuple[int, int]]]
_LEAST_HEADER = 8
#: Of the apis that scripts throttle (Produce, Fetch, Metadata, ApiVersions): the first version whose throttle time is
#: the client's to wait.
_CLIENT_WAITS = {0: 6, 1: 8, 3: 6, 18: 2}
_WITHIN = "throttle time"
#: What may be asked before a login: ApiVersions, SaslHandshake and SaslAuthenticate.
_BEFORE_LOGIN = (API_VERSIONS, 17, 36)
#: How much of a throttle time has to pass: clocks of clients count whole milliseconds.
_WAITED = 0.95


def mismatch(expected: Mapping[str, list[str]], run: ClientRun) -> Mismatch | None:
    """What a client did that it must not, or did not do that it must. `expected`: `ends` and `next`, each a list of
    what is allowed; empty: it is left open. `waits`: empty where it may ask within a throttle time."""
    fault = next((one for one in _faults(run) if one[1] != _WITHIN or expected["waits"]), None)
    if fault is not None:
        text, place = fault
        return Mismatch(FailureKind.WRONG_ANSWER, text, place)
    ends, step = GIVES_UP if run.gave_up else WORKS, next_step(run)
    if expected["next"] and step not in expected["next"]:
        text = f"after the answer to ApiVersions the client {_said(step)}; expected: it {_listed(expected['next'])}"
        return Mismatch(FailureKind.WRONG_ANSWER, text, f"next: {step}")
    if expected["ends"] and ends not in expected["ends"]:
        text = f"the client {_said(ends)}, with exit code {run.code}; expected: it {_listed(expected['ends'])}"
        return Mismatch(FailureKind.WRONG_ANSWER, f"{text}\n{run.said}".rstrip(), f"ends: {ends}")
    return None


def _said(step: str) -> str:
    return step.replace("-", " ")


def _listed(steps: list[str]) -> str:
    return " or ".join(map(_said, steps))


def _faults(run: ClientRun) -> Iterator[tuple[str, str]]:
    """Each frame that no client may send: what is wrong, and the place in it."""
    here: dict[int, Announced] = {}
    #: What each broker has announced on any connection.
    anywhere: dict[int, Announced] = {}
    asked: dict[int, tuple[int, int]] = {}
    #: Connections whose login is not done.
    outside: set[int] = set()
    #: Connection → when it may be used again, and the throttle time.
    throttled: dict[int, tuple[float, float]] = {}
    for event in run.events:
        if event.kind == "answer" and event.connection in asked:
            api, version = asked[event.connection]
            if event.scripted and (seconds := _throttle_time(event.data, api, version)):
                throttled[event.connection] = (event.at + seconds * _WAITED, seconds)
            if api == API_VERSIONS and (listed := _announced(event.data, version)):
                here.setdefault(event.connection, {}).update(listed)
                for key, spans in listed.items():
                    anywhere.setdefault(event.node, {}).setdefault(key, []).extend(spans)
        elif event.kind == "request":
            if len(event.data) < _LEAST_HEADER:
                yield f"on {_connection(event)} came a frame of {len(event.data)} bytes: no header", "header"
                continue
            api, version = struct.unpack_from(">hh", event.data)
            if event.before_login and api not in _BEFORE_LOGIN:
                yield f"on {_connection(event)} {_name(api)} was asked before the login was done", "login"
            first = event.connection not in asked or (event.connection in outside and not event.before_login)
            (outside.add if event.before_login else outside.discard)(event.connection)
            asked[event.connection] = (api, version)
            known = here.get(event.connection) or anywhere.get(event.node, {})
            yield from _unannounced(event, api, version, {} if first and api == API_VERSIONS else known)
            yield from _malformed(event, api, version)
            free, seconds = throttled.get(event.connection, (0.0, 0.0))
            if event.at < free and not event.early:
                text = f"{_name(api)} was asked within the throttle time of {seconds:g} seconds"
                yield f"on {_connection(event)} {text}", _WITHIN


def _throttle_time(data: bytes, api: int, version: int) -> float:
    """The seconds that an answer tells the client to wait; 0 of one that cannot be read."""
    if version < _CLIENT_WAITS.get(api, version + 1):
        return 0
    codec = reference_codec().under(reference.Rules(trailing_bytes="ignored"))
    try:
        body = codec.decode(f"ResponseFrame:{_name(api)}", data, dialect=DIALECT, version=version)["body"]
    except reference.WireError:
        return 0
    return max(0, int(body["ThrottleTimeMs"])) / 1000


def _announced(data: bytes, version: int) -> Announced:
    """What an answer to ApiVersions announces: of one with an error the range of ApiVersions alone; nothing if it
    cannot be read, or is empty."""
    error = int.from_bytes(data[8:10], signed=True)
    codec = reference_codec().under(reference.Rules(trailing_bytes="ignored"))
    try:
        frame = data[: 4 + int.from_bytes(data[:4])]
        layout = 0 if error else version
        body = codec.decode("ResponseFrame:ApiVersions", frame, dialect=DIALECT, version=layout)["body"]
    except reference.WireError:
        return {}
    found: Announced = {}
    for one in body["ApiKeys"]:
        if not error or one["ApiKey"] == API_VERSIONS:
            found.setdefault(one["ApiKey"], []).append((one["MinVersion"], one["MaxVersion"]))
    return found


def _unannounced(event: RunEvent, api: int, version: int, known: Announced) -> Iterator[tuple[str, str]]:
    only_own = known.keys() == {API_VERSIONS}  # an error 35: nothing is said of other apis
    if not known or (api == API_VERSIONS and version == 0) or (only_own and api != API_VERSIONS):
        return
    spans = known.get(api, [])
    if not any(low <= version <= high for low, high in spans):
        said = ", ".join(f"{low} to {high}" for low, high in spans) or "nothing of it"
        yield f"on {_connection(event)} {_name(api)} {version} was asked; announced: {said}", "version"


def _malformed(event: RunEvent, api: int, version: int) -> Iterator[tuple[str, str]]:
    """What is wrong with a request; of a version that no catalogue has, nothing is known."""
    name = reference_codec().dialect(DIALECT).apis().get(api)
    span = reference_codec().dialect(DIALECT).types.get(f"{name}Request")
    if span is None or not span[0] <= version <= span[1]:
        return
    frame = len(event.data).to_bytes(4) + event.data
    try:
        reference_codec().decode("RequestFrame", frame, dialect=DIALECT)
    except reference.DecodeError as error:
        place = f" at byte {error.offset}" if error.offset is not None else ""
        text = f"on {_connection(event)} {name} {version} is malformed: {error.reason}{place}: {error.detail}"
        yield text, f"{name}: {error.reason}"


def _connection(event: RunEvent) -> str:
    return f"connection {event.connection}{' to the second broker' if event.node else ''}"


def _name(api: int) -> str:
    return reference_codec().dialect(DIALECT).apis().get(api) or f"api {api}"


def next_step(run: ClientRun) -> str:
    """What the client did, with the same broker, after the first answer to ApiVersions that the script gave: it asks
    again in the same version, or in another one; it asks another api; or it stops."""
    after: int | None = None
    node: int | None = None
    for event in run.events:
        if event.kind != "request" or len(event.data) < _LEAST_HEADER or node not in (None, event.node):
            continue
        api, version = struct.unpack_from(">hh", event.data)
        if after is None:
            after, node = (version, event.node) if event.scripted and api == API_VERSIONS else (None, None)
        elif api == API_VERSIONS:
            return TRIES_AGAIN if version == after else f"{FALLS_BACK}{version}"
        else:
            return GOES_ON
    return STOPS
