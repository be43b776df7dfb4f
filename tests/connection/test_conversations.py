"""Conversations with brokers over sockets: what is wrong is found where it is wrong, what is odd is not blamed."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from pathlib import Path

import pytest
from support.listening import STORING, running, spec
from support.paths import ROOT
from support.thorough import some

from wireproof.conformance import vectors
from wireproof.conformance.asking.examiner import Examiner, Judged
from wireproof.conformance.connection import Options, open_connection
from wireproof.conformance.connection.live.login import PASSWORD
from wireproof.conformance.model import DEVIATIONS, Outcome
from wireproof.conformance.questions import UnknownId, conversations, find
from wireproof.conformance.questions.question import Question
from wireproof.conformance.report.failure import render_failure, repro_command
from wireproof.conformance.vectors.conversations import load as conversations_by_id

#: By program: the conversations that it does not hold as it should, among those that it is asked.
WRONG: Mapping[str, tuple[str, ...]] = {
    "loses_equal_headers": ("store-equal-headers", "store-a-thousand-headers"),
    "loses_headers": ("store-null-header", "store-header-without-a-name", "store-every-form-gzip"),
    "null_header_is_empty": ("store-null-header", "store-every-form-none"),
    "empty_is_null": ("store-empty-key", "store-empty-value"),
    "sorts_headers": ("store-equal-headers", "store-every-form-lz4"),
    "loses_times": ("store-times-out-of-order", "list-offsets-by-time"),
    "takes_any_crc": ("produce-with-a-wrong-crc",),
    "base_offset_is_null": ("offsets-after-acks-all", "offsets-after-acks-leader"),
    "high_watermark_too_high": ("fetch-nothing", "fetch-at-the-end"),
    "looks_up_the_zero_id": ("fetch-nothing", "fetch-less-than-one-batch"),
    "end_is_the_last_offset": ("list-offsets-at-both-ends", "offsets-after-acks-none"),
    "greatest_time_of_the_batch": ("list-offsets-greatest-time", "list-offsets-greatest-time-compressed"),
    "stores_twice": ("a-batch-that-is-sent-again", "a-gap-in-the-sequences"),
    "stores_nothing_without_acks": ("offsets-after-acks-none",),
    "answers_without_acks": ("acks-none-among-others", "offsets-after-acks-none"),
    "takes_any_acks": ("acks-2",),
    "deletes_nothing": ("delete-records", "delete-records-to-the-end"),
    "never_waits": ("fetch-waits-for-its-time", "fetch-is-woken"),
    "sleeps_on": ("fetch-is-woken",),
    "always_waits": ("fetch-does-not-wait",),
    "gives_no_batch_that_is_too_large": ("fetch-less-than-one-batch",),
    "starts_over": ("fetch-from-the-second-batch", "fetch-at-the-end"),
    "gives_nothing_behind_the_end": ("fetch-behind-the-end",),
    "forgets_ids": ("produce-then-fetch", "fetch-an-unknown-id"),
    "unknown_id_is_an_unknown_name": ("fetch-an-unknown-id", "produce-to-an-unknown-id"),
    "cuts_its_answer": ("store-a-thousand-headers",),
    "one_after_another": ("fetch-holds-no-other-connection",),
    "overtakes_a_fetch": ("fetch-holds-its-connection",),
    "loses_count": ("a-thousand-pipelined-requests", "a-client-that-does-not-read"),
    "gives_batches_to_all": ("convert-to-magic-0-none", "convert-to-magic-1-gzip", "store-magic-0-none"),
    "gives_no_older_than_magic1": ("convert-to-magic-0-none", "convert-to-magic-0-lz4", "store-magic-1-none"),
    "loses_what_has_headers": ("convert-to-magic-0-none", "convert-to-magic-1-snappy"),
    "tombstones_are_empty_in_older_formats": ("convert-to-magic-0-gzip", "convert-to-magic-1-none"),
    "counts_from_nought": ("convert-two-batches",),
    "stamps_old_messages": ("store-magic-0-none", "store-magic-0-gzip"),
    "stores_one_entry": ("store-magic-0-none", "two-compressed-messages", "two-compressed-batches"),
    "names_no_controller": ("the-controller-is-in-the-metadata",),
    "names_another_coordinator": ("the-coordinator-is-in-the-metadata", "the-coordinators-are-in-the-metadata"),
    "has_no_host_for_an_empty_key": ("find-the-coordinator-of-an-empty-key", "find-the-coordinators-of-an-empty-key"),
    "repeats_the_numbers_asked": ("create-a-topic-with-the-broker-s-numbers",),
    "describes_all_configs": ("describe-one-config",),
    "takes_times_of_later_versions": ("list-offsets-greatest-time-below-its-version",),
    "nothing_is_the_end": ("list-offsets-greatest-time-of-nothing", "list-offsets-after-the-last-time"),
    "looks_at_the_greatest_time_first": ("list-offsets-by-time-without-a-greatest-one",),
    "trusts_counts": ("a-count-that-lies",),
    "tells_epochs_of_all_topics_alone": (
        "commit-an-offset-with-its-epoch",
        "commit-an-offset-with-its-epoch-beside-one-without",
    ),
    "counts_the_end_from_its_segment": (
        "a-transaction-that-is-aborted-in-a-later-segment",
        "a-transaction-that-is-aborted-behind-another-in-a-later-segment",
    ),
    "leaves_deletions_unanswered": ("delete-a-topic", "delete-a-topic-before-error-73"),
    "markers_without_a_value": ("a-transaction-that-is-committed",),
    "dies_at_a_request": ("delete-records", "delete-records-to-the-end", "delete-records-behind-the-end"),
}
#: Those that are wrong nowhere in these, whatever else they are.
RIGHT = ("metadata-of-a-topic", "two-connections")
ODD = (
    "converts_formats",
    "slow",
    "byte_by_byte",
    "older_ranges",
    "closes_idle_connections",
    "makes_no_topics",
    "compresses_anew",
)
#: Of the brokers that want a login.
LOGGED_IN: Mapping[str, tuple[str, ...]] = {
    "logs_in": (),
    "answers_before_a_login": ("a-request-before-the-login",),
    "takes_any_password": ("a-wrong-password", "a-token-that-is-cut"),
}
LOGINS = ("a-login", "a-login-with-handshake-0", "api-versions-around-a-login", "a-mechanism-that-is-not-there")


def held(name: str, chosen: Collection[str] | None = None, options: Options | None = None) -> list[Judged]:
    """The conversations of these names (None: all), in the lowest and the highest version of each, as they were held
    with a broker."""
    with Examiner(open_connection(spec(name, STORING), options)) as examiner:
        found: dict[str, list[Question]] = {}
        for question in conversations.questions(examiner.description.apis or {}):
            found.setdefault(question.vector.id.partition("/")[0], []).append(question)
        ends = [
            one
            for name, each in found.items()
            if chosen is None or name in chosen
            for one in {id(each[0]): each[0], id(each[-1]): each[-1]}.values()
        ]
        return [*examiner.judge(ends)]


def deviating(found: list[Judged]) -> set[str]:
    return {one.vector.id.partition("/")[0] for one in found if one.verdict.outcome in DEVIATIONS}


def test_a_right_broker_holds_all_of_them() -> None:
    found = held("storing")
    others = [one.verdict for one in found if one.verdict.outcome is not Outcome.PASS]
    assert {verdict.outcome for verdict in others} == {Outcome.SKIP}
    assert all("asks" in one.detail or "--sasl" in one.detail or "does without" in one.detail for one in others)
    assert len(found) - len(others) > 120


def test_topics_are_deleted_from_a_broker_that_stays(tmp_path: Path) -> None:
    with running("storing", program=STORING) as address:
        assert asks_to_delete(address, tmp_path / "address")
    assert not asks_to_delete(spec("storing", STORING), tmp_path / "program")


def asks_to_delete(broker: str, transcript: Path) -> bool:
    """Whether DeleteTopics (20) is sent after a conversation that needs a topic."""
    options = Options(allow_writes=True, transcript=transcript)
    with Examiner(open_connection(broker, options)) as examiner:
        question = next(conversations.questions(examiner.description.apis or {}))
        assert [one.verdict.outcome for one in examiner.judge([question])] == [Outcome.PASS]
    sent = transcript.read_text("utf-8")
    assert '"data": "000000' in sent
    return re.search(r'"on": "kit", "data": "[0-9a-f]{8}0014', sent) is not None


@pytest.mark.parametrize("name", some([*WRONG], 2))
def test_a_wrong_broker_is_found(name: str) -> None:
    right = () if name == "one_after_another" else RIGHT  # they wait too
    found = held(name, (*WRONG[name], *right))
    assert deviating(found) == {*WRONG[name]}
    outcome = Outcome.CRASH if name in ("dies_at_a_request", "trusts_counts") else Outcome.FAIL
    assert {one.verdict.outcome for one in found} == {outcome, *([Outcome.PASS] if right else [])}


@pytest.mark.parametrize("name", ODD)
def test_an_odd_broker_is_not_blamed(name: str) -> None:
    # For a slow one silence is shorter than its thoughts, as 0.3 seconds would be for one that thinks for longer.
    options = Options(silence=0.1) if name == "slow" else None
    chosen = some(sorted(conversations_by_id()), 2, ODD.index(name))
    found = held(name, chosen, options)
    assert {one.verdict.outcome for one in found} <= {Outcome.PASS, Outcome.SKIP}
    assert len(found) > len(chosen)


def test_the_known_bugs_of_brokers_are_caught() -> None:
    """Each has a vector, or a conversation by which a wrong broker here is found, or a reason."""
    bugs = json.loads((ROOT / "vectors" / "broker_bugs.json").read_bytes())["bugs"]
    caught = [[name.partition("/")[::2] for name in bug["caught"]] for bug in bugs if "caught" in bug]
    assert (len(bugs), len(caught)) == (28, 22)
    serve = {one.id for one in vectors.load(["kafka"], ["unsupported-versions"])}
    found = {name for names in WRONG.values() for name in names}
    for names in caught:
        assert all(name in (conversations_by_id() if area == "conversations" else serve) for area, name in names)
        assert any(name in (found if area == "conversations" else serve) for area, name in names), names


#: Brokers that are right: conversations that they hold, and those that they do without.
RIGHTLY: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "commits_transactions": (("a-transaction-that-is-committed",), ()),
    "commits_offsets": (("commit-an-offset", *WRONG["tells_epochs_of_all_topics_alone"]), ()),
    "lists_aborts": (("a-transaction-that-is-aborted", *WRONG["counts_the_end_from_its_segment"]), ()),
    "deletes_no_topics": (WRONG["leaves_deletions_unanswered"], ("create-and-delete-a-topic",)),
}


@pytest.mark.parametrize("name", RIGHTLY)
def test_a_right_broker_is_not_blamed(name: str) -> None:
    holds, does_without = RIGHTLY[name]
    found = {one.vector.id.partition("/")[0]: one.verdict.outcome for one in held(name, (*holds, *does_without))}
    assert found == {**dict.fromkeys(holds, Outcome.PASS), **dict.fromkeys(does_without, Outcome.SKIP)}


@pytest.mark.parametrize("name", LOGGED_IN)
def test_a_login_is_held_step_by_step(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PASSWORD, "secret")
    found = held(
        name,
        (*LOGINS, *LOGGED_IN["answers_before_a_login"], *LOGGED_IN["takes_any_password"]),
        Options(sasl="plain:kit"),
    )
    assert deviating(found) == {*LOGGED_IN[name]}
    assert Outcome.SKIP not in {one.verdict.outcome for one in found}


def test_no_transcript_holds_the_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PASSWORD, "secret")
    file = tmp_path / "transcript.jsonl"
    held("logs_in", ["a-login", "a-login-with-handshake-0"], Options(sasl="plain:kit", transcript=file))
    text = file.read_text("utf-8")
    assert text.count('"data": "secret"') > 2
    assert b"\0kit\0secret".hex() not in text


def test_a_place_is_the_field_of_an_answer() -> None:
    places = {one.verdict.place for one in held("null_header_is_empty", ["store-null-header"])}
    assert places == {"Fetch Responses[].Partitions[].Records"}
    assert {one.verdict.place for one in held("sleeps_on", ["fetch-is-woken"])} == {"Fetch time"}


def test_a_page_shows_what_was_said() -> None:
    with Examiner(open_connection(spec("base_offset_is_null", STORING))) as examiner:
        (found,) = examiner.judge([find("kafka/conversations/offsets-after-acks-all/3#serve")])
    page = render_failure(
        found.vector,
        found.case,
        found.observation,
        found.verdict,
        implementation=examiner.description,
        repro="repro",
        width=100,
        color=False,
    )
    assert "Produce 3" in page
    assert "BaseOffset is 0, 2 is expected" in " ".join(page.split())


def test_an_id_is_enough_to_ask_again() -> None:
    asked = [*conversations.questions(dict.fromkeys(range(95), (0, 99)))]
    assert [find(one.case.id) for one in asked] == asked
    assert repro_command(asked[0].case.id, "tcp://127.0.0.1:1", ()).startswith("wireproof repro 'kafka/conversations/")


@pytest.mark.parametrize(
    "identifier",
    [
        "kafka/conversations/nothing#serve",
        "kafka/conversations/produce-then-fetch#serve",
        "kafka/conversations/produce-then-fetch/99#serve",
        "kafka/conversations/produce-then-fetch/3/4#serve",
        "kafka/conversations/two-connections/3#serve",
        "kafka/conversations/two-connections#decode",
        "kip-35-v7/conversations/two-connections#serve",
    ],
)
def test_a_wrong_id(identifier: str) -> None:
    with pytest.raises(UnknownId):
        find(identifier)


@pytest.mark.parametrize(
    ("name", "rule"), [("tells_operations_unasked", "operations-as-asked"), ("forgets_epochs", "epochs-stay")]
)
def test_answers_that_do_not_agree_are_wrong_though_each_is_allowed(name: str, rule: str) -> None:
    found = held(name, ("metadata-of-a-topic",))
    newest = found[-1].verdict
    assert (newest.outcome, newest.place) == (Outcome.FAIL, f"rule {rule}")
    assert {one.verdict.place for one in found if one.verdict.outcome is not Outcome.PASS} == {newest.place}
