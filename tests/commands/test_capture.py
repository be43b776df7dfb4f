"""Captured bytes: where frames begin, their types, and the messages where these are unknown."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wireproof import reference
from wireproof.explain.capture import Capture, CapturedFrame, NotToldError

# Protocol guide: size, api key, version, correlation id, client id "me", header v2's tags; then the body.
API_VERSIONS = bytes.fromhex("00000012 0012 0003 00000001 0002 6d65 00" + "0278 0231 00")
METADATA = bytes.fromhex("00000011 0003 000c 00000002 0002 6d65 00" + "00 01 00 00")
# Size, correlation id (header v0, as always for ApiVersions), error, one key with its tags, throttle time, tags.
API_VERSIONS_ANSWER = bytes.fromhex("00000013 00000001" + "0000 02 0012 0000 0004 00 00000000 00")
# KIP-511: to a version that the broker lacks it answers version 0, error 35, with its own range.
FALLBACK_ANSWER = bytes.fromhex("00000010 00000001" + "0023 00000001 0012 0000 0004")
# Size, correlation id, tags (header v1); throttle, no brokers, null cluster id, controller −1, no topics, tags.
METADATA_ANSWER = bytes.fromhex("00000011 00000002 00" + "00000000 01 00 ffffffff 01 00")

# kip-35-v7: size, api key 999, version 0, correlation id 7; BrokerMetadata 0, correlation id 9, no client id, node −1.
UNKNOWN = bytes.fromhex("00000008 03e7 0000 00000007")
BROKER_METADATA = bytes.fromhex("00000012 0011 0000 00000009 ffff 00000001 ffffffff")
BROKER_METADATA_ANSWER = bytes.fromhex("00000008 00000009 00000000")
EMPTY = bytes.fromhex("00000004 00000007")
LITERAL = bytes.fromhex("00000000 00000007")


def requests(data: bytes) -> list[CapturedFrame]:
    return Capture(data, "kafka").requests()


def responses(data: bytes, asked: bytes) -> list[CapturedFrame]:
    return Capture(data, "kafka").responses(Capture(asked, "kafka"))


def kinds(frames: Iterable[CapturedFrame]) -> list[tuple[int, int, str | None, int | None]]:
    return [(frame.start, frame.end, frame.type, frame.version) for frame in frames]


def test_a_request_says_what_it_is() -> None:
    (frame,) = requests(METADATA)
    assert kinds([frame]) == [(0, 21, "RequestFrame", None)]
    assert frame.why == "size 17 fits, api key 3 is Metadata, version 12"
    assert frame.sized
    assert frame.explanation == reference.explain("RequestFrame", METADATA, dialect="kafka")
    assert frame.explanation.value["body"]["Topics"] is None


@pytest.mark.parametrize("whole", [API_VERSIONS, METADATA])
def test_a_request_without_its_size(whole: bytes) -> None:
    (frame,) = requests(whole[4:])
    assert not frame.sized
    assert frame.why.startswith("no size stands before it, api key")
    sized = reference.explain("RequestFrame", whole, dialect="kafka")
    assert frame.explanation.value == sized.value
    assert [(span.path, span.start + 4) for span in frame.explanation.spans] == [
        (span.path, span.start) for span in sized.spans[1:]
    ]


def test_a_request_without_its_size_that_is_refused() -> None:
    (frame,) = requests(METADATA[4:-1])
    error = frame.explanation.error
    assert error is not None
    assert (error.reason, error.offset, error.path) == ("truncated", 16, "body._tags")


def test_header_versions() -> None:
    # Metadata 0: header 1, without tags; the body is an empty array.
    (frame,) = requests(bytes.fromhex("0000000e 0003 0000 00000007 ffff" + "00000000"))
    assert frame.explanation.value == {
        "header": {"RequestApiKey": 3, "RequestApiVersion": 0, "CorrelationId": 7, "ClientId": None},
        "body": {"Topics": []},
    }


def test_frame_after_frame() -> None:
    broken = bytearray(METADATA)
    broken[-1] = 1  # one tag is announced, and none follows
    frames = requests(API_VERSIONS + broken + METADATA)
    assert kinds(frames) == [(start, end, "RequestFrame", None) for start, end in ((0, 22), (22, 43), (43, 64))]
    errors = [frame.explanation.error for frame in frames]
    assert errors[0] is errors[2] is None
    assert errors[1] is not None
    assert (errors[1].reason, errors[1].offset) == ("truncated", 42)
    assert frames[2].explanation.spans[0].start == 43
    assert frames[2].explanation.value == requests(METADATA)[0].explanation.value


def test_the_last_frame_may_be_cut_off() -> None:
    *_, frame = requests(API_VERSIONS + METADATA[:-2])
    error, spans = frame.explanation.error, frame.explanation.spans
    assert error is not None
    assert (error.reason, error.offset, error.path) == ("truncated", 22, "size")
    assert error.detail == "frame size 17, but 15 bytes are left"
    assert (spans[0].what, spans[0].value) == ("frame size", 17)
    assert (spans[-1].path, spans[-1].end) == ("body.AllowAutoTopicCreation", 41)
    *_, frame = requests(API_VERSIONS + METADATA[:3])
    assert frame.why == "of its size 3 bytes are there"
    assert frame.explanation.error is not None
    assert frame.explanation.error.offset == 22


def test_a_size_that_no_frame_has_ends_the_division() -> None:
    frames = requests(API_VERSIONS + b"\xff\xff\xff\xff" + METADATA)
    assert kinds(frames)[1] == (22, 47, "RequestFrame", None)
    assert "size -1 is no frame's" in frames[1].why
    assert frames[1].explanation.error is not None
    assert frames[1].explanation.error.reason == "negative-length"


def test_a_version_that_is_none() -> None:
    data = bytearray(METADATA)
    data[7] = 14
    (frame,) = requests(bytes(data))
    assert frame.why == "size 17 fits, api key 3 is Metadata, which has versions 0 to 13, not 14"
    assert frame.explanation.error is not None
    assert (frame.explanation.error.reason, frame.explanation.error.offset) == ("unsupported-version", 6)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "0 bytes: a request needs 4"),
        (b"\x00\x03\x00", "3 bytes: a request needs 4"),
        (METADATA_ANSWER[:4] + b"\x7f" + METADATA_ANSWER[5:], "size 17 fits, api key 32512 is no api"),
        (METADATA_ANSWER, "api key 0 is Produce, which has versions 3 to 13, not 2"),
        (METADATA_ANSWER, "give the request that it answers with --request"),
        (b"GET / HTTP/1.1\r\n\r\n", "without its size: api key 18245 is no api of this catalogue"),
    ],
)
def test_what_does_not_tell(data: bytes, words: str) -> None:
    with pytest.raises(NotToldError) as caught:
        requests(data)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("dialect", "advice"),
    [
        (
            "kafka",
            "TYPE, such as ResponseFrame:Produce --version 13. A message without its header needs a TYPE too, such as "
            "ProduceResponse --version 13.",
        ),
        ("wire-format", "TYPE, such as ProduceResponse."),
        ("kip-82-string-keys", "Say their TYPE."),
    ],
)
def test_the_advice_names_types_of_the_dialect(dialect: str, advice: str) -> None:
    with pytest.raises(NotToldError) as caught:
        Capture(METADATA_ANSWER, dialect).requests()
    assert str(caught.value).endswith(advice)


def test_a_response_that_looks_like_a_request_of_api_0() -> None:
    answer = METADATA_ANSWER[:7] + b"\x05" + METADATA_ANSWER[8:]  # correlation id 5: Produce, version 5
    (frame,) = requests(answer)
    assert frame.explanation.error is not None
    assert frame.why.endswith("a response with correlation id 5 looks alike: see --request")


def test_responses_by_correlation_id() -> None:
    frames = responses(METADATA_ANSWER + API_VERSIONS_ANSWER, API_VERSIONS + METADATA)
    assert kinds(frames) == [
        (0, 21, "ResponseFrame:Metadata", 12),
        (21, 44, "ResponseFrame:ApiVersions", 3),
    ]
    assert [frame.explanation.error for frame in frames] == [None, None]
    assert frames[0].why == (
        "size 17 fits; its correlation id, 2, is that of request 2: api key 3 is Metadata, version 12"
    )
    assert frames[1].explanation.value["body"]["ApiKeys"] == [{"ApiKey": 18, "MinVersion": 0, "MaxVersion": 4}]
    assert frames[1].explanation.spans[0].start == 21


def test_a_correlation_id_that_comes_again_is_the_next_request_s() -> None:
    # Metadata 0 with correlation id 1, null client id, empty array.
    again = bytes.fromhex("0000000e 0003 0000 00000001 ffff 00000000")
    answer = bytes.fromhex("0000000c 00000001 00000000 00000000")
    frames = responses(API_VERSIONS_ANSWER + answer, API_VERSIONS + again)
    assert [frame.type for frame in frames] == ["ResponseFrame:ApiVersions", "ResponseFrame:Metadata"]
    assert [frame.explanation.error for frame in frames] == [None, None]


def test_error_35_of_api_versions_is_of_version_0() -> None:
    (frame,) = responses(FALLBACK_ANSWER, API_VERSIONS)
    assert kinds([frame]) == [(0, 20, "ResponseFrame:ApiVersions", 0)]
    assert frame.why.endswith("version 3; with error 35 it is of version 0")
    assert frame.explanation.error is None


def test_a_response_that_nobody_asked_for() -> None:
    frames = responses(METADATA_ANSWER + API_VERSIONS_ANSWER, API_VERSIONS)
    assert kinds(frames) == [(0, 21, None, None), (21, 44, "ResponseFrame:ApiVersions", 3)]
    assert frames[0].why == "size 17 fits; no request has its correlation id, 2"
    assert frames[0].explanation.spans == ()


def test_one_response_belongs_to_the_one_request() -> None:
    (frame,) = responses(METADATA_ANSWER[:7] + b"\x09" + METADATA_ANSWER[8:], METADATA)
    assert frame.type == "ResponseFrame:Metadata"
    assert frame.explanation.error is None
    assert "its correlation id, 9, is not 2, that of request 1" in frame.why


def test_a_response_without_its_size() -> None:
    (frame,) = responses(METADATA_ANSWER[4:], METADATA[4:])
    assert not frame.sized
    assert (frame.start, frame.end) == (0, 17)
    assert frame.explanation.error is None
    assert frame.explanation.spans[0].path == "header.CorrelationId"


def test_a_request_of_no_api_has_no_response() -> None:
    unknown = METADATA[:4] + b"\x7f\x00" + METADATA[6:]
    frames = responses(METADATA_ANSWER, API_VERSIONS + unknown)
    assert kinds(frames) == [(0, 21, None, None)]
    assert frames[0].why.endswith("that of request 2: api key 32512 is no api of this catalogue")


def test_no_responses() -> None:
    with pytest.raises(NotToldError, match="there are no bytes"):
        responses(b"", METADATA)
    with pytest.raises(NotToldError, match="do not say what they are"):
        responses(METADATA_ANSWER, METADATA_ANSWER)


def test_a_frame_in_another_reading_names_the_ruling() -> None:
    (frame,) = requests(METADATA[:3] + b"\x12" + METADATA[4:] + b"\x07")  # a byte behind the body
    assert frame.explanation.error is not None
    assert frame.explanation.error.reason == "trailing-bytes"
    assert frame.rulings == ("R-K-7",)


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    whole = [API_VERSIONS, METADATA, METADATA + API_VERSIONS, METADATA_ANSWER, UNKNOWN, BROKER_METADATA, EMPTY, LITERAL]
    data = bytearray(draw(st.sampled_from(whole)))
    for _ in range(draw(st.integers(0, 3))):
        data[draw(st.integers(0, len(data) - 1))] = draw(st.integers(0, 255))
    return bytes(data[: draw(st.integers(0, len(data)))])


@pytest.mark.parametrize("dialect", ["kafka", "kip-35-v7"])
@given(data=st.one_of(st.binary(max_size=60), damaged()), asked=st.one_of(st.none(), damaged()))
def test_whatever_the_bytes_are_frames_follow_one_another(dialect: str, data: bytes, asked: bytes | None) -> None:
    capture = Capture(data, dialect)
    try:
        frames = capture.requests() if asked is None else capture.responses(Capture(asked, dialect))
    except NotToldError:
        return
    assert frames[0].start == 0
    assert [frame.end for frame in frames] == [*(frame.start for frame in frames[1:]), len(data)]
    for frame in frames:
        position = frame.start
        for span in frame.explanation.spans:
            assert span.start == position
            position = span.end
        assert position <= frame.end
        error = frame.explanation.error
        if error is None:
            assert frame.type is None or position == frame.end
        elif error.offset is not None:
            assert frame.start <= error.offset <= frame.end


# --- kip-35-v7: answers to what a broker does not know ----------------------------------------------------------------


def answered(digits: str, asked: bytes) -> list[CapturedFrame]:
    return Capture(bytes.fromhex(digits), "kip-35-v7").responses(Capture(asked, "kip-35-v7"))


def test_a_request_that_nobody_knows_has_an_answer_nevertheless() -> None:
    (frame,) = answered(EMPTY.hex(), UNKNOWN)
    assert kinds([frame]) == [(0, 8, "EmptyResponse", None)]
    assert frame.explanation.error is None
    (frame,) = answered("00000006 00000007 0000", UNKNOWN)
    assert frame.type is None


def test_without_the_word_that_it_is_a_request_it_is_none() -> None:
    with pytest.raises(NotToldError, match="api key 999 is no api"):
        Capture(UNKNOWN, "kip-35-v7").requests()
    with pytest.raises(NotToldError, match="api key 999 is no api"):
        answered(EMPTY.hex(), UNKNOWN + b"\0")


def test_length_0_keeps_its_correlation_id_and_names_the_ruling() -> None:
    frames = answered(LITERAL.hex() + BROKER_METADATA_ANSWER.hex(), UNKNOWN + BROKER_METADATA)
    assert kinds(frames) == [(0, 8, "EmptyResponse", None), (8, 20, "ResponseFrame:BrokerMetadata", 0)]
    assert frames[0].why.startswith(
        "size 0 does not count the correlation id behind it; its correlation id, 7, is that"
    )
    assert frames[0].explanation.error is not None
    assert (frames[0].explanation.error.reason, frames[0].explanation.error.offset) == ("truncated", 4)
    assert frames[0].rulings == ("R-35-3",)
    assert frames[1].explanation.error is None


def test_a_size_that_is_an_id_too_is_a_size_where_sizes_fit() -> None:
    asked = bytes.fromhex("00000008 03e7 0000 00000008") + BROKER_METADATA
    frames = answered("00000000" + BROKER_METADATA_ANSWER.hex(), asked)
    assert kinds(frames) == [(0, 4, None, None), (4, 16, "ResponseFrame:BrokerMetadata", 0)]
    assert frames[0].why == "size 0 fits; there is no correlation id in it"


@pytest.mark.parametrize(
    ("digits", "type_name"),
    [
        ("00000004 00000009", "EmptyResponse"),
        ("00000004 0000", "EmptyResponse"),
        ("00000029 00000009", "ResponseFrame:BrokerMetadata"),  # the capture ends, not the answer
        ("00000029 0000", "ResponseFrame:BrokerMetadata"),
        ("00000000", "ResponseFrame:BrokerMetadata"),
    ],
)
def test_only_an_answer_that_ends_behind_its_correlation_id_is_empty(digits: str, type_name: str) -> None:
    (frame,) = answered(digits, BROKER_METADATA)
    assert frame.type == type_name


def test_half_a_correlation_id_is_none() -> None:
    (frame,) = answered("00000002 0000", BROKER_METADATA)
    assert frame.why == (
        "size 2 fits; there is no correlation id in it, and one request, 1: api key 17 is BrokerMetadata, version 0"
    )
