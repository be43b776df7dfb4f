"""`wireproof repro`: asks one question again, and shows the whole conversation."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from wireproof.cli_options import implementation_options, open_examiner, use_vectors, vectors_option
from wireproof.conformance.asking.examiner import Judged
from wireproof.conformance.connection import Options
from wireproof.conformance.connection.protocol.transcript import open_transcript
from wireproof.conformance.model import END, Outcome, Status
from wireproof.conformance.questions.lookup import UnknownId, find
from wireproof.conformance.questions.question import Question
from wireproof.conformance.report.failure import failure_page, repro_command, titled_name
from wireproof.conformance.report.text import brief, middle, paragraph, safe
from wireproof.conformance.vectors import VectorError
from wireproof.console import show, width

#: How many characters of a line of the conversation are shown.
_LINE = 400
#: Outcomes that say that the implementation is in order.
_GOOD = (Outcome.PASS, Outcome.CONTESTED)


@click.command(
    epilog="Exit codes: 0 it passes or takes another reading of a contested point, 1 it deviates or cannot be judged, "
    "2 a usage error."
)
@click.argument("verdict_id", metavar="VERDICT-ID")
@vectors_option
@implementation_options
def repro(
    verdict_id: str,
    folders: tuple[Path, ...],
    spec: str,
    timeout: float,
    memory: int,
    in_process: bool,
    silence: float,
    allow_remote: bool,
    allow_writes: bool,
    load: int,
    tls_ca: Path | None,
    sasl: str | None,
    prints: str | None,
    transcript: Path | None,
) -> None:
    """Ask an implementation one question again, and show all details.

    VERDICT-ID is the id in a failure or a report: DIALECT/AREA/VECTOR#OP, or gen/… for a generated case; a failure also
    prints the whole command. The output has the question, the conversation with the child, the answer and the verdict.
    A negative vector is asked together with its valid twin: a refusal counts only when the twin is accepted.

    \b
    Examples:
        wireproof repro 'kafka/varints/varint-minus-1#decode' --impl=reference
        wireproof repro 'kafka/varints/varint-minus-1#decode' --impl="exec:./wrapper" --timeout 60
        wireproof repro 'kafka/varints/varint-minus-1#decode' --impl=my.wrapper --in-process
    """  # noqa: D301 (\b is click's sign for text that keeps its lines)
    use_vectors(folders)
    question = _find(verdict_id)
    with tempfile.TemporaryDirectory() as folder:
        heard = Path(folder) / "transcript.jsonl"
        options = Options(
            timeout=timeout,
            memory=memory,
            in_process=in_process,
            transcript=heard,
            dialect=question.case.dialect,
            silence=silence,
            allow_remote=allow_remote,
            allow_writes=allow_writes,
            load=load,
            tls_ca=tls_ca,
            sasl=sasl,
            prints=prints,
        )
        with open_examiner(spec, options) as examiner:
            judged = examiner.with_undeclared_reading(*examiner.judge([question]))
            described = examiner.description
            ending = examiner.end()
        conversation = heard.read_text("utf-8", "backslashreplace") if heard.exists() else ""
    if transcript is not None:
        _append(transcript, conversation)
    out = Text().append("implementation ", "bold").append(safe(f"{titled_name(described)} ({described.language})"))
    out.append(f", {safe(spec)}\n")
    out.append_text(_conversation(conversation)).append_text(_twin_line(judged)).append("\n")
    out.append_text(
        failure_page(
            judged.vector,
            judged.case,
            judged.observation,
            judged.verdict,
            implementation=titled_name(described),
            repro=repro_command(judged.case.id, spec, described.reached_by),
            width=width(),
            rebuilds=described.rebuilds.get(judged.case.type or "", ()),
        )
    )
    if ending is not None:
        out.append("\nthen       ", "bold").append(f"{ending.outcome} at the end of the process\n", "red")
        out.append(f"{paragraph(ending.detail)}\n")
    show(out)
    sys.exit(0 if judged.verdict.outcome in _GOOD and ending is None else 1)


def _find(verdict_id: str) -> Question:
    """The question of this id. Raises click.UsageError with similar ids."""
    try:
        # pytest puts the implementation before it. How the process ends is seen after each question.
        return find(verdict_id.rpartition("::")[2].removeprefix(END))
    except UnknownId as error:
        raise click.UsageError(str(error)) from None
    except VectorError as error:
        raise click.ClickException(f"the vector set is damaged: {error}") from None


def _twin_line(judged: Judged) -> Text:
    """The result of the valid twin."""
    seen = judged.twin
    if seen is None:
        return Text()
    out = Text().append("valid twin ", "bold").append(f"{safe(middle(seen.case.id, _LINE))}: ")
    if seen.status is Status.ANSWER:
        return out.append("accepted", "green").append(f" as {brief(seen.answer, width())}\n")
    return out.append(str(seen.status), "red").append(f" {safe(middle(seen.detail, width()))}\n")


def _conversation(transcript: str) -> Text:
    """The conversation with the child; there is none inside this process."""
    out = Text()
    lines = [json.loads(line) for line in transcript.split("\n") if line]
    for number, line in enumerate(lines):
        said = line["line"]
        if number == 0:
            out.append("conversation\n", "bold")
        elif isinstance(said, dict) and said.get("op") in ("describe", "resume"):
            out.append("  (the child was started again)\n", "bold")
        style = "cyan" if line["dir"] == ">" else "green"
        out.append(f"  {line['t']:7.3f} s {line['dir']} ", style)
        # The lines before the first question matter least.
        limit = _LINE if isinstance(said, dict) and not said.keys().isdisjoint(("seq", "id")) else width() - 14
        out.append(f"{safe(middle(_text(said), limit))}\n")
    return out


def _text(line: Any) -> str:
    return line if isinstance(line, str) else json.dumps(line, ensure_ascii=False)


def _append(path: Path, text: str) -> None:
    try:
        with open_transcript(path) as file:
            file.write(text.encode())
    except OSError as error:
        raise click.UsageError(f"--transcript={path}: it cannot be written: {error.strerror or error}") from None
