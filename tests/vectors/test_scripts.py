"""What is refused in a file of scripts for clients, and what a script tells of itself."""

from __future__ import annotations

import json
from typing import Any

import pytest

from wireproof.conformance.vectors import scripts
from wireproof.conformance.vectors.model import VectorError

SCRIPT = {"id": "a", "about": "b", "source": "c"}
ASKED = {"ApiVersions": [{"closes": True}]}


def parsed(*written: dict[str, Any]) -> None:
    scripts.parse(json.dumps({"format": 1, "vectors": [SCRIPT | one for one in written]}).encode())


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ({"apis": {"Metadatum": [0, 1]}}, "Metadatum"),
        ({"second": {"answers": {"Metadatum": [{}]}}}, "Metadatum"),
        ({"ends": ["wins"]}, "an end is works or gives-up"),
        ({"next": ["jumps"], "answers": ASKED}, "a next step is"),
        ({"next": ["stops"]}, "`next` is what comes after"),
        ({"or_ends": ["works"]}, "another reading stands beside"),
        ({"answers": {"ApiVersions": [{"gone": True}]}}, "`gone` is of a second broker"),
        ({"second": {"answers": {"Metadata": [{"delay": 61}]}}}, "beyond its bounds"),
        ({"second": {"hands_over": "Metadata"}}, "`hands_over` is one of Produce, Fetch, ListOffsets"),
        ({"second": {"second": {}}}, "second"),
        ({"apis": {"SaslHandshake": None}}, "a script about a login says `sasl`: true"),
        ({"before_login": {"Metadata": None}}, "a script about a login says `sasl`: true"),
        ({"sasl": True, "before_login": {"Metadatum": None}}, "Metadatum"),
        ({"answers": {"Metadata": [{"value": {}, "body": [["00", "a byte"]]}]}}, "the usual one changed, or `body`"),
    ],
)
def test_a_wrong_script_is_refused_with_its_id(written: dict[str, Any], text: str) -> None:
    with pytest.raises(VectorError) as refused:
        parsed(written)
    assert "vectors/scripts.json, vector 'a'" in str(refused.value)
    assert text in str(refused.value)


def test_an_id_stands_once() -> None:
    with pytest.raises(VectorError, match="the id stands twice"):
        parsed({}, {})


def test_what_follows_an_answer_of_the_second_broker_may_be_demanded() -> None:
    parsed({"next": ["stops"], "second": {"answers": ASKED}})


def test_a_script_tells_what_both_brokers_do() -> None:
    second = scripts.Second(
        {"Produce": (0, 3), "Fetch": None}, {"Metadata": [scripts.Answer(gone=True)]}, True, "Produce"
    )
    told = scripts.ClientScript(
        scripts.Script("a", "b", "c", {"Metadata": (0, 4)}, second=second, before_login={"Fetch": None})
    ).told()
    assert told == [
        "Metadata: 0 to 4",
        "before the login, Fetch: none",
        "a second broker leads the partition",
        "    Produce: 0 to 3",
        "    Fetch: none",
        '    Metadata: {"gone":true}',
        "    the last answer again and again",
        "    with its first Produce the first broker leads",
    ]
