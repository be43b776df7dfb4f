"""Captures: connections put together, frames matched and judged."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

pytest.importorskip("pyarrow", reason="the extra `pipeline` is not installed")
pytest.importorskip("dpkt", reason="the extra `pipeline` is not installed")

from support.captures import CLIENT, FIN, Conversation, Sent, disturbed, packet, pcap, pcapng, segments

from wireproof.pipeline.audit.captures.exchange import Frame
from wireproof.pipeline.audit.captures.frames import frames, stream_frames
from wireproof.pipeline.audit.files import find
from wireproof.pipeline.errors import PipelineError

#: ApiVersions 3 and Metadata 12, and their answers.
REQUESTS = (
    bytes.fromhex("00000012 0012 0003 00000001 0002 6d65 00  02 78 02 31 00"),
    bytes.fromhex("00000011 0003 000c 00000002 0002 6d65 00  00 01 00 00"),
)
ANSWERS = (
    bytes.fromhex("00000013 00000001 0000 02 0012 0000 0004 00 00000000 00"),
    bytes.fromhex(
        "00000057 00000002 00 00000000 02 00000001 066b61666b61 00002384 00 00 0263 00000001"
        "02 0000 0274 00000000000000000000000000000009 00"
        "02 0000 00000000 00000001 00000000 02 00000001 02 00000001 01 00"
        "80000000 00 00"
    ),
)
PIPELINED = Conversation([(True, b"".join(REQUESTS)), (False, b"".join(ANSWERS))])


def read(sent: Sequence[Sent], ports: frozenset[int] = frozenset()) -> list[Frame]:
    data = pcap([packet(one) for one in sent])
    return list(frames(data, "a.pcap", ports))


def shown(found: Sequence[Frame]) -> list[tuple[str, str | None, int | None, int | None, str]]:
    return sorted((one.direction, one.api, one.version, one.correlation_id, str(one.verdict)) for one in found)


BOTH = [
    ("request", "ApiVersions", 3, 1, "pass"),
    ("request", "Metadata", 12, 2, "pass"),
    ("response", "ApiVersions", 3, 1, "pass"),
    ("response", "Metadata", 12, 2, "pass"),
]


@pytest.mark.parametrize("size", [1, 3, 7, 1000])
def test_pipelined_requests(size: int) -> None:
    found = read(segments(PIPELINED, size))
    assert shown(found) == BOTH
    assert {one.connection for one in found} == {"10.0.0.1:40000 > 10.0.0.2:9092"}
    assert sorted((one.direction, one.offset) for one in found) == [
        ("request", 0),
        ("request", 22),
        ("response", 0),
        ("response", 23),
    ]


def test_text_that_is_not_utf_8_is_contested() -> None:
    """Kafka's own broker reads such a client id, and answers."""
    asked = REQUESTS[0].replace(b"me", b"m\xff")
    found = read(segments(Conversation([(True, asked), (False, ANSWERS[0])])))
    assert [(one.direction, str(one.verdict)) for one in found] == [("request", "contested"), ("response", "pass")]
    assert found[0].trouble is not None
    assert (found[0].trouble.reason, found[0].trouble.offset) == ("invalid-utf8", 12)


def test_answers_in_another_order() -> None:
    talk = Conversation([(True, b"".join(REQUESTS)), (False, ANSWERS[1] + ANSWERS[0])])
    assert shown(read(segments(talk))) == BOTH


@pytest.mark.parametrize("seed", range(40))
def test_segments_out_of_order_and_twice(seed: int) -> None:
    talk = Conversation(
        [(True, REQUESTS[0]), (False, ANSWERS[0]), (True, REQUESTS[1]), (False, ANSWERS[1])], isn=2**32 - 60
    )
    assert shown(read(disturbed(segments(talk, 6), seed))) == BOTH


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("write", [pcap, pcapng])
def test_formats(write: object, order: str) -> None:
    assert callable(write)
    data = write([packet(one) for one in segments(PIPELINED)], order)
    found = list(frames(data, "a"))
    assert shown(found) == BOTH
    assert found[0].time is not None
    assert 1_700_000_000_000 <= found[0].time <= 1_700_000_004_000


def test_nanoseconds_and_ipv6() -> None:
    data = pcap([packet(one, v6=True) for one in segments(PIPELINED)], magic=0xA1B23C4D)
    found = list(frames(data, "a"))
    assert shown(found) == BOTH
    assert found[0].connection == "[::1]:40000 > [::2]:9092"


def test_a_capture_that_begins_later() -> None:
    assert shown(read(segments(PIPELINED, syn=False))) == BOTH


def test_a_port_that_is_used_again() -> None:
    again = Conversation(PIPELINED.said, isn=5_000_000)
    assert len(read([*segments(PIPELINED), *segments(again)])) == 8


def test_another_protocol() -> None:
    talk = Conversation([(True, b"GET / HTTP/1.1\r\n\r\n"), (False, b"HTTP/1.1 200 OK\r\n\r\n")])
    assert read(segments(talk)) == []
    assert read(segments(PIPELINED), frozenset({9093})) == []
    (wrong,) = [one for one in read(segments(talk), frozenset({9092})) if one.direction == "request"]
    assert (wrong.trouble and wrong.trouble.reason, wrong.verdict) == ("resource-limit", "fail")


def wrong(found: Sequence[Frame]) -> list[tuple[str, int, str, str, int]]:
    return [
        (one.direction, one.offset, str(one.verdict), str(one.trouble.reason), one.trouble.offset)
        for one in found
        if one.trouble is not None
    ]


def changed(data: bytes, at: int, new: bytes) -> bytes:
    return data[:at] + new + data[at + len(new) :]


TALKS: dict[str, tuple[Conversation, list[tuple[str, int, str, str, int]]]] = {
    "an answer's array is too long": (
        Conversation([(True, b"".join(REQUESTS)), (False, ANSWERS[0] + changed(ANSWERS[1], 13, b"\x7f"))]),
        [("response", 23, "fail", "truncated", 36)],
    ),
    "a request's string is too long": (
        Conversation([(True, changed(REQUESTS[0], 17, b"\x40") + REQUESTS[1]), (False, b"".join(ANSWERS))]),
        [("request", 0, "fail", "truncated", 17)],
    ),
    "a byte after an answer": (
        Conversation([(True, REQUESTS[0]), (False, changed(ANSWERS[0], 3, b"\x14") + b"\0")]),
        [("response", 0, "fail", "trailing-bytes", 23)],
    ),
    "an impossible size": (
        Conversation([(True, b"".join(REQUESTS)), (False, ANSWERS[0] + b"\xff\xff\xff\xff" + ANSWERS[1])]),
        [("response", 23, "fail", "negative-length", 23), ("request", 22, "unmatched", "unmatched", 22)],
    ),
    "an answer that nobody asked for": (
        Conversation([(True, REQUESTS[0]), (False, ANSWERS[0] + ANSWERS[1])]),
        [("response", 23, "fail", "unmatched", 27)],
    ),
    "an answer that is given twice": (
        Conversation([(True, REQUESTS[0]), (False, ANSWERS[0] + ANSWERS[0])]),
        [("response", 23, "fail", "unmatched", 27)],
    ),
    "a request without an answer": (
        Conversation([(True, b"".join(REQUESTS)), (False, ANSWERS[0])]),
        [("request", 22, "unmatched", "unmatched", 22)],
    ),
    "a frame that is cut off": (
        Conversation([(True, b"".join(REQUESTS)), (False, ANSWERS[0] + ANSWERS[1][:50])]),
        [("request", 22, "unmatched", "unmatched", 22), ("response", 23, "torn-tail", "truncated", 23)],
    ),
    "an answer of two bytes": (
        Conversation([(True, REQUESTS[0]), (False, b"\0\0\0\2\0\0")]),
        [("response", 0, "fail", "truncated", 4), ("request", 0, "unmatched", "unmatched", 0)],
    ),
}


@pytest.mark.parametrize("name", TALKS)
def test_wrong_frames(name: str) -> None:
    talk, expected = TALKS[name]
    assert wrong(read(segments(talk, 9))) == expected


def test_a_lost_segment() -> None:
    sent = segments(PIPELINED, 10)
    del sent[-4]
    found = wrong(read(sent))
    assert [one[0] for one in found if one[2] == "torn-tail"] == ["response"]
    assert not [one for one in found if one[2] == "fail"]


def test_records_in_a_produce_request() -> None:
    from support.log_segments import COUNT, batch

    from wireproof import reference

    def request(records: bytes) -> bytes:
        body = {"TransactionalId": None, "Acks": 1, "TimeoutMs": 10}
        data = {"Name": "t", "PartitionData": [{"Index": 0, "Records": records}]}
        header = {"RequestApiKey": 0, "RequestApiVersion": 9, "CorrelationId": 5, "ClientId": "c"}
        value = {"header": header, "body": {**body, "TopicData": [data]}}
        return reference.encode("RequestFrame", value, dialect="kafka")

    good = batch(0)
    bad = changed(good, COUNT, b"\x7f")
    assert [one[2:4] for one in wrong(read(segments(Conversation([(True, request(good))]))))] == [
        ("unmatched", "unmatched")
    ]
    frame = request(bad)
    expected = ("request", 0, "fail", "crc-mismatch", frame.index(bad) + 17)
    assert wrong(read(segments(Conversation([(True, frame)])))) == [expected]


def test_a_request_without_acks_has_no_answer() -> None:
    frame = bytes.fromhex("00000018 0000 0003 00000005 0001 63 ffff 0000 00000010 00000000") + b"\0"
    assert [one.verdict for one in read(segments(Conversation([(True, frame)])))] == ["fail"]
    frame = bytes.fromhex("00000017 0000 0003 00000005 0001 63 ffff 0000 00000010 00000000")
    assert [one.verdict for one in read(segments(Conversation([(True, frame)])))] == ["pass"]


@pytest.mark.parametrize("write", [pcap, pcapng])
def test_a_capture_that_is_cut_off(write: object) -> None:
    assert callable(write)
    data = write([packet(one) for one in segments(PIPELINED)])
    with pytest.raises(PipelineError, match=r"a\.pcap is cut off: at byte"):
        list(frames(data[:-3], "a.pcap"))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is no capture"),
        (b"abcdefgh", "is no capture"),
        (pcap([])[:20], "is cut off"),
        (pcap([]) + bytes(8) + b"\xff\xff\xff\x7f" + bytes(4), "the capture is damaged there"),
        (pcapng([]) + b"\x06\0\0\0\x01\0\0\0" + bytes(8), "the capture is damaged there"),
    ],
)
def test_no_captures(data: bytes, said: str) -> None:
    with pytest.raises(PipelineError, match=said):
        list(frames(data, "a"))


def test_packets_of_other_kinds(tmp_path: Path) -> None:
    others = [b"", bytes(5), bytes(60), bytes(12) + b"\x08\x06" + bytes(46), bytes(12) + b"\x08\x00" + b"\x45" * 40]
    data = pcap([*others, *(packet(one) for one in segments(PIPELINED)), *others])
    assert shown(list(frames(data, "a"))) == BOTH


def test_bytes_that_never_come_are_not_kept_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    import wireproof.pipeline.audit.captures.tcp as module

    monkeypatch.setattr(module, "_MOST_WAITING", 1000)
    sent = segments(PIPELINED, 10)
    far = [(True, 5000 + number * 100, 0x10, bytes(100)) for number in range(100)]
    found = read([*sent, *far, (True, 900_000, FIN, b"")])
    assert shown([one for one in found if one.verdict == "pass"]) == BOTH
    assert CLIENT[1] == 40000


class TestStreams:
    """Two files with the bytes of a connection's directions, without packets."""

    def test_they_are_matched(self) -> None:
        found = list(stream_frames(b"".join(REQUESTS), b"".join(ANSWERS)))
        assert shown(found) == BOTH
        assert {(one.connection, one.time) for one in found} == {(None, None)}
        assert sorted((one.direction, one.offset) for one in found) == [
            ("request", 0),
            ("request", 22),
            ("response", 0),
            ("response", 23),
        ]

    def test_many_times_what_is_read_at_once(self) -> None:
        count = 2000
        found = list(stream_frames(b"".join(REQUESTS) * count, b"".join(ANSWERS) * count))
        assert len(found) == 4 * count
        assert {one.verdict for one in found} == {"pass"}
        assert max(one.offset for one in found if one.direction == "response") == count * 114 - 91

    def test_one_of_them_is_missing(self) -> None:
        asked = list(stream_frames(b"".join(REQUESTS), b""))
        told = list(stream_frames(b"", b"".join(ANSWERS)))
        assert [str(one.verdict) for one in (*asked, *told)] == ["unmatched"] * 4
        assert [one.correlation_id for one in told] == [1, 2]

    def test_the_end_is_cut_off(self) -> None:
        found = list(stream_frames(b"".join(REQUESTS), b"".join(ANSWERS)[:-1]))
        assert [(one.direction, str(one.verdict)) for one in found if one.verdict != "pass"] == [
            ("request", "unmatched"),
            ("response", "torn-tail"),
        ]

    def test_a_wrong_byte_is_told_at_its_offset(self) -> None:
        wrong = bytearray(b"".join(ANSWERS))
        wrong[41] = 0xFF  # the length of the host's name
        (bad,) = [one for one in stream_frames(b"".join(REQUESTS), bytes(wrong)) if one.verdict == "fail"]
        assert bad.trouble is not None
        assert (bad.direction, bad.correlation_id, bad.trouble.offset) == ("response", 2, 41)

    def test_files_are_found_in_pairs(self, tmp_path: Path) -> None:
        for name in ("a.requests", "a.responses", "b.requests", "c.responses", "d.txt"):
            (tmp_path / name).write_bytes(b"")
        _, captures = find([str(tmp_path), str(tmp_path / "a.responses")])
        named = [{way: Path(path).name for way, path in one.streams.items()} for one in captures]
        assert named == [
            {"request": "a.requests", "response": "a.responses"},
            {"request": "b.requests"},
            {"response": "c.responses"},
        ]
