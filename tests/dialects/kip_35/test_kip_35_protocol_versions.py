"""KIP-35's ledger of ProtocolVersions: its text form, its rules, and the version that is chosen by it."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from wireproof import reference
from wireproof.conformance import vectors
from wireproof.conformance.vectors import Vector, VectorKind
from wireproof.reference import Rules, SchemaError
from wireproof.reference.dialects.kip_35.client import NotSupportedError, agree, common
from wireproof.reference.dialects.kip_35.protocol_versions import (
    LedgerError,
    VersionEntry,
    VersionLedger,
    compare,
    parse,
    select,
)
from wireproof.reference.evolution import Break, Change

PAGE = """\
ProduceRequest v3:
    Added in ProtocolVersion: 19
    Deprecated in ProtocolVersion: 25
    Removed in ProtocolVersion: 27
"""
LEDGER = VersionLedger(
    (
        VersionEntry("ProduceRequest", 2, 12),
        VersionEntry("ProduceRequest", 3, 19, 25, 27),
        VersionEntry("ProduceRequest", 4, 25),
        VersionEntry("BrokerMetadataRequest", 0, 19),
        VersionEntry("FetchRequest", 5, 20, None, 22),
    )
)


def test_the_page_s_own_entry() -> None:
    assert parse(PAGE) == VersionLedger((VersionEntry("ProduceRequest", 3, 19, 25, 27),))
    assert str(parse(PAGE)) == PAGE


def test_blank_lines_and_indentation_mean_nothing() -> None:
    text = "\n\n  ProduceRequest v3:\nAdded in ProtocolVersion: 19\n\n\t Removed in ProtocolVersion: 27\r\n"
    assert parse(text) == VersionLedger((VersionEntry("ProduceRequest", 3, 19, None, 27),))


def test_what_is_written_is_read_again() -> None:
    assert parse(str(LEDGER)) == LEDGER
    assert parse("") == VersionLedger(())
    assert str(VersionLedger(())) == ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Added in ProtocolVersion: 19", "line 1: 'Added in ProtocolVersion: 19'"),
        ("ProduceRequest v3", "line 1: 'ProduceRequest v3'"),
        ("ProduceRequest 3:", "line 1"),
        ("ProduceRequest v3:", "line 1: ProduceRequest v3 was never added"),
        ("ProduceRequest v3:\nRemoved in ProtocolVersion: 27", "line 1: ProduceRequest v3 was never added"),
        (f"{PAGE}\nFetchRequest v1:", "line 6: FetchRequest v1 was never added"),
        (f"{PAGE}    Added in ProtocolVersion: 20", "line 5: ProduceRequest v3 is added twice"),
        (f"{PAGE}    Withdrawn in ProtocolVersion: 20", "line 5"),
        ("ProduceRequest v3:\nAdded in ProtocolVersion: -1", "line 2"),
        ("ProduceRequest v3:\nAdded in ProtocolVersion: soon", "line 2"),
        ("ProduceRequest v3:\nAdded in ProtocolVersion: 0", "0 is no ProtocolVersion from 1"),
        ("ProduceRequest v3:\nAdded in ProtocolVersion: 2147483648", "2147483648 is no ProtocolVersion"),
        ("ProduceRequest v32768:\nAdded in ProtocolVersion: 1", "32768 is no version"),
        (PAGE + PAGE, "ProduceRequest v3 stands twice"),
        (PAGE.replace("25", "18"), "do not grow"),
        (PAGE.replace("27", "24"), "do not grow"),
        (PAGE.replace("27", "19").replace("25", "19"), "it was never there"),
        (PAGE + "ProduceRequest v4:\nAdded in ProtocolVersion: 18", "v4 was added in 18, before ProduceRequest v3"),
    ],
)
def test_what_is_wrong_is_refused_with_its_place(text: str, said: str) -> None:
    with pytest.raises(LedgerError) as caught:
        parse(text)
    assert said in str(caught.value)


def test_one_patch_s_additions_may_share_a_number() -> None:
    text = "ARequest v0:\nAdded in ProtocolVersion: 5\nBRequest v0:\nAdded in ProtocolVersion: 5\n"
    assert parse(text + "BRequest v1:\nAdded in ProtocolVersion: 5").requests(5) == {"ARequest": 0, "BRequest": 1}


def ledger(*entries: Any) -> dict[str, Any]:
    return {"protocolVersions": [*entries]}


def test_from_json() -> None:
    whole = {"request": "ProduceRequest", "version": 3, "added": 19, "deprecated": 25, "removed": 27}
    assert VersionLedger.of(ledger(whole)) == parse(PAGE)
    assert VersionLedger.of(ledger({"request": "A", "version": 0, "added": 1}) | {"name": "mine"}) == VersionLedger(
        (VersionEntry("A", 0, 1),)
    )
    assert VersionLedger.of(LEDGER.as_json) == LEDGER


GOOD = {"request": "B", "version": 0, "added": 1}


@pytest.mark.parametrize(
    "raw",
    [
        None,
        [],
        {},
        {"entries": []},
        ledger() | {"entries": []},
        {"protocolVersions": {}},
        {"protocolVersions": None},
        ledger(GOOD, 5),
        ledger(GOOD, {"request": "A", "version": 0}),
        ledger(GOOD, {"request": "A", "version": 0, "added": 1, "gone": 2}),
        ledger(GOOD, {"request": 5, "version": 0, "added": 1}),
        ledger(GOOD, {"request": "A b", "version": 0, "added": 1}),
        ledger(GOOD, {"request": "A", "version": True, "added": 1}),
        ledger(GOOD, {"request": "A", "version": 0, "added": None}),
        ledger(GOOD, {"request": "A", "version": 0, "added": "1"}),
    ],
)
def test_what_is_no_ledger_is_refused(raw: Any) -> None:
    with pytest.raises(LedgerError):
        VersionLedger.of(raw)
    with pytest.raises(SchemaError):
        reference.evolve(ledger(), raw, dialect="kip-35-v7")


def test_current_is_the_greatest_number() -> None:
    assert LEDGER.current == 27
    assert VersionLedger(()).current == 0


@pytest.mark.parametrize(
    ("protocol_version", "requests"),
    [
        (11, {}),
        (12, {"ProduceRequest": 2}),
        (18, {"ProduceRequest": 2}),
        (19, {"ProduceRequest": 3, "BrokerMetadataRequest": 0}),
        (21, {"ProduceRequest": 3, "BrokerMetadataRequest": 0, "FetchRequest": 5}),
        (22, {"ProduceRequest": 3, "BrokerMetadataRequest": 0}),  # removed in 22: the first without it
        (24, {"ProduceRequest": 3, "BrokerMetadataRequest": 0}),
        (25, {"ProduceRequest": 4, "BrokerMetadataRequest": 0}),  # v3 is deprecated, and still there
        (99, {"ProduceRequest": 4, "BrokerMetadataRequest": 0}),
    ],
)
def test_what_a_protocol_version_has(protocol_version: int, requests: dict[str, int]) -> None:
    assert LEDGER.requests(protocol_version) == requests
    assert VersionLedger(LEDGER.entries[::-1]).requests(protocol_version) == requests  # in whatever order they stand


def test_deprecated_is_there_until_it_is_removed() -> None:
    entry = VersionEntry("ProduceRequest", 3, 19, 25, 27)
    assert [number for number in range(17, 30) if entry.within(number)] == list(range(19, 27))


# --- Nothing is ever removed ------------------------------------------------------------------------------------------


def changed(name: str, version: int, **to: Any) -> VersionLedger:
    return VersionLedger(
        tuple(
            dataclasses.replace(entry, **to) if (entry.request, entry.version) == (name, version) else entry
            for entry in LEDGER.entries
        )
    )


def kinds(new: VersionLedger, old: VersionLedger = LEDGER) -> list[tuple[str, str]]:
    """What breaks between ledgers that leave out many a number: those of the fixture do."""
    return [(str(found.kind), found.path) for found in compare([old], new).breaks if found.kind != "number-skipped"]


def test_additions_break_nothing() -> None:
    assert kinds(LEDGER) == []
    assert kinds(LEDGER, VersionLedger(())) == []
    assert kinds(VersionLedger((VersionEntry("NewRequest", 0, 28), *LEDGER.entries))) == []
    assert kinds(changed("ProduceRequest", 2, deprecated=28)) == []
    assert kinds(changed("ProduceRequest", 2, deprecated=28, removed=29)) == []
    assert kinds(changed("BrokerMetadataRequest", 0, removed=28)) == []


def test_an_entry_is_never_deleted() -> None:
    assert kinds(VersionLedger(LEDGER.entries[1:])) == [("entry-deleted", "ProduceRequest v2")]
    assert "nothing is deleted" in compare([LEDGER], VersionLedger(LEDGER.entries[1:])).breaks[0].detail
    # Gone for long, and yet it stays.
    assert kinds(VersionLedger(LEDGER.entries[:-1])) == [("entry-deleted", "FetchRequest v5")]


@pytest.mark.parametrize(
    ("name", "version", "to", "kind"),
    [
        ("ProduceRequest", 2, {"added": 11}, "number-changed"),
        ("ProduceRequest", 3, {"deprecated": 26}, "number-changed"),
        ("ProduceRequest", 3, {"deprecated": None}, "number-changed"),
        ("ProduceRequest", 3, {"removed": 28}, "number-changed"),
        ("ProduceRequest", 3, {"removed": None}, "number-changed"),
        ("ProduceRequest", 2, {"deprecated": 27}, "number-past"),
        ("BrokerMetadataRequest", 0, {"removed": 27}, "number-past"),
        ("FetchRequest", 5, {"deprecated": 21}, "number-past"),
    ],
)
def test_what_was_published_stays(name: str, version: int, to: dict[str, int | None], kind: str) -> None:
    assert kinds(changed(name, version, **to)) == [(kind, f"{name} v{version}")]


def test_an_addition_increments_the_protocol_version() -> None:
    assert kinds(VersionLedger((*LEDGER.entries, VersionEntry("NewRequest", 0, 27)))) == [
        ("number-past", "NewRequest v0")
    ]
    found = compare([LEDGER], VersionLedger((*LEDGER.entries, VersionEntry("NewRequest", 0, 3))))
    assert "at least 28" in next(one.detail for one in found.breaks if one.kind == "number-past")


def test_a_number_that_is_left_out_is_told_by_the_entry_behind_it() -> None:
    found = compare(
        [VersionLedger(())], VersionLedger((VersionEntry("A", 0, 7), VersionEntry("B", 0, 8), VersionEntry("A", 1, 40)))
    )
    assert [(str(one.kind), one.path, one.detail) for one in found.changes] == [
        ("number-skipped", "A v1", "ProtocolVersion 40 comes after 8; it goes up by one for each addition")
    ]


def test_a_shared_number_is_noted_with_its_ruling() -> None:
    new = VersionLedger((VersionEntry("A", 0, 1), VersionEntry("B", 0, 1)))
    note = Change(None, "B v0", "added in 1, as A v0 is", "R-35-7")
    assert compare([VersionLedger(())], new).changes == (note,)
    broken = compare([VersionLedger(())], new, Rules(shared_number="refused"))
    assert broken.breaks == (dataclasses.replace(note, kind=Break.NUMBER_SHARED),)


BREAKING = [vector for vector in vectors.load(["kip-35-v7"]) if vector.kind is VectorKind.EVOLVE and vector.expected]


@pytest.mark.parametrize("vector", BREAKING, ids=lambda vector: vector.id)
def test_a_vector_of_a_break_has_one_cause(vector: Vector) -> None:
    """Else who overlooks one of two causes is right by the other."""
    assert len(vector.expected) == 1
    assert reference.evolve(vector.args["old"], vector.args["new"], dialect="kip-35-v7") == vector.expected


# --- What is chosen ---------------------------------------------------------------------------------------------------


def test_a_client_s_choice_is_of_one_connection() -> None:
    client = (12, 26)
    old, new = select(LEDGER, client, (10, 18)), select(LEDGER, client, (19, 27))
    assert (old.protocol_version, old.requests) == (18, {"ProduceRequest": 2})
    assert (new.protocol_version, new.version("ProduceRequest")) == (26, 4)
    with pytest.raises(NotSupportedError, match="BrokerMetadataRequest: not supported by server, in Proto"):
        old.version("BrokerMetadataRequest")


def test_brokers_among_themselves() -> None:
    assert select(LEDGER, (12, 27), (10, 19), (18, 25)).protocol_version == 19
    with pytest.raises(NotSupportedError, match=r"not supported by server: .*: 12 to 27, 10 to 19, 20"):
        select(LEDGER, (12, 27), (10, 19), (20, 25))


@pytest.mark.parametrize(
    ("ranges", "chosen"),
    [
        ([(19, 25)], 25),
        ([(19, 25), (12, 22), (20, 30)], 22),
        ([(19, 25), (12, 22), (23, 30)], None),
        ([(5, 1)], None),
        ([(0, 0), (0, 9)], 0),
        ([(1, 9), None], None),
        ([], None),
    ],
)
def test_what_is_common(ranges: list[tuple[int, int] | None], chosen: int | None) -> None:
    assert common(ranges) == chosen
    if chosen is None:
        with pytest.raises(NotSupportedError):
            agree(ranges)
    else:
        assert agree(ranges) == chosen
