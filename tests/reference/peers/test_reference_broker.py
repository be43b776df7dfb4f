"""A conforming broker, byte by byte: what patterns of vectors leave open, half frames, and what it cannot answer."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from wireproof.reference import Reference, Rules, catalog
from wireproof.reference.dialects.kafka import Kafka
from wireproof.reference.peers.answers import Cluster, Node
from wireproof.reference.peers.broker import Broker
from wireproof.reference.peers.connection import serve as run

KAFKA = "kafka"
#: ApiVersions v0, correlation id 1, no client id; and what a broker with just that api answers.
ASK_0 = "0000000a" + "0012" + "0000" + "00000001" + "ffff"
OWN = "001200000005"
TELL_0 = "00000010" + "00000001" + "0000" + "00000001" + OWN
ASK_3 = "0000000e" + "0012" + "0003" + "00000002" + "ffff" + "00" + "01" + "01" + "00"
TELL_3 = "00000013" + "00000002" + "0000" + "02" + OWN + "00" + "00000000" + "00"
ASK_99 = "0000000b" + "0012" + "0063" + "00000003" + "ffff" + "00"
FALL_99 = "00000010" + "00000003" + "0023" + "00000001" + OWN
ASK_OTHER = "0000000a" + "03e7" + "0000" + "00000004" + "ffff"
SETTINGS = {"apis": {"18": [0, 5]}}


def serve(*chunks: str, settings: Any = SETTINGS, **switches: Any) -> tuple[str, bool]:
    """What is sent, in hex, and whether the broker closed."""
    own = Reference(Rules(**switches))
    own.configure(settings, dialect=KAFKA)
    sent, closed = own.serve([bytes.fromhex(chunk) for chunk in chunks], dialect=KAFKA)
    return sent.hex(), closed


# --- Supported requests ---


def test_every_version_is_answered_in_its_own_layout() -> None:
    assert serve(ASK_0) == (TELL_0, False)
    for version in ("0001", "0002"):
        ask = "0000000a" + "0012" + version + "00000001" + "ffff"
        assert serve(ask) == ("00000014" + "00000001" + "0000" + "00000001" + OWN + "00000000", False)
    assert serve(ASK_3) == (TELL_3, False)
    ask_4 = ASK_3.replace("00120003", "00120004")
    assert serve(ask_4) == (TELL_3, False)
    ask_5 = "00000013" + "0012" + "0005" + "00000002" + "ffff" + "00" + "01" + "01" + "00" + "ffffffff" + "00"
    assert serve(ask_5) == (TELL_3, False)


def test_the_listed_apis_are_told_in_order() -> None:
    settings = {"apis": {"18": [0, 5], "3": [0, 13], "0": [3, 11]}}
    keys = "00000003" + "00000003000b" + "00030000000d" + OWN
    assert serve(ASK_0, settings=settings) == ("0000001c" + "00000001" + "0000" + keys, False)


def test_without_settings_a_broker_lists_what_it_can_answer() -> None:
    keys = "00000003" + "00000003000d" + "00030000000d" + OWN
    assert serve(ASK_0, settings={}) == ("0000001c" + "00000001" + "0000" + keys, False)


def test_of_another_catalogue_a_broker_lists_what_it_has_both_ways(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundled = Path(catalog.__file__).parent
    for name in ("ApiVersionsRequest", "ApiVersionsResponse", "MetadataRequest", "ResponseHeader"):
        shutil.copy(bundled / f"{name}.json", tmp_path)
    spans = {"ApiVersionsRequest": [0, 2], "ApiVersionsResponse": [0, 2], "MetadataRequest": [0, 1]}
    index = {"made_by": "this test", "apis": {"3": "Metadata", "18": "ApiVersions"}, "messages": spans}
    (tmp_path / "index.json").write_text(json.dumps(index))
    monkeypatch.setenv(catalog.VARIABLE, str(tmp_path))
    ask = "0000000a" + "0012" + "0001" + "00000001" + "ffff"
    assert serve(ask, settings={}) == (
        "00000014" + "00000001" + "0000" + "00000001" + "001200000002" + "00000000",
        False,
    )


# --- Half frames and pipelines ---


def test_a_half_frame_is_waited_for_byte_by_byte() -> None:
    broker = Broker(Kafka().messages, {18: (0, 5)}, Rules())
    for byte in bytes.fromhex(ASK_3)[:-1]:
        assert broker.receive(bytes([byte])) == b""
        assert not broker.closed
    assert broker.receive(bytes.fromhex(ASK_3)[-1:]).hex() == TELL_3
    assert not broker.closed


@pytest.mark.parametrize("cut", range(1, 14))
def test_a_frame_may_be_cut_anywhere(cut: int) -> None:
    assert serve(ASK_0[: 2 * cut]) == ("", False)
    assert serve(ASK_0[: 2 * cut], ASK_0[2 * cut :]) == (TELL_0, False)
    assert serve(ASK_3 + ASK_0[: 2 * cut], ASK_0[2 * cut :] + ASK_99) == (TELL_3 + TELL_0 + FALL_99, False)


def test_nothing_is_answered_after_closing() -> None:
    assert serve(ASK_OTHER + ASK_0) == ("", True)
    assert serve(ASK_OTHER, ASK_0) == ("", True)
    assert serve(ASK_OTHER + ASK_0, ASK_0) == ("", True)
    broker = Broker(Kafka().messages, {18: (0, 5)}, Rules())
    assert run(broker, [bytes.fromhex(ASK_OTHER)]) == (b"", True)
    assert broker.receive(bytes.fromhex(ASK_0)) == b""
    assert broker.closed


# --- Unsupported requests (R-K-17, R-K-18, R-K-23) ---


def test_a_narrower_broker_falls_back_within_its_own_range() -> None:
    settings = {"apis": {"18": [0, 2], "3": [0, 1]}}
    ask_3 = "0000000b" + "0012" + "0003" + "00000003" + "ffff" + "00"
    assert serve(ask_3, settings=settings) == ("00000010" + "00000003" + "0023" + "00000001" + "001200000002", False)
    oldest = {"apis": {"18": [0, 1]}}
    ask_2 = "0000000a" + "0012" + "0002" + "00000003" + "ffff"
    assert serve(ask_2, settings=oldest) == ("00000010" + "00000003" + "0023" + "00000001" + "001200000001", False)
    newer = {"apis": {"18": [1, 2]}}
    assert serve(ASK_0, settings=newer) == ("00000010" + "00000001" + "0023" + "00000001" + "001200010002", False)


def test_an_unsupported_version_of_another_api_is_closed_on() -> None:
    settings = {"apis": {"18": [0, 5], "3": [4, 12]}}
    for version in ("0003", "000d", "ffff"):
        assert serve("0000000a" + "0003" + version + "00000004" + "ffff", settings=settings) == ("", True)


def test_a_broker_without_api_versions_closes_on_it() -> None:
    assert serve(ASK_0, settings={"apis": {"3": [0, 1]}}) == ("", True)
    assert serve(ASK_99, settings={"apis": {}}) == ("", True)


def test_what_this_broker_can_list_but_not_answer_is_no_answer() -> None:
    with pytest.raises(
        NotImplementedError, match="has to list api 1, but it can only answer ApiVersions, Metadata, Produce"
    ):
        serve("0000000a" + "0001" + "0004" + "00000004" + "ffff", settings={"apis": {"1": [4, 18]}})
    with pytest.raises(NotImplementedError, match="there is no api with key 999"):
        serve(ASK_OTHER, settings={"apis": {"999": [0, 0]}})
    with pytest.raises(NotImplementedError, match="ApiVersionsRequest has versions 0-5, not 7"):
        serve(ASK_99.replace("0063", "0007"), settings={"apis": {"18": [0, 9]}})


# --- Metadata ---

ALL = {"apis": {"0": [3, 13], "3": [0, 13], "18": [0, 5]}}
LOCALHOST = "6c6f63616c686f7374"


def request(api_key: str, version: str, body: str, flexible: bool = False) -> str:
    """A request frame with correlation id 7 and no client id."""
    inside = api_key + version + "00000007" + "ffff" + ("00" if flexible else "") + body
    return f"{len(inside) // 2:08x}{inside}"


def answer(inside: str) -> str:
    """A response frame with correlation id 7; `inside` begins with the header's tag byte where there is one."""
    return f"{4 + len(inside) // 2:08x}" + "00000007" + inside


#: version → (a request for all topics, the answer): a broker without topics that is its own cluster.
METADATA = {
    0: ("00000000", "00000001" + "00000000" + "0009" + LOCALHOST + "00002384" + "00000000"),
    1: ("ffffffff", "00000001" + "00000000" + "0009" + LOCALHOST + "00002384" + "ffff" + "00000000" + "00000000"),
    8: (
        "ffffffff" + "000000",
        "00000000" + "00000001" + "00000000" + "0009" + LOCALHOST + "00002384" + "ffff"
        + "ffff" + "00000000" + "00000000" + "80000000",
    ),
    9: (
        "00" + "000000" + "00",
        "00" + "00000000" + "02" + "00000000" + "0a" + LOCALHOST + "00002384" + "00" + "00"
        + "00" + "00000000" + "01" + "80000000" + "00",
    ),
    13: (
        "00" + "0000" + "00",
        "00" + "00000000" + "02" + "00000000" + "0a" + LOCALHOST + "00002384" + "00" + "00"
        + "00" + "00000000" + "01" + "0000" + "00",
    ),
}  # fmt: skip


@pytest.mark.parametrize("version", METADATA)
def test_metadata_names_the_broker_itself(version: int) -> None:
    asked, told = METADATA[version]
    assert serve(request("0003", f"{version:04x}", asked, version >= 9), settings=ALL) == (answer(told), False)


def test_metadata_names_a_configured_cluster() -> None:
    brokers = [
        {"NodeId": 1, "Host": "a", "Port": 1, "ProtocolVersionMin": 0, "ProtocolVersionMax": 1, "Tags": []},
        {"NodeId": 2, "Host": "b", "Port": 65535, "ProtocolVersionMin": 0, "ProtocolVersionMax": 1, "Tags": []},
    ]
    cluster = {"self": 2, "brokers": brokers}
    assert Cluster.of(cluster) == Cluster(2, (Node(1, "a", 1), Node(2, "b", 65535)))
    told = "00000002" + "00000001" + "000161" + "00000001" + "ffff" + "00000002" + "000162" + "0000ffff" + "ffff"
    asked = request("0003", "0001", "ffffffff")
    assert serve(asked, settings={**ALL, "cluster": cluster}) == (answer(told + "00000002" + "00000000"), False)
    assert serve(asked, settings={**ALL, "cluster": {"self": 2, "brokers": []}}) == (
        answer("00000000" + "00000002" + "00000000"),
        False,
    )


def topics(version: int, asked: str, count: int = 1) -> str:
    """What is said of the topics asked for."""
    flexible = version >= 9
    number = f"{count + 1:02x}" if flexible else f"{count:08x}"
    flags = "" if version < 4 else "0000" if version > 10 else "000000"
    body = number + asked + flags + ("00" if flexible else "")
    frame = request("0003", f"{version:04x}", body, flexible)
    sent, closed = serve(frame, settings={**ALL, "cluster": {"self": 0, "brokers": []}})
    assert not closed
    before = {1: "00000000" + "00000000", 9: "00" + "00000000" + "01" + "00" + "00000000"}
    head = before[9 if flexible else 1]
    assert sent[16:].startswith(head)
    return sent[16 + len(head) :]


NO_ID = "00" * 16
SOME_ID = "00" * 15 + "05"
NO_MORE = "00" + "01" + "80000000" + "00"


def test_topics_are_unknown_by_name() -> None:
    assert topics(1, "000174") == "00000001" + "0003" + "000174" + "00" + "00000000"
    two = "0003" + "000174" + "00" + "00000000" + "0003" + "0000" + "00" + "00000000"
    assert topics(1, "000174" + "0000", 2) == "00000002" + two
    assert topics(9, "0274" + "00") == "02" + "0003" + "0274" + NO_MORE + "80000000" + "00"
    for version in (10, 11, 12, 13):
        after = {10: "80000000", 13: "0000"}.get(version, "")
        told = "02" + "0003" + "0274" + NO_ID + NO_MORE + after + "00"
        assert topics(version, NO_ID + "0274" + "00") == told


@pytest.mark.parametrize(("name", "named"), [("00", "00"), ("0274", "00")])
@pytest.mark.parametrize("version", [12, 13])
def test_topics_are_unknown_by_id(version: int, name: str, named: str) -> None:
    """As Kafka 4.4 answers: an id wins over a name."""
    told = "02" + "0064" + named + SOME_ID + NO_MORE + ("0000" if version == 13 else "") + "00"
    assert topics(version, SOME_ID + name + "00") == told


@pytest.mark.parametrize(("name", "named"), [("00", "01"), ("0274", "0274")])
@pytest.mark.parametrize("version", [10, 11])
def test_there_are_no_ids_before_version_12(version: int, name: str, named: str) -> None:
    """As Kafka 4.4 answers: error 42, and a name that is not null, which the version would not allow."""
    told = "02" + "002a" + named + SOME_ID + NO_MORE + ("80000000" if version == 10 else "") + "00"
    assert topics(version, SOME_ID + name + "00") == told


def test_a_name_that_its_replacement_makes_too_long_is_closed_on() -> None:
    """11,000 bytes of no text become 33,000 bytes, more than a string holds."""
    for count, closed in ((10922, False), (11000, True)):
        frame = request("0003", "0001", "00000001" + f"{count:04x}" + "ff" * count)
        sent, closes = serve(frame, settings=ALL, invalid_text="replaced")
        assert closes is closed
        assert bool(sent) is not closed
        assert serve(frame, settings=ALL) == ("", True)


# --- Produce ---


def produce(version: int, acks: str, of: str = "", trailing: str = "") -> str:
    """`of`: the topics with their count; by default none."""
    if version < 9:
        return request("0000", f"{version:04x}", "ffff" + acks + "000005dc" + (of or "00000000") + trailing)
    return request("0000", f"{version:04x}", "00" + acks + "000005dc" + (of or "01") + "00" + trailing, flexible=True)


#: One topic "t" with partitions 0 and 1, the first with null records, the second with one byte that is none.
CLASSIC = "00000001" + "000174" + "00000002" + "00000000" + "ffffffff" + "00000001" + "00000001" + "aa"
COMPACT = "02" + "0274" + "03" + "00000000" + "00" + "00" + "00000001" + "02aa" + "00" + "00"
BY_ID = "02" + SOME_ID + "02" + "00000000" + "00" + "00" + "00"


@pytest.mark.parametrize("version", range(3, 14))
def test_acks_0_is_met_with_silence(version: int) -> None:
    of = CLASSIC if version < 9 else COMPACT if version < 13 else BY_ID
    for frame in (produce(version, "0000"), produce(version, "0000", of)):
        assert serve(frame, settings=ALL) == ("", False)
        assert serve(frame + ASK_3, frame, ASK_3, settings=ALL)[1] is False
        listed = serve(ASK_3, settings=ALL)[0]
        assert serve(frame + ASK_3, frame, ASK_3, settings=ALL)[0] == listed + listed


NO_OFFSET = "ffffffffffffffff"


@pytest.mark.parametrize("acks", ["0001", "ffff", "0002"])
def test_other_acks_are_answered_for_each_partition(acks: str) -> None:
    assert serve(produce(3, acks), settings=ALL) == (answer("00000000" + "00000000"), False)
    assert serve(produce(9, acks), settings=ALL) == (answer("00" + "01" + "00000000" + "00"), False)
    first, second = ("0000000" + index + "0003" + NO_OFFSET * 2 for index in "01")
    told = "00000001" + "000174" + "00000002" + first + second + "00000000"
    assert serve(produce(3, acks, CLASSIC), settings=ALL) == (answer(told), False)
    more = NO_OFFSET + "01" + "00" + "00"  # log start offset, record errors, message, tags
    told = "00" + "02" + "0274" + "03" + first + more + second + more + "00" + "00000000" + "00"
    assert serve(produce(9, acks, COMPACT), settings=ALL) == (answer(told), False)
    by_id = "00000000" + "0064" + NO_OFFSET * 2 + more
    told = "00" + "02" + SOME_ID + "02" + by_id + "00" + "00000000" + "00"
    assert serve(produce(13, acks, BY_ID), settings=ALL) == (answer(told), False)


def test_produce_0_to_2_may_be_listed_and_is_closed_on() -> None:
    listed = {"apis": {"0": [0, 13], "18": [0, 5]}}
    keys = "00000002" + "00000000000d" + OWN
    assert serve(ASK_0, settings=listed) == ("00000016" + "00000001" + "0000" + keys, False)
    for version in range(3):
        body = "0001" + "000005dc" + "00000000"
        frame = request("0000", f"{version:04x}", body)
        for settings in (listed, ALL, SETTINGS):
            assert serve(frame, settings=settings) == ("", True)
            assert serve(frame, settings=settings, unsupported_request="error-35") == (answer("0023"), False)
    assert serve(produce(3, "0000"), settings=listed) == ("", False)
    for beyond in ("fffe", "000e"):
        assert serve(request("0000", beyond, "", flexible=True), settings=listed) == ("", True)


def test_a_byte_behind_a_body_may_be_passed_over() -> None:
    taken = {"trailing_bytes": "ignored"}
    assert serve(produce(3, "0000", "", "00"), settings=ALL, **taken) == ("", False)
    asked, told = METADATA[1]
    assert serve(request("0003", "0001", asked + "00"), settings=ALL, **taken) == (answer(told), False)


# --- Malformed requests (R-K-7, R-K-23) ---


def test_a_frame_below_its_header_is_waited_for_before_it_is_closed_on() -> None:
    assert serve("00000007" + "0012" + "0000" + "0000") == ("", False)
    assert serve("00000001") == ("", False)
    assert serve("00000001" + "00") == ("", True)


def test_the_largest_frame_is_waited_for() -> None:
    assert serve("06400000" + "0012") == ("", False)


# --- Other readings ---


def test_other_answers_to_an_unsupported_version() -> None:
    apis = {"apis": {"18": [0, 5], "3": [0, 1]}}
    assert serve(ASK_99, settings=apis) == (FALL_99, False)
    assert serve(ASK_99, settings=apis, fallback_keys="empty") == (
        "0000000a" + "00000003" + "0023" + "00000000",
        False,
    )
    assert serve(ASK_99, settings=apis, fallback_keys="full") == (
        "00000016" + "00000003" + "0023" + "00000002" + "000300000001" + OWN,
        False,
    )


def test_another_answer_to_an_unknown_api() -> None:
    error = "00000006" + "00000004" + "0023"
    assert serve(ASK_OTHER, unsupported_request="error-35") == (error, False)
    assert serve(ASK_OTHER + ASK_0, unsupported_request="error-35") == (error + TELL_0, False)
    assert serve("00000007" + "03e7" + "0000" + "000000", unsupported_request="error-35") == ("", True)


def test_bytes_behind_a_body_may_be_passed_over() -> None:
    behind = "0000000b" + "0012" + "0000" + "00000001" + "ffff" + "00"
    assert serve(behind, trailing_bytes="ignored") == (TELL_0, False)
    behind_3 = "0000000f" + "0012" + "0003" + "00000002" + "ffff" + "00" + "010100" + "00"
    assert serve(behind_3, trailing_bytes="ignored") == (TELL_3, False)
