"""Questions for a proxy: one for each version of each api that it announces, some for what it does not know, and some
with several requests or clients.

The ids are enough to ask again: `kafka/relay/<Api>/<version>#serve`, `kafka/relay/<Api>/<version>/tags#serve`, and
`kafka/relay/<name>#serve`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping

import msgspec

from wireproof.conformance import relayed
from wireproof.conformance.model import RELAY, Case, CaseId, Description, Op
from wireproof.conformance.questions.question import Question
from wireproof.conformance.relayed import API_VERSIONS, DIALECT, TAGS, UNKNOWN
from wireproof.conformance.script import Play
from wireproof.conformance.vectors import Vector, VectorKind, relay_script
from wireproof.conformance.vectors.relay_script import METADATA, RelayScript

_TAGS = TAGS.removeprefix("-")
_SLOW = "slow-client"
#: Those without an api in their ids: name → what is done.
_NAMED = {
    "unknown-api": "a request of an api that nobody knows passes as it is, or is refused",
    "unknown-version": "a request of Metadata in a version that is not announced passes as it is, or is refused",
    "order": f"{relay_script.PIPELINED} requests of Metadata at once are answered in their order, each with its own id",
    "two-clients": "two clients with the same correlation id get each their own answer",
    _SLOW: f"beside a client that reads none of {relay_script.FLOOD} large answers another one is answered",
}
Apis = Mapping[int, tuple[int, int]]


def questions(apis: Apis) -> Iterator[Question]:
    """The questions for a proxy that announces these versions."""
    ranges = relayed.announced()
    for key, (name, (_, highest)) in relayed.apis().items():
        low, high = apis.get(key, (0, -1))
        for version in range(max(low, ranges[key][0]), min(high, ranges[key][1]) + 1):
            yield _question(f"{name}/{version}", version)
        if key != API_VERSIONS and low <= highest <= high and relayed.flexible(key, highest):
            yield _question(f"{name}/{highest}/{_TAGS}", highest)
    for name in _NAMED:
        yield _question(name, None)


def find(identifier: str) -> Question:
    """The question with an id of this kind. Raises ValueError."""
    wanted = CaseId.parse(identifier)
    dialect, _, *rest = wanted.path.split("/")
    name, *more = rest or [""]
    keys = {api: key for key, (api, _) in relayed.apis().items()}
    if dialect != DIALECT or wanted.op not in ("", Op.SERVE) or not (name in keys if more else name in _NAMED):
        raise ValueError(f"{identifier} is no question: {DIALECT}/{RELAY}/<Api>/<version>#{Op.SERVE} is expected")
    if not more:
        return _question(name, None)
    if not more[0].isdecimal() or more[1:] not in ([], [_TAGS]):
        raise ValueError(f"{identifier}: {DIALECT}/{RELAY}/{name}/<version>[/{_TAGS}] is expected")
    return _question("/".join(rest), int(more[0]))


def with_script(question: Question, described: Description) -> Question:
    """The question with its script for this proxy. Raises ValueError, with the reason, if it cannot be asked of it."""
    if not described.is_proxy:
        raise ValueError("it is asked of proxies: proxy:COMMAND")
    apis = described.apis or {}
    _, _, name, *more = CaseId.parse(question.case.id).path.split("/")
    play = _named(name, apis) if not more else _of_version(name, int(more[0]), more[1:], apis)
    script = RelayScript(question.vector.about, play, tuple(sorted(apis.items())), alone=name == _SLOW)
    return dataclasses.replace(question, case=msgspec.structs.replace(question.case, args={"script": script}))


def _of_version(name: str, version: int, more: list[str], apis: Apis) -> Callable[..., Play]:
    key = next(key for key, (api, _) in relayed.apis().items() if api == name)
    low, high = apis.get(key, (0, -1))
    if not low <= version <= high:
        raise ValueError(f"the proxy announces {name} {f'{low} to {high}' if low <= high else 'not'}")
    if key == API_VERSIONS:
        return relay_script.announced(version)
    if not relayed.known(key, version):
        return relay_script.unknown(key, version)
    return relay_script.one_version(key, version, *([TAGS] if more else []))


def _named(name: str, apis: Apis) -> Callable[..., Play]:
    if name == "unknown-api":
        return relay_script.unknown(UNKNOWN, 0)
    if METADATA not in apis:
        raise ValueError("the proxy does not announce Metadata")
    if name == "unknown-version":
        return relay_script.unknown(METADATA, max(apis[METADATA][1], relayed.apis()[METADATA][1][1]) + 1)
    if not relay_script.can_tell_apart(apis):
        raise ValueError("the proxy announces Metadata in no version whose answers can be told apart")
    return {"order": relay_script.order, "two-clients": relay_script.two_clients, _SLOW: relay_script.slow_client}[name]


def _question(name: str, version: int | None) -> Question:
    about = _NAMED.get(name) or f"{name.replace('/', ' ')} passes as it is, but for what a proxy has to rewrite"
    vector = Vector(
        id=name,
        dialect=DIALECT,
        area=RELAY,
        about=about,
        kind=VectorKind.SERVE,
        ops=(Op.SERVE,),
        version=version,
        source="the message schemas of Kafka: what is not rewritten is not altered",
        needs=("apis",),
    )
    return Question(vector, Case(f"{vector.path}#{Op.SERVE}", Op.SERVE, DIALECT, version=version))
