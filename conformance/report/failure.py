"""The page of a failure: the question, the expected and the actual answer, their difference, the rule, and the command
that repeats it."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.text import Text

from wireproof.conformance.client_run import ClientRun
from wireproof.conformance.evidence import attestation
from wireproof.conformance.judging.judge import compared
from wireproof.conformance.judging.rulings import rests_on
from wireproof.conformance.model import (
    UNJUDGED,
    Case,
    Description,
    FailureKind,
    Observation,
    Op,
    Outcome,
    Status,
    Verdict,
)
from wireproof.conformance.oracle.types import answered_in
from wireproof.conformance.questions.positive_control import twin_of
from wireproof.conformance.report import background, question
from wireproof.conformance.report.background import Bug, Likeness, ruling_text
from wireproof.conformance.report.compare import name_difference, side_by_side
from wireproof.conformance.report.hexview import BAD, DIM, FAULT, GOOD, Mark
from wireproof.conformance.report.labels import completed, explained, flat, label_rows, named_pieces
from wireproof.conformance.report.page import Page
from wireproof.conformance.report.text import brief, middle, safe, safe_lines, to_string, wrap
from wireproof.conformance.report.valueview import compare_values
from wireproof.conformance.script import Transcript
from wireproof.conformance.values.compare import difference
from wireproof.conformance.values.encoding import ValueFormatError
from wireproof.conformance.vectors import ABSENT, Vector, added_folder
from wireproof.conformance.vectors.patterns import mismatch
from wireproof.reference.rules import Ruling

#: The maximum number of lines from an implementation's own text.
_TAIL = 15

#: The maximum number of implementations that are named as agreeing.
_NAMED = 8
_PROPOSAL = "no released library has this proposal; the second opinion on its bytes is a grammar (tests/second_opinion)"

_WORDS: Mapping[str, str] = {
    FailureKind.REFUSED_VALID: "refuses what is valid",
    FailureKind.ACCEPTED_INVALID: "accepts what must be refused",
    FailureKind.WRONG_VALUE: "reads a wrong value",
    FailureKind.WRONG_BYTES: "writes wrong bytes",
    FailureKind.WRONG_ANSWER: "gives a wrong answer",
    Outcome.CRASH: "crashed",
    Outcome.HANG: "gave no answer in time",
    Outcome.OOM: "took more memory than it may",
    Outcome.VIOLATION: "broke the line protocol",
    Outcome.CONTESTED: "takes another reading of a contested point",
    Outcome.SKIP: "was not judged",
    Outcome.NOT_ASKED: "was not asked",
    Outcome.UNSTEADY: "did something else when it was asked again",
    Outcome.PASS: "does what is demanded",
}

_LIKENESS: Mapping[Likeness, str] = {
    Likeness.SAME_ANSWER: "is exactly this",
    Likeness.DID_SO: "did the same",
    Likeness.SHOWED: "is known to show here",
}

_STYLES: Mapping[Outcome, str] = {
    Outcome.PASS: "bold green",
    Outcome.CONTESTED: "bold yellow",
    Outcome.SKIP: "bold yellow",
    Outcome.NOT_ASKED: "bold yellow",
    Outcome.UNSTEADY: "bold yellow",
}


def repro_command(verdict_id: str, spec: str, reached_by: Sequence[str] = ()) -> str:
    """The command that asks this one question again. `reached_by`: as in a Description."""
    folder = added_folder(verdict_id)
    added = "" if folder is None else f" --vectors={shlex.quote(str(folder))}"
    options = "".join(f" {shlex.quote(option)}" for option in reached_by)
    return f"wireproof repro {shlex.quote(verdict_id)} --impl={shlex.quote(spec)}{options}{added}"


def render_failure(
    vector: Vector,
    case: Case,
    observation: Observation,
    verdict: Verdict,
    *,
    implementation: Description,
    repro: str,
    width: int,
    color: bool,
) -> str:
    """Any verdict, explained in text of `width` columns. `repro`: the command that repeats it."""
    page = failure_page(
        vector,
        case,
        observation,
        verdict,
        implementation=titled_name(implementation),
        repro=repro,
        width=width,
        rebuilds=implementation.rebuilds.get(case.type or "", ()),
    )
    return to_string(page, width=width, color=color) + "\n"


def titled_name(implementation: Description) -> str:
    """`kio 0.6.5`."""
    return " ".join(part for part in (implementation.name, implementation.version) if part)


def failure_page(
    vector: Vector,
    case: Case,
    observation: Observation,
    verdict: Verdict,
    *,
    implementation: str,
    repro: str,
    width: int,
    rulings: Mapping[str, Ruling] | None = None,
    catalogue: Mapping[str, Bug] | None = None,
    twin: Vector | None = None,
    rebuilds: Iterable[str] = (),
    agreeing: Sequence[str] | None = None,
) -> Text:
    """The page of `render_failure`, with styles for colours.

    `rebuilds`: the fields that the implementation's writer sets by itself, as in `judge`. For a vector without labels
    (a generated one) the reference's spans name the bytes. `rulings`, `catalogue` and `twin`: by default those of the
    dialect and the vector set. `agreeing`, the implementations that give the demanded answer: by default those that the
    attestations name.
    """
    known_rulings = background.rulings(vector.dialect) if rulings is None else rulings
    item = _Failure(vector, case, observation, verdict, twin if twin is not None else twin_of(vector), (*rebuilds,))
    page = Page(width)
    _headline(page, item, implementation)
    page.gap()
    page.block("asked", question.question(vector, case, _marks(item), page.room))
    page.gap()
    _outcome(page, item)
    _twin_difference(page, item)
    page.gap()
    _why(page, item, known_rulings)
    _resemblances(page, item, catalogue)
    _support(page, item, attestation.agreeing(vector, case, implementation) if agreeing is None else agreeing)
    page.block("note", verdict.note)
    if verdict.known:
        page.block("known", f"the file of known deviations has it as {verdict.known}")
    page.gap()
    page.command("repeat", repro)
    return page.text()


@dataclass(frozen=True, slots=True)
class _Failure:
    """The whole page."""

    vector: Vector
    case: Case
    observation: Observation
    verdict: Verdict
    twin: Vector | None
    rebuilds: tuple[str, ...]

    @property
    def compared(self) -> tuple[Any, Any] | None:
        """The two values that the judge compared; None where it compared bytes, or nothing."""
        return compared(self.vector, self.observation, self.rebuilds)


def _headline(page: Page, item: _Failure, implementation: str) -> None:
    verdict = item.verdict
    words = _WORDS[verdict.kind or verdict.outcome]
    name = f"{verdict.outcome} ({verdict.kind})" if verdict.kind else str(verdict.outcome)
    if verdict.outcome is Outcome.CONTESTED and verdict.rulings:
        words += f" ({', '.join(verdict.rulings)})"
    elif verdict.outcome is Outcome.CRASH and item.observation.error:
        words += f" ({item.observation.error})"
    page.line(f"{name}: {implementation} {words}", _STYLES.get(verdict.outcome, FAULT))
    page.line(f"{question.subject(item.case)}, dialect {item.case.dialect}: {item.vector.about}".rstrip(": "))
    page.line(verdict.id, DIM)


# --- Marks in the question ----------------------------------------------------------------------------------------


def _marks(item: _Failure) -> Sequence[Mark]:
    """The marks in the bytes of the question."""
    if not isinstance(item.case.args.get("data"), bytes):
        return ()
    vector, observation = item.vector, item.observation
    if vector.reject is not None:
        if vector.reject.offset is None:
            return ()
        return (Mark(vector.reject.offset, f"{vector.reject.reason}: this must be refused here"),)
    if observation.status is Status.REJECT and observation.offset is not None:
        return (Mark(observation.offset, f"refused here ({observation.reason or 'no reason given'}), but it is valid"),)
    if (
        item.case.op is Op.DECODE
        and observation.status is Status.ANSWER
        and item.verdict.kind is FailureKind.WRONG_VALUE
    ):
        return _value_marks(item)
    return ()


def _value_marks(item: _Failure) -> Sequence[Mark]:
    """Marks at the bytes from which the wrong value was read."""
    case, compared = item.case, item.compared
    path = None if compared is None else _difference(*compared)
    if not path:
        return ()
    spans, _, _ = explained(case.type, case.args["data"], case.dialect, case.version)
    for span in spans:
        if span.path == path or span.path.startswith((f"{path}.", f"{path}[")):
            return (Mark(span.start, f"{path} is read from here"),)
    return ()


def _difference(expected: Any, actual: Any) -> str | None:
    try:
        return difference(expected, actual)
    except ValueFormatError:
        return ""


# --- The expected and the actual answer ---------------------------------------------------------------------------


def _outcome(page: Page, item: _Failure) -> None:
    vector, case, observation = item.vector, item.case, item.observation
    if item.verdict.outcome is Outcome.FAIL and observation.status is Status.ANSWER and vector.reject is None:
        if isinstance(observation.answer, bytes) and case.op in (Op.ENCODE, Op.RECODE, Op.CONVERT):
            _bytes_outcome(page, item)
            return
        if case.op in (Op.DECODE, Op.LOOKUP, Op.INTERPRET, Op.CONSUME, Op.PRODUCE) and item.compared is not None:
            page.block("found", _values_outcome(*item.compared, page.room))
            return
    page.block("expected", question.expectation(vector, case, page.room))
    page.block("actual", _actual(item, page.room))
    _explanation(page, item)


def _explanation(page: Page, item: _Failure) -> None:
    """The difference of an answer that cannot be shown beside the expected one."""
    verdict, answer = item.verdict, item.observation.answer
    of_bytes = item.case.op is Op.PRODUCE and item.observation.status is Status.ANSWER
    if isinstance(answer, Transcript | ClientRun) or of_bytes:
        page.block("", verdict.detail, "bold")
    elif item.case.op is Op.SERVE and item.observation.status is Status.ANSWER:
        difference = mismatch(_patterns(item.vector), answer[0], item.case.dialect)
        if difference is None and answer[1] is not item.vector.expected[1]:
            difference = f"the connection {'was closed' if answer[1] else 'stayed open'}"
        page.block("", difference or "", "bold")
    elif verdict.outcome in UNJUDGED and verdict.detail != item.observation.detail:
        page.block("", verdict.detail, "yellow")


def _values_outcome(expected: Any, actual: Any, width: int) -> Text:
    if _difference(expected, actual) is None:  # equal here, but not for the judge, whose detail says why
        return question.paragraphs(brief(actual, 3 * width), BAD, width)
    return compare_values(expected, actual, width=width)


def _bytes_outcome(page: Page, item: _Failure) -> None:
    """The expected and the actual bytes, their first difference, and the meaning of the actual bytes."""
    vector, case = item.vector, item.case
    expected, actual = vector.canonical_data, item.observation.answer
    if (vector.compare_decoded or item.rebuilds) and item.compared is not None:
        _decoded_outcome(page, item, *item.compared)
        return
    pieces = named_pieces(vector.canonical or vector.pieces, case)
    form = answered_in(case)
    rows = flat(label_rows(pieces, expected, form.type, form.dialect, form.version))
    if expected != actual:
        page.block("found", side_by_side(expected, actual, rows, width=page.room))
        page.block("", f"first difference: {name_difference(expected, actual, rows)}", "bold")
    else:
        page.block("found", f"the expected {question.byte_line(expected)}")
    page.block("means", _meaning(item, actual, page.room))


def _decoded_outcome(page: Page, item: _Failure, expected: Any, actual: Any) -> None:
    """The two values, if the judge compared the meaning of the bytes."""
    page.block("written", question.byte_line(item.observation.answer))
    without = f", without {', '.join(item.rebuilds)}, which its writer sets by itself" if item.rebuilds else ""
    page.block("", f"compared by the meaning of the bytes{without}", DIM)
    titles = ("to write", "written")
    page.block("found", compare_values(expected, actual, width=page.room, titles=titles, hints="written"))


def _meaning(item: _Failure, actual: bytes, width: int) -> Text:
    """The value of the written bytes in the protocol."""
    form = answered_in(item.case)
    spans, value, error = explained(form.type, actual, form.dialect, form.version)
    if error is not None:
        return Text("\n".join(wrap(f"the bytes written cannot be read: {error}", width)), BAD)
    wanted = item.vector.value
    if item.case.op is Op.CONVERT:
        _, wanted, _ = explained(form.type, item.vector.canonical_data, form.dialect, form.version)
    if not spans or wanted is ABSENT:
        return Text()
    wanted = completed(form.type, wanted, form.dialect, form.version)
    value = completed(form.type, value, form.dialect, form.version)
    if _difference(wanted, value) is None:
        return Text("the bytes mean the right value, in another form than encoders write", DIM)
    return compare_values(wanted, value, width=width, titles=("to write", "written"), hints="written")


def _actual(item: _Failure, width: int) -> Text:
    observation = item.observation
    match observation.status:
        case Status.ANSWER:
            answer = question.answer(item.case, observation.answer, _patterns(item.vector), width)
            if item.vector.reject is None:
                return _recoloured(answer, item.verdict.outcome)
            returned = Text("accepted; it returned", BAD)
            alone = "\n" in answer.plain or returned.cell_len + 1 + answer.cell_len > width
            return returned.append("\n" if alone else " ").append_text(answer)
        case Status.REJECT:
            return _recoloured(_refusal(observation, width), item.verdict.outcome)
        case Status.UNSUPPORTED:
            return _quoted("not offered", "yellow", observation.detail, width)
        case Status.NOT_ASKED:
            return _quoted("not asked", "yellow", observation.detail, width)
    said = _WORDS[Outcome(observation.status)]
    said += f": {observation.error}" if observation.error else ""
    said += f" in {observation.frame}" if observation.frame else ""
    return _quoted(said, BAD, observation.detail, width)


def _quoted(said: str, style: str, detail: str, width: int) -> Text:
    """What happened, in the kit's words; below it the implementation's own words, each line behind a bar."""
    out = question.paragraphs(safe(said), style, width)
    for line in safe_lines(detail, _TAIL):
        for part in wrap(middle(line, 2 * width), width - 2):
            out.append("\n| ", DIM).append(part)
    return out


def _recoloured(text: Text, outcome: Outcome) -> Text:
    """The text in the colour of the outcome, instead of the colour of errors."""
    style = {Outcome.PASS: GOOD, Outcome.CONTESTED: "yellow"}.get(outcome)
    return text if style is None else Text(text.plain, style)


def _refusal(observation: Observation, width: int) -> Text:
    said = "a refusal"
    if observation.half:
        said += f" by its {observation.half} half"
    if observation.reason:
        said += f": {observation.reason}"
    if observation.offset is not None:
        said += f" at byte {observation.offset}"
    words = ": ".join(part for part in (observation.error, observation.detail) if part)
    if words and observation.reason is None and "\n" not in words and len(said) + 2 + len(words) <= width:
        return Text(safe(f"{said}: {words}"), BAD)
    return _quoted(said, BAD, words, width)


def _patterns(vector: Vector) -> Sequence[Any]:
    if isinstance(vector.expected, tuple):
        patterns: Sequence[Any] = vector.expected[0]
        return patterns
    return ()


def _twin_difference(page: Page, item: _Failure) -> None:
    """The difference between accepted invalid input and its valid twin."""
    twin, vector = item.twin, item.vector
    if twin is None or item.verdict.kind is not FailureKind.ACCEPTED_INVALID:
        return
    page.gap()
    page.block("twin", f"{twin.id} is valid: {twin.about}")
    titles = ("valid twin", "this")
    if "data" in item.case.args:
        if twin.data != vector.data:
            rows = flat(label_rows(twin.pieces, twin.data, twin.type, twin.dialect, twin.version))
            page.block("", side_by_side(twin.data, vector.data, rows, width=page.room, titles=titles))
    elif twin.value is not ABSENT and _difference(twin.value, vector.value) is not None:
        page.block("", compare_values(twin.value, vector.value, width=page.room, titles=titles, hints="none"))
    if (twin.type, twin.version) != (vector.type, vector.version):
        page.block("", f"it is of version {twin.version}, this of version {vector.version}")


# --- Why ----------------------------------------------------------------------------------------------------------


def _why(page: Page, item: _Failure, rulings: Mapping[str, Ruling]) -> None:
    rested_on = item.vector.rulings if item.vector.reject is None else rests_on(item.vector, item.case)
    named = dict.fromkeys((*item.verdict.rulings, *rested_on))
    for number, identifier in enumerate(named):
        ruling = rulings.get(identifier)
        page.block("rule" if number == 0 else "", ruling_text(identifier, ruling, page.room))
    page.block("source", item.vector.source)


def _resemblances(page: Page, item: _Failure, catalogue: Mapping[str, Bug] | None) -> None:
    """Real bugs that look like this failure."""
    if item.verdict.outcome in {Outcome.PASS, *UNJUDGED}:
        return
    similar = background.resemblances(item.vector, item.observation, catalogue)
    name = "seen in"
    for one in similar:
        bug = one.bug
        text = f"{bug.id} {_LIKENESS[one.likeness]}"
        text += "".join((bug.repo and f": {bug.repo}", bug.ref and f" ({bug.ref})", bug.title and f", {bug.title}"))
        text += f": {bug.wrong_behaviour}" if bug.wrong_behaviour else ""
        page.block(name, text, "bold" if one.likeness is Likeness.SAME_ANSWER else "")
        name = ""


def _support(page: Page, item: _Failure, agreeing: Sequence[str]) -> None:
    """Who else supports the demanded answer: released implementations, or the second opinion of a proposal."""
    if item.verdict.outcome in {Outcome.PASS, *UNJUDGED}:
        return
    if agreeing:
        more = f" and {len(agreeing) - _NAMED} more" if len(agreeing) > _NAMED else ""
        give = "give" if len(agreeing) > 1 else "gives"
        page.block("agree", f"{', '.join(agreeing[:_NAMED])}{more} {give} the demanded answer")
    elif item.vector.dialect != attestation.DIALECT and not item.vector.folder and item.case.from_file:
        page.block("agree", _PROPOSAL)
