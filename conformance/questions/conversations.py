"""Questions that are conversations with a broker (`vectors.conversations`): of one with an `each` a question for each
version of that api that the broker announces.

The ids are enough to ask again: `<dialect>/conversations/<id>#serve`, or `kafka/conversations/<id>/<version>#serve`;
those beside clients that misbehave have the area `faults` in place of `conversations`. The script depends on what the
broker announces, so it is made when it is asked.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator, Mapping

import msgspec

from wireproof.conformance.model import CONVERSATIONS, Case, CaseId, Description, Effect, Op
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.conformance.questions.question import Question
from wireproof.conformance.vectors import Vector, VectorKind, conversations, requests
from wireproof.conformance.vectors.conversation_script import ConversationScript
from wireproof.conformance.vectors.conversations import Conversation

DIALECT = conversations.DIALECT


def questions(apis: Mapping[int, tuple[int, int]], dialect: str = DIALECT) -> Iterator[Question]:
    """The questions of a dialect for a broker that announces these versions, as far as the current catalogue has
    them."""
    names = reference_codec().dialect(DIALECT).apis()
    announced = {names[key]: versions for key, versions in apis.items() if key in names}
    for one in conversations.load().values():
        if one.dialect != dialect:
            continue
        if one.each is None:
            yield _question(one, None)
            continue
        low, high = announced.get(one.each, (0, -1))
        for version in range(max(low, one.versions[0]), min(high, one.versions[1]) + 1):
            if requests.has_version(one.each, version):
                yield _question(one, version)


@functools.cache
def every_vector(dialect: str = DIALECT) -> tuple[Vector, ...]:
    """Those of a dialect, in all versions that the current catalogue has, each with its conversation as what is
    expected."""
    return tuple(
        msgspec.structs.replace(one.vector, expected=_demanded(conversations.load()[_name(one.case.id)]))
        for one in questions(_every_api(), dialect)
        if one.vector.area == CONVERSATIONS
    )


def _every_api() -> Mapping[int, tuple[int, int]]:
    """The versions of all apis that the current catalogue has."""
    known = reference_codec().dialect(DIALECT)
    return {key: known.types.get(f"{name}Request") or (0, -1) for key, name in known.apis().items()}


def _demanded(one: Conversation) -> str:
    """What is asked and demanded, without what is for people and without defaults."""
    return msgspec.json.encode(msgspec.structs.replace(one, about="", source="")).decode()


def _name(identifier: str) -> str:
    """The conversation's id in that of a question."""
    return CaseId.parse(identifier).path.split("/")[2]


def find(identifier: str) -> Question:
    """The question with an id of this kind. Raises ValueError."""
    wanted = CaseId.parse(identifier)
    _, _, name, *number = wanted.path.split("/")
    one = conversations.load().get(name)
    if one is None or wanted.op not in ("", Op.SERVE) or not wanted.path.startswith(f"{one.dialect}/{one.area}/"):
        raise ValueError(f"there is no conversation {identifier}")
    if (one.each is not None) is not (len(number) == 1 and number[0].isdecimal()) or len(number) > 1:
        raise ValueError(f"{identifier}: {one.dialect}/{one.area}/{name}{'/<version>' if one.each else ''} is expected")
    if one.each is not None and not requests.has_version(one.each, int(number[0])):
        raise ValueError(f"{identifier}: the catalogue has no version {number[0]} of {one.each}")
    return _question(one, int(number[0]) if number else None)


def with_script(question: Question, described: Description) -> Question:
    """The question with its script for this broker. Raises ValueError, with the reason, if it cannot be asked of it."""
    one = conversations.load()[_name(question.case.id)]
    asked = ((step.ask, question.case.version if step.version == "each" else None) for step in one.steps if step.ask)
    effects = {requests.effect(api, version) for api, version in asked} - {Effect.CLUSTER}
    if one.needs.topics or one.needs.writes:
        effects.add(Effect.WRITE)
    if one.needs.load:
        effects.add(Effect.LOAD)
    for effect in effects - described.effects:
        raise ValueError(f"it is not held with this broker: {effect.said}")
    if one.needs.sasl and not described.logs_in:
        raise ValueError("it logs in with SASL PLAIN, and the run has no --sasl")
    return _with_script(question, described.apis or {})


def with_any_script(question: Question) -> Question:
    """The question with its script for a broker that announces all versions of the current catalogue, to be shown.
    Raises ValueError if these lack one."""
    return _with_script(question, _every_api())


def _with_script(question: Question, apis: Mapping[int, tuple[int, int]]) -> Question:
    case = question.case
    script = ConversationScript(conversations.load()[_name(case.id)], case.version, tuple(sorted(apis.items())))
    return dataclasses.replace(question, case=msgspec.structs.replace(case, args={"script": script}))


def _question(one: Conversation, version: int | None) -> Question:
    vector = Vector(
        id=one.id if version is None else f"{one.id}/{version}",
        dialect=one.dialect,
        area=one.area,
        about=one.about,
        kind=VectorKind.SERVE,
        ops=(Op.SERVE,),
        version=version,
        source=one.source,
        rulings=tuple(one.rulings),
        needs=("apis",) if one.dialect == DIALECT else (),
    )
    return Question(vector, Case(f"{vector.path}#{Op.SERVE}", Op.SERVE, one.dialect, version=version))
