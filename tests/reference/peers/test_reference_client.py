"""What a conforming client makes of answers, beyond the vectors: each api at each version, and other readings."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from support.wire import field, schema

from wireproof import reference
from wireproof.reference import EncodeError, Reference, Rules, catalog, interpret
from wireproof.reference.dialects.kafka import Kafka
from wireproof.reference.peers.client import interpret as interpret_with
from wireproof.reference.schema import from_json
from wireproof.reference.schema.plan import Struct, plan

KAFKA = "kafka"
OWN_0_2 = "001200000002"


def ask(version: int, api_key: int = 18, correlation_id: int = 7) -> bytes:
    """A request frame; a client reads key, version and id of it, nothing else."""
    inside = (
        api_key.to_bytes(2, "big", signed=True)
        + version.to_bytes(2, "big", signed=True)
        + correlation_id.to_bytes(4, "big", signed=True)
        + b"\xff\xff"
    )
    return len(inside).to_bytes(4, "big") + inside


def frame(inside: str, correlation_id: str = "00000007") -> bytes:
    data = bytes.fromhex(correlation_id + inside)
    return len(data).to_bytes(4, "big") + data


def makes_of(request: bytes, response: bytes | None, **switches: Any) -> dict[str, Any]:
    return Reference(Rules(**switches)).interpret(request, response, dialect=KAFKA)


ACCEPTED = {"outcome": "accepted"}
MALFORMED = {"outcome": "malformed"}
UNSUPPORTED = {"outcome": "unsupported", "request": "ApiVersionsRequest"}


def retry(version: int) -> dict[str, Any]:
    return {"outcome": "retry", "version": version}


# --- Good answers ---

GOOD = {
    0: "0000" + "00000001" + OWN_0_2,
    1: "0000" + "00000001" + OWN_0_2 + "00000000",
    2: "0000" + "00000001" + OWN_0_2 + "00000000",
    3: "0000" + "02" + OWN_0_2 + "00" + "00000000" + "00",
    4: "0000" + "02" + OWN_0_2 + "00" + "00000000" + "00",
    5: "0000" + "02" + OWN_0_2 + "00" + "00000000" + "00",
}


def test_an_answer_in_another_layout_is_malformed() -> None:
    assert makes_of(ask(3), frame(GOOD[0])) == MALFORMED
    assert makes_of(ask(0), frame(GOOD[3])) == MALFORMED
    assert makes_of(ask(0), frame(GOOD[1])) == MALFORMED
    assert makes_of(ask(3), frame("0029" + GOOD[0][4:])) == MALFORMED


# --- Error 35 (R-K-17, R-K-21) ---


def test_error_35_comes_in_a_v0_body_whatever_was_asked() -> None:
    assert makes_of(ask(3), frame("0023" + GOOD[3][4:])) == MALFORMED
    assert makes_of(ask(1), frame("0023" + GOOD[1][4:])) == MALFORMED
    assert makes_of(ask(5), frame("0023")) == MALFORMED


@pytest.mark.parametrize(
    ("version", "span"),
    [(5, "00000005"), (3, "00000004"), (5, "00060009"), (5, "00020001")],  # what was asked, more, none in common, empty
)
def test_a_version_that_cannot_be_retried_is_unsupported(version: int, span: str) -> None:
    assert makes_of(ask(version), frame("0023" + "00000001" + "0012" + span)) == UNSUPPORTED


def test_a_retry_is_in_a_version_that_the_client_has() -> None:
    assert makes_of(ask(99), frame("0023" + "00000001" + "001200000009")) == retry(5)


def test_the_full_table_may_be_taken_as_it_is() -> None:
    full = frame("0023" + "00000002" + "000300000001" + OWN_0_2)
    assert makes_of(ask(5), full, full_table="accepted") == ACCEPTED
    one = frame("0023" + "00000001" + OWN_0_2)
    assert makes_of(ask(5), one, full_table="accepted") == retry(2)
    none = frame("0023" + "00000000")
    assert makes_of(ask(5), none, full_table="accepted") == retry(0)


# --- Closed connections (R-K-21b, R-K-28) ---


def test_a_closed_connection_may_be_met_with_version_0() -> None:
    assert makes_of(ask(3), None, closed_api_versions="retry-0") == retry(0)
    assert makes_of(ask(1), None, closed_api_versions="retry-0") == retry(0)
    assert makes_of(ask(0), None, closed_api_versions="retry-0") == {"outcome": "error", "error": None}
    assert makes_of(ask(3, api_key=3), None, closed_api_versions="retry-0") == {"outcome": "error", "error": None}


# --- What stands behind a body, and what is no request ---


def test_bytes_behind_a_body_may_be_passed_over() -> None:
    assert makes_of(ask(0), frame(GOOD[0] + "00"), trailing_bytes="ignored") == ACCEPTED


def test_a_request_that_is_none_is_no_question() -> None:
    for size in range(12):
        with pytest.raises(EncodeError, match="the request frame has no whole header"):
            interpret(ask(0)[:size], frame(GOOD[0]), dialect=KAFKA)
    assert interpret(ask(0)[:12], frame(GOOD[0]), dialect=KAFKA) == ACCEPTED


# --- Other apis (R-K-28) ---


def test_an_api_that_the_catalogue_lacks_is_named_by_its_key() -> None:
    assert makes_of(ask(0, api_key=999), frame("0023")) == {"outcome": "unsupported", "request": "api 999"}
    assert makes_of(ask(0, api_key=999), frame("0023" + "00000000")) == {"outcome": "unsupported", "request": "api 999"}
    assert makes_of(ask(0, api_key=999), frame("0003")) == {"outcome": "error", "error": 3}
    assert makes_of(ask(0, api_key=999), frame("0000")) == ACCEPTED
    assert makes_of(ask(0, api_key=999), frame("0000", "00000008")) == MALFORMED
    assert makes_of(ask(0, api_key=999), frame("0000") + b"\0") == MALFORMED


class Catalogue:
    """One api with its error behind the throttle time, and codes deeper inside."""

    SCHEMA = schema(
        field("ThrottleTimeMs", "int32"),
        field("ErrorCode", "int16", "1+"),
        field("Topics", "[]Topic", fields=[field("ErrorCode", "int16")]),
        flexible="2+",
        versions="0-2",
    )

    def api_name(self, api_key: int) -> str | None:
        return "Small" if api_key == 3 else Kafka().messages.api_name(api_key)

    def plan(self, name: str, version: int) -> Struct:
        return (
            plan(from_json(self.SCHEMA), version) if name == "SmallResponse" else Kafka().messages.plan(name, version)
        )


#: version, body with its header's tags, what is made of it
OTHERS: list[tuple[int, str, dict[str, Any]]] = [
    (0, "00000000" + "00000000", ACCEPTED),
    (0, "00230023" + "00000001" + "0023", ACCEPTED),
    (1, "00000000" + "0000" + "00000001" + "0003", ACCEPTED),
    (1, "00000000" + "0023" + "00000000", {"outcome": "unsupported", "request": "SmallRequest"}),
    (1, "00000000" + "0003" + "00000000", {"outcome": "error", "error": 3}),
    (2, "00" + "00000000" + "0003" + "01" + "00", {"outcome": "error", "error": 3}),
    (2, "00000000" + "0003" + "01" + "00", MALFORMED),
    (1, "00000000" + "0003", MALFORMED),
]


@pytest.mark.parametrize(("version", "body", "outcome"), OTHERS)
def test_only_a_top_level_error_counts(version: int, body: str, outcome: dict[str, Any]) -> None:
    assert interpret_with(Catalogue(), ask(version, api_key=3), frame(body), Rules()) == outcome


# --- Every api at every version ---

CATALOG = Path(catalog.__file__).parent


def within(version: int, versions: str) -> bool:
    """Whether a schema's range ("0-3", "6+", "4", "none") holds this version."""
    if versions == "none":
        return False
    low, _, high = versions.removesuffix("+").partition("-")
    return int(low) <= version <= (10**6 if versions.endswith("+") else int(high or low))


@dataclass(frozen=True)
class Answered:
    """An api's response at one version, by its schema's file alone."""

    name: str
    api_key: int
    version: int
    flexible: bool
    #: The top-level fields of this version that are on the wire, in order.
    fields: tuple[dict[str, Any], ...]

    @property
    def has_error(self) -> bool:
        return any(found["name"] == "ErrorCode" for found in self.fields)

    @property
    def header(self) -> str:
        return "00" if self.flexible and self.name != "ApiVersions" else ""

    def body(self, error: int, throttle: int = 0) -> str:
        """Zeroes and nothing else, but for the error and the throttle time: the least body that there is."""
        return "".join(self._field(found, error, throttle) for found in self.fields) + ("00" if self.flexible else "")

    def _field(self, found: dict[str, Any], error: int, throttle: int) -> str:
        kind = found["type"]
        if kind.startswith("[]") or kind in ("string", "bytes", "records"):
            return "01" if self.flexible else "0000" if kind == "string" else "00000000"
        if kind in _WIDTHS:
            value = {"ErrorCode": error, "ThrottleTimeMs": throttle}.get(found["name"], 0)
            return value.to_bytes(_WIDTHS[kind], "big", signed=True).hex()
        assert "nullableVersions" in found, f"{self.name}: {found['name']} is a structure that has no null"
        return "ff"


_WIDTHS = {"bool": 1, "int8": 1, "int16": 2, "int32": 4, "int64": 8, "uuid": 16}


def responses() -> Iterator[Answered]:
    for path in sorted(CATALOG.glob("*Response.json")):
        found = json.loads(path.read_text())
        if found["validVersions"] == "none":
            continue
        low, _, high = found["validVersions"].partition("-")
        for version in range(int(low), int(high or low) + 1):
            fields = tuple(
                one
                for one in found["fields"]
                if within(version, one["versions"]) and not within(version, one.get("taggedVersions", "none"))
            )
            flexible = within(version, found["flexibleVersions"])
            yield Answered(found["name"].removesuffix("Response"), found["apiKey"], version, flexible, fields)


RESPONSES = list(responses())


def test_there_are_responses_of_every_sort() -> None:
    assert len({one.name for one in RESPONSES}) == len(reference.dialect_named(KAFKA).apis())
    first = {(one.flexible, one.has_error, one.fields[0]["name"]) for one in RESPONSES}
    assert {(flexible, True, name) for flexible in (False, True) for name in ("ThrottleTimeMs", "ErrorCode")} <= first
    assert {(flexible, has_error) for flexible, has_error, _ in first} == {
        (a, b) for a in (False, True) for b in (False, True)
    }


@pytest.mark.parametrize("one", RESPONSES, ids=lambda one: f"{one.name}-{one.version}")
def test_the_error_is_found_wherever_it_stands(one: Answered) -> None:
    request = ask(one.version, one.api_key)

    def made(error: int, throttle: int = 0) -> dict[str, Any]:
        return makes_of(request, frame(one.header + one.body(error, throttle)))

    assert made(0) == ACCEPTED
    assert made(0, 0x00230023) == ACCEPTED
    if not one.has_error:
        return
    assert made(41) == {"outcome": "error", "error": 41}
    assert made(-1, 0x00230023) == {"outcome": "error", "error": -1}
    if one.name != "ApiVersions":
        assert made(35) == {"outcome": "unsupported", "request": f"{one.name}Request"}


@pytest.mark.parametrize(
    "one", [one for one in RESPONSES if one.name != "ApiVersions"], ids=lambda one: f"{one.name}-{one.version}"
)
def test_the_header_is_that_of_the_version(one: Answered) -> None:
    """With the other header everything is read one byte too early or too late."""
    other = "" if one.header else "00"
    assert makes_of(ask(one.version, one.api_key), frame(other + one.body(41, 1))) == MALFORMED
    if one.flexible:
        tagged = frame("0105" + "01aa" + one.body(41))
        expected = {"outcome": "error", "error": 41} if one.has_error else ACCEPTED
        assert makes_of(ask(one.version, one.api_key), tagged) == expected


def test_the_shortest_answers_are_read() -> None:
    """A header, an empty array and the tags are less than size, correlation id and an error would be."""
    assert makes_of(ask(1, 27), frame("00" + "01")) == MALFORMED
    assert makes_of(ask(1, 27), frame("00")) == MALFORMED
    assert makes_of(ask(1, 27), frame("")) == MALFORMED
    assert makes_of(ask(0, 999), frame("")) == MALFORMED
    assert makes_of(ask(0, 999), frame("00")) == MALFORMED


@pytest.mark.parametrize(("api_key", "version"), [(3, 14), (12, -1), (18, 6)])
def test_an_answer_in_a_version_that_the_client_lacks_is_not_understood(api_key: int, version: int) -> None:
    assert makes_of(ask(version, api_key), frame("0000" + "00000000")) == MALFORMED
    assert makes_of(ask(version, api_key), None) == {"outcome": "error", "error": None}
