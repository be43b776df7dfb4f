"""Answers of an implementation in Python as a table, so that exported tests in other languages can be given them.

The table has the answers to exchanges, look-ups, conversions, deliveries and schema changes by a key that each language
can make of what it is asked, and what the reference decodes of the bytes in them.
"""

from __future__ import annotations

import functools
import itertools
import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from support.exported import keep, write_export
from wireproof.conformance import vectors
from wireproof.conformance.asking.examiner import Examiner, Judged
from wireproof.conformance.connection import Options, open_connection
from wireproof.conformance.connection.protocol import lines
from wireproof.conformance.model import Case, Op, Outcome, Status
from wireproof.conformance.oracle.ask import ask
from wireproof.conformance.oracle.types import answered_in
from wireproof.conformance.questions import selection
from wireproof.conformance.values.encoding import to_json
from wireproof.conformance.vectors import VectorKind
from wireproof.reference import Reference

OPS = frozenset({Op.SERVE, Op.INTERPRET, Op.NEGOTIATE, Op.EVOLVE, Op.CONVERT, Op.CONSUME, Op.LOOKUP})
_SAME = {Outcome.PASS: "pass", Outcome.CONTESTED: "contested", Outcome.SKIP: "skip"}

#: Miniatures that are wrong in these ops.
WRONG = (
    "miniatures.broker_closes_instead",
    "miniatures.client_accepts_error_35",
    "miniatures.consumer_skips_broken_batches",
    "miniatures.consumer_tells_append_times_alone",
    "miniatures.kip_35_closes_on_unknown",
    "miniatures.kip_482_knows_the_last_release",
    "miniatures.kip_82s_converts_by_the_bits",
    "miniatures.wire_format_sorts_offsets_by_topic",
    "miniatures.wire_format_swaps_ids",
)
#: What is replayed: the reference, and an honest reading too.
REPLAYED = ("reference", "readings.consumer_refuses_at_once", *WRONG)

#: The area that is left out of exports of every dialect, because it takes the longest.
LONG = "resource-limits"

Table = dict[str, Any]


def export_replayed(form: str, folder: Path) -> None:
    """Export for a language what may be in a table, of every dialect."""
    write_export(form, folder, *(word for area in vectors.AREAS if area != LONG for word in ("--area", area)))
    keep(folder / "vectors", lambda line: not OPS.isdisjoint(line["ops"]))


def key(case: Case) -> str:
    """What an implementation is asked, as text."""
    args = case.args
    match case.op:
        case Op.SERVE:
            parts = [chunk.hex() for chunk in args["chunks"]]
        case Op.INTERPRET:
            parts = [args["request"].hex(), "null" if args["response"] is None else args["response"].hex()]
        case Op.NEGOTIATE:
            parts = [_compact(args[name]) for name in ("api_key", "client", "broker")]
        case Op.CONSUME:
            aborted = (f"{one['producer_id']}:{one['first_offset']}" for one in args["aborted"])
            parts = [args["data"].hex(), str(args["position"]), args["isolation"], *aborted]
        case Op.EVOLVE:
            parts = [_compact(args[name]) for name in ("old", "new")]
        case _:
            of_op = [_compact(args[name]) for name in ("key", "to") if name in args]
            parts = [str(case.type), "-" if case.version is None else str(case.version), args["data"].hex(), *of_op]
    return "|".join([case.op, case.dialect, *parts])


def _compact(value: Any) -> str:
    return json.dumps(to_json(value), ensure_ascii=False, separators=(",", ":"))


@functools.cache  # the tests of all languages ask for the same ones
def replay(spec: str) -> tuple[Table, dict[str, str]]:
    """The table of an implementation, and the kit's verdicts on it by id."""
    table: Table = {}
    verdicts = {}
    twins = []
    with Examiner(open_connection(spec, Options(in_process=True, timeout=20))) as examiner:
        asked = selection.of_vectors(vectors.load(), examiner.description)
        for judged in examiner.judge(one for one in asked if one.case.op in OPS):
            verdicts[judged.verdict.id] = _SAME.get(judged.verdict.outcome, "fail")
            for seen in (judged.observation, judged.twin):
                if seen is not None:
                    table[key(seen.case)] = json.loads(lines.answer(0, seen))
            if judged.twin is not None and judged.case.op is Op.LOOKUP:  # exported tests ask it for the question's key
                args = {**judged.twin.case.args, "key": judged.case.args["key"]}
                twins.append(msgspec.structs.replace(judged.twin.case, args=args))
            for case in _to_decode(judged):
                table[key(case)] = json.loads(lines.answer(0, ask(Reference(), case)))
        for seen in examiner.connection.ask(twins):
            table[key(seen.case)] = json.loads(lines.answer(0, seen))
    return table, verdicts


def _to_decode(judged: Judged) -> Iterator[Case]:
    """The decodes that a judge needs: of a broker's frames as each type that is expected of it, and of a conversion."""
    case, seen = judged.case, judged.observation
    if seen.status is not Status.ANSWER:
        return
    if case.op is Op.CONVERT and judged.vector.kind is VectorKind.CONVERT and judged.vector.reject is None:
        form = answered_in(case)
        for data in (judged.vector.canonical_data, seen.answer):
            yield Case("", Op.DECODE, form.dialect, form.type, form.version, {"data": data})
    if case.op is Op.SERVE:
        expected = [judged.vector.expected[0], *(also.expected.get("sends", ((),))[0] for also in judged.vector.also)]
        forms = {(one["type"], one.get("version")) for sends in expected for one in sends if "type" in one}
        for (name, version), frame in itertools.product(sorted(forms, key=str), _frames(seen.answer[0])):
            yield Case("", Op.DECODE, case.dialect, name, version, {"data": frame})


def _frames(sent: bytes) -> Iterator[bytes]:
    while len(sent) >= 4:
        size = 4 + struct.unpack_from(">i", sent)[0]
        if not 4 <= size <= len(sent):
            return
        yield sent[:size]
        sent = sent[size:]
