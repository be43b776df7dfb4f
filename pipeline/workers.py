"""What Spark's workers do: numbers in, rows of `cases` out; rows of cases in, rows of `verdicts` out.

A worker keeps its connection to an implementation for all its tasks, because to start a child takes far longer than to
ask it. Implementations always run in children: there they have limits, and one that aborts costs its own process only.
A row whose id is no case is not lost: its verdict is not-asked, with the reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from wireproof.conformance import garbage
from wireproof.conformance.asking.examiner import Examiner
from wireproof.conformance.connection import ImplementationError, Options, open_connection
from wireproof.conformance.generation.generated_cases import GeneratedCases
from wireproof.conformance.model import Outcome, Verdict
from wireproof.conformance.questions.lookup import UnknownId, find
from wireproof.conformance.questions.question import Question, offers
from wireproof.conformance.report.text import middle
from wireproof.pipeline import tables
from wireproof.pipeline.errors import NO_START
from wireproof.pipeline.spark.session import BATCH
from wireproof.pipeline.verdict_rows import columns_of

#: The word in `error` of a row that could not be asked.
BAD_ROW = "bad-row"
#: The columns of `cases` that are used.
COLUMNS = ("number", "id", "dialect", "area", "type", "version", "op", "kind", "size_bytes")
#: The maximum length of a detail, in characters.
_LONGEST = 2000


@dataclass(frozen=True, slots=True)
class Order:
    """How to ask one implementation. `digest`: of its files, so that a worker does not use a connection to its older
    files. `timeout` in seconds, `memory` in MiB."""

    spec: str
    name: str
    version: str | None
    digest: str
    timeout: float
    memory: int


#: Of this process, by the implementation as given to --impl.
_EXAMINERS: dict[str, tuple[Order, Examiner]] = {}


def cases_of(generated: GeneratedCases, numbers: range) -> Iterator[pa.RecordBatch]:
    """The rows of `cases` for these numbers."""
    garbage.freeze()  # what is alive at the beginning of a task stays
    schema = tables.CASES.arrow
    for at in range(0, len(numbers), BATCH):
        rows = []
        for number in numbers[at : at + BATCH]:
            case = generated.case(number)
            rows.append(
                {
                    "number": case.number,
                    "seed": generated.seed,
                    "id": case.id,
                    "dialect": case.dialect,
                    "area": case.area,
                    "type": case.type,
                    "version": case.version,
                    "op": str(case.op),
                    "kind": str(case.kind),
                    "mutation": case.mutation,
                    "size_bytes": case.size,
                }
            )
        yield pa.RecordBatch.from_pylist(rows, schema)


def verdicts_of(order: Order, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The rows of `verdicts` for batches with COLUMNS of `cases`. Raises RuntimeError, with NO_START, if the
    implementation does not start on this machine."""
    garbage.freeze()  # what is alive at the beginning of a task stays
    schema = tables.VERDICTS.arrow
    for batch in batches:
        rows = batch.select(COLUMNS).to_pylist()
        try:
            yield pa.RecordBatch.from_pylist(_judged(order, rows), schema)
        except ImplementationError as error:
            raise RuntimeError(f"{NO_START}{error}") from None


def _judged(order: Order, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    examiner = _examiner(order)
    found: dict[int, Question] = {}
    answers: list[dict[str, Any] | None] = []
    for row in rows:
        try:
            question = find(row["id"])
        except UnknownId as error:
            answers.append(_row(order, row, _unasked(row, BAD_ROW, str(error))))
            continue
        if offers(examiner.description, question):
            found[len(answers)] = question
            answers.append(None)
        else:
            answers.append(_row(order, row, _unasked(row, "", "the implementation does not offer this")))
    for index, judged in zip(found, examiner.judge(found.values()), strict=True):
        answers[index] = _row(order, rows[index], judged.verdict)
    return [answer for answer in answers if answer is not None]


def _examiner(order: Order) -> Examiner:
    """The examiner of an implementation. One of the same implementation in another state is closed."""
    kept = _EXAMINERS.get(order.spec)
    if kept is not None and kept[0] == order:
        return kept[1]
    if kept is not None:
        kept[1].close()
    opened = Examiner(open_connection(order.spec, Options(timeout=order.timeout, memory=order.memory)))
    _EXAMINERS[order.spec] = order, opened
    return opened


def _unasked(row: Mapping[str, Any], error: str, detail: str) -> Verdict:
    return Verdict(
        row["id"],
        row["dialect"],
        row["area"],
        row["type"],
        row["version"],
        row["op"],
        Outcome.NOT_ASKED,
        error=error,
        detail=detail,
    )


def _row(order: Order, row: Mapping[str, Any], verdict: Verdict) -> dict[str, Any]:
    return {
        **row,
        **columns_of(verdict),
        "implementation": order.name,
        "implementation_version": order.version,
        "spec": order.spec,
        "detail": middle(verdict.detail, _LONGEST),
    }
