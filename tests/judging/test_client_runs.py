"""What is judged of a client's run: frames by hand, from Kafka's schemas."""

from __future__ import annotations

import pytest

from wireproof.conformance.client_run import ClientRun, RunEvent
from wireproof.conformance.judging.client_runs import mismatch, next_step

OPEN: dict[str, list[str]] = {"ends": [], "next": [], "waits": []}
#: ApiVersions 0 and 2, Metadata 1 of all topics, each with the client id "c"; Metadata's with one byte too many.
ASK_0, ASK_2 = bytes.fromhex("0012 0000 00000001 0001 63"), bytes.fromhex("0012 0002 00000001 0001 63")
METADATA_1 = bytes.fromhex("0003 0001 00000002 0001 63 ffffffff")
#: Answers to ApiVersions 0: Metadata 0 to 1; Metadata 5 to 2; none at all; error 35 with ApiVersions 0 to 1, and with
#: Metadata 0 to 0.
LISTED = bytes.fromhex("00000010 00000001 0000 00000001 0003 0000 0001")
INVERTED = bytes.fromhex("00000010 00000001 0000 00000001 0003 0005 0002")
EMPTY = bytes.fromhex("0000000a 00000001 0000 00000000")
REFUSED = bytes.fromhex("00000010 00000001 0023 00000001 0012 0000 0001")
TABLE = bytes.fromhex("00000010 00000001 0023 00000001 0003 0000 0000")


def run(*events: tuple[int, str, bytes], code: int = 0) -> ClientRun:
    """A run with these events: the connection, the kind, the data; each answer is the script's."""
    told = (RunEvent(0.0, on, kind, data, kind == "request" and data[:2] == b"\0\x12") for on, kind, data in events)  # type: ignore[arg-type]
    return ClientRun(tuple(told), code, 1.0)


@pytest.mark.parametrize(
    ("events", "place"),
    [
        ([(1, "request", ASK_0), (1, "answer", LISTED), (1, "request", METADATA_1)], None),
        ([(1, "request", METADATA_1)], None),
        ([(1, "request", ASK_0), (1, "answer", EMPTY), (1, "request", METADATA_1)], None),
        ([(1, "request", ASK_0), (1, "answer", REFUSED), (1, "request", METADATA_1)], None),
        ([(1, "request", ASK_0), (1, "answer", TABLE), (1, "request", METADATA_1)], None),
        ([(1, "request", ASK_2), (1, "answer", REFUSED), (2, "request", ASK_2)], None),
        ([(1, "request", ASK_2), (1, "answer", REFUSED), (1, "request", ASK_0)], None),
        ([(1, "request", ASK_2), (1, "answer", REFUSED), (1, "request", ASK_2)], "version"),
        ([(1, "request", ASK_0), (1, "answer", INVERTED), (1, "request", METADATA_1)], "version"),
        ([(1, "request", ASK_0), (1, "answer", INVERTED), (2, "request", METADATA_1)], "version"),
        ([(1, "request", METADATA_1 + b"\0")], "Metadata: trailing-bytes"),
        ([(1, "request", METADATA_1[:-1])], "Metadata: truncated"),
        ([(1, "request", b"\0\3")], "header"),
    ],
)
def test_a_frame_has_to_be_announced_and_well_formed(events: list[tuple[int, str, bytes]], place: str | None) -> None:
    found = mismatch(OPEN, run(*events))
    assert (None if found is None else found.place) == place


@pytest.mark.parametrize(("asked", "place"), [(0, None), (1, "version")])
def test_what_one_broker_announced_says_nothing_of_the_other(asked: int, place: str | None) -> None:
    told = [
        event
        for node, answer in ((0, LISTED), (1, INVERTED))
        for event in (
            RunEvent(0.0, 1 + node, "request", ASK_0, node=node),
            RunEvent(0.0, 1 + node, "answer", answer, node=node),
        )
    ]
    found = mismatch(OPEN, ClientRun((*told, RunEvent(0.0, 3, "request", METADATA_1, node=asked)), 0, 1.0))
    assert (None if found is None else found.place) == place


@pytest.mark.parametrize(("asked", "place"), [(ASK_0, None), (METADATA_1, "login")])
def test_before_a_login_nothing_else_is_asked(asked: bytes, place: str | None) -> None:
    found = mismatch(OPEN, ClientRun((RunEvent(0.0, 1, "request", asked, before_login=True),), 0, 1.0))
    assert (None if found is None else found.place) == place


@pytest.mark.parametrize(("before", "place"), [(True, None), (False, "version")])
def test_api_versions_may_be_asked_again_behind_a_login(before: bool, place: str | None) -> None:
    told = [
        RunEvent(0.0, 1, "request", ASK_0, before_login=before),
        RunEvent(0.0, 1, "answer", LISTED, before_login=before),
        RunEvent(0.0, 1, "request", ASK_2),
    ]
    found = mismatch(OPEN, ClientRun(tuple(told), 0, 1.0))
    assert (None if found is None else found.place) == place


def test_who_was_told_nothing_by_a_broker_may_ask_it_anything() -> None:
    told = run((1, "request", ASK_0), (1, "answer", INVERTED)).events
    assert mismatch(OPEN, ClientRun((*told, RunEvent(0.0, 2, "request", METADATA_1, node=1)), 0, 1.0)) is None


@pytest.mark.parametrize(
    ("after", "step"),
    [([], "stops"), ([(1, ASK_2)], "tries-again"), ([(2, ASK_0)], "falls-back-to-0"), ([(1, METADATA_1)], "goes-on")],
)
def test_the_next_step_is_the_next_request_on_any_connection(after: list[tuple[int, bytes]], step: str) -> None:
    made = run((1, "request", ASK_2), (1, "answer", EMPTY), *((on, "request", data) for on, data in after))
    assert next_step(made) == step
    assert mismatch({"ends": [], "next": [step], "waits": []}, made) is None
    other = mismatch({"ends": [], "next": ["falls-back-to-7"], "waits": []}, made)
    assert other is not None
    assert other.place == f"next: {step}"


def test_how_it_ends_is_its_exit_code() -> None:
    for code, end, other in ((0, "works", "gives-up"), (3, "gives-up", "works")):
        assert mismatch({"ends": [end], "next": [], "waits": []}, run(code=code)) is None
        found = mismatch({"ends": [other], "next": [], "waits": []}, run(code=code))
        assert found is not None
        assert found.place == f"ends: {end}"
