"""Reports for the tests of pages: small ones of real cases, a hostile one, and a large one."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from wireproof.conformance.asking.rows import verdict_of
from wireproof.conformance.judging.clusters import group

#: Real cases: of bytes that have to be refused, of bytes that have to be written, and one that another reading answers.
BIT_32 = "kafka/varints/uvarint-bit-32#decode"
BIT_33 = "kafka/varints/uvarint-bit-33#decode"
TAG_1 = "kafka/tag-ordering/tag-1#encode"
OVERLONG = "kafka/varints/tags-size-bit-32#decode"
PASSED = "kafka/varints/varint-minus-1#decode"
SKIPPED = "kafka/framing/int32-0#decode"


def line(identifier: str, verdict: str, **other: Any) -> dict[str, Any]:
    """A verdict's line; `other`: what is not as usual."""
    dialect, area, _ = identifier.split("/", 2) if identifier.count("/") > 1 else ("kafka", "varints", "")
    row: dict[str, Any] = {
        "id": identifier,
        "dialect": dialect,
        "area": area,
        "type": "UNSIGNED_VARINT",
        "version": None,
        "op": identifier.rpartition("#")[2] if identifier.endswith(("#decode", "#encode")) else "decode",
        "verdict": verdict,
        "kind": None,
        "reason": None,
        "offset": None,
        "detail": "",
        "rulings": [],
        "note": "",
        "error": "",
        "frame": "",
        "demanded": None,
        "ground": None,
        "place": "",
        "known": None,
    } | other
    found = group(verdict_of(row))
    group_row = None if found is None else found.row()
    return row | {"repro": f"wireproof repro '{identifier}' --impl=mine", "group": group_row}


def accepted(identifier: str, **other: Any) -> dict[str, Any]:
    """Bytes that were read, although they have to be refused."""
    said = {"kind": "accepted-invalid", "demanded": "varint-overflow", "ground": "R-K-6", "place": "a varint"}
    return line(
        identifier, "fail", **{"detail": "must be refused: varint-overflow at byte 0; accepted as 5"} | said | other
    )


def small() -> list[dict[str, Any]]:
    """A few verdicts of all sorts; the areas varints, tag-ordering and framing."""
    return [
        line(PASSED, "pass", type="VARINT"),
        accepted(BIT_32, known="kafka/varints/uvarint-bit-32#decode"),
        accepted(BIT_33),
        line(
            TAG_1,
            "fail",
            type="TAG_BUFFER",
            kind="wrong-bytes",
            detail="expected 0x010102aabb, got 0x0101aabb (first difference at byte 2)",
            place="tag size: unreadable",
        ),
        line(OVERLONG, "contested", type="TAG_BUFFER", rulings=["R-K-6"], detail="accepted as [[0, 0xaa]]"),
        line(SKIPPED, "skip", type="INT32", note="not offered", detail="it has no INT32"),
        line(
            "wire-format/varints/made-up#decode", "crash", error="IndexError", frame="mine:read", detail="IndexError: 7"
        ),
    ]


def report(
    path: Path, lines: Iterable[Mapping[str, Any]], name: str = "mine", version: str | None = "1.0", form: int = 2
) -> Path:
    """Write a report of these lines."""
    rows = list(lines)
    about = {"name": name, "version": version, "language": "python"}
    header = {"report": form, "kit": "0.1.0", "vectors": "0" * 12, "implementation": about, "options": "none"}
    tally: dict[str, Counter[str]] = {}
    for row in rows:
        tally.setdefault(row["area"], Counter())[row["verdict"]] += 1
    with path.open("w", encoding="utf-8") as file:
        for row in (header, *rows, {"summary": tally}):
            file.write(json.dumps(row) + "\n")
    return path


#: Each of these would set `window.hit`, or end an element, if it came into a page as it is.
ATTACKS = (
    "<script>window.hit = 1</script>",
    "</script><script>window.hit = 2</script>",
    '"><img src="x" onerror="window.hit = 3">',
    "<!--<script>",
    "\x1b[31m\x1b]0;title\x07\u202e\u2028\x00'\"`${window.hit = 4}{{ 7 * 7 }}",
    "__proto__",
)


def hostile(flood: int = 0) -> list[dict[str, Any]]:
    """Verdicts with hostile text wherever a report may have text. `flood`: the number of characters of a long one."""
    rows = []
    for number, text in enumerate(ATTACKS):
        row = line(f"{text}/{number}#decode", "fail", kind="refused-valid", detail=f"refused: {text}")
        rows.append(row | dict.fromkeys(("dialect", "area", "type", "note", "error", "known", "repro"), text))
        rows.append(line(f"{text}-skip#decode", "skip", note=text, detail=text))
    long = "x" * flood
    rows.append(
        line("kafka/varints/flood#decode", "crash", detail=f"<b>{long}</b>", error="<i>E</i>", frame=long[:100])
    )
    rows.append(line(f"kafka/varints/{long[: 1 << 20]}#decode", "fail", kind="refused-valid", detail="a long id"))
    return rows


def large(count: int = 100_000) -> Iterable[dict[str, Any]]:
    """So many verdicts, a third of them deviations in forty findings."""
    areas = ("varints", "framing", "messages", "null-encodings")
    plain = line(PASSED, "pass")
    for number in range(count):
        area = areas[number % 4]
        identifier = f"kafka/{area}/made-up-{number}#decode"
        if number % 3:
            yield plain | {"id": identifier, "area": area, "repro": f"wireproof repro {identifier} --impl=mine"}
        else:
            place = f"place {number % 40}"
            group_row = {"verdict": "fail", "kind": "wrong-value", "side": "read", "place": place}
            yield plain | {
                "id": identifier,
                "area": area,
                "verdict": "fail",
                "kind": "wrong-value",
                "detail": f"expected {number}, got {number + 1}",
                "place": place,
                "group": group_row,
                "repro": f"wireproof repro {identifier} --impl=mine",
            }
