"""A conforming broker, byte by byte: whole and half frames, pipelines, garbage, the fallback, and closing."""

from __future__ import annotations

from typing import Any

import pytest

from reference import Reference, Rules
from reference.broker import Broker
from reference.broker import serve as run
from reference.dialects.kafka import Kafka

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


def test_without_settings_a_broker_lists_what_the_catalogue_has() -> None:
    assert serve(ASK_0, settings={}) == (TELL_0, False)


def test_a_client_id_and_tags_do_not_matter() -> None:
    named = "0000000b" + "0012" + "0000" + "00000001" + "000163"
    assert serve(named) == (TELL_0, False)
    tagged = "00000013" + "0012" + "0003" + "00000002" + "ffff" + "010001aa" + "01" + "01" + "010500"
    assert serve(tagged) == ("00000013" + "00000002" + TELL_3[16:], False)


def test_correlation_ids_come_back_untouched() -> None:
    for correlation_id in ("00000000", "7fffffff", "ffffffff", "80000000"):
        ask = "0000000a" + "0012" + "0000" + correlation_id + "ffff"
        assert serve(ask) == ("00000010" + correlation_id + "0000" + "00000001" + OWN, False)


def test_nothing_is_said_to_nothing() -> None:
    assert serve() == ("", False)
    assert serve("") == ("", False)
    assert serve("", "", ASK_0, "") == (TELL_0, False)


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


def test_pipelined_requests_are_answered_in_order() -> None:
    assert serve(ASK_3 + ASK_0 + ASK_99 + ASK_0) == (TELL_3 + TELL_0 + FALL_99 + TELL_0, False)
    assert serve(ASK_3, ASK_0, ASK_99) == (TELL_3 + TELL_0 + FALL_99, False)


def test_a_good_request_before_a_bad_one_is_still_answered() -> None:
    assert serve(ASK_0 + ASK_OTHER) == (TELL_0, True)
    assert serve(ASK_0, ASK_OTHER) == (TELL_0, True)
    assert serve(ASK_0 + "ffffffff") == (TELL_0, True)


def test_nothing_is_answered_after_closing() -> None:
    assert serve(ASK_OTHER + ASK_0) == ("", True)
    assert serve(ASK_OTHER, ASK_0) == ("", True)
    broker = Broker(Kafka().messages, {18: (0, 5)}, Rules())
    assert run(broker, [bytes.fromhex(ASK_OTHER)]) == (b"", True)
    assert broker.receive(bytes.fromhex(ASK_0)) == b""
    assert broker.closed


# --- Unsupported requests (R-K-17, R-K-18, R-K-23) ---


@pytest.mark.parametrize("version", ["0006", "0063", "7fff"])
def test_the_fallback_is_a_v0_body_with_error_35_and_the_own_range(version: str) -> None:
    ask = "0000000b" + "0012" + version + "00000003" + "ffff" + "00"
    assert serve(ask) == (FALL_99, False)


@pytest.mark.parametrize("version", ["ffff", "8000"])
def test_versions_below_zero_have_the_old_header(version: str) -> None:
    assert serve("0000000a" + "0012" + version + "00000003" + "ffff") == (FALL_99, False)


def test_the_body_of_an_unsupported_version_is_not_read() -> None:
    body = "deadbeef" * 3
    assert serve("00000017" + "0012" + "0063" + "00000003" + "ffff" + "00" + body) == (FALL_99, False)


def test_the_header_of_an_unsupported_version_is_read() -> None:
    without_tags = "0000000a" + "0012" + "0063" + "00000003" + "ffff"
    assert serve(without_tags) == ("", True)
    cut_client = "0000000b" + "0012" + "0063" + "00000003" + "000561"
    assert serve(cut_client) == ("", True)
    bad_tags = "0000000f" + "0012" + "0063" + "00000003" + "ffff" + "0201000000"
    assert serve(bad_tags) == ("", True)


def test_a_narrower_broker_falls_back_within_its_own_range() -> None:
    settings = {"apis": {"18": [0, 2], "3": [0, 1]}}
    ask_3 = "0000000b" + "0012" + "0003" + "00000003" + "ffff" + "00"
    assert serve(ask_3, settings=settings) == ("00000010" + "00000003" + "0023" + "00000001" + "001200000002", False)
    newer = {"apis": {"18": [1, 2]}}
    assert serve(ASK_0, settings=newer) == ("00000010" + "00000001" + "0023" + "00000001" + "001200010002", False)


@pytest.mark.parametrize("frame", [ASK_OTHER, "0000000a" + "ffff" + "0000" + "00000004" + "ffff"])
def test_an_unknown_api_is_closed_on(frame: str) -> None:
    assert serve(frame) == ("", True)


def test_an_unsupported_version_of_another_api_is_closed_on() -> None:
    settings = {"apis": {"18": [0, 5], "3": [4, 12]}}
    for version in ("0003", "000d", "ffff"):
        assert serve("0000000a" + "0003" + version + "00000004" + "ffff", settings=settings) == ("", True)


def test_a_broker_without_api_versions_closes_on_it() -> None:
    assert serve(ASK_0, settings={"apis": {"3": [0, 1]}}) == ("", True)
    assert serve(ASK_99, settings={"apis": {}}) == ("", True)


def test_what_this_broker_can_list_but_not_answer_is_no_answer() -> None:
    with pytest.raises(NotImplementedError, match="told to list api 3"):
        serve("0000000a" + "0003" + "0000" + "00000004" + "ffff", settings={"apis": {"3": [0, 1]}})
    with pytest.raises(NotImplementedError, match="ApiVersionsRequest has versions 0-5, not 7"):
        serve(ASK_99.replace("0063", "0007"), settings={"apis": {"18": [0, 9]}})


# --- Malformed requests (R-K-7, R-K-23) ---

MALFORMED = {
    "no body behind a flexible header": "0000000b" + "0012" + "0003" + "00000002" + "ffff" + "00",
    "a flexible version with the old header": "0000000a" + "0012" + "0003" + "00000002" + "ffff",
    "bytes behind the body": "0000000b" + "0012" + "0000" + "00000001" + "ffff" + "00",
    "bytes behind a flexible body": "0000000f" + "0012" + "0003" + "00000002" + "ffff" + "00" + "010100" + "00",
    "a cut client id": "0000000b" + "0012" + "0000" + "00000001" + "000561",
    "no client id": "00000008" + "0012" + "0000" + "00000001",
    "a null name": "0000000e" + "0012" + "0003" + "00000002" + "ffff" + "00" + "00" + "01" + "00",
    "unordered tags": "00000012" + "0012" + "0003" + "00000002" + "ffff" + "00" + "01" + "01" + "0201000000",
    "a size of 0": "00000000",
    "a size below the least header": "00000007" + "0012" + "0000" + "000000",
    "a negative size": "ffffffff",
    "the least size": "80000000",
    "a size above the most": "06400001",
    "words instead of frames": b"GET / HTTP/1.1\r\n\r\n".hex(),
}  # fmt: skip


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_requests_are_closed_on(name: str) -> None:
    assert serve(MALFORMED[name]) == ("", True)
    assert serve(*(MALFORMED[name][at : at + 2] for at in range(0, len(MALFORMED[name]), 2))) == ("", True)


def test_the_sizes_of_malformed_requests_are_right_but_where_they_are_the_fault() -> None:
    sized = [frame for name, frame in MALFORMED.items() if " size" not in name and name != "words instead of frames"]
    assert all(int(frame[:8], 16) == len(frame) // 2 - 4 for frame in sized)
    assert len(sized) == 8


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
    assert serve(MALFORMED["bytes behind the body"], trailing_bytes="ignored") == (TELL_0, False)
    assert serve(MALFORMED["bytes behind a flexible body"], trailing_bytes="ignored") == (TELL_3, False)
