"""The run in numbers."""

from __future__ import annotations

import dataclasses

import golden

from conformance.model import Description, Kind, Op, Outcome, Tally, Verdict
from conformance.report.summary import matrix, print_summary, shares, summary_table
from conformance.report.text import to_string


def verdict(identifier: str, outcome: Outcome, kind: Kind | None = None, *, known: str | None = None) -> Verdict:
    """A verdict whose area stands in its id."""
    area = identifier.split("/")[1]
    return Verdict(identifier, "kafka", area, "VARINT", None, Op.DECODE, outcome, kind, known=known)


def many(area: str, outcome: Outcome, count: int, kind: Kind | None = None) -> list[Verdict]:
    return [verdict(f"kafka/{area}/{outcome}-{number}#decode", outcome, kind) for number in range(count)]


MIXED = [
    *many("varints", Outcome.PASS, 300),
    *many("varints", Outcome.SKIP, 1),
    *many("tag-ordering", Outcome.PASS, 20),
    *many("tag-ordering", Outcome.FAIL, 3, Kind.ACCEPTED_INVALID),
    *many("tag-ordering", Outcome.CONTESTED, 2),
    *many("framing", Outcome.SKIP, 4),
    verdict("kafka/framing/known#decode", Outcome.CRASH, known="kafka/framing/*"),
    *many("zebra", Outcome.NOT_ASKED, 2),
    *many("resource-limits", Outcome.OOM, 1),
]


def test_known_deviations_are_a_share_of_their_own() -> None:
    assert shares(MIXED).areas()["framing"] == {"known": 1, "skip": 4}


def test_summary_table() -> None:
    table = summary_table(
        {"library 1.0": shares(MIXED), "other": shares(many("varints", Outcome.PASS, 2))},
        not_offered={
            "library 1.0": {
                "UUID decode": 2,
                "UUID encode": 1,
                "serve": 70,
                "ARRAY<INT8> decode": 3,
                "ARRAY<ARRAY<INT8>> encode": 1,
                "ARRAY<INT8> recode": 2,
            },
            "other": {},
        },
    )
    golden.check("summary", to_string(table, width=100, color=False))


def test_a_narrow_terminal_still_shows_areas_and_counts() -> None:
    text = to_string(summary_table({"a-long-name-of-an-implementation 1.2.3": shares(MIXED)}), width=80, color=False)
    assert "resource-limits" in text
    assert "300" in text


def test_nothing_at_all() -> None:
    assert "all" in to_string(summary_table({"library": Tally()}), width=100, color=False)


def test_a_skip_never_has_the_colour_of_a_pass() -> None:
    text = to_string(summary_table({"x": shares(MIXED)}), width=100, color=True)
    row = next(line for line in text.splitlines() if "framing" in line)
    assert "\x1b[33m" in row
    assert "\x1b[32m" not in row


def test_a_small_share_is_not_rounded_away() -> None:
    verdicts = [*many("varints", Outcome.PASS, 999), *many("varints", Outcome.FAIL, 1)]
    text = to_string(summary_table({"x": shares(verdicts)}), width=100, color=False)
    assert ">99 %" in text
    assert "<1 %" in text


LEFT = [
    verdict("kafka/varints/a#decode", Outcome.PASS),
    verdict("kafka/varints/b#decode", Outcome.PASS),
    verdict("kafka/varints/c#decode", Outcome.SKIP),
    verdict("kafka/varints/d#decode", Outcome.FAIL, Kind.WRONG_VALUE, known="d"),
    verdict("kafka/framing/e#decode", Outcome.PASS),
]
RIGHT = [
    verdict("kafka/varints/a#decode", Outcome.PASS),
    verdict("kafka/varints/b#decode", Outcome.FAIL, Kind.WRONG_VALUE),
    verdict("kafka/varints/c#decode", Outcome.PASS),
    verdict("kafka/varints/d#decode", Outcome.HANG),
]


def test_matrix() -> None:
    golden.check("matrix", to_string(matrix({"left 1.0": LEFT, "right": RIGHT}), width=100, color=False))


def test_matrix_lists_no_more_than_asked() -> None:
    left = many("varints", Outcome.PASS, 50)
    right = [dataclasses.replace(one, verdict=Outcome.CRASH) for one in left]
    text = to_string(matrix({"left": left, "right": right}, limit=5), width=100, color=False)
    assert "They differ on 50 questions" in text
    assert text.count("kafka/varints/") == 5
    assert "… and 45 more" in text


def test_matrix_of_those_who_agree() -> None:
    text = to_string(matrix({"left": LEFT, "again": LEFT}), width=100, color=False)
    assert "There is no question on which they differ." in text


def test_print_summary_of_one() -> None:
    (text,) = print_summary(
        {"a.b": LEFT},
        {"a.b": Description("library", "1.0")},
        {"a.b": {"UUID decode": 1}},
        {"a.b": {"MetadataResponse decode": 2, "MetadataResponse encode": 2, "MetadataResponse recode": 2}},
        width=200,
        color=False,
    )
    assert "library 1.0\n" in text
    assert "library 1.0 does not offer, so was not asked, 1 question: UUID decode 1" in text
    assert "library 1.0 was not asked, because these schemas lack the version or have it otherwise" in text
    assert "6 questions: MetadataResponse 6" in text


def test_print_summary_of_several_compares_them() -> None:
    descriptions = {"a": Description("library", "1.0"), "b": Description("library", "1.0")}
    verdicts = {"a": LEFT, "b": RIGHT, "c": []}
    first, second = print_summary(verdicts, descriptions, {}, {}, width=100, color=False)
    assert "library 1.0 (a)" in first
    assert "They differ on 2 questions" in second
