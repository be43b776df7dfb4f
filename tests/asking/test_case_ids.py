"""The ids of cases: one grammar, one parser."""

from __future__ import annotations

import pytest

from wireproof.conformance import ledger, vectors
from wireproof.conformance.model import Case, CaseId, CaseKind, Op


@pytest.mark.parametrize(
    ("text", "kind", "parts", "case"),
    [
        ("kafka/varints/varint-1#decode", CaseKind.STORED, ("kafka/varints/varint-1", "", "decode"), ""),
        ("mine/messages/of-mine#decode", CaseKind.STORED, ("mine/messages/of-mine", "", "decode"), ""),
        ("kafka/messages/Fetch/4/set#encode", CaseKind.LEDGER, ("kafka/messages/Fetch/4/set", "", "encode"), "set"),
        (
            "kafka/messages/Fetch/4/set+prefix:3#recode",
            CaseKind.DERIVED,
            ("kafka/messages/Fetch/4/set", "prefix:3", "recode"),
            "set",
        ),
        ("gen/kafka/INT8/-/x00#decode", CaseKind.GENERATED, ("gen/kafka/INT8/-/x00", "", "decode"), ""),
        (
            "gen/kafka/INT8/-/x00+prefix:0#decode",
            CaseKind.GENERATED,
            ("gen/kafka/INT8/-/x00", "prefix:0", "decode"),
            "",
        ),
        ("kafka/varints/varint-1", CaseKind.STORED, ("kafka/varints/varint-1", "", ""), ""),
        ("", CaseKind.STORED, ("", "", ""), ""),
    ],
)
def test_an_id_and_its_parts(text: str, kind: CaseKind, parts: tuple[str, str, str], case: str) -> None:
    found = CaseId.parse(text)
    assert found == parts
    assert (found.kind, found.ledger_case, str(found)) == (kind, case, text)
    case_of = Case(text, Op.DECODE, "kafka")
    assert (case_of.derived, case_of.generated) == (bool(parts[1]), kind is CaseKind.GENERATED)
    assert case_of.from_file is found.from_file is (kind in (CaseKind.STORED, CaseKind.LEDGER))


def test_the_ids_of_all_stored_cases() -> None:
    for vector in (*vectors.load(), *ledger.every_vector()):
        for case in vector.cases():
            found = CaseId.parse(case.id)
            assert found.kind is (CaseKind.LEDGER if "/" in vector.id else CaseKind.STORED)
            assert (str(found), found.path, found.op) == (case.id, vector.path, case.op)
            assert (case.derived, case.generated, case.from_file) == (False, False, True)
