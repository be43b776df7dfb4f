"""A broker that answers a repeated node id as often as it is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from miniatures import Produces
from miniatures.broker_answers_in_the_asked_layout import _frames
from wireproof.reference import configure as _configure
from wireproof.reference import decode, encode
from wireproof.reference import serve as _serve

PRODUCES: Produces = frozenset({("messages", "fail", "wrong-answer")})

dialects = ("kip-35-v7",)

_cluster: dict[str, Any] = {}


def configure(settings: Mapping[str, Any], *, dialect: str) -> None:
    _cluster.update(settings["cluster"])
    _configure(settings, dialect=dialect)


def serve(chunks: Sequence[bytes], *, dialect: str) -> tuple[bytes, bool]:
    sent, closed = _serve(chunks, dialect=dialect)
    requests, answers = list(_frames(b"".join(chunks))), list(_frames(sent))
    if len(requests) != 1 or len(answers) != 1 or len(answers[0]) == 8:
        return sent, closed
    asked = decode("RequestFrame", requests[0], dialect=dialect)["body"]["NodeIds"]
    if not asked:
        return sent, closed
    by_id = {broker["NodeId"]: broker for broker in _cluster["brokers"]} | {-1: None}
    by_id[-1] = by_id[_cluster["self"]]
    answer = decode("ResponseFrame:BrokerMetadata", answers[0], dialect=dialect, version=0)
    answer["body"] = {"Brokers": [by_id[node] for node in asked if node in by_id]}
    return encode("ResponseFrame:BrokerMetadata", answer, dialect=dialect, version=0), closed
