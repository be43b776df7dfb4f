"""Brokers over sockets: what is wrong is found, what is odd is not, and nothing depends on the moment."""

from __future__ import annotations

import dataclasses
import shlex
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
import trustme
from support.listening import running, spec

from wireproof.conformance import vectors
from wireproof.conformance.asking.examiner import Examiner
from wireproof.conformance.connection import ImplementationError, Options, open_connection
from wireproof.conformance.connection.live.login import PASSWORD, Login
from wireproof.conformance.connection.protocol.check import Inspection, Result
from wireproof.conformance.model import DEVIATIONS, MESSAGES, Effect, Op, Outcome, Verdict
from wireproof.conformance.questions import UnknownId, find, selection, sweep
from wireproof.conformance.report.failure import repro_command
from wireproof.conformance.vectors import requests
from wireproof.errors import WireproofError
from wireproof.fuzz.campaign.dependencies import dependencies_of
from wireproof.fuzz.errors import FuzzError

FAIL, CRASH, VIOLATION = Outcome.FAIL, Outcome.CRASH, Outcome.VIOLATION
#: A silence that is asked once more lasts so long: the programs answer at once, or never.
BRIEF = Options(timeout=2.0)
#: By program: vectors of which it fails each, and the outcome.
WRONG: Mapping[str, tuple[Outcome, tuple[str, ...]]] = {
    "closes_on_new_api_versions": (FAIL, ("broker-v6", "broker-v99")),
    "silent_on_new_api_versions": (FAIL, ("broker-v6", "broker-v99")),
    "silent_on_unknown_apis": (FAIL, ("broker-api-999", "broker-api-minus-1")),
    "falls_back_in_the_asked_layout": (FAIL, ("broker-v6", "broker-v99")),
    "success_for_new_api_versions": (FAIL, ("broker-v6", "broker-v99")),
    "metadata_with_one_byte_more": (FAIL, ("broker-metadata-v0", "broker-metadata-v9")),
    "metadata_with_one_byte_less": (FAIL, ("broker-metadata-v0", "broker-metadata-v9")),
    "tags_behind_the_api_versions_header": (FAIL, ("broker-v3", "broker-v5")),
    "another_correlation_id": (FAIL, ("broker-v0", "broker-metadata-v0")),
    "answers_acks0": (FAIL, ("broker-produce-v3-acks-0", "broker-produce-v9-acks-0")),
    "closes_after_each_answer": (FAIL, ("broker-v0", "broker-metadata-v0")),
    "newest_first": (FAIL, ("broker-two-in-one-chunk", "broker-three-in-one-chunk")),
    "one_request_a_chunk": (FAIL, ("broker-two-in-one-chunk",)),
    "accepts_unknown_versions": (FAIL, ("broker-metadata-v99", "broker-metadata-v14")),
    "hides_a_version": (FAIL, ("broker-metadata-v13",)),
    "floods_on_new_api_versions": (VIOLATION, ("broker-v6", "broker-v99")),
    "closes_on_unknown_tags": (FAIL, ("broker-v3-unknown-body-tag",)),
    "ends_at_the_end": (CRASH, ("end",)),
}
#: Programs that break no rule, and how many vectors cannot be asked of them.
ODD: Mapping[str, int] = {
    "conforming": 0,
    "slow": 0,
    "byte_by_byte": 0,
    "short_queue": 0,
    "older_ranges": 0,
    "api_versions_alone": 3,  # about Metadata and Produce, which it does not have
    "closes_idle_connections": 0,
}


def verdicts(implementation: str, options: Options | None = None) -> dict[str, Verdict]:
    """All verdicts on serve, by the vector's name; on the end, by `end`."""
    serve = [vector for vector in vectors.load(["kafka"]) if Op.SERVE in vector.ops]
    with Examiner(open_connection(implementation, options)) as examiner:
        asked = selection.of_vectors(serve, examiner.description)
        found = {one.vector.id: one.verdict for one in examiner.judge(asked)}
        end = examiner.end()
    assert len(found) == len(serve)
    return found if end is None else {**found, "end": end}


def test_the_time_in_which_the_kit_judges_is_no_silence_of_the_broker() -> None:
    """The answer came long ago, and nobody looked."""
    vector = "kafka/unsupported-versions/broker-v0#serve"
    with open_connection(spec("conforming"), Options(silence=0.3)) as connection:
        case = find(vector).case
        connection.begin([case])
        time.sleep(1.0)
        (seen,) = connection.finish()
    assert seen.answer[0] != b""


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_broker_is_found(name: str) -> None:
    outcome, wrong = WRONG[name]
    found = verdicts(spec(name), BRIEF)
    assert {one: found[one].outcome for one in wrong} == dict.fromkeys(wrong, outcome)
    deviating = {one for one, verdict in found.items() if verdict.outcome in DEVIATIONS}
    assert len(deviating) < 80, "what has nothing to do with the fault is as it should be"


@pytest.mark.parametrize("name", ODD)
def test_an_odd_broker_is_not_blamed(name: str) -> None:
    found = verdicts(spec(name))
    others = {one: verdict for one, verdict in found.items() if verdict.outcome is not Outcome.PASS}
    assert {verdict.outcome for verdict in others.values()} <= {Outcome.SKIP}
    assert len(others) == ODD[name]


#: By program: the versions at which a sweep finds it wrong.
METADATA = [f"Metadata/{version}" for version in range(14)]
SWEPT: Mapping[str, list[str]] = {
    "metadata_with_one_byte_more": METADATA,
    "metadata_with_one_byte_less": METADATA,
    "metadata_in_an_older_layout": ["Metadata/9"],
    "no_tags_in_the_header": METADATA[9:],
    "two_bytes_for_no_tags": METADATA[9:],
    "writes_true_as_two": ["ApiVersions/3", "ApiVersions/4", "ApiVersions/5"],
    "silent_on_a_version": ["Metadata/5"],
    "tags_behind_the_api_versions_header": ["ApiVersions/3", "ApiVersions/4", "ApiVersions/5"],
    "accepts_unknown_versions": ["Metadata/14"],
    "success_for_new_api_versions": ["ApiVersions/6"],
}


def swept(implementation: str, options: Options | None = None) -> dict[str, Verdict]:
    """The verdicts on the announced versions and those beside them, as "Metadata/9"."""
    with Examiner(open_connection(implementation, options)) as examiner:
        asked = sweep.questions(examiner.description.apis or {})
        return {one.vector.id: one.verdict for one in examiner.judge(asked)}


def deviating(found: Mapping[str, Verdict]) -> set[str]:
    return {one for one, verdict in found.items() if verdict.outcome in DEVIATIONS}


@pytest.mark.parametrize("name", SWEPT)
def test_a_sweep_finds_the_wrong_versions(name: str) -> None:
    found = swept(spec(name), BRIEF)
    assert deviating(found) == {*SWEPT[name]}
    inside = {one for one in SWEPT[name] if found[one].area == MESSAGES}
    assert {found[one].ground for one in inside} <= {None}, "no ruling is behind a wrong answer inside of the versions"
    assert {found[one].rulings for one in inside} <= {()}


@pytest.mark.parametrize("name", ODD)
def test_a_sweep_blames_no_odd_broker(name: str) -> None:
    assert {verdict.outcome for verdict in swept(spec(name)).values()} == {Outcome.PASS}


def test_a_sweep_asks_what_is_announced_and_what_is_beside_it() -> None:
    assert set(swept(spec("older_ranges"))) == {
        *("Produce/2", "Produce/9", "Metadata/9", "ApiVersions/3"),
        *(f"Produce/{version}" for version in range(3, 9)),
        *METADATA[:9],
        *("ApiVersions/0", "ApiVersions/1", "ApiVersions/2"),
    }


@pytest.mark.parametrize("name", ["announces_removed_versions", "serves_removed_versions"])
def test_what_kafka_4_announces_and_refuses_may_be_served(name: str) -> None:
    sweep_found, found = swept(spec(name)), verdicts(spec(name))
    assert not deviating(sweep_found) | deviating(found)
    served = [sweep_found[f"Produce/{version}"] for version in range(3)]
    closed = [found[one] for one in ("broker-produce-v0", "broker-produce-v1", "broker-produce-v2-acks-0")]
    contested = served if name == "announces_removed_versions" else closed
    assert {verdict.rulings for verdict in contested} == {("R-K-18",)}


def test_a_sweep_knows_other_readings() -> None:
    assert swept(spec("answers_error35"))["Metadata/14"].rulings == ("R-K-18",)
    found = swept(spec("sends_a_tag_at_its_default"))
    contested = {one: verdict.rulings for one, verdict in found.items() if verdict.outcome is Outcome.CONTESTED}
    assert contested == dict.fromkeys(("ApiVersions/3", "ApiVersions/4", "ApiVersions/5"), ("R-K-8",))


def test_an_id_of_a_sweep_is_enough_to_ask_again() -> None:
    asked = [*sweep.questions({3: (0, 13), 18: (0, 5)})]
    assert [find(one.case.id) for one in asked] == asked
    with Examiner(open_connection(spec("conforming"))) as examiner:
        asked_again = [find(f"kafka/{where}/Metadata/{version}#serve") for where, version in BESIDE_AND_INSIDE]
        outcomes = [one.verdict.outcome for one in examiner.judge(asked_again)]
    assert outcomes == [Outcome.PASS, Outcome.SKIP, Outcome.SKIP]


#: Areas and versions of Metadata: one that is announced, as such and as not; one that the catalogue has and it has not.
BESIDE_AND_INSIDE = [("messages", 13), ("unsupported-versions", 13), ("unsupported-versions", 0)]


@pytest.mark.parametrize(
    "identifier",
    [
        "kafka/messages/Metadata/99#serve",
        "kafka/messages/Metadata/-1#serve",
        "kafka/unsupported-versions/Metadata/40000#serve",
        "kafka/messages/Nothing/1#serve",
        "kafka/varints/Metadata/1#serve",
        "kip-35-v7/messages/Metadata/1#serve",
        "kafka/messages/Metadata/1#decode",
    ],
)
def test_a_wrong_id_of_a_sweep(identifier: str) -> None:
    with pytest.raises(UnknownId):
        find(identifier)


@pytest.mark.parametrize(
    ("options", "sent"),
    [(Options(), {Effect.READ}), (Options(allow_writes=True), {Effect.READ, Effect.WRITE})],
    ids=["reads", "writes"],
)
def test_an_address_is_sent_only_what_its_owner_allows(options: Options, sent: set[Effect]) -> None:
    """The broker announces every api, and says nothing to those that it does not know."""
    with running("announces_everything") as address:
        found = swept(address, options)
    for name, verdict in found.items():
        api, _, version = name.partition("/")
        may = requests.effect(api, int(version)) in sent
        assert (verdict.outcome is not Outcome.SKIP) is may, (name, verdict)
        assert may or "is not sent to this broker" in verdict.detail


def test_a_deviation_that_does_not_repeat_is_unsteady() -> None:
    found = verdicts(spec("second_time_right")).values()
    assert {verdict.outcome for verdict in found} == {Outcome.PASS, Outcome.UNSTEADY}
    unsteady = [verdict for verdict in found if verdict.outcome is Outcome.UNSTEADY]
    assert all(verdict.detail.startswith("first wrong-answer: ") for verdict in unsteady)
    assert all(verdict.detail.endswith("asked once more: pass") for verdict in unsteady)


def test_only_the_question_that_ends_a_broker_is_blamed() -> None:
    found = verdicts(spec("dies_on_unknown_apis"))
    crashed = {one for one, verdict in found.items() if verdict.outcome is CRASH}
    assert {one for one in found if one.startswith("broker-api-")} - {"broker-api-minus-1"} <= crashed
    assert all("panic: no api" in found[one].detail for one in crashed)
    assert {verdict.outcome for one, verdict in found.items() if one not in crashed} == {Outcome.PASS}


def test_an_address_is_asked_as_a_program_is() -> None:
    with running("conforming") as address:
        assert {verdict.outcome for verdict in verdicts(address).values()} == {Outcome.PASS}


def test_a_broker_at_an_address_that_ends_is_told_and_fails() -> None:
    with running("dies_on_unknown_apis") as address:
        found = verdicts(address)
    assert found["end"].outcome is CRASH
    assert "it ended when it was asked" in found["end"].detail
    assert Outcome.NOT_ASKED in {verdict.outcome for verdict in found.values()}


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("tcp://127.0.0.1", "names no host and port"),
        ("tcp://127.0.0.1:0", "names no host and port"),
        ("tcp://127.0.0.1:99999", "names no host and port"),
        ("tcp://user@127.0.0.1:9092", "names no host and port"),
        ("tcp://127.0.0.1:9092/path", "names no host and port"),
        ("http://127.0.0.1:9092", "is no address that the kit knows"),
        ("tcp://no.such.host.invalid:9092", "is not found"),
        ("tcp://192.0.2.1:9092", "--allow-remote"),
    ],
)
def test_a_wrong_address_says_what_is_wrong(address: str, said: str) -> None:
    with pytest.raises(ImplementationError, match=said):
        open_connection(address)


def test_nobody_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(ImplementationError, match="nobody listens there"):
        open_connection(f"tcp://127.0.0.1:{port}")


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n", "485454502f312e31"),
        (bytes.fromhex("15030300020246"), "15030300020246 .* write tls://"),  # an alert of TLS: no such version
        (b"", "nothing"),
    ],
)
def test_something_else_listens(answer: bytes, said: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer_once() -> None:
            connection, _ = server.accept()
            with connection:
                connection.sendall(answer)
                while connection.recv(1000):
                    pass

        thread = threading.Thread(target=answer_once)
        thread.start()
        with pytest.raises(ImplementationError, match=f"no Kafka broker answers there: {said}"):
            open_connection(f"tcp://127.0.0.1:{server.getsockname()[1]}", Options(timeout=0.5))
        thread.join()


def test_a_broker_that_announces_nothing_is_asked_what_needs_no_ranges() -> None:
    """As those from before KIP-35: it closes the connection on ApiVersions, and nobody can tell which apis it has."""
    stop = threading.Event()
    with socket.create_server(("127.0.0.1", 0), backlog=256) as server:
        server.settimeout(0.1)

        def close_all() -> None:
            while not stop.is_set():
                try:
                    connection, _ = server.accept()
                except TimeoutError:
                    continue
                connection.close()

        thread = threading.Thread(target=close_all)
        thread.start()
        try:
            found = verdicts(f"tcp://127.0.0.1:{server.getsockname()[1]}")
        finally:
            stop.set()
            thread.join()
    assert found["broker-v0"].outcome is Outcome.PASS
    assert found["broker-metadata-v0"].outcome is Outcome.SKIP


def test_a_program_that_does_not_begin_to_listen_tells_why() -> None:
    said = '{"name":"x","ops":["serve"],"listens":"127.0.0.1:9"}'
    program = f"import sys; sys.stdin.readline(); print('{said}', flush=True); sys.exit('no disk')"
    with pytest.raises(ImplementationError, match=r"ended with exit code 1(.|\n)*no disk"):
        open_connection(f"exec:{shlex.join([sys.executable, '-c', program])}")


@pytest.mark.parametrize("listens", ["", "here", "127.0.0.1", "192.0.2.1:9092"])
def test_a_program_listens_on_this_machine(listens: str) -> None:
    said = f'{{"name":"x","ops":["serve"],"listens":"{listens}"}}'
    program = f"import sys; sys.stdin.readline(); print('{said}', flush=True); sys.stdin.read()"
    with pytest.raises(ImplementationError, match="listens"):
        open_connection(f"exec:{shlex.join([sys.executable, '-c', program])}")


@pytest.mark.parametrize(
    ("options", "told"),
    [([], "only what changes nothing (more with --allow-writes)"), (["--allow-writes"], "also sent what creates")],
)
def test_a_run_tells_what_it_may_send(options: list[str], told: str) -> None:
    with running("conforming") as address:
        words = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--area=framing", f"--impl={address}"]
        done = subprocess.run([*words, *options], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout
    (line,) = (line for line in done.stdout.splitlines() if line.startswith(f"{address}: a broker"))
    assert told in line


def test_wrapper_check_knows_programs_that_listen() -> None:
    found = {one.name: one for one in Inspection(spec("conforming"), Options()).run()}
    assert {one.result for one in found.values()} == {Result.GOOD}
    assert found["listens, and announces versions"].detail.endswith("3 apis")
    found = {one.name: one for one in Inspection(spec("ends_at_the_end"), Options()).run()}
    assert found["ends when stdin closes"].result is Result.BAD


def test_a_campaign_says_that_it_asks_codecs() -> None:
    with pytest.raises(FuzzError, match="campaigns ask codecs"):
        dependencies_of("tcp://127.0.0.1:9092")


# --- TLS ---


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> tuple[trustme.CA, Path]:
    """A certificate authority, and its file."""
    signing, file = trustme.CA(), tmp_path_factory.mktemp("ca") / "ca.pem"
    signing.cert_pem.write_to_path(str(file))
    return signing, file


@contextmanager
def with_tls(authority: tuple[trustme.CA, Path], host: str) -> Iterator[str]:
    """A broker that speaks TLS, with a certificate for this host. Its port."""
    signing, file = authority
    certificate = file.with_name(f"{host}.pem")
    signing.issue_cert(host).private_key_and_cert_chain_pem.write_to_path(str(certificate))
    with running("conforming", str(certificate)) as address:
        yield address.rpartition(":")[2]


def test_a_broker_with_tls(authority: tuple[trustme.CA, Path]) -> None:
    with with_tls(authority, "localhost") as port:
        found = verdicts(f"tls://localhost:{port}", Options(tls_ca=authority[1]))
    assert {verdict.outcome for verdict in found.values()} == {Outcome.PASS}


def test_a_certificate_is_checked(authority: tuple[trustme.CA, Path]) -> None:
    with with_tls(authority, "localhost") as port, pytest.raises(ImplementationError, match="no TLS with it: "):
        open_connection(f"tls://localhost:{port}")
    with with_tls(authority, "elsewhere") as port, pytest.raises(ImplementationError, match="no TLS with it: Hostname"):
        open_connection(f"tls://localhost:{port}", Options(tls_ca=authority[1]))


def test_tls_where_it_is_not(authority: tuple[trustme.CA, Path]) -> None:
    with running("conforming") as address, pytest.raises(ImplementationError, match="no TLS with it: "):
        open_connection(address.replace("tcp:", "tls:"), Options(tls_ca=authority[1], timeout=2.0))


def test_a_plain_connection_where_tls_is(authority: tuple[trustme.CA, Path]) -> None:
    """It would look like a broker from before KIP-35, which closes, and many questions would pass."""
    told = r"TLS is spoken there: write tls://127\.0\.0\.1:"
    with with_tls(authority, "localhost") as port, pytest.raises(ImplementationError, match=told):
        open_connection(f"tcp://127.0.0.1:{port}")


def test_a_file_that_holds_no_certificates() -> None:
    with pytest.raises(ImplementationError, match="is no file of certificates in PEM"):
        open_connection("tls://localhost:1", Options(tls_ca=Path(__file__)))


# --- Login ------------------------------------------------------------------------------------------------------------

AS_KIT = Options(sasl="plain:kit", timeout=2.0)


@pytest.mark.parametrize("name", ["wants_a_login", "logs_in_byte_by_byte", "wants_a_login_later"])
def test_each_connection_logs_in(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PASSWORD, "secret")
    assert {verdict.outcome for verdict in verdicts(spec(name), AS_KIT).values()} == {Outcome.PASS}


def test_without_a_login_it_is_asked_as_it_is() -> None:
    found = verdicts(spec("wants_a_login"))
    assert found["broker-v0"].outcome is Outcome.PASS
    assert found["broker-metadata-v0"].outcome is FAIL


@pytest.mark.parametrize(
    ("name", "password", "said"),
    [
        ("wants_a_login", "wrong", "no login with it: the broker answers SaslAuthenticate with error 58"),
        ("refuses_plain", "secret", "no login with it: the broker answers SaslHandshake with error 33"),
        ("closes_on_a_login", "secret", "no login with it: the broker closed the connection"),
        ("wants_a_login", None, f"the password is expected in the environment, as {PASSWORD}"),
    ],
)
@pytest.mark.parametrize("started", [True, False])
def test_a_login_that_fails_says_why(
    name: str, password: str | None, said: str, started: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if password is None:
        monkeypatch.delenv(PASSWORD, raising=False)
    else:
        monkeypatch.setenv(PASSWORD, password)
    with running(name) as address, pytest.raises(ImplementationError, match=said) as raised:
        open_connection(spec(name) if started else address, AS_KIT)
    assert password is None or password not in str(raised.value)


def test_a_command_that_repeats_a_question_reaches_the_same_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PASSWORD, "secret")
    options = Options(allow_writes=True, allow_remote=True, sasl="plain:kit")
    with running("wants_a_login") as address, open_connection(address, options) as connection:
        reached_by = connection.description.reached_by
    command = f"wireproof repro 'kafka/a/b#serve' --impl={address} --allow-remote --allow-writes --sasl=plain:kit"
    assert repro_command("kafka/a/b#serve", address, reached_by) == command


def test_no_transcript_holds_a_password(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PASSWORD, "secret")
    transcript = tmp_path / "transcript.jsonl"
    verdicts(spec("wants_a_login"), dataclasses.replace(AS_KIT, transcript=transcript))
    text = transcript.read_text("utf-8")
    assert "broker-metadata-v0" in text
    assert "secret" not in text
    assert b"secret".hex() not in text


@pytest.mark.parametrize("login", ["kit", "plain", "plain:", "scram:kit"])
def test_a_wrong_login_says_what_is_expected(login: str) -> None:
    with pytest.raises(WireproofError, match="plain:USER is expected"):
        Options(sasl=login)


@pytest.mark.parametrize("answer", [bytes(1 << 17), b"\x7f" + bytes(1 << 16)])
def test_an_answer_without_an_end_ends_a_login(answer: bytes) -> None:
    login = Login(b"\0kit\0secret")
    login.receive(answer)
    assert login.problem
