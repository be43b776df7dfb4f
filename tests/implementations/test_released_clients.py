"""Released clients with some of the scripts: they work, and what is known of them is so. All scripts are run by
`tox -e clients`, and by `python docs/record_clients.py`."""

from __future__ import annotations

import importlib.util
import shlex
import shutil
import sys
import tomllib

import pytest
from support import golang, java, node, rust
from support.paths import ROOT
from support.toolchains import missing

from wireproof.conformance.asking.examiner import NOTHING_KNOWN, Examiner
from wireproof.conformance.connection import Options, open_connection
from wireproof.conformance.connection.live.login import PASSWORD
from wireproof.conformance.connection.spec import known_beside
from wireproof.conformance.evidence.known_deviations import load
from wireproof.conformance.model import DEVIATIONS, Outcome
from wireproof.conformance.questions import find
from wireproof.conformance.vectors import scripts

FOLDER = ROOT / "implementations" / "clients"
LISTED = tomllib.loads((FOLDER / "clients.toml").read_text("utf-8"))
CLIENTS = {one["name"]: one["spec"] for one in LISTED["client"]}
#: Scripts that all clients are asked.
SOME = ("usual", "only-the-oldest", "error-35-own-range", "unknown-keys", "one-byte-at-a-time", "closing-once")

#: Clients of libraries that are built, and what skips a test where they are not.
BUILT = {
    "franz_go": golang.skip_unless_built,
    "kafka_clients": java.skip_unless_built,
    "kafka_go": golang.skip_unless_built,
    "kafkajs": node.skip_unless_built,
    "platformatic": node.skip_unless_built,
    "rskafka": rust.skip_unless_built,
    "sarama": golang.skip_unless_built,
}


def skip_without(spec: str) -> None:
    """Skip the test where the client is not installed; under CI that fails."""
    name = next(word for word in shlex.split(spec) if "client_" in word).rpartition("client_")[2]
    if name in BUILT:
        BUILT[name]()
        return
    library = name.removesuffix(".py").replace("kafka_python", "kafka")
    there = shutil.which(library) if library == "kcat" else importlib.util.find_spec(library)
    if there is None:
        missing(f"{library} is not installed")


#: Vectors that the consumer that prints is asked, beside those of which something is known.
PRINTED = (
    *("kafka/delivery/compacted-gaps#consume", "kafka/delivery/refused-crc#consume", "kafka/delivery/magic-0#consume"),
    "kafka/delivery/control-abort-alone#consume",
)


@pytest.mark.parametrize(("spec", "prints"), [(one["spec"], one["prints"]) for one in LISTED["consumer"]])
def test_a_consumer_prints_what_it_is_given(spec: str, prints: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """And what is known of it is so."""
    monkeypatch.chdir(ROOT)
    if "client_kafka_console" in spec:
        java.skip_unless_built()
    elif shutil.which("kcat") is None:
        missing("kcat is not installed")
    beside = known_beside(spec)
    known = NOTHING_KNOWN if beside is None else load(beside, None)
    always = {one for entry in known.deviations for one in entry.globs}
    with Examiner(open_connection(spec, Options(timeout=12, prints=prints)), known) as examiner:
        verdicts = {one.case.id: one.verdict for one in examiner.judge(map(find, always | {*PRINTED}))}
    assert {one for one, verdict in verdicts.items() if verdict.outcome in DEVIATIONS} == always
    assert {one for one, verdict in verdicts.items() if verdict.outcome is Outcome.PASS} == {*PRINTED} - always


@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_works_and_what_is_known_of_it_is_so(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    spec = CLIENTS[name].replace("client:python ", f"client:{shlex.quote(sys.executable)} ")
    skip_without(spec)
    beside = known_beside(spec)
    known = NOTHING_KNOWN if beside is None else load(beside, None)
    always = {one for entry in known.deviations if not entry.unsteady for one in entry.globs}
    at_times = {one for entry in known.deviations if entry.unsteady for one in entry.globs}
    questions = [*map(find, always | {f"kafka/unsupported-versions/scripts/{one}#interpret" for one in SOME})]
    with Examiner(open_connection(spec, Options(timeout=12)), known) as examiner:
        verdicts = {one.case.id: one.verdict for one in examiner.judge(questions)}
    assert verdicts["kafka/unsupported-versions/scripts/usual#interpret"].outcome is Outcome.PASS
    deviating = {one for one, verdict in verdicts.items() if verdict.outcome in DEVIATIONS}
    assert deviating == always, verdicts
    assert all(verdicts[one].known for one in deviating)
    assert all(map(find, at_times))


def test_kcat_logs_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PASSWORD, "secret")
    if shutil.which("kcat") is None:
        missing("kcat is not installed")
    login = {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN", "sasl.username": "alice"}
    settings = " ".join(f"-X {name}={value}" for name, value in (login | {"sasl.password": "secret"}).items())
    spec = f"client:kcat -L -b {{bootstrap}} -X socket.timeout.ms=2000 -m 4 {settings}"
    logins = [one for one, script in scripts.load().items() if script.sasl]
    questions = map(find, (f"kafka/unsupported-versions/scripts/{one}#interpret" for one in (*SOME, *logins)))
    with Examiner(open_connection(spec, Options(timeout=12, sasl="plain:alice"))) as examiner:
        outcomes = {one.case.id: one.verdict.outcome for one in examiner.judge(questions)}
    assert {*outcomes.values()} <= {Outcome.PASS, Outcome.CONTESTED}, outcomes
