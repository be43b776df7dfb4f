"""The two ends of a connection of KIP-35, broker and client: how each handles the other, and older ones."""

from __future__ import annotations

import itertools
import struct
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wireproof import reference
from wireproof.reference.dialects import kip_35
from wireproof.reference.dialects.kip_35.broker import ALONE, Kip35Broker, Kip35Cluster
from wireproof.reference.dialects.kip_35.client import Kip35Client, Kip35Connection
from wireproof.reference.dialects.kip_35.layouts import Layouts
from wireproof.reference.peers.connection import serve
from wireproof.reference.rules import Rules

DIALECT = "kip-35-v7"
#: "h":9092, versions 19 to 25, rack=r1: the worked bytes of the rulings.
ENTRY = bytes.fromhex("00000002 0001 68 00002384 00000013 00000019 00000001 0004 7261636b 0002 7231")
BROKER = {
    "NodeId": 2,
    "Host": "h",
    "Port": 9092,
    "ProtocolVersionMin": 19,
    "ProtocolVersionMax": 25,
    "Tags": [("rack", "r1")],
}
CLUSTER = Kip35Cluster(2, (BROKER,))
RULES = Rules()
LITERAL = Rules(empty_response="literal")


def request(correlation_id: int, api_key: int = 17, version: int = 0, rest: str = "ffff 00000001 ffffffff") -> bytes:
    inside = struct.pack(">hhi", api_key, version, correlation_id) + bytes.fromhex(rest)
    return struct.pack(">i", len(inside)) + inside


def answer(correlation_id: int, body: bytes = bytes.fromhex("00000001") + ENTRY) -> bytes:
    return struct.pack(">ii", 4 + len(body), correlation_id) + body


def empty(correlation_id: int) -> bytes:
    return struct.pack(">ii", 4, correlation_id)


def conversation(client: Kip35Client, *requests: bytes) -> Kip35Connection:
    connection = Kip35Connection(client)
    for one in requests:
        assert connection.send(one) == one
    return connection


NEW = Kip35Client(Layouts(), RULES)
OLD = Kip35Client(Layouts(), Rules(empty_response_means="malformed"))
ACCEPTED = {"outcome": "accepted"}
MALFORMED = {"outcome": "malformed"}


def malformed(name: str) -> dict[str, Any]:
    return MALFORMED | {"request": name}


def unsupported(name: str) -> dict[str, Any]:
    return {"outcome": "unsupported", "request": name}


# --- The broker -------------------------------------------------------------------------------------------------------


def test_the_worked_bytes() -> None:
    chunks = [request(7), request(8, rest="ffff 00000000")]
    assert serve(Kip35Broker(CLUSTER, Layouts(), RULES), chunks) == (answer(7) + answer(8), False)


def test_without_settings_a_broker_is_one_by_itself() -> None:
    sent, closed = reference.Reference().serve([request(7)], dialect=DIALECT)
    value = reference.decode("ResponseFrame:BrokerMetadata", sent, dialect=DIALECT, version=0)
    assert (value["body"]["Brokers"], closed) == (list(ALONE.brokers), False)


def test_a_cluster_that_does_not_list_the_broker_itself() -> None:
    among = Kip35Cluster(9, CLUSTER.brokers)
    assert (among.select([-1]), among.select([2, -1]), among.select([])) == ([], [BROKER], [BROKER])


@pytest.mark.parametrize("api_key", [0, 42, -1])
def test_the_api_key_can_be_another(api_key: int) -> None:
    layouts = Layouts(api_key)
    broker = Kip35Broker(CLUSTER, layouts, RULES)
    assert serve(broker, [request(7, api_key), request(8, 17)]) == (answer(7) + empty(8), False)
    client = Kip35Client(layouts, RULES)
    assert client.interpret(request(7, api_key), answer(7)) == ACCEPTED
    assert client.interpret(request(7, api_key), empty(7)) == unsupported("BrokerMetadataRequest")
    assert client.interpret(request(7, 17), empty(7)) == unsupported("api 17")


def test_the_api_key_comes_through_configure() -> None:
    found = reference.Reference()
    found.configure({"api_key": 42, "cluster": {"self": 2, "brokers": [BROKER]}}, dialect=DIALECT)
    assert found.serve([request(7, 42), request(8, 17)], dialect=DIALECT) == (answer(7) + empty(8), False)
    assert found.interpret(request(7, 42), answer(7), dialect=DIALECT) == ACCEPTED
    assert found.interpret(request(7, 42), empty(7), dialect=DIALECT) == unsupported("BrokerMetadataRequest")
    assert found.decode("RequestFrame", request(7, 42), dialect=DIALECT)["header"]["RequestApiKey"] == 42
    with pytest.raises(reference.DecodeError):
        found.decode("RequestFrame", request(7, 17), dialect=DIALECT)


@pytest.mark.parametrize("key", [True, "17", 2**15, -(2**15) - 1, None])
def test_what_is_no_api_key_is_refused(key: object) -> None:
    with pytest.raises(reference.SchemaError, match="api key"):
        reference.Reference().configure({"api_key": key}, dialect=DIALECT)


def test_the_dialect_s_api_key_is_17_and_can_be_another() -> None:
    assert kip_35.Kip35().apis() == {17: "BrokerMetadata"}
    assert kip_35.Kip35(42).apis() == {42: "BrokerMetadata"}
    assert kip_35.Kip35(42).serve([request(7, 42)], {"cluster": {"self": 2, "brokers": [BROKER]}}, RULES) == (
        answer(7),
        False,
    )


def test_a_frame_that_is_too_large_is_not_waited_for() -> None:
    assert serve(Kip35Broker(CLUSTER, Layouts(), RULES), [empty(1), bytes.fromhex("7fffffff")]) == (b"", True)
    assert serve(Kip35Broker(CLUSTER, Layouts(), RULES), [bytes.fromhex("7fffffff")]) == (b"", True)


def test_a_broker_of_the_other_reading() -> None:
    sent, closed = serve(Kip35Broker(CLUSTER, Layouts(), LITERAL), [request(7, 999), request(8)])
    assert (sent, closed) == (bytes.fromhex("00000000 00000007") + answer(8), False)


# --- The client -------------------------------------------------------------------------------------------------------


def test_the_error_names_the_request_and_the_connection_stays_usable() -> None:
    requests = [request(1), request(2, 0, 3), request(3, 999), request(4)]
    connection = conversation(NEW, *requests)
    sent = answer(1) + empty(2) + empty(3) + answer(4)
    outcomes = list(connection.receive(sent))
    assert outcomes == [ACCEPTED, unsupported("ProduceRequest"), unsupported("api 999"), ACCEPTED]
    said = [NEW.explain(one, outcome) for one, outcome in zip(requests, outcomes, strict=True)]
    assert said == [
        "BrokerMetadataRequest v0: answered",
        "ProduceRequest v3: request not supported by server",
        "api 999 v0: request not supported by server",
        "BrokerMetadataRequest v0: answered",
    ]
    assert not connection.open


def test_an_old_client_finds_it_malformed_and_reads_on() -> None:
    connection = conversation(OLD, request(1, 17), request(2, 0, 3), request(3))
    outcomes = list(connection.receive(empty(1) + empty(2) + answer(3)))
    assert outcomes == [malformed("BrokerMetadataRequest"), malformed("ProduceRequest"), ACCEPTED]
    assert OLD.explain(request(2, 0, 3), MALFORMED) == "ProduceRequest v3: its response cannot be parsed"


@pytest.mark.parametrize("client", [NEW, OLD], ids=["new", "old"])
@pytest.mark.parametrize("cut", range(1, 16))
def test_wherever_the_bytes_are_cut_the_boundary_is_kept(client: Kip35Client, cut: int) -> None:
    connection = conversation(client, request(1, 999), request(2, 17))
    sent = empty(1) + answer(2)
    first = malformed("api 999") if client is OLD else unsupported("api 999")
    assert [*connection.receive(sent[:cut]), *connection.receive(sent[cut:])] == [first, ACCEPTED]


@pytest.mark.parametrize("client", [NEW, OLD], ids=["new", "old"])
def test_length_0_word_by_word_would_lose_the_boundary(client: Kip35Client) -> None:
    """Why R-35-3 counts the correlation id: an existing client takes it for the next frame's length."""
    connection = conversation(client, request(1, 999), request(2))
    assert list(connection.receive(bytes.fromhex("00000000 00000001") + answer(2))) == [MALFORMED, MALFORMED]
    waiting = conversation(client, request(60, 999), request(61))
    assert list(waiting.receive(bytes.fromhex("00000000 0000003c") + answer(61))) == [MALFORMED]
    assert len(waiting.open) == 1  # hangs: sixty bytes are awaited


def test_a_client_of_the_other_reading_takes_both_forms() -> None:
    client = Kip35Client(Layouts(), LITERAL)
    literal = bytes.fromhex("00000000 00000007")
    assert client.interpret(request(7), literal) == unsupported("BrokerMetadataRequest")
    assert client.interpret(request(7), empty(7)) == unsupported("BrokerMetadataRequest")
    assert client.interpret(request(8), literal) == MALFORMED
    assert client.interpret(request(8), empty(7)) == MALFORMED
    assert client.interpret(request(7), empty(7) + b"\0") == MALFORMED
    assert client.interpret(request(7), answer(7)) == ACCEPTED


def test_a_closed_connection_ends_all_that_is_open() -> None:
    connection = conversation(NEW, request(1), request(2, 0, 3))
    assert list(connection.receive(answer(1))) == [ACCEPTED]
    assert connection.close() == [{"outcome": "error", "error": None}]
    assert connection.close() == []
    assert NEW.explain(request(2, 0, 3), {"outcome": "error", "error": None}) == (
        "ProduceRequest v3: the connection was closed"
    )


def test_an_answer_without_a_request() -> None:
    connection = conversation(NEW, request(1))
    found = connection.receive(answer(1) + answer(2))
    assert next(found) == ACCEPTED
    with pytest.raises(reference.DecodeError, match="no request is open"):
        next(found)


def test_a_size_that_no_frame_has_ends_the_reading() -> None:
    with pytest.raises(reference.DecodeError, match="frame size -1 is negative"):
        list(conversation(NEW, request(1)).receive(b"\xff\xff\xff\xff"))


def test_an_answer_that_the_draft_has_no_layout_for_is_not_judged() -> None:
    for api_key, version in ((0, 3), (17, 1)):
        with pytest.raises(NotImplementedError, match="KIP-35 has no layout for an answer to"):
            NEW.interpret(request(7, api_key, version), answer(7))


def test_an_answer_without_a_layout_costs_no_other_one() -> None:
    connection = conversation(NEW, request(1, 999), request(2, 0, 2), request(3))
    found = connection.receive(empty(1) + answer(2) + answer(3))
    assert next(found) == unsupported("api 999")
    with pytest.raises(NotImplementedError, match="no layout for an answer to ProduceRequest 2"):
        next(found)
    assert list(connection.receive(b"")) == [ACCEPTED]


def test_what_is_no_request_is_no_question() -> None:
    with pytest.raises(reference.EncodeError, match="no whole header"):
        NEW.interpret(request(7)[:11], answer(7))


@pytest.mark.parametrize(
    ("api_key", "name"),
    [(0, "ProduceRequest"), (10, "FindCoordinatorRequest"), (16, "ListGroupsRequest"), (18, "api 18"), (-1, "api -1")],
)
def test_the_names_of_requests(api_key: int, name: str) -> None:
    assert NEW.request_name(api_key) == name


def test_all_names_of_todays_keys_are_those_of_the_catalogue() -> None:
    today = reference.dialect_named("kafka").apis()
    known = {key: name for key, name in today.items() if key <= 16}
    assert known
    assert {key: f"{name}Request" for key, name in known.items()} == {key: NEW.request_name(key) for key in known}


# --- The dialect ------------------------------------------------------------------------------------------------------


def test_a_message_without_a_version_is_meant_in_its_only_one() -> None:
    assert reference.encode("BrokerMetadataRequest", {"NodeIds": [-1]}, dialect=DIALECT) == bytes.fromhex(
        "00000001 ffffffff"
    )


def test_what_the_dialect_has_not() -> None:
    with pytest.raises(reference.UnknownType, match="kip-35-v7 has no type 'VARINT'"):
        reference.decode("VARINT", b"\0", dialect=DIALECT)
    with pytest.raises(NotImplementedError, match="EmptyResponse has no tags"):
        reference.lookup("EmptyResponse", empty(7), "rack", dialect=DIALECT)


@pytest.mark.parametrize(
    ("tag", "said"),
    [("rack", "a pair takes a list of two, Key and Value"), (("rack",), "a pair takes"), (("a", "b", "c"), "a pair")],
)
def test_a_tag_is_a_pair(tag: Any, said: str) -> None:
    body = {"Brokers": [{**BROKER, "Tags": [("rack", "r1"), tag]}]}
    with pytest.raises(reference.EncodeError, match=said) as caught:
        reference.encode("BrokerMetadataResponse", body, dialect=DIALECT)
    assert caught.value.path == "Brokers[0].Tags[1]"


def test_a_fault_in_a_tag_has_its_path() -> None:
    with pytest.raises(reference.DecodeError) as caught:
        reference.decode("BrokerMetadataResponse", bytes.fromhex("00000001") + ENTRY[:-1], dialect=DIALECT)
    assert (caught.value.path, caught.value.offset) == ("Brokers[0].Tags[0].Value", 33)


@pytest.mark.parametrize("place", ["Host", "Key", "Value"])
def test_the_longest_text(place: str) -> None:
    """What an int16 counts: 32,767 bytes, of which é takes two."""

    def body(text: str) -> dict[str, Any]:
        tag = {"Key": "rack", "Value": "r1"} | {place: text}
        return {"Brokers": [{**BROKER, "Host": text if place == "Host" else "h", "Tags": [(tag["Key"], tag["Value"])]}]}

    longest = "é" * 16383 + "a"
    data = reference.encode("BrokerMetadataResponse", body(longest), dialect=DIALECT)
    assert b"\x7f\xff" + longest.encode() in data
    assert reference.decode("BrokerMetadataResponse", data, dialect=DIALECT) == body(longest)
    with pytest.raises(reference.EncodeError) as caught:
        reference.encode("BrokerMetadataResponse", body(longest + "a"), dialect=DIALECT)
    assert caught.value.reason == "string-too-long"


def test_what_an_answer_is_read_as() -> None:
    dialect = kip_35.Kip35()
    assert dialect.answer_type(17, 0, answer(7)[4:]) == ("ResponseFrame:BrokerMetadata", 0, "")
    assert (dialect.answer_type(999, 0, empty(7)[4:]) or ())[:2] == ("EmptyResponse", None)
    assert dialect.answer_type(999, 0, answer(7)[4:]) is None
    assert dialect.answer_type(17, 1, answer(7)[4:]) is None


# --- Whatever arrives -------------------------------------------------------------------------------------------------

REQUESTS = st.one_of(
    st.builds(request, st.integers(-(2**31), 2**31 - 1)),
    st.builds(request, st.integers(0, 9), st.integers(-(2**15), 2**15 - 1), st.integers(-2, 2)),
    st.binary(max_size=12),
)


@settings(deadline=None, derandomize=True, database=None)
@given(st.lists(REQUESTS, max_size=5), st.lists(st.integers(0, 120), max_size=6))
def test_how_the_bytes_are_cut_does_not_matter(requests: list[bytes], cuts: list[int]) -> None:
    whole = b"".join(requests)
    ends = [0, *sorted(min(cut, len(whole)) for cut in cuts), len(whole)]
    chunks = [whole[start:end] for start, end in itertools.pairwise(ends)]
    sent, closed = serve(Kip35Broker(CLUSTER, Layouts(), RULES), chunks)
    assert (sent, closed) == serve(Kip35Broker(CLUSTER, Layouts(), RULES), [whole])
    assert closed or len(sent) >= 8 * len(list(_whole(whole)))


def _whole(data: bytes) -> Iterator[bytes]:
    """The whole frames at the beginning of some bytes."""
    while len(data) >= 4 and len(data) >= 4 + (size := int.from_bytes(data[:4])):
        yield data[4 : 4 + size]
        data = data[4 + size :]


@settings(deadline=None, derandomize=True, database=None)
@given(st.one_of(st.binary(max_size=60), st.binary(max_size=40).map(lambda body: answer(7, body))))
def test_a_client_concludes_something_of_any_answer(response: bytes) -> None:
    assert NEW.interpret(request(7), response)["outcome"] in {"accepted", "unsupported", "malformed"}
    assert OLD.interpret(request(7), response)["outcome"] in {"accepted", "malformed"}
