"""Deviations that look alike are one finding."""

from __future__ import annotations

from typing import Any

from conformance.findings import findings
from conformance.model import Kind, Op, Outcome, Signature, Verdict


def verdict(number: int, outcome: Outcome = Outcome.FAIL, **fields: Any) -> Verdict:
    usual: dict[str, Any] = {
        "dialect": "kafka",
        "area": "framing",
        "type": "INT8",
        "version": None,
        "op": Op.DECODE,
        "kind": Kind.WRONG_VALUE if outcome is Outcome.FAIL else None,
    }
    return Verdict(id=f"kafka/framing/{number}#decode", verdict=outcome, **usual | fields)


def test_only_deviations_are_findings() -> None:
    harmless = [Outcome.PASS, Outcome.CONTESTED, Outcome.SKIP, Outcome.NOT_ASKED]
    assert findings(verdict(number, outcome) for number, outcome in enumerate(harmless)) == []
    harmful = [Outcome.FAIL, Outcome.CRASH, Outcome.HANG, Outcome.OOM, Outcome.VIOLATION]
    found = findings(verdict(number, outcome) for number, outcome in enumerate(harmful))
    assert [finding.signature.verdict for finding in found] == harmful
    assert set(harmless) | set(harmful) == set(Outcome)


def test_each_part_of_the_signature_tells_two_findings_apart() -> None:
    same = [verdict(1), verdict(2)]
    others = [
        verdict(3, type="INT16"),
        verdict(4, op=Op.RECODE),
        verdict(5, kind=Kind.REFUSED_VALID),
        verdict(6, Outcome.CRASH),
        verdict(7, reason="truncated"),
        verdict(8, error="IndexError"),
        verdict(9, frame="mine:read"),
    ]
    found = findings([*same, *others])
    assert len(found) == 1 + len(others)
    assert found[0].verdicts == tuple(same)


def test_what_does_not_make_another_finding() -> None:
    alike = [
        verdict(1),
        verdict(2, area="varints"),
        verdict(3, version=3),
        verdict(4, offset=7),
        verdict(5, detail="other words"),
    ]
    assert [finding.verdicts for finding in findings(alike)] == [tuple(alike)]


def test_the_cause_is_the_reason_and_without_one_the_error() -> None:
    assert verdict(1, reason="truncated", error="EOFError").signature.cause == "truncated"
    assert verdict(1, error="EOFError").signature.cause == "EOFError"
    assert verdict(1).signature == Signature("decode", "INT8", "fail", "wrong-value", None, "")


def test_the_most_frequent_comes_first_and_each_keeps_its_order() -> None:
    rare, often = [verdict(1)], [verdict(number, type="INT16") for number in (5, 3, 4)]
    found = findings([*rare, *often])
    assert [finding.verdicts for finding in found] == [tuple(often), tuple(rare)]
    assert findings([]) == []
