"""The two ends of wire-format: pairing, pipelined responses in any order, when a broker closes."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.judging import judged_by_asking
from support.wire_format_frames import (
    DIALECT,
    PRODUCE,
    PRODUCED,
    decode,
    fetch,
    fetched,
    frame,
    produced,
    request,
    topic,
)

from wireproof import reference
from wireproof.conformance import vectors
from wireproof.conformance.judging.rulings import deciding_rulings
from wireproof.conformance.model import Case, Outcome, Verdict
from wireproof.conformance.properties import strategies
from wireproof.reference import DecodeError, EncodeError, Reason, Reference, Rules
from wireproof.reference.dialects.wire_format import WireFormat
from wireproof.reference.dialects.wire_format.client import WireFormatClient, WireFormatConnection
from wireproof.reference.dialects.wire_format.sets import Answered, message_sets, pair

# --- Pairing ----------------------------------------------------------------------------------------------------------


def test_the_nth_entry_belongs_to_the_nth_message_set_over_all_topics() -> None:
    asked = request(data=[topic("t", 4, 1), topic("s"), topic("u", 4)])
    assert [(name, partition) for name, partition, _ in message_sets(asked)] == [("t", 4), ("t", 1), ("u", 4)]
    assert pair(asked, {"errors": [-1, 7, 0], "offsets": [10, -1, 12]}) == [
        Answered("t", 4, -1, 10),
        Answered("t", 1, 7, -1),
        Answered("u", 4, 0, 12),
    ]
    assert pair(request(data=[]), {"errors": [], "offsets": []}) == []


@pytest.mark.parametrize(
    ("errors", "offsets", "path"),
    [([-1], [0], "errors"), ([-1] * 3, [0] * 3, "errors"), ([-1, -1], [0], "offsets"), ([], [], "errors")],
)
def test_with_another_number_of_entries_nobody_knows_what_was_appended(
    errors: list[int], offsets: list[int], path: str
) -> None:
    with pytest.raises(DecodeError) as caught:
        pair(request(data=[topic("t", 0, 1)]), {"errors": errors, "offsets": offsets})
    assert (caught.value.reason, caught.value.path) == (Reason.COUNT_MISMATCH, path)
    assert "for the 2 message sets of the request" in caught.value.detail


# --- The client's connection ------------------------------------------------------------------------------------------


def connection() -> WireFormatConnection:
    dialect = WireFormat()
    return WireFormatConnection(WireFormatClient(dialect.codecs, dialect.apis(), Rules()))


def test_responses_in_any_order_find_their_requests() -> None:
    client = connection()
    for one in (request(1), request(2)):
        assert client.send(frame("ProduceRequest", one)) == frame("ProduceRequest", one)
    client.send(frame("FetchRequest", fetch(-3)))
    arriving = fetched(-3) + produced(2, [-1], [0]) + produced(1, [-1], [0], error=5)
    assert [*client.receive(arriving[:9])] == []
    assert [*client.receive(arriving[9:])] == [
        (-3, {"outcome": "accepted"}),
        (2, {"outcome": "accepted"}),
        (1, {"outcome": "error", "error": 5}),
    ]
    assert client.open == {}


def test_a_response_is_read_as_its_own_request_s() -> None:
    client = connection()
    client.send(frame("ProduceRequest", request(1)))
    client.send(frame("FetchRequest", fetch(2)))
    assert [*client.receive(produced(2, [-1], [0]))] == [(2, {"outcome": "malformed"})]
    assert [*client.receive(produced(1, [-1], [0]))] == [(1, {"outcome": "accepted"})]


@pytest.mark.parametrize("correlation_id", [2, 0, -1])
def test_a_response_to_an_unknown_id_is_an_error(correlation_id: int) -> None:
    client = connection()
    client.send(frame("ProduceRequest", request(1)))
    with pytest.raises(DecodeError, match=f"correlation_id {correlation_id}, which is unknown"):
        list(client.receive(produced(correlation_id, [-1], [0])))


def test_a_second_response_to_an_id_is_an_error() -> None:
    client = connection()
    client.send(frame("ProduceRequest", request(1)))
    with pytest.raises(DecodeError, match="answered already"):
        list(client.receive(produced(1, [-1], [0]) * 2))


@pytest.mark.parametrize("cut", [26, 52, 60])
def test_what_came_before_a_fault_is_told_however_it_was_cut(cut: int) -> None:
    client = connection()
    for number in (1, 2, 3):
        client.send(frame("ProduceRequest", request(number)))
    arriving = produced(2, [-1], [0]) + produced(1, [-1], [0]) + produced(4, [-1], [0])
    outcomes = itertools.chain.from_iterable(map(client.receive, (arriving[:cut], arriving[cut:])))
    assert [next(outcomes), next(outcomes)] == [(2, {"outcome": "accepted"}), (1, {"outcome": "accepted"})]
    with pytest.raises(DecodeError, match="correlation_id 4"):
        next(outcomes)
    assert client.close() == [(3, {"outcome": "error", "error": None})]


def test_acks_0_is_not_waited_for() -> None:
    client = connection()
    client.send(frame("ProduceRequest", request(1, acks=0)))
    assert client.open == {}
    with pytest.raises(DecodeError, match="unknown"):
        list(client.receive(produced(1, [-1], [0])))
    asked = frame("ProduceRequest", request(1, acks=0))
    assert reference.interpret(asked, produced(1, [-1], [0]), dialect=DIALECT) == {"outcome": "malformed"}


def test_an_open_id_is_not_taken_again() -> None:
    client = connection()
    client.send(frame("ProduceRequest", request(1)))
    with pytest.raises(EncodeError, match="correlation_id 1 is open"):
        client.send(frame("FetchRequest", fetch(1)))
    list(client.receive(produced(1, [-1], [0])))
    client.send(frame("FetchRequest", fetch(1)))
    assert [*client.receive(fetched(1))] == [(1, {"outcome": "accepted"})]


@pytest.mark.parametrize(
    ("digits", "reason"), [("00000003" + "000000", Reason.TRUNCATED), ("ffffffff", Reason.NEGATIVE_LENGTH)]
)
def test_frames_that_no_response_has(digits: str, reason: Reason) -> None:
    with pytest.raises(DecodeError) as caught:
        list(connection().receive(bytes.fromhex(digits)))
    assert caught.value.reason is reason


def test_a_closed_connection_answers_every_open_request() -> None:
    client = connection()
    client.send(frame("ProduceRequest", request(1)))
    client.send(frame("FetchRequest", fetch(2)))
    assert client.close() == [(1, {"outcome": "error", "error": None}), (2, {"outcome": "error", "error": None})]
    assert client.close() == []


def test_an_answer_to_acks_0_may_be_read_otherwise() -> None:
    asked = frame("ProduceRequest", request(1, acks=0))
    answering = Reference(Rules(acks_0="answered"))
    assert answering.interpret(asked, produced(1, [-1], [0]), dialect=DIALECT) == {"outcome": "accepted"}
    sent, closed = answering.serve([asked], dialect=DIALECT)
    assert (decode("ProduceResponse", sent.hex())["errors"], closed) == ([-1], False)


@pytest.mark.parametrize("digits", ["", "00000002", "00000002" + "0005", PRODUCE[:-2]])
def test_what_is_no_request_is_no_question(digits: str) -> None:
    with pytest.raises(EncodeError):
        reference.interpret(bytes.fromhex(digits), None, dialect=DIALECT)


# --- The broker -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "digits",
    [
        "ffffffff",  # no frame's size
        "00000000",  # below a header's
        "00000001" + "00",
        "00000008" + "0002" + "0000" + "00000007",  # an unknown request_type_id
        PRODUCE[:12] + "0001" + PRODUCE[16:],  # a version that there is not
        PRODUCE[:-2] + "6a",  # another payload than the CRC's
    ],
)
def test_a_broker_closes_on_what_it_does_not_understand(digits: str) -> None:
    sent, closed = reference.serve([bytes.fromhex(PRODUCE + digits), bytes.fromhex(PRODUCE)], dialect=DIALECT)
    assert closed
    assert decode("ProduceResponse", sent.hex())["correlation_id"] == 7


@pytest.mark.parametrize(("acks", "closes"), [(1, True), (0, False)])
def test_a_broker_closes_where_its_answer_would_have_more_errors_than_a_count_can_say(acks: int, closes: bool) -> None:
    sets = [topic("t", *range(20000))] * 2
    assert reference.serve([frame("ProduceRequest", request(acks=acks, data=sets))], dialect=DIALECT) == (b"", closes)


def test_a_broker_closes_where_a_name_has_grown_too_long_to_be_said_again() -> None:
    value = fetch(7) | {"topic_offsets": [{"topic": "a" * 20000, "partitions": [], "offsets": []}]}
    unreadable = frame("FetchRequest", value).replace(b"a" * 20000, b"\xff" * 20000)
    assert Reference(Rules(invalid_text="replaced")).serve([unreadable], dialect=DIALECT) == (b"", True)


@pytest.mark.parametrize(
    ("acks", "error", "errors", "offsets", "end"),
    [
        (1, -1, [-1, -1], [0, 0], 1),
        (-1, -1, [-1, -1], [0, 0], 1),
        (2, -1, [7, 7], [0, 0], 1),  # the leader has them all the same
        (127, -1, [7, 7], [0, 0], 1),
        (-2, 21, [21, 21], [-1, -1], 0),
        (-128, 21, [21, 21], [-1, -1], 0),
    ],
)
def test_acks_that_a_leader_alone_does_not_reach(
    acks: int, error: int, errors: list[int], offsets: list[int], end: int
) -> None:
    hi = {"magic": 1, "attributes": 0, "payload": b"hi"}
    data = [{"topic": "t", "partition_data": [{"partition": number, "messages": [hi]} for number in (1, 0)]}]
    chunks = [frame("ProduceRequest", request(one, acks=how, data=data)) for one, how in ((1, acks), (2, 1))]
    sent, closed = reference.serve(chunks, dialect=DIALECT)
    first, second = (decode("ProduceResponse", answer.hex()) for answer in _frames(sent))
    assert not closed
    assert (first["error"], first["errors"], first["offsets"]) == (error, errors, offsets)
    assert second["offsets"] == [end, end]


@pytest.mark.parametrize(("reading", "closes"), [("replicas", False), ("replicas-or-closed", True)])
@pytest.mark.parametrize("acks", [-1, -2])
def test_acks_outside_of_the_text_s_range(acks: int, reading: str, closes: bool) -> None:
    own = Reference(Rules(required_acks=reading))  # type: ignore[arg-type]
    sent, closed = own.serve([frame("ProduceRequest", request(acks=acks))], dialect=DIALECT)
    assert closed is closes
    if not closes:
        assert decode("ProduceResponse", sent.hex())["error"] == 21


def test_acks_that_mean_nothing_are_told_without_message_sets_too() -> None:
    sent, _ = reference.serve([frame("ProduceRequest", request(acks=-2, data=[]))], dialect=DIALECT)
    assert decode("ProduceResponse", sent.hex()) == {
        "correlation_id": 7,
        "version_id": 0,
        "error": 21,
        "errors": [],
        "offsets": [],
    }


def test_offsets_count_whole_messages_of_a_partition() -> None:
    partial = {"partial": b"\0"}
    hi = {"magic": 1, "attributes": 0, "payload": b"hi"}
    sets = [[hi, hi], [], [hi, partial], [hi]]
    data = [{"topic": "t", "partition_data": [{"partition": 0, "messages": found} for found in sets]}]
    sent, _ = reference.serve([frame("ProduceRequest", request(data=data))], dialect=DIALECT)
    assert decode("ProduceResponse", sent.hex())["offsets"] == [0, 2, 2, 3]


# --- Vectors ----------------------------------------------------------------------------------------------------------


CONTESTED = {ruling.id: [*ruling.others] for ruling in reference.rulings(DIALECT).values() if ruling.contested}


#: All cases of the dialect and their vectors, by the case's id.
CASES = {case.id: case for vector in vectors.load([DIALECT]) for case in map(vector.case, vector.ops)}
VECTORS = {vector.case(op).id: vector for vector in vectors.load([DIALECT]) for op in vector.ops}


def _taken() -> list[dict[str, str]]:
    """Each reading by itself, each two of them, and all together."""
    every = {ruling: others[0] for ruling, others in CONTESTED.items()}
    alone = [{ruling: other} for ruling, others in CONTESTED.items() for other in others]
    pairs = [one | other for one, other in itertools.combinations(alone, 2) if len(one | other) == 2]
    pairs.remove({"R-WF-10": "other", "R-WF-19": "refused"})  # who refuses what is cut off keeps no residue of it
    return [*alone, *pairs, every, every | {"R-WF-4": "closed"}]


def _judged(taken: dict[str, str], asked: Iterable[Case]) -> list[Verdict]:
    own = Reference(reference.rules_with(reference.rulings(DIALECT).values(), taken))
    return [judged_by_asking(own, VECTORS[case.id], case)[1] for case in asked]


@functools.cache
def _changed_by(ruling: str, name: str) -> frozenset[str]:
    """The ids of the cases that a reading alone answers otherwise."""
    found = _judged({ruling: name}, CASES.values())
    return frozenset(verdict.id for verdict in found if verdict.outcome is not Outcome.PASS)


@pytest.mark.parametrize("taken", _taken(), ids=str)
def test_what_another_reading_gives_is_contested_and_never_fails(taken: dict[str, str]) -> None:
    """Two of them are asked only what one of them changes: all else is as without them."""
    changed = frozenset.union(*(_changed_by(*one) for one in taken.items())) if len(taken) == 2 else CASES.keys()
    found = _judged(taken, (CASES[identifier] for identifier in sorted(changed)))
    assert [verdict.id for verdict in found if verdict.outcome not in (Outcome.PASS, Outcome.CONTESTED)] == []
    assert {ruling for verdict in found for ruling in verdict.rulings} == set(taken)


# --- What `wireproof explain` names -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("vector", "named"),
    [
        ("messages/produced-offset-missing", ("R-WF-6",)),
        ("messages/fetch-offset-missing", ("R-WF-7",)),
        ("messages/fetch-correlation-first", ("R-WF-1",)),
        ("messages/client-id-not-utf-8", ("R-D-2",)),
        ("null-encodings/client-id-null", ("R-WF-9",)),
        ("null-encodings/topics-minus-1", ("R-WF-2",)),
        ("null-encodings/topics-minus-2", ("R-D-3",)),
        ("null-encodings/message-size-minus-1", ("R-WF-10",)),
        ("null-encodings/second-message-size-minus-1", ("R-WF-10",)),
        ("null-encodings/set-size-minus-1", ("R-WF-3",)),
        ("framing/partial-first-size", ("R-WF-10",)),
        ("framing/set-size-too-large", ("R-WF-3",)),
        ("framing/set-size-too-small", ("R-WF-10",)),
        ("framing/crc-with-attributes", ("R-WF-14",)),
        ("framing/frame-and-a-byte", ("R-D-5",)),
        ("unsupported-versions/codec-3", ("R-WF-14",)),
        ("unsupported-versions/magic-2", ("R-WF-14",)),
        ("unsupported-versions/produce-type-1", ("R-WF-13",)),
        ("unsupported-versions/produced-version-1", ("R-WF-13",)),
    ],
)
def test_a_refusal_names_its_ruling(vector: str, named: tuple[str, ...]) -> None:
    found = next(one for one in vectors.load([DIALECT]) if one.path == f"{DIALECT}/{vector}")
    assert found.type is not None
    assert set(named) <= set(found.rulings)
    explained = reference.explain(found.type, found.data, dialect=DIALECT)
    assert explained.error is not None
    assert deciding_rulings(found.type, found.data, DIALECT, None, explained.error, explained.spans) == named


# --- Whatever arrives -------------------------------------------------------------------------------------------------

REQUESTS = st.one_of(
    strategies.values("ProduceRequest", dialect=DIALECT).map(lambda value: frame("ProduceRequest", value)),
    strategies.values("FetchRequest", dialect=DIALECT).map(lambda value: frame("FetchRequest", value)),
)


@given(st.lists(REQUESTS, max_size=4), st.lists(st.integers(0, 200), max_size=6))
@settings(max_examples=60, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
def test_how_requests_are_cut_into_pieces_does_not_matter(requests: list[bytes], cuts: list[int]) -> None:
    received = b"".join(requests)
    ends = [0, *sorted(min(cut, len(received)) for cut in cuts), len(received)]
    pieces = [received[start:end] for start, end in itertools.pairwise(ends)]
    sent, closed = reference.serve([received], dialect=DIALECT)
    assert reference.serve(pieces, dialect=DIALECT) == (sent, closed)
    assert not closed
    answers = _frames(sent)
    asked = [one for one in requests if _awaits(one)]
    assert [answer[4:8] for answer in answers] == [one[8:12] for one in asked]
    for one, answer in zip(asked, answers, strict=True):
        meaningless = one[4:6] == b"\0\0" and _acks(one) < -1
        outcome = {"outcome": "error", "error": 21} if meaningless else {"outcome": "accepted"}
        assert reference.interpret(one, answer, dialect=DIALECT) == outcome


def _frames(sent: bytes) -> list[bytes]:
    found = []
    while sent:
        end = 4 + int.from_bytes(sent[:4])
        found.append(sent[:end])
        sent = sent[end:]
    return found


def _awaits(one: bytes) -> bool:
    return one[4:6] != b"\0\0" or _acks(one) != 0


def _acks(one: bytes) -> int:
    at = 14 + int.from_bytes(one[12:14])
    return int.from_bytes(one[at : at + 1], signed=True)


@given(strategies.nearly(REQUESTS), strategies.nearly(st.sampled_from([bytes.fromhex(PRODUCED), fetched(7)])))
@settings(max_examples=200, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
def test_nothing_that_arrives_ends_in_another_error(received: bytes, response: bytes) -> None:
    sent, closed = reference.serve([received], dialect=DIALECT)
    assert isinstance(sent, bytes)
    assert closed in (True, False)
    assert reference.interpret(bytes.fromhex(PRODUCE), response, dialect=DIALECT)["outcome"] in (
        "accepted",
        "error",
        "malformed",
    )
