"""A broker of wire-format with a clock that the test moves, and several connections."""

from __future__ import annotations

import pytest
from support.wire_format_frames import DIALECT, HI, decode, frame

from wireproof.reference import Rules
from wireproof.reference.dialects import DIALECTS
from wireproof.reference.dialects.wire_format import broker
from wireproof.reference.dialects.wire_format.waiting import CLIENT
from wireproof.reference.peers.topics import BATCH_COSTS

T0, T1 = ("t", 0), ("t", 1)
#: The bytes of one message in a partition.
SIZE = len(HI) // 2
REPLICA = 3


class Cluster:
    """A broker, and one connection for each who asks."""

    def __init__(self, rules: Rules | None = None) -> None:
        opened = DIALECTS[DIALECT].broker(("localhost", 9092), {}, rules or Rules())
        self.producer, self.client, self.replica = opened(), opened(), opened()


def produce(acks: int, timeout: int, *places: tuple[str, int]) -> bytes:
    """A request with one message for each of these partitions."""
    (message,) = decode("MESSAGE_SET", HI)
    rows = [
        {"topic": topic, "partition_data": [{"partition": number, "messages": [message]}]} for topic, number in places
    ]
    common = {"request_type_id": 0, "version_id": 0, "correlation_id": 7, "client_id": "c"}
    return frame("ProduceRequest", {**common, "required_acks": acks, "ack_timeout": timeout, "data": rows})


def fetch(offset: int, place: tuple[str, int] = T0, *, by: int = CLIENT, wait: int = 0, least: int = 0) -> bytes:
    rows = [{"topic": place[0], "partitions": [place[1]], "offsets": [offset]}]
    common = {"request_type_id": 1, "version_id": 0, "correlation_id": 8, "client_id": "c"}
    return frame(
        "FetchRequest", {**common, "replica_id": by, "max_wait": wait, "min_bytes": least, "topic_offsets": rows}
    )


def errors(sent: bytes) -> list[int]:
    found: list[int] = decode("ProduceResponse", sent.hex())["errors"]
    return found


def count(sent: bytes) -> int:
    """How many messages were fetched from the only partition."""
    (row,) = decode("FetchResponse", sent.hex())["data"]
    (partition,) = row["partition_data"]
    return len(partition["messages"])


# --- Long polls ---


def test_a_fetch_is_answered_when_max_wait_has_gone_by_and_not_before() -> None:
    cluster = Cluster()
    assert cluster.client.receive(fetch(0, wait=100, least=1), 50.0) == b""
    assert cluster.client.deadline == 150.0
    assert cluster.client.poll(149.0) == b""
    assert count(cluster.client.poll(150.0)) == 0
    assert cluster.client.deadline is None


def test_a_fetch_is_answered_when_min_bytes_are_there() -> None:
    cluster = Cluster()
    assert cluster.client.receive(fetch(0, wait=100, least=2 * SIZE), 0.0) == b""
    cluster.producer.receive(produce(1, 0, T0), 10.0)
    assert cluster.client.poll(10.0) == b"", "there is half of it"
    cluster.producer.receive(produce(1, 0, T0), 20.0)
    assert count(cluster.client.poll(20.0)) == 2


@pytest.mark.parametrize(("wait", "least"), [(0, 1), (-1, 1), (100, 0)])
def test_a_fetch_that_does_not_wait(wait: int, least: int) -> None:
    assert count(Cluster().client.receive(fetch(0, wait=wait, least=least))) == 0


# --- Acknowledgements ---


def test_an_error_comes_when_ack_timeout_is_over_and_not_before() -> None:
    cluster = Cluster()
    assert cluster.producer.receive(produce(2, 100, T0), 0.0) == b""
    assert cluster.producer.poll(99.0) == b""
    assert errors(cluster.producer.poll(100.0)) == [7]
    assert count(cluster.client.receive(fetch(0), 101.0)) == 1, "the leader has it all the same"


def test_a_replica_s_fetch_acknowledges_what_is_before_its_offset() -> None:
    cluster = Cluster()
    cluster.producer.receive(produce(2, 100, T0), 0.0)
    cluster.replica.receive(fetch(0, by=REPLICA), 10.0)
    assert cluster.producer.poll(10.0) == b"", "it has asked for the message, and does not have it"
    cluster.replica.receive(fetch(1, T1, by=REPLICA), 20.0)
    assert cluster.producer.poll(20.0) == b"", "of another partition"
    cluster.client.receive(fetch(1, by=CLIENT), 30.0)
    assert cluster.producer.poll(30.0) == b"", "a client's fetch acknowledges nothing"
    cluster.replica.receive(fetch(1, by=REPLICA), 40.0)
    assert errors(cluster.producer.poll(40.0)) == [-1]


def test_all_in_sync_are_those_that_have_fetched() -> None:
    cluster = Cluster()
    assert errors(cluster.producer.receive(produce(-1, 100, T0), 0.0)) == [-1]
    cluster.replica.receive(fetch(1, by=REPLICA), 0.0)
    assert cluster.producer.receive(produce(-1, 100, T0), 0.0) == b""
    cluster.replica.receive(fetch(2, by=REPLICA), 10.0)
    assert errors(cluster.producer.poll(10.0)) == [-1]


def test_the_nth_error_is_of_the_nth_set() -> None:
    cluster = Cluster()
    cluster.replica.receive(fetch(0, T1, by=REPLICA), 0.0)
    cluster.producer.receive(produce(2, 100, T0, T1), 0.0)
    cluster.replica.receive(fetch(1, T1, by=REPLICA), 10.0)
    assert errors(cluster.producer.poll(100.0)) == [7, -1]


def test_as_many_acks_as_there_are_replicas_have_a_meaning_where_others_are_closed_on() -> None:
    cluster = Cluster(Rules(required_acks="replicas-or-closed"))
    cluster.replica.receive(fetch(0, by=REPLICA), 0.0)
    assert cluster.producer.receive(produce(2, 0, T0), 0.0) != b""
    assert not cluster.producer.closed
    assert cluster.producer.receive(produce(3, 0, T0), 0.0) == b""
    assert cluster.producer.closed


# --- Memory ---


def test_what_is_too_much_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = Cluster()
    monkeypatch.setattr(broker, "MOST_BYTES", 2 * BATCH_COSTS)
    found = [errors(cluster.producer.receive(produce(1, 0, T0))) for _ in range(2)]
    assert found == [[-1], [56]]
    assert count(cluster.client.receive(fetch(0))) == 1


def test_there_may_be_too_many_replicas(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = Cluster()
    with monkeypatch.context() as patch:
        patch.setattr(broker, "MOST_BYTES", 0)
        cluster.replica.receive(fetch(0, by=REPLICA))
    assert errors(cluster.producer.receive(produce(-1, 100, T0))) == [-1], "it is not waited for"
