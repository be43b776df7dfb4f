"""Questions for a broker that announces which apis and versions it has. The kit's vectors hold for the apis of their
settings; a broker is never told to be another one.

Where the reference, as a broker with the announced apis, sends the same frames as with the vectors' own, the vector's
patterns hold, with the announced versions in the place of its own. Where it sends others (a version of the request is
inside one and outside of the other), and of generated questions, they are what is expected.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from wireproof import reference
from wireproof.conformance.generation.expectations import sent_patterns
from wireproof.conformance.model import MESSAGES, Case, CaseId, CaseKind, Description, Op, Status
from wireproof.conformance.oracle.ask import ask
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.conformance.questions import conversations, relays, scripts, sweep
from wireproof.conformance.questions.question import Question
from wireproof.conformance.vectors import Also
from wireproof.conformance.vectors.configured_reference import configured_reference

PRODUCE = 0
Apis = Mapping[int, tuple[int, int]]
Patterns = list[dict[str, Any]]


def for_peer(question: Question, described: Description) -> Question:
    """The question as it is asked of a broker that announces its apis, or of a client.

    Raises ValueError if its answer is not known: it is about an api that the broker does not have, or that it has and
    the reference's broker has not; or, in another dialect than kafka, about a broker that was asked nothing before. And
    if it may not be sent to this broker.
    """
    if described.connects:
        scripts.check_offered(question, described)
        return question
    vector, case, apis = question.vector, question.case, described.apis or {}
    if case.op is not Op.SERVE:
        return question
    kind = CaseId.parse(case.id).kind
    if kind is CaseKind.CONVERSATION:
        return conversations.with_script(question, described)
    if kind is CaseKind.RELAY:
        return relays.with_script(question, described)
    if case.dialect != sweep.DIALECT:
        raise ValueError("its answer is known of a broker that was asked nothing before, and this one may have been")
    if kind is CaseKind.SWEEP:
        sweep.check_offered(question, described)
        if vector.area == MESSAGES:
            return question
    own, announced = _answer(case, None), _answer(case, apis)
    if case.from_file and _kinds(own) == _kinds(announced):
        expected = _with_versions(vector.expected, apis)
        also = tuple(dataclasses.replace(other, expected=_with_versions(other.expected, apis)) for other in vector.also)
        also += tuple(_served(case, apis))
    else:
        expected, also = announced, tuple(_by_other_readings(case, vector.also, apis))
    return dataclasses.replace(question, vector=msgspec.structs.replace(vector, expected=expected, also=also))


def holds(case: Case, described: Description) -> bool:
    """Whether what a vector expects is expected of this broker, too, with its own versions."""
    apis = described.apis
    return case.op is not Op.SERVE or apis is None or _kinds(_answer(case, None)) == _kinds(_answer(case, apis))


def _serve(case: Case, apis: Apis | None, readings: Mapping[str, str]) -> tuple[bytes, bool]:
    """What the reference sends, and whether it closes. `apis` None: those of the vectors. Raises ValueError."""
    codec = configured_reference(case.dialect, None if apis is None else tuple(sorted(apis.items())))
    rules = reference.rules_with(reference.rulings(case.dialect).values(), readings)
    observation = ask(codec.under(rules), case)
    if observation.status is not Status.ANSWER:
        raise ValueError(observation.detail)
    sent, closed = observation.answer
    return sent, closed


def _answer(case: Case, apis: Apis | None) -> tuple[Patterns, bool]:
    """The demanded answer, as patterns, and whether the broker closes. Raises ValueError."""
    sent, closed = _serve(case, apis, {})
    return sent_patterns(case, sent), closed


def _served(case: Case, apis: Apis) -> Iterator[Also]:
    """The answer by a broker that announces a version of Produce that Kafka 4.0 removed, and serves it."""
    data = b"".join(case.args["chunks"])
    try:
        request = reference_codec().decode("RequestFrame", data, dialect=case.dialect)
    except reference.WireError:  # it is malformed, or there are several
        return
    header, (low, high) = request["header"], apis.get(PRODUCE, (1, 0))
    version = header["RequestApiVersion"]
    if header["RequestApiKey"] != PRODUCE or ("Produce", version) not in sweep.ANNOUNCED_OR_SERVED:
        return
    if low <= version <= high:
        value = {"header": {"CorrelationId": header["CorrelationId"]}}
        answer = {"type": "ResponseFrame:Produce", "version": version, "strict": True, "value": value}
        sends = [answer] if request["body"]["Acks"] else []
        yield Also(("R-K-18",), None, refuses=False, expected={"sends": (sends, False)})


def _kinds(answer: tuple[Patterns, bool]) -> tuple[list[tuple[str, int | None]], bool]:
    """The types and versions of the frames, and whether the broker closes."""
    return [(pattern["type"], pattern.get("version")) for pattern in answer[0]], answer[1]


def _with_versions(expected: Any, apis: Apis) -> Any:
    """The same, with the announced versions wherever an api has versions. Raises ValueError for an api that is not
    announced."""
    match expected:
        case {"ApiKey": int(key), "MinVersion": _, "MaxVersion": _}:
            if key not in apis:
                raise ValueError(f"the question is about api {key}, which the broker does not announce")
            low, high = apis[key]
            return {**expected, "MinVersion": low, "MaxVersion": high}
        case Mapping():
            return {name: _with_versions(item, apis) for name, item in expected.items()}
        case list() | tuple():
            return type(expected)(_with_versions(item, apis) for item in expected)
    return expected


def _by_other_readings(case: Case, also: Sequence[Also], apis: Apis) -> Iterator[Also]:
    """The reference's answers by the readings for which the vector has one."""
    rulings = reference.rulings(case.dialect)
    for other in also:
        names = [[(ruling, name) for name in rulings[ruling].others] for ruling in other.rulings]
        for readings in itertools.product(*names):
            sent, closed = _serve(case, apis, dict(readings))
            try:
                patterns: Patterns = sent_patterns(case, sent)
            except ValueError:  # an answer that has no type: error 35 for an api that is not known
                patterns = [{"hex": sent.hex()}]
            yield dataclasses.replace(other, refuses=False, expected={"sends": (patterns, closed)})
