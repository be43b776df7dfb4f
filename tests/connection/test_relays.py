"""Proxies: honest ones pass, and each wrong one fails where it is wrong and nowhere else."""

from __future__ import annotations

import shlex
import socket
import sys
from collections.abc import Collection, Iterator
from itertools import chain

import pytest
from support.paths import TESTS

from wireproof import reference
from wireproof.conformance import relayed
from wireproof.conformance.asking.examiner import Examiner, Judged
from wireproof.conformance.connection import ImplementationError, Options, open_connection
from wireproof.conformance.connection.live import proxied
from wireproof.conformance.model import DEVIATIONS, Outcome
from wireproof.conformance.questions import lookup, relays, selection
from wireproof.conformance.vectors import rewrites

#: What every proxy is asked, as far as it announces it.
SOME = (
    *("ApiVersions/0", "ApiVersions/3", "Metadata/0", "Metadata/10", "Metadata/13", "Metadata/13/tags", "Metadata/14"),
    *("FindCoordinator/3", "FindCoordinator/6", "Produce/3", "Produce/13", "Produce/13/tags", "Fetch/4", "Fetch/18"),
    *("unknown-api", "unknown-version", "order", "two-clients"),
)
SLOW = "slow-client"


def spec(name: str) -> str:
    words = shlex.join([sys.executable, "-P", str(TESTS / "programs/proxy.py"), name])
    return f"proxy:{words} {{listen_port}} {{upstream_port}}"


def short(identifier: str) -> str:
    return identifier.removeprefix("kafka/relay/").removesuffix("#serve")


def asked(name: str, wanted: Collection[str]) -> Iterator[Judged]:
    with Examiner(open_connection(spec(name), Options(timeout=3.0))) as examiner:
        apis = examiner.description.apis or {}
        yield from examiner.judge(one for one in relays.questions(apis) if short(one.case.id) in wanted)
        assert examiner.end() is None


def failed(name: str, wanted: Collection[str]) -> dict[str, str]:
    """Those of the questions that met a deviation: path in the area → the place."""
    return {
        short(one.case.id): one.verdict.place or one.verdict.error
        for one in asked(name, wanted)
        if one.verdict.outcome in DEVIATIONS
    }


@pytest.mark.parametrize("name", ["PassThrough", "Rewriting", "MapsIds"])
def test_honest_proxies_pass(name: str) -> None:
    every = [short(one.case.id) for one in relays.questions(relayed.announced())]
    wanted = {*every[::9], *SOME, SLOW}
    found = [*asked(name, wanted)]
    assert [one.verdict for one in found if one.verdict.outcome is not Outcome.PASS] == []
    assert len(found) > 50


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("RewritesMetadataAlone", {"FindCoordinator/3": "FindCoordinator", "FindCoordinator/6": "FindCoordinator"}),
        ("ListsNewer", {"Metadata/14": "Metadata"}),
        ("OwnVersion", {"Metadata/10": "request header.RequestApiVersion"}),
        ("LosesTags", {f"{one}/13/tags": "request header._tags" for one in ("Metadata", "Produce")}),
        ("LosesAnswersTags", {f"{one}/13/tags": "answer body._tags" for one in ("Metadata", "Produce")}),
        ("AnnouncesMore", {"ApiVersions/0": "announced", "ApiVersions/3": "announced"}),
        ("SilentOnUnknown", {"unknown-api": "request"}),
        ("AltersUnknown", {"unknown-api": "request"}),
        ("DiesOnUnknown", {"unknown-api": "exit 3"}),
        ("Reorders", {"order": "correlation id"}),
    ],
)
def test_wrong_proxies_fail_where_they_are_wrong(name: str, expected: dict[str, str]) -> None:
    found = failed(name, SOME)
    assert {one: found.get(one) for one in expected} == expected
    assert found.keys() - expected.keys() <= ALSO.get(name, set())


def test_a_proxy_that_mixes_up_correlation_ids() -> None:
    """Which client has both answers depends on who is faster."""
    found = failed("MixesIds", SOME)
    assert found.keys() == {"two-clients"}
    assert found["two-clients"] in ("no answer", "answer of another")


#: What else fails, by the same fault.
ALSO = {"RewritesMetadataAlone": {"Produce/13", "Produce/13/tags", "Fetch/18"}}


def test_a_proxy_that_alters_records() -> None:
    places = failed("AltersRecords", SOME)
    assert places.keys() == {"Produce/3", "Produce/13", "Produce/13/tags"}
    assert {*places.values()} == {"request body.TopicData[].PartitionData[].Records"}


def test_a_proxy_that_names_itself() -> None:
    assert failed("NamesItself", ["Metadata/13"]) == {"Metadata/13": "request"}


def test_a_proxy_that_sends_to_one_client_at_a_time() -> None:
    assert failed("BlocksAll", [SLOW]) == {SLOW: "no answer"}


def test_every_id_is_found_again() -> None:
    every = [*relays.questions(relayed.announced())]
    assert [lookup.find(one.case.id) for one in every] == every
    for wrong in ("kafka/relay/nothing#serve", "kafka/relay/Metadata/x#serve", "kafka/relay/Metadata/1/y#serve"):
        with pytest.raises(lookup.UnknownId):
            lookup.find(wrong)


def test_a_proxy_is_asked_nothing_else() -> None:
    with open_connection(spec("PassThrough")) as connection:
        described = connection.description
    names = [one.name for one in selection.entries(described, selection.NotAsked())]
    assert {name.split("/")[1] for name in names} == {"relay"}
    assert list(selection.entries(described, selection.NotAsked(), areas=["varints"])) == []


def test_what_names_a_broker_is_in_the_table() -> None:
    """Every field that looks like an address, in any version of any answer."""
    unruled = set()
    for key, (name, (low, high)) in relayed.apis().items():
        for version in range(low, high + 1):
            answer = relayed.answer_value(key, version, 1, "a", ("h", 1))
            if name not in rewrites.KEPT:
                unruled |= {
                    f"{name} {path}" for path in {*rewrites.addressed(answer["body"])} - {*rewrites.paths(name)}
                }
    assert unruled == set()
    listed = {*chain(rewrites.DEMANDED, rewrites.PERMITTED, rewrites.KEPT)}
    assert listed <= {name for name, _ in relayed.apis().values()}


def test_only_what_the_table_names_is_cleared() -> None:
    value = {"Brokers": [{"NodeId": 1, "Host": "h", "Port": 2}], "Host": "kept"}
    assert rewrites.cleared(value, ["Brokers[].Host", "Coordinators[].Host"]) == (
        {"Brokers": [{"NodeId": 1, "Host": None, "Port": 2}], "Host": "kept"},
        ["h"],
    )


def test_messages_have_no_defaults() -> None:
    """So whatever is lost is seen: every field, but for ids of what the kit sends as it has to be."""
    request = relayed.read_request(relayed.request(0, 9, 7, "a-plain"))
    default = reference.encode("ProduceRequest", {}, dialect="kafka", version=9)
    empty = reference.decode("ProduceRequest", default, dialect="kafka", version=9)
    assert [name for name, item in request["body"].items() if name != "_tags" and item == empty[name]] == []


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("proxy:python -c pass {listen}", "has no {upstream}"),
        ("proxy:python -c pass {upstream_port}", "has no {listen}"),
        ("proxy:no-such-program {listen} {upstream}", "there is no program"),
        (f"proxy:{sys.executable} -c 'raise SystemExit(3)' {{listen}} {{upstream}}", "exit code 3"),
    ],
)
def test_a_command_that_is_no_proxy(command: str, says: str) -> None:
    with pytest.raises(ImplementationError) as caught:
        open_connection(command)
    assert says in str(caught.value)


def test_the_ports_behind_a_proxys_are_free(monkeypatch: pytest.MonkeyPatch) -> None:
    port = proxied._free_port()
    monkeypatch.setattr(proxied, "PORTS", [port])
    with (
        socket.create_server(("127.0.0.1", port + proxied.NEIGHBOURS)),
        pytest.raises(ImplementationError, match="none is free together with the 15 behind it"),
    ):
        proxied._free_port()
    assert proxied._free_port() == port
