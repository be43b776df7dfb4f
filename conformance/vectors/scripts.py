"""The scripts for clients, `vectors/scripts.json`: read and checked when they are first needed. A script says how the
kit's broker answers some requests, and what a client may make of it.
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Mapping
from importlib import resources
from typing import Any, Literal

import msgspec

from wireproof import reference
from wireproof.conformance.client_run import Reply
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.conformance.values.encoding import from_json
from wireproof.conformance.vectors import requests
from wireproof.conformance.vectors.model import ABSENT, VectorError
from wireproof.conformance.vectors.short_forms import ShortForms
from wireproof.errors import WireproofError
from wireproof.reference.peers.framing import API_VERSIONS

DIALECT = requests.DIALECT
#: The script of a broker that does nothing unusual: who gives up there gives up everywhere.
USUAL = "usual"
AREA = "unsupported-versions"
#: How a client may end, by its exit code; and what it may do next on being told that ApiVersions failed.
WORKS, GIVES_UP = "works", "gives-up"
#: What a client does with a throttle time.
WAITS = "waits"
TRIES_AGAIN, GOES_ON, STOPS, FALLS_BACK = "tries-again", "goes-on", "stops", "falls-back-to-"
#: The apis that only the leader of a partition answers.
_OF_A_LEADER = ("Produce", "Fetch", "ListOffsets")
#: The apis of a login.
_OF_A_LOGIN = {"SaslHandshake", "SaslAuthenticate"}
#: The most bytes that an answer may have, and seconds that it may take.
_MOST_BYTES, _MOST_SECONDS = 1 << 22, 60


class Answer(msgspec.Struct, forbid_unknown_fields=True, frozen=True, omit_defaults=True):
    """One answer. It is the usual one, but for what is said here.

    `value`: the fields of the body that are different. `ranges`, of ApiVersions: the ranges by key that are different,
    null for none; `twice`: those that stand once more behind all others. `header_tags`: unknown tags of the header,
    where it has any. `version`: the layout is that of this version, and not that asked. Or `body`, all bytes behind the
    header; or `frame`, all bytes.

    `correlation` is added to the correlation id; `size` stands
    in the place of the frame's size. `behind`: bytes at the end of the frame. `times`: so many of these frames come at
    once. `cut`: no more than the first bytes come, so many; if negative all but the last ones. `byte_every`: seconds
    between two bytes. `delay`: seconds until it comes, in one packet with the answers to what has
    come on its connection in between. `closes`: then the connection is closed; `silent`: nothing is sent. `above`:
    requests up to this version are answered as usual.
    `gone`, of the second broker: then it closes the connection, and takes no other one any more.
    """

    value: Any = ABSENT
    version: int | None = None
    ranges: dict[str, tuple[int, int] | None] | None = None
    twice: dict[str, tuple[int, int]] = {}
    header_tags: list[Any] = []
    body: list[list[str]] | None = None
    frame: list[list[str]] | None = None
    correlation: int = 0
    size: int | None = None
    behind: str = ""
    times: int = 1
    cut: int | None = None
    byte_every: float = 0.0
    delay: float = 0.0
    closes: bool = False
    silent: bool = False
    above: int = -1
    gone: bool = False


class Second(msgspec.Struct, forbid_unknown_fields=True, frozen=True, omit_defaults=True):
    """A second broker, which leads the partition: what is unusual about it, as in a script. `hands_over`: with its
    first request of this api the first broker leads, so that it refuses it."""

    apis: dict[str, tuple[int, int] | None] = {}
    answers: dict[str, list[Answer]] = {}
    for_ever: bool = False
    hands_over: str = ""


class Script(msgspec.Struct, forbid_unknown_fields=True, frozen=True, omit_defaults=True):
    """One script. `apis`: the ranges of apis that the broker lists and answers in the place of its own, by the api's
    name; null for none. `answers`: those to the requests of an api, one after another over all connections; behind them
    it answers as usual, or with `for_ever` as the last of them says. `second`: there is a second broker.

    `sasl`: it is about a login, and asked only where the broker wants one; `before_login`: the ranges that ApiVersions
    lists before it.

    `ends`: how the client has to end; `or_ends`: how else it may, by another reading (R-K-41). `next`, `or_next`: what
    it does after the first of these answers to ApiVersions; empty: that is left open.
    """

    id: str
    about: str
    source: str
    apis: dict[str, tuple[int, int] | None] = {}
    answers: dict[str, list[Answer]] = {}
    for_ever: bool = False
    second: Second | None = None
    sasl: bool = False
    before_login: dict[str, tuple[int, int] | None] = {}
    ends: list[str] = []
    or_ends: list[str] = []
    next: list[str] = []
    or_next: list[str] = []

    @property
    def brokers(self) -> list[Script | Second]:
        """What is said of each broker, by its id."""
        return [self] if self.second is None else [self, self.second]

    @property
    def throttles(self) -> bool:
        """Whether one of its answers tells the client to wait."""
        values = (one.value for broker in self.brokers for answers in broker.answers.values() for one in answers)
        return any(isinstance(value, dict) and "ThrottleTimeMs" in value for value in values)


class _File(msgspec.Struct, forbid_unknown_fields=True):
    format: Literal[1]
    vectors: list[dict[str, Any]]
    named: dict[str, Any] = {}
    sources: dict[str, str] = {}


@functools.cache
def load() -> Mapping[str, Script]:
    """All scripts by id. Raises VectorError for a file that is wrong."""
    return parse((resources.files("wireproof.vectors") / "scripts.json").read_bytes())


def parse(content: bytes) -> Mapping[str, Script]:
    """The scripts in a file, by id. Raises VectorError."""
    found: dict[str, Script] = {}
    where = ""
    try:
        file = msgspec.json.decode(content, type=_File)
        forms = ShortForms(file.named)
        for raw in file.vectors:
            where = f", vector {raw.get('id')!r}"
            one = msgspec.convert(forms.written_out(raw), Script)
            if one.id in found:
                raise VectorError("the id stands twice")
            _check(one)
            found[one.id] = msgspec.structs.replace(one, source=file.sources.get(one.source, one.source))
    except (msgspec.MsgspecError, ValueError, WireproofError) as error:
        raise VectorError(f"vectors/scripts.json{where}: {error}") from None
    return found


def _check(script: Script) -> None:
    """Raises VectorError, or ValueError, for a script that says what cannot be."""
    apis = {api for broker in script.brokers for api in (*broker.apis, *broker.answers)}
    for api in (*apis, *script.before_login):
        requests.plans(api)
    if (script.before_login or apis & _OF_A_LOGIN) and not script.sasl:
        raise VectorError(
            "a script about a login says `sasl`: true, so that it is asked only where the broker wants one"
        )
    if script.second is not None and script.second.hands_over not in ("", *_OF_A_LEADER):
        raise VectorError(f"`hands_over` is one of {', '.join(_OF_A_LEADER)}: only a leader answers these")
    if not {*script.ends, *script.or_ends} <= {WORKS, GIVES_UP}:
        raise VectorError(f"an end is {WORKS} or {GIVES_UP}")
    steps = {step.rstrip("0123456789") for step in (*script.next, *script.or_next)}
    if not steps <= {TRIES_AGAIN, GOES_ON, STOPS, FALLS_BACK}:
        raise VectorError(f"a next step is {TRIES_AGAIN}, {GOES_ON}, {STOPS} or {FALLS_BACK}VERSION")
    if (script.or_ends and not script.ends) or (script.or_next and not script.next):
        raise VectorError("another reading stands beside the one that is demanded")
    if script.next and not any("ApiVersions" in broker.answers for broker in script.brokers):
        raise VectorError("`next` is what comes after an answer to ApiVersions")
    if any(answer.gone for answers in script.answers.values() for answer in answers):
        raise VectorError("`gone` is of a second broker: a client has the address of the first one alone")
    for answer in (one for broker in script.brokers for answers in broker.answers.values() for one in answers):
        changed = answer.value is not ABSENT or answer.ranges is not None or answer.header_tags
        if sum(map(bool, (changed, answer.body is not None, answer.frame is not None))) > 1:
            raise VectorError("an answer is the usual one changed, or `body`, or `frame`")
        if not (0 <= answer.delay <= _MOST_SECONDS and 0 <= answer.byte_every <= 1 and 0 < answer.times <= 100):
            raise VectorError("`delay`, `byte_every` or `times` is beyond its bounds")
        from_json({} if answer.value is ABSENT else answer.value)
        _bytes(answer.body), _bytes(answer.frame), bytes.fromhex(answer.behind)


def _bytes(pieces: list[list[str]] | None) -> bytes:
    return b"".join(bytes.fromhex(piece[0]) for piece in pieces or ())


class ClientScript:
    """A script as it is run, of its first broker or of its second: see `client_run.ClientScript`."""

    def __init__(self, script: Script, *, of_second: bool = False) -> None:
        said = script.brokers[of_second]
        self._said = said
        self.second = None if of_second or script.second is None else ClientScript(script, of_second=True)
        names = {name: key for key, name in reference_codec().dialect(DIALECT).apis().items()}
        self._answers = {names[api]: answers for api, answers in said.answers.items()}
        self._names = {key: name for name, key in names.items()}
        self.name = script.id
        self._before = {} if of_second else script.before_login
        self.before_login = {names[api]: span or (0, -1) for api, span in script.before_login.items()}
        self.apis = {names[api]: span or (0, -1) for api, span in said.apis.items()}
        hands_over = said.hands_over if isinstance(said, Second) else ""
        self.hands_over = names[hands_over] if hands_over else None
        self.asked = " or ".join([*said.answers, *filter(None, [hands_over])])

    def reply(self, request: bytes, earlier: int, usual: bytes | None) -> Reply | None:
        """See `client_run.ClientScript.reply`."""
        api, version, correlation_id = struct.unpack_from(">hhi", request)
        answers = self._answers.get(api, [])
        if earlier >= len(answers) and not (answers and self._said.for_ever):
            return None
        answer = answers[min(earlier, len(answers) - 1)]
        if version <= answer.above:
            return None
        if answer.silent:
            return Reply(b"", answer.closes or answer.gone, gone=answer.gone)
        frame = self._frame(answer, api, version, correlation_id, usual)
        if frame is None:
            return Reply(b"", closes=True)
        data = (_resized(frame, answer) * answer.times)[: answer.cut]
        closes = answer.closes or answer.gone
        return Reply(data, closes, answer.byte_every, answer.delay, answer.gone)

    def told(self) -> list[str]:
        """What the broker does, in a line each, for a person."""
        apis = [*_ranges(self._said.apis), *_ranges(self._before, "before the login, ")]
        answers = (
            f"{api}: {msgspec.json.encode(answer).decode()}"
            for api, listed in self._said.answers.items()
            for answer in listed
        )
        again = ["the last answer again and again"] if self._said.for_ever else []
        if self.hands_over is not None:
            again.append(f"with its first {self._names[self.hands_over]} the first broker leads")
        second = [] if self.second is None else ["a second broker leads the partition", *_within(self.second.told())]
        return [*apis, *answers, *again, *second]

    def _frame(self, answer: Answer, api: int, version: int, correlation_id: int, usual: bytes | None) -> bytes | None:
        """The answer as a whole frame; None if the broker cannot answer such a request."""
        correlation = (correlation_id + answer.correlation) & 0xFFFFFFFF
        if answer.frame is not None:
            return _bytes(answer.frame)
        if answer.body is not None:
            content = struct.pack(">I", correlation) + _bytes(answer.body)
            return struct.pack(">i", len(content)) + content
        if usual is None:
            return None
        kind = f"ResponseFrame:{self._names[api]}"
        refused = api == API_VERSIONS and int.from_bytes(usual[8:10], signed=True) != 0
        value = reference_codec().decode(kind, usual, dialect=DIALECT, version=0 if refused else version)
        body = _changed(value["body"], answer)
        header = {"CorrelationId": correlation_id}
        layout = version if answer.version is None else answer.version
        if answer.header_tags and "_tags" in value["header"]:
            header |= {"_tags": from_json(answer.header_tags)}
        # The fields of all versions may stand there: each version takes its own.
        codec = reference_codec().under(reference.Rules(field_not_in_version="left-out"))
        frame: bytes = codec.encode(kind, {"header": header, "body": body}, dialect=DIALECT, version=layout)
        return frame[:4] + struct.pack(">I", correlation) + frame[8:]


def _ranges(apis: Mapping[str, tuple[int, int] | None], when: str = "") -> list[str]:
    return [f"{when}{api}: {'none' if span is None else f'{span[0]} to {span[1]}'}" for api, span in apis.items()]


def _within(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _changed(body: dict[str, Any], answer: Answer) -> dict[str, Any]:
    """The body of the usual answer, as the script changes it."""
    if answer.value is not ABSENT:
        changed: dict[str, Any] = from_json(answer.value)
        return body | changed
    if answer.ranges is None:
        return body
    spans: dict[int, tuple[int, int] | None]
    spans = {one["ApiKey"]: (one["MinVersion"], one["MaxVersion"]) for one in body["ApiKeys"]}
    spans |= {int(key): span for key, span in answer.ranges.items()}
    listed = [(key, span) for key, span in spans.items() if span is not None]
    listed += [(int(key), span) for key, span in answer.twice.items()]
    return body | {"ApiKeys": [{"ApiKey": key, "MinVersion": low, "MaxVersion": high} for key, (low, high) in listed]}


def _resized(frame: bytes, answer: Answer) -> bytes:
    """The frame with the bytes behind it, and its size, or what the script says in its place."""
    if answer.frame is not None:
        return frame
    content = frame[4:] + bytes.fromhex(answer.behind)
    return struct.pack(">i", len(content) if answer.size is None else answer.size) + content
