"""Clients that run, with the kit's broker: what is wrong is found where it is wrong, what is odd is not blamed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest
from support.clients import asked
from support.thorough import some

from wireproof.conformance.connection import ImplementationError
from wireproof.conformance.connection.live.login import PASSWORD
from wireproof.conformance.model import Outcome
from wireproof.conformance.vectors import scripts

PASS, CONTESTED, FAIL, CRASH, HANG = Outcome.PASS, Outcome.CONTESTED, Outcome.FAIL, Outcome.CRASH, Outcome.HANG
OOM, FLOOD, SKIP = Outcome.OOM, Outcome.VIOLATION, Outcome.SKIP
#: By what is wrong with the client: the outcome of scripts at which it shows, and of one at which it does not.
WRONG: Mapping[str, Mapping[str, Outcome]] = {
    "spins": {"error-35-for-ever-own-range": HANG, "closing": HANG, "usual": PASS},
    "only_connects": {"usual": HANG, "silent": HANG},
    "never_falls_back": {"error-35-for-ever-empty": HANG, "error-35-own-range-of-the-future": HANG, "usual": PASS},
    "asks_version_0_for_ever": {"closing": HANG, "half-a-frame-and-closing": HANG, "closing-once": PASS},
    "waits_for_ever": {"silent": HANG, "half-a-size": HANG, "closing": PASS},
    "takes_the_table_of_error_35": {"error-35-only-0": CONTESTED, "error-35-without-its-key": CONTESTED, "usual": PASS},
    "falls_back_to_too_much": {"error-35-only-0": FAIL, "error-35-own-range-0-to-1": FAIL, "usual": PASS},
    "uses_its_newest": {"metadata-min-above-max": FAIL, "metadata-below-0": FAIL, "usual": PASS},
    "looks_at_the_highest_alone": {"metadata-from-the-future": FAIL, "newer-after-an-upgrade": FAIL, "usual": PASS},
    "keeps_the_first_ranges": {"older-after-an-upgrade-back": FAIL, "newer-after-an-upgrade": FAIL, "usual": PASS},
    "leaves_out_header_tags": {"usual": FAIL, "silent": FAIL},
    "sends_more_than_the_body": {"usual": FAIL, "unknown-keys": FAIL, "an-empty-list": SKIP},
    "counts_one_topic_too_many": {"usual": FAIL, "unknown-keys": FAIL, "an-empty-list": SKIP},
    "client_id_is_no_text": {"usual": FAIL, "silent": FAIL},
    "asks_a_key_of_its_own": {"usual": FAIL, "unknown-keys": FAIL, "an-empty-list": SKIP},
    "ignores_correlation_ids": {"correlation-id-far-away": FAIL, "correlation-id-below-0": FAIL},
    "reads_one_packet": {"one-byte-at-a-time": FAIL, "metadata-one-byte-at-a-time": FAIL, "usual": PASS},
    "refuses_unknown_keys": {"unknown-keys": FAIL, "an-unknown-key": FAIL, "usual": PASS},
    "refuses_unknown_tags": {"unknown-tags-in-api-versions": FAIL, "unknown-tags-in-its-list": FAIL, "usual": PASS},
    "aborts_on_a_wrong_size": {"size-huge": CRASH, "size-below-0": CRASH, "usual": PASS},
    "allocates_by_size": {"size-huge": OOM, "metadata-size-huge": OOM, "usual": PASS},
    "ends_with_0": {"closing-on-metadata": FAIL, "metadata-silent": FAIL, "usual": PASS},
    "ignores_throttle_times": {
        "api-versions-throttled": CONTESTED,
        "metadata-throttled": CONTESTED,
        "fetch-throttled": CONTESTED,
        "usual": PASS,
    },
    "drops_what_is_behind_an_answer": {
        "metadata-in-one-packet-with-the-next-answer": FAIL,
        "fetch-in-one-packet-with-the-next-answer": FAIL,
        "usual": PASS,
    },
    "spins_on_null_records": {
        "fetch-of-null-beside-an-error-for-ever": HANG,
        "fetch-of-null-beside-error-3-for-ever": HANG,
        "fetch-of-null": PASS,
    },
    "dies_of_null_records": {"fetch-of-null": FAIL, "fetch-of-null-beside-an-error": FAIL, "usual": PASS},
    "uses_the_first_brokers_ranges": {
        "second-older": FAIL,
        "second-metadata-apart": FAIL,
        "second-newer": PASS,
        "usual": PASS,
    },
    "asks_the_second_broker_no_versions": {"second-older": CONTESTED, "second-usual": PASS},
    "writes_without_end": {"usual": FLOOD, "closing": FLOOD},
}
#: Clients that break no rule. The first one is no odd one.
ODD = (
    "conforming",
    "speaks_version_3",
    "patient",
    "eager",
    "one_connection_each",
    "asks_no_versions",
    "speaks_only_the_oldest",
    "pipelines_and_fetches",
)


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_with_a_client_is_found(name: str) -> None:
    hanging = [script for script, outcome in WRONG[name].items() if outcome is HANG]
    ending = [script for script in WRONG[name] if script not in hanging]
    found = (asked(name, hanging, timeout=2.5) if hanging else {}) | (asked(name, ending) if ending else {})
    assert {script: verdict.outcome for script, verdict in found.items()} == WRONG[name], found


@pytest.mark.parametrize("name", ODD)
def test_no_odd_client_is_blamed(name: str) -> None:
    without_login = [one for one, script in scripts.load().items() if not script.sasl]
    wanted = without_login if name == ODD[0] else some(without_login, 3, ODD.index(name))
    found = asked(name, wanted)
    assert found.keys() == {*wanted}
    counted = Counter(verdict.outcome for verdict in found.values())
    assert set(counted) <= {PASS, CONTESTED, SKIP}, [one for one in found.values() if one.outcome == FAIL]
    assert counted[PASS] > len(found) / 5


def test_who_does_not_wait_for_a_late_answer_is_not_blamed() -> None:
    (verdict,) = asked("impatient", ["half-a-second-late"]).values()
    assert verdict.outcome is PASS


#: The same of clients with a broker that wants a login.
WRONG_LOGINS: Mapping[str, Mapping[str, Outcome]] = {
    "conforming": {"usual": FAIL, "login-fails": SKIP},
    "asks_before_the_login": {"usual": FAIL, "login-lists-less-behind-it": FAIL},
    "goes_on_after_a_failed_login": {"login-fails": FAIL, "login-fails-once": PASS, "usual": PASS},
    "tries_a_failed_login_for_ever": {"login-fails": HANG, "login-fails-and-closing": HANG, "usual": PASS},
    "logs_in_with_a_wrong_password": {"usual": FAIL, "login-fails": SKIP},
}
LOGIN = "plain:kit"


@pytest.fixture
def password(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv(PASSWORD, "secret")
    return "secret"


@pytest.mark.usefixtures("password")
@pytest.mark.parametrize("name", WRONG_LOGINS)
def test_what_is_wrong_with_the_login_of_a_client_is_found(name: str) -> None:
    found = asked(name, WRONG_LOGINS[name], timeout=8, sasl=LOGIN)
    assert {script: verdict.outcome for script, verdict in found.items()} == WRONG_LOGINS[name], found


@pytest.mark.usefixtures("password")
@pytest.mark.parametrize("name", ["logs_in", "logs_in_with_handshake_0"])
def test_no_client_that_logs_in_is_blamed(name: str) -> None:
    logins = [one for one, script in scripts.load().items() if script.sasl]
    found = asked(name, [*logins, *some([*set(scripts.load()) - {*logins}], 3, 1)], sasl=LOGIN)
    counted = Counter(verdict.outcome for verdict in found.values())
    assert set(counted) <= {PASS, CONTESTED, SKIP}, [one for one in found.values() if one.outcome == FAIL]
    assert counted[PASS] > len(found) / 5


def test_scripts_about_a_login_are_left_out_without_one() -> None:
    (verdict,) = asked("conforming", ["login-fails"]).values()
    assert verdict.outcome is SKIP
    assert verdict.detail == "needs a login: --sasl=plain:USER"


def test_without_a_password_there_is_no_login(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(PASSWORD, raising=False)
    with pytest.raises(ImplementationError, match=PASSWORD):
        asked("logs_in", ["usual"], sasl=LOGIN)


@pytest.mark.parametrize("name", ["logs_in", "logs_in_with_handshake_0"])
def test_a_password_is_not_written_down(name: str, password: str, tmp_path: Path) -> None:
    file = tmp_path / "transcript.jsonl"
    (verdict,) = asked(name, ["usual"], sasl=LOGIN, transcript=file).values()
    assert verdict.outcome is PASS
    written = file.read_text("utf-8")
    assert password.encode().hex() not in written
    assert ('"event":"token"' in written.replace(" ", "")) is (name == "logs_in_with_handshake_0")


def test_a_twin_that_was_late_once_is_asked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine a client may give up with the usual broker; a refusal of another script counts nevertheless."""
    monkeypatch.setenv("PROGRAMS_MARK", str(tmp_path / "mark"))
    found = asked("late_once", ["closing", "usual", "metadata-from-the-future"])
    assert {script: verdict.outcome for script, verdict in found.items()} == {
        "closing": PASS,
        "usual": Outcome.UNSTEADY,
        "metadata-from-the-future": PASS,
    }
