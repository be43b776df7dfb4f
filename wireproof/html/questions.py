"""What a page shows of a question: its bytes piece by piece, what is demanded, the rulings behind it, the source.

The question is made again from its id, as `wireproof repro` does. The answer of an implementation is not in a report:
only its description is, and from this the written bytes are read where it has them whole.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from wireproof.conformance.judging.rulings import rests_on
from wireproof.conformance.model import CaseId, CaseKind, Op
from wireproof.conformance.oracle.types import answered_in
from wireproof.conformance.questions import conversations
from wireproof.conformance.questions.lookup import UnknownId, find
from wireproof.conformance.questions.question import Question
from wireproof.conformance.report import background, question
from wireproof.conformance.report.compare import pairs
from wireproof.conformance.report.hexview import Mark, Row
from wireproof.conformance.report.labels import flat, label_rows, named_pieces
from wireproof.conformance.report.text import middle, paragraph, safe
from wireproof.conformance.vectors import VectorError
from wireproof.html.annotated import annotated
from wireproof.reference.errors import WireError

#: The limits of one question: its id, its bytes, its rows, and the characters of its texts.
_LONGEST_ID = 1 << 16
_BYTES, _ROWS, _TEXT = 512, 80, 1200
#: Columns of texts that are laid out for a terminal.
_WIDTH = 100
_WRITES = (Op.ENCODE, Op.RECODE, Op.CONVERT)
#: What the judge says of wrong bytes; a cut text has an ellipsis, and does not match.
_WRONG_BYTES = re.compile(r"expected 0x([0-9a-f]*), got 0x([0-9a-f]*) \(first difference[^)]*\)")


def found(identifier: str) -> Question | None:
    """The question with this id; None if this kit cannot make it: an id of other vectors, or one made up."""
    if len(identifier) > _LONGEST_ID:
        return None
    try:
        asked = find(identifier, similar=False)
        held = CaseId.parse(identifier).kind is CaseKind.CONVERSATION
        return conversations.with_any_script(asked) if held else asked
    except (UnknownId, VectorError, WireError, NotImplementedError, ValueError):
        return None


def shown(asked: Question) -> dict[str, Any]:
    """The question as plain data. Its `rules` are ids of rulings of its dialect."""
    vector, case = asked.vector, asked.case
    made: dict[str, Any] = {"about": middle(safe(vector.about), _TEXT)}
    data = case.args.get("data")
    if isinstance(data, bytes):
        made["bytes"] = annotated(
            data, question.data_rows(vector, case), _marks(asked), most_bytes=_BYTES, most_rows=_ROWS
        )
    if case.op in question.ASKED_BESIDE_BYTES:
        made["asked"] = paragraph(question.of_bytes(case), line=_TEXT)
    elif not isinstance(data, bytes):
        made["asked"] = paragraph(question.question(vector, case, (), _WIDTH).plain, line=_WIDTH)
    made["expected"] = paragraph(question.expectation(vector, case, _WIDTH).plain, line=_TEXT)
    if case.op in _WRITES and vector.reject is None:
        written = vector.canonical_data
        made["written"] = annotated(written, _written_rows(asked), (), most_bytes=_BYTES, most_rows=_ROWS)
    rules = rests_on(vector, case) if vector.reject is not None else vector.rulings
    if rules:
        made["rules"] = list(rules)
    if vector.source:
        made["source"] = middle(safe(vector.source), _TEXT)
    return made


def compared(asked: Question, detail: str) -> list[list[Any]] | None:
    """The demanded and the written bytes, piece by piece: `[label, offset, demanded, written]`. None if the description
    of the answer does not have all of its bytes."""
    match = _WRONG_BYTES.fullmatch(detail)
    if match is None or asked.case.op not in _WRITES or asked.vector.reject is not None:
        return None
    try:
        demanded, written = map(bytes.fromhex, match.groups())
    except ValueError:
        return None
    if demanded != asked.vector.canonical_data:
        return None
    return [
        [middle(safe(one.label), 200), one.left_offset, one.left.hex(), one.right.hex()]
        for one in pairs(demanded, written, flat(_written_rows(asked)))
    ]


def rulings(dialect: str, named: Sequence[str]) -> Mapping[str, dict[str, Any]]:
    """These rulings as plain data."""
    known = background.rulings(dialect)
    return {
        one.id: {
            "question": one.question,
            "demanded": one.demanded,
            "other": one.other,
            "source": one.origin,
            "contested": one.contested,
        }
        for one in (known[name] for name in named if name in known)
    }


def _marks(asked: Question) -> Sequence[Mark]:
    reject = asked.vector.reject
    if reject is None or reject.offset is None:
        return ()
    return (Mark(reject.offset, f"{reject.reason}: to be refused here"),)


def _written_rows(asked: Question) -> Sequence[Row]:
    vector, form = asked.vector, answered_in(asked.case)
    pieces = named_pieces(vector.canonical or vector.pieces, asked.case)
    return label_rows(pieces, vector.canonical_data, form.type, form.dialect, form.version)
