"""Attestations: which released implementations agree with an expectation, and which dissent.

`vectors/attested/<name>.jsonl` holds those of one implementation, for one dialect; `wireproof attest` writes it. The
first line is a header. A further line is about a vector, or about all cases of a message's ledger:

    {"attested":1,"name":"kio","version":"0.6.5","language":"python","group":"kio","dialect":"kafka"}
    {"vector":"varints/varint-1","digest":"<8 hex>","agree":"decode encode","dissent":{"recode":"wrong-bytes"}}
    {"ledger":"FetchRequest","digest":"<8 hex>","agree":{"decode encode":"0-11 set:12-14"},
     "dissent":{"refused-valid":{"decode":"null:12-14"}}}

`agree` is the verdict `pass`, `contested` another reading, `unjudged` a skip or not-asked; `dissent` is a deviation,
known or not, with its kind (of a fail) or its verdict. Ops that are not there were not offered. In the ledger `0-11` is
every case of these versions that was asked, but `frame`; `set:12-14` is the case `set` of these versions. The digest is
of what is asked and demanded: a line whose digest is not that of the vector here says nothing.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Literal, NamedTuple, TypeVar

import msgspec

from wireproof.conformance import ledger
from wireproof.conformance.decoding import DecodingError, decode_json
from wireproof.conformance.model import DEVIATIONS, Case, Op, Outcome, Verdict
from wireproof.conformance.vectors import Vector, VectorError, VectorKind

#: The dialect of released implementations.
DIALECT = "kafka"
FOLDER = "attested"
_DIGITS = 8

_T = TypeVar("_T")


class Result(StrEnum):
    """How what an implementation answered compares with an expectation."""

    AGREE = "agree"
    DISSENT = "dissent"
    CONTESTED = "contested"
    UNJUDGED = "unjudged"


class Header(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The first line. `group`: implementations of one group have code in common, and count as one."""

    attested: Literal[1]
    name: str
    version: str | None
    language: str
    group: str
    dialect: str

    @property
    def title(self) -> str:
        """`kio 0.6.5`."""
        return " ".join(part for part in (self.name, self.version) if part)


class VectorLine(msgspec.Struct, forbid_unknown_fields=True, frozen=True, omit_defaults=True):
    """The line of a vector: ops, separated by blanks, by result; dissent by op."""

    vector: str
    digest: str
    agree: str = ""
    contested: str = ""
    unjudged: str = ""
    dissent: dict[str, str] = {}


class LedgerLine(msgspec.Struct, forbid_unknown_fields=True, frozen=True, omit_defaults=True):
    """The line of a message's ledger: by ops the versions and cases, all separated by blanks; dissent by kind first."""

    ledger: str
    digest: str
    agree: dict[str, str] = {}
    contested: dict[str, str] = {}
    unjudged: dict[str, str] = {}
    dissent: dict[str, dict[str, str]] = {}


@dataclass(frozen=True, slots=True)
class Answer:
    """What an implementation answered to the question of an expectation; `kind` only of a dissent."""

    result: Result
    kind: str = ""

    @classmethod
    def of(cls, verdict: Verdict) -> Answer:
        """The answer on which this verdict was given. A known deviation is a dissent too."""
        if verdict.outcome in DEVIATIONS:
            return cls(Result.DISSENT, str(verdict.kind or verdict.outcome))
        return cls(
            {Outcome.PASS: Result.AGREE, Outcome.CONTESTED: Result.CONTESTED}.get(verdict.outcome, Result.UNJUDGED)
        )


class LedgerCase(NamedTuple):
    """The parts of the id of a ledger's vector, `<message>/<version>/<name>`."""

    message: str
    version: int
    name: str

    @classmethod
    def of(cls, vector: Vector) -> LedgerCase | None:
        """Those of a vector; None if it is in no ledger."""
        if vector.area != ledger.AREA:
            return None
        message, slash, case = vector.id.partition("/")
        version, _, name = case.partition("/")
        return cls(message, int(version), name) if slash else None


@dataclass(frozen=True, slots=True)
class Attestation:
    """The file of one implementation: its lines by vector and by message."""

    header: Header
    by_vector: Mapping[str, VectorLine] = field(default_factory=dict)
    by_message: Mapping[str, LedgerLine] = field(default_factory=dict)

    def answer(self, vector: Vector, op: Op, current: str = "") -> Answer | None:
        """Its answer to a vector as it is now; None if it was not asked. `current`: the digest, if it is there."""
        line = self._line(vector)
        if line is None or line.digest != (current or current_digest(vector)):
            return None
        op = expectation_op(vector, op)
        if isinstance(line, LedgerLine):
            return _of_ledger(line, op, LedgerCase.of(vector))
        return _of_vector(line, op)

    def is_changed(self, vector: Vector, current: str) -> bool:
        """Whether it was asked about this vector when that was another one."""
        line = self._line(vector)
        return line is not None and line.digest != current

    def _line(self, vector: Vector) -> VectorLine | LedgerLine | None:
        case = LedgerCase.of(vector)
        return self.by_message.get(case.message) if case else self.by_vector.get(f"{vector.area}/{vector.id}")


def _of_vector(line: VectorLine, op: Op) -> Answer | None:
    if op in line.dissent:
        return Answer(Result.DISSENT, line.dissent[op])
    results = (Result.AGREE, Result.CONTESTED, Result.UNJUDGED)
    return next((Answer(result) for result in results if op in getattr(line, result).split()), None)


def _of_ledger(line: LedgerLine, op: Op, case: LedgerCase | None) -> Answer | None:
    assert case is not None
    by_answer: dict[Answer, dict[str, str]] = {
        Answer(Result.AGREE): line.agree,
        Answer(Result.CONTESTED): line.contested,
        Answer(Result.UNJUDGED): line.unjudged,
        **{Answer(Result.DISSENT, kind): cases for kind, cases in line.dissent.items()},
    }
    for answer, by_ops in by_answer.items():
        for ops, tokens in by_ops.items():
            if op in ops.split() and any(_covers(token, case.version, case.name) for token in tokens.split()):
                return answer
    return None


def _covers(token: str, version: int, name: str) -> bool:
    of_case, _, versions = token.rpartition(":")
    low, _, high = versions.partition("-")
    named = of_case == name if of_case else name != ledger.FRAME
    return named and int(low) <= version <= int(high or low)


def expectation_op(vector: Vector, op: Op) -> Op:
    """The op under which a vector's expectation stands: invalid bytes are one question, with decode or with recode."""
    return Op.DECODE if vector.kind is VectorKind.INVALID and Op.DECODE in vector.ops else op


def expectations(vector: Vector) -> tuple[Op, ...]:
    """The ops of a vector whose expectations can be attested."""
    return tuple(dict.fromkeys(expectation_op(vector, op) for op in vector.ops))


# --- Digests ----------------------------------------------------------------------------------------------------------


def current_digest(vector: Vector) -> str:
    """The digest that the line of a vector has to have: its own, or that of its message's ledger."""
    case = LedgerCase.of(vector)
    return ledger_digest(case.message, vector.dialect) if case else digest(vector)


def _short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


def digest(vector: Vector) -> str:
    """Of what a vector asks and demands; not of its texts, labels, source, rulings and other readings."""
    reject = None if vector.reject is None else (str(vector.reject.reason), vector.reject.offset)
    return _short(
        repr(
            (
                (str(vector.kind), [*map(str, vector.ops)], vector.type, vector.version, vector.needs),
                (vector.data, vector.value, vector.canonical_data, vector.compare_decoded, dict(vector.args)),
                (reject, vector.or_reject and str(vector.or_reject), vector.expected),
            )
        )
    )


@functools.cache
def ledger_digest(message: str, dialect: str = DIALECT) -> str:
    """Of all cases of a message's ledger."""
    if message not in ledger.names(dialect):
        return ""
    return _short(" ".join(f"{vector.id} {digest(vector)}" for vector in ledger.load(message, dialect).vectors))


# --- Files ------------------------------------------------------------------------------------------------------------

_header = msgspec.json.Decoder(Header)
_line = msgspec.json.Decoder(VectorLine)
_ledger_line = msgspec.json.Decoder(LedgerLine)


def parse(content: bytes, name: str) -> Attestation:
    """One file's content. Raises VectorError with the file and the line."""
    first, *lines = content.splitlines() or [b""]
    by_vector, by_message = {}, {}
    header = _decoded(_header, first, f"{name}, line 1")
    for number, raw in enumerate(lines, 2):
        place = f"{name}, line {number}"
        if raw.startswith(b'{"ledger"'):
            of_message = _decoded(_ledger_line, raw, place)
            by_message[of_message.ledger] = of_message
        else:
            line = _decoded(_line, raw, place)
            by_vector[line.vector] = line
    return Attestation(header, by_vector, by_message)


def _decoded(decoder: msgspec.json.Decoder[_T], raw: bytes, place: str) -> _T:
    try:
        return decode_json(decoder, raw)
    except DecodingError as error:
        raise VectorError(f"{place}: {error}") from None


def encoded(attestation: Attestation) -> bytes:
    """The content of a file."""
    lines = (attestation.header, *attestation.by_vector.values(), *attestation.by_message.values())
    return b"".join(msgspec.json.encode(line) + b"\n" for line in lines)


def load(folder: Traversable | None = None) -> tuple[Attestation, ...]:
    """All files, by name; those of the vector set unless another folder is given. Raises VectorError."""
    if folder is None:
        return _own()
    if not folder.is_dir():
        return ()
    files = sorted(
        (one for one in folder.iterdir() if one.name.endswith(".jsonl") and one.is_file()), key=lambda one: one.name
    )
    return tuple(parse(one.read_bytes(), f"vectors/{FOLDER}/{one.name}") for one in files)


@functools.cache
def _own() -> tuple[Attestation, ...]:
    return load(resources.files("wireproof.vectors") / FOLDER)


def agreeing(vector: Vector, case: Case, but: str = "") -> tuple[str, ...]:
    """The released implementations that give the demanded answer to a case, a name for each group; none for a case that
    is derived, generated, or a user's own. `but`: the title of the implementation that is asked now."""
    if vector.dialect != DIALECT or vector.folder or not case.from_file:
        return ()
    by_group: dict[str, str] = {}
    current = current_digest(vector)
    for one in load():
        header = one.header
        answer = one.answer(vector, case.op, current)
        if answer is None or answer.result is not Result.AGREE or header.title == but:
            continue
        if header.group not in by_group or header.name == header.group:  # which speaks for its group
            by_group[header.group] = header.title
    return tuple(sorted(by_group.values()))


# --- From verdicts ----------------------------------------------------------------------------------------------------


def collect(header: Header, asked: Iterable[tuple[Vector, Op, Answer]]) -> Attestation:
    """The file of an implementation, from its answers to each vector. The order is that of `asked`."""
    by_vector: dict[str, tuple[Vector, dict[Op, Answer]]] = {}
    by_message: dict[str, dict[Op, dict[LedgerCase, Answer]]] = {}
    for vector, op, answer in asked:
        case = LedgerCase.of(vector)
        if case:
            by_message.setdefault(case.message, {}).setdefault(op, {})[case] = answer
        else:
            by_vector.setdefault(f"{vector.area}/{vector.id}", (vector, {}))[1][expectation_op(vector, op)] = answer
    return Attestation(
        header,
        {path: _vector_line(path, vector, by_op) for path, (vector, by_op) in by_vector.items()},
        {message: _ledger_line_of(message, header.dialect, by_op) for message, by_op in by_message.items()},
    )


def _vector_line(path: str, vector: Vector, by_op: Mapping[Op, Answer]) -> VectorLine:
    def ops(result: Result) -> str:
        return " ".join(op for op, answer in by_op.items() if answer.result is result)

    dissent = {str(op): answer.kind for op, answer in by_op.items() if answer.result is Result.DISSENT}
    return VectorLine(path, digest(vector), ops(Result.AGREE), ops(Result.CONTESTED), ops(Result.UNJUDGED), dissent)


def _ledger_line_of(message: str, dialect: str, by_op: Mapping[Op, Mapping[LedgerCase, Answer]]) -> LedgerLine:
    found: dict[Answer, dict[str, list[Op]]] = {}
    for op, cases in sorted(by_op.items()):
        for answer in dict.fromkeys(cases.values()):
            found.setdefault(answer, {}).setdefault(" ".join(_tokens(cases, answer)), []).append(op)
    by_answer = {
        answer: {" ".join(ops): tokens for tokens, ops in by_tokens.items()} for answer, by_tokens in found.items()
    }
    return LedgerLine(
        message,
        ledger_digest(message, dialect),
        by_answer.get(Answer(Result.AGREE), {}),
        by_answer.get(Answer(Result.CONTESTED), {}),
        by_answer.get(Answer(Result.UNJUDGED), {}),
        {answer.kind: ops for answer, ops in sorted(by_answer.items(), key=_kind) if answer.result is Result.DISSENT},
    )


def _kind(item: tuple[Answer, object]) -> str:
    return item[0].kind


def _tokens(cases: Mapping[LedgerCase, Answer], answer: Answer) -> Iterator[str]:
    """Ranges of versions of which all cases have this answer, then the other cases with it, each with its versions.
    Frames always have their name: who offers messages may not offer frames."""
    by_version: dict[int, set[Answer]] = {}
    by_name: dict[str, list[int]] = {}
    for case, one in cases.items():
        if case.name != ledger.FRAME:
            by_version.setdefault(case.version, set()).add(one)
    whole = [version for version, answers in by_version.items() if answers == {answer}]
    yield from _ranges(whole)
    for case, one in cases.items():
        if one == answer and (case.version not in whole or case.name == ledger.FRAME):
            by_name.setdefault(case.name, []).append(case.version)
    for name, versions in by_name.items():
        yield from (f"{name}:{span}" for span in _ranges(versions))


def _ranges(versions: Iterable[int]) -> Iterator[str]:
    """`0-3`, `5`: spans of numbers that follow one another."""
    left = sorted(versions)
    while left:
        length = next((n for n in range(1, len(left)) if left[n] != left[0] + n), len(left))
        yield f"{left[0]}-{left[length - 1]}" if length > 1 else f"{left[0]}"
        del left[:length]
