"""The bytes side by side in the page of kip-35-v7, as both dialects read them."""

from __future__ import annotations

import re
from typing import Any

import pytest
from support.paths import ROOT

from wireproof import reference

PAGE = ROOT / "docs" / "explanation" / "kip-35-v7.md"
DIALECTS = ("kip-35-v7", "kafka")


def cells() -> dict[str, tuple[bytes, bytes]]:
    """What the table sends: the first word of a row → the bytes of either column, rows below it included."""
    table = re.search(r"\| \| kip-35-v7 \| `kafka`.*?\n\n", PAGE.read_text("utf-8"), re.DOTALL)
    assert table is not None
    found: dict[str, list[bytes]] = {}
    row = [b"", b""]
    for line in table[0].rstrip().splitlines()[2:]:
        label, *columns = (cell.strip() for cell in line.strip("|").split("|"))
        row = found.setdefault(label, [b"", b""]) if label else row
        for number, cell in enumerate(columns):
            digits = re.match(r"`([0-9a-f ]+)`", cell)
            row[number] += bytes.fromhex(digits[1]) if digits else b""
    return {label: (ours, theirs) for label, (ours, theirs) in found.items()}


BROKER = {
    "NodeId": 2,
    "Host": "h",
    "Port": 9092,
    "ProtocolVersionMin": 19,
    "ProtocolVersionMax": 25,
    "Tags": [("rack", "r1")],
}


@pytest.mark.parametrize(
    ("row", "column", "type_name", "version", "body"),
    [
        ("request", 0, "RequestFrame", None, {"NodeIds": [-1]}),
        ("request", 1, "RequestFrame", None, {}),
        ("response", 0, "ResponseFrame:BrokerMetadata", 0, {"Brokers": [BROKER]}),
        (
            "response",
            1,
            "ResponseFrame:ApiVersions",
            0,
            {"ErrorCode": 0, "ApiKeys": [{"ApiKey": 18, "MinVersion": 0, "MaxVersion": 3}]},
        ),
        ("a version that the broker lacks", 0, "EmptyResponse", None, None),
        (
            "a version that the broker lacks",
            1,
            "ResponseFrame:ApiVersions",
            0,
            {"ErrorCode": 35, "ApiKeys": [{"ApiKey": 18, "MinVersion": 0, "MaxVersion": 3}]},
        ),
        ("an api that it lacks", 0, "EmptyResponse", None, None),
    ],
)
def test_side_by_side(row: str, column: int, type_name: str, version: int | None, body: Any) -> None:
    data, dialect = cells()[row][column], DIALECTS[column]
    found = reference.decode(type_name, data, dialect=dialect, version=version)
    assert found["header"]["CorrelationId"] == 7
    assert found["header"].get("ClientId") is None
    assert found.get("body") == body
    assert reference.encode(type_name, found, dialect=dialect, version=version) == data


def test_only_one_cell_sends_nothing() -> None:
    assert [(row, column) for row, pair in cells().items() for column, data in enumerate(pair) if not data] == [
        ("an api that it lacks", 1)
    ]
