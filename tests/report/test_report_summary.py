"""The run in numbers."""

from __future__ import annotations

from collections import Counter

import msgspec
from support import golden

from wireproof.conformance.judging.clusters import clusters
from wireproof.conformance.model import Description, FailureKind, Op, Outcome, Verdict
from wireproof.conformance.questions.selection import NotAsked
from wireproof.conformance.report.findings import findings_text
from wireproof.conformance.report.jsonl import Tally
from wireproof.conformance.report.summary import matrix, new_findings, numbers, shares, summary_table
from wireproof.conformance.report.text import to_string
from wireproof.conformance.report.unasked import unasked, unasked_lines


def verdict(identifier: str, outcome: Outcome, kind: FailureKind | None = None, *, known: str | None = None) -> Verdict:
    """A verdict whose area stands in its id."""
    area = identifier.split("/")[1]
    return Verdict(identifier, "kafka", area, "VARINT", None, Op.DECODE, outcome, kind, known=known)


def many(area: str, outcome: Outcome, count: int, kind: FailureKind | None = None) -> list[Verdict]:
    return [verdict(f"kafka/{area}/{outcome}-{number}#decode", outcome, kind) for number in range(count)]


MIXED = [
    *many("varints", Outcome.PASS, 300),
    *many("varints", Outcome.SKIP, 1),
    *many("tag-ordering", Outcome.PASS, 20),
    *many("tag-ordering", Outcome.FAIL, 3, FailureKind.ACCEPTED_INVALID),
    *many("tag-ordering", Outcome.CONTESTED, 2),
    *many("framing", Outcome.SKIP, 4),
    verdict("kafka/framing/known#decode", Outcome.CRASH, known="kafka/framing/*"),
    *many("zebra", Outcome.NOT_ASKED, 2),
    *many("resource-limits", Outcome.OOM, 1),
]


def test_known_deviations_are_a_share_of_their_own() -> None:
    assert shares(MIXED).areas()["framing"] == {"known": 1, "skip": 4}


def test_summary_table() -> None:
    table = summary_table({"library 1.0": shares(MIXED), "other": shares(many("varints", Outcome.PASS, 2))})
    golden.check("summary", to_string(table, width=100, color=False))


NOT_OFFERED = Counter(
    {
        "UUID decode": 2,
        "UUID encode": 1,
        "serve": 70,
        "ARRAY<INT8> decode": 3,
        "ARRAY<ARRAY<INT8>> encode": 1,
        "ARRAY<INT8> recode": 1200,
        "kip-35-v7": 20,
    }
)


def said(counts: NotAsked, *, verbose: bool = False, whole: bool = True) -> list[str]:
    return [line.plain for line in unasked_lines("x", MIXED[:301], counts, verbose=verbose, whole=whole)]


def test_what_is_not_offered_is_one_line() -> None:
    assert said(NotAsked(NOT_OFFERED, by_area=Counter({"framing": 1000, "varints": 2}))) == [
        "x: 1,297 questions not asked, without derived ones: 2 types, 1 dialect and 1 op not offered; -v lists them"
    ]
    assert said(NotAsked(Counter({"UUID decode": 1}))) == [
        "x: 1 question not asked, without derived ones: 1 type not offered; -v lists them"
    ]
    assert said(NotAsked(other_schemas=Counter({"MetadataResponse decode": 2, "MetadataResponse encode": 2}))) == [
        "x: 4 questions not asked, without derived ones: 1 type not as in the vectors' schemas; -v lists them"
    ]
    assert said(NotAsked(Counter({"UUID decode": 0}))) == []


def test_announced_versions_without_a_schema_are_counted() -> None:
    assert said(NotAsked(no_schema=Counter(["Fetch 19", "api 9999 0"]))) == [
        "x: 2 announced versions not asked, of which there is no schema: Fetch 19, api 9999 0"
    ]


def test_verbose_names_what_is_not_offered_and_the_areas() -> None:
    lines = said(NotAsked(NOT_OFFERED, by_area=Counter({"framing": 1000, "varints": 2})), verbose=True)
    assert lines == [
        "x: 1,297 questions not asked, without derived ones: not offered are UUID decode/encode 3, arrays 1,204, "
        "kip-35-v7 20, serve 70",
        "x, framing: 100 % of 1,000 questions were not asked, or not judged: 1,000 not offered",
    ]
    assert said(NotAsked(NOT_OFFERED, by_area=Counter({"framing": 1000})), verbose=True, whole=False) == lines[:1]


def test_of_much_that_is_not_offered_the_most_is_named() -> None:
    many_types = Counter({f"Message{number}Request decode": number + 1 for number in range(30)})
    (line,) = said(NotAsked(many_types), verbose=True)
    assert line.startswith(
        "x: 465 questions not asked, without derived ones: not offered are Message10Request decode 11, "
    )
    assert line.endswith("Message29Request decode 30, and 55 of 10 more")


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
    verdict("kafka/varints/d#decode", Outcome.FAIL, FailureKind.WRONG_VALUE, known="d"),
    verdict("kafka/framing/e#decode", Outcome.PASS),
]
RIGHT = [
    verdict("kafka/varints/a#decode", Outcome.PASS),
    verdict("kafka/varints/b#decode", Outcome.FAIL, FailureKind.WRONG_VALUE),
    verdict("kafka/varints/c#decode", Outcome.PASS),
    verdict("kafka/varints/d#decode", Outcome.HANG),
]


def test_matrix() -> None:
    golden.check("matrix", to_string(matrix({"left 1.0": LEFT, "right": RIGHT}), width=100, color=False))


def test_matrix_lists_no_more_than_asked() -> None:
    left = many("varints", Outcome.PASS, 50)
    right = [msgspec.structs.replace(one, outcome=Outcome.CRASH) for one in left]
    text = to_string(matrix({"left": left, "right": right}, limit=5), width=100, color=False)
    assert "They differ on 50 questions" in text
    assert text.count("kafka/varints/") == 5
    assert "… and 45 more" in text


def test_matrix_of_those_who_agree() -> None:
    text = to_string(matrix({"left": LEFT, "again": LEFT}), width=100, color=False)
    assert "There is no question on which they differ." in text


def test_those_who_were_not_asked_the_same_do_not_agree_on_all() -> None:
    more = [*LEFT, *many("varints", Outcome.PASS, 3), *many("varints", Outcome.SKIP, 2)]
    text = to_string(matrix({"left": LEFT, "more": more, "none": []}), width=200, color=False)
    assert "There is no question on which they differ." not in text
    assert "They do not differ on the 0 questions that all of them were asked and judged on." in text
    assert "Beyond these: left 4, more 7." in text
    text = to_string(matrix({"left": LEFT, "more": more}), width=200, color=False)
    assert "They do not differ on the 4 questions that all of them were asked and judged on." in text
    assert "Beyond these: more 3." in text


def test_matrix_names_the_findings_on_which_they_differ() -> None:
    left = many("varints", Outcome.PASS, 5)
    about = [("tag size", 0), ("count", 1), ("tag size", 2), ("tag size", 3), ("count", 4)]
    right = [
        msgspec.structs.replace(left[number], outcome=Outcome.FAIL, kind=FailureKind.ACCEPTED_INVALID, place=place)
        for place, number in about
    ]
    text = to_string(matrix({"left": left, "right": right}), width=100, color=False)
    assert "left: pass  right: accepted-invalid on read at tag size  (3)" in text
    assert "left: pass  right: accepted-invalid on read at count  (2)" in text


def test_numbers_of_one() -> None:
    counts = NotAsked(Counter({"UUID decode": 1}), other_schemas=Counter({"MetadataResponse decode": 2}))
    verdicts = {"a.b": [*LEFT, verdict("kafka/framing/f#decode", Outcome.HANG)]}
    descriptions = {"a.b": Description("library", "1.0")}
    items = {"a.b": 2}
    table, lines = numbers(verdicts, descriptions, {"a.b": counts}, width=100, color=False, items=items)
    assert "library 1.0\n" in table
    assert lines.splitlines() == [
        "",
        f"library 1.0: {len(LEFT) + 1} questions in 2 of pytest's items",
        "library 1.0: 1 question not asked, without derived ones: 1 type not offered; -v lists them",
        "library 1.0: 2 questions not asked, without derived ones: 1 type not as in the vectors' schemas; -v",
        "lists them",
        "library 1.0, varints: 25 % of 4 questions were not asked, or not judged: 1 skip",
    ]
    assert "".join(
        new_findings(verdicts, descriptions, {}, width=100, color=False)
    ) == (  # what is known stands in its file
        "\nlibrary 1.0: 1 finding in 1 case that deviate\n"
        "  1  hang on read at VARINT\n"
        "     wireproof repro 'kafka/framing/f#decode' --impl=a.b\n"
    )


def test_one_question_an_item_needs_no_word() -> None:
    verdicts = {"a": many("varints", Outcome.PASS, 3)}
    (_table,) = numbers(verdicts, {}, {}, width=100, color=False, items={"a": 3})
    _, line = numbers(verdicts, {}, {}, width=100, color=False, items={"a": 2})
    assert line == "\na: 3 questions in 2 of pytest's items\n"


def test_numbers_of_several_compare_them() -> None:
    descriptions = {"a": Description("library", "1.0"), "b": Description("library", "1.0")}
    verdicts = {"a": LEFT, "b": RIGHT, "c": []}
    first, *_, second = numbers(verdicts, descriptions, {}, width=100, color=False)
    assert "library 1.0 (a)" in first
    assert "They differ on 2 questions" in second
    (third,) = new_findings({"b": RIGHT, "a": []}, descriptions, {}, width=100, color=False)
    assert "library 1.0 (b): 2 findings in 2 cases that deviate" in third


# --- Findings ---------------------------------------------------------------------------------------------------------


def test_findings_are_listed_most_frequent_first_and_no_more_than_asked() -> None:
    seen = [
        *(verdict(f"kafka/varints/a{number}#decode", Outcome.CRASH) for number in range(2)),
        *(verdict(f"kafka/varints/b{number}#decode", Outcome.HANG) for number in range(1200)),
        verdict("kafka/varints/c#decode", Outcome.OOM),
    ]
    text = findings_text("library", "my.wrapper", clusters(seen), {}, width=80, limit=2).plain
    assert text.splitlines() == [
        "library: 3 findings in 1,203 cases that deviate",
        "  1200  hang on read at VARINT",
        "        wireproof repro 'kafka/varints/b0#decode' --impl=my.wrapper",
        "     2  crash on read at VARINT",
        "        wireproof repro 'kafka/varints/a0#decode' --impl=my.wrapper",
        "        … and 1 finding more, in 1 case: each has its page above; in the lines of --report=FILE each case has "
        "its `group`",
    ]


# --- What was not asked -----------------------------------------------------------------------------------------------


def test_a_large_share_that_was_not_asked_is_said_with_its_reasons() -> None:
    skipped = [
        msgspec.structs.replace(one, note="whose valid twin was not accepted")
        for one in many("messages", Outcome.SKIP, 300)
    ]
    verdicts = [*skipped, *many("messages", Outcome.NOT_ASKED, 50), *many("messages", Outcome.PASS, 150)]
    twin = (
        "85 % of 1,000 questions were not asked, or not judged: 500 not offered; "
        "300 whose valid twin was not accepted; 50 not-asked"
    )
    counts = {"messages": 500, "framing": 3}
    assert unasked(verdicts, counts, every=False) == {"messages": twin}
    framing = "100 % of 3 questions were not asked, or not judged: 3 not offered"
    assert unasked(verdicts, counts, every=True) == {"messages": twin, "framing": framing}


def test_a_small_share_is_not_said() -> None:
    few = [*many("varints", Outcome.PASS, 95), *many("varints", Outcome.SKIP, 5)]
    assert unasked(few, {"varints": 4}, every=True) == {}
    most = [*many("varints", Outcome.PASS, 1), *many("varints", Outcome.SKIP, 999)]
    assert "99 %" in unasked(most, {}, every=False)["varints"]
