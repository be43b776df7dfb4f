"""Makes the ledger: the kit chooses the values, other implementations (Apache Kafka's classes) write the bytes.

Frames are asked of those that offer them: the first one has to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wireproof import reference
from wireproof.conformance import ledger
from wireproof.conformance.connection import Connection
from wireproof.conformance.ledger import DIALECT, LedgerEntry, LedgerHeader
from wireproof.conformance.model import Case, Observation, Op, Status
from wireproof.conformance.values.compare import difference
from wireproof.reference.codec import NodeCodec
from wireproof.reference.peers.framing import RequestFrame, ResponseFrame, request_plans
from wireproof.reference.schema.plan import Struct


@dataclass(frozen=True, slots=True)
class Difference:
    """A case that an implementation answers differently: its id and what happened."""

    id: str
    implementation: str
    what: str


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A case before it has bytes. `ready_bytes`: bytes that no encoder writes (explicit defaults)."""

    version: int
    name: str
    value: Any
    ready_bytes: bytes | None = None


def make(message: str, versions: tuple[int, int], sources: Sequence[Connection]) -> tuple[bytes, list[Difference]]:
    """The content of a message's ledger file, and the differences between the sources.

    The first source's bytes are stored. The others have to write the same, and all have to decode them to the value.
    """
    wanted = list(_wanted(message, versions))
    differences: list[Difference] = []
    written = [_ask(source, message, wanted, Op.ENCODE) for source in sources]
    entries = []
    for index, want in enumerate(wanted):
        first = written[0][index]
        if first.status is not Status.ANSWER:
            differences.append(_difference(message, want, sources[0], first))
            continue
        for source, answers in zip(sources[1:], written[1:], strict=True):
            other = answers[index]
            if not source.description.offers(_case(message, want, Op.ENCODE)):
                continue
            if other.status is not Status.ANSWER or other.answer != first.answer:
                differences.append(_difference(message, want, source, other))
        if want.ready_bytes is None:
            entries.append(ledger.entry(want.version, want.name, want.value, first.answer))
        else:
            entries.append(ledger.entry(want.version, want.name, want.value, want.ready_bytes, first.answer))
    differences += _misread(message, entries, sources)
    header = LedgerHeader(1, message, f"{sources[0].description.name} {sources[0].description.version}")
    return ledger.lines(header, entries), differences


def _wanted(message: str, versions: tuple[int, int]) -> Iterator[_Wanted]:
    plans = {version: _plan(message, version) for version in range(versions[0], versions[1] + 1)}
    for version, node in plans.items():
        for name, value in ledger.values(node):
            yield _Wanted(version, name, value)
        explicit = ledger.explicit(node)
        if explicit is not None:
            yield _Wanted(version, "explicit", *explicit)
    yield from _frames(message, plans)


def _plan(message: str, version: int) -> Struct:
    codec = reference.dialect_named(DIALECT).codec(message, version)
    assert isinstance(codec, NodeCodec)
    assert isinstance(codec.node, Struct)
    return codec.node


def _frames(message: str, plans: Mapping[int, Struct]) -> Iterator[_Wanted]:
    """The frames of a message; none of one that no api sends."""
    dialect = reference.dialect_named(DIALECT)
    keys = {f"{name}{kind}": key for key, name in dialect.apis().items() for kind in ("Request", "Response")}
    if message not in keys:
        return
    for version in ledger.framed_versions(plans):
        match dialect.codec(*ledger.asked_as(message, version, ledger.FRAME)):
            case RequestFrame(messages):
                said = {"RequestApiKey": keys[message], "RequestApiVersion": version}
                value = ledger.frame(*request_plans(messages, keys[message], version), said)
            case ResponseFrame(header, body):
                value = ledger.frame(header, body, {})
        yield _Wanted(version, ledger.FRAME, value)


def _case(message: str, wanted: _Wanted, op: Op) -> Case:
    type_name, version = ledger.asked_as(message, wanted.version, wanted.name)
    identifier = f"{DIALECT}/{ledger.AREA}/{message}/{wanted.version}/{wanted.name}#{op}"
    return Case(identifier, op, DIALECT, type_name, version, {"value": wanted.value})


def _ask(source: Connection, message: str, wanted: Sequence[_Wanted], op: Op) -> list[Observation]:
    return source.ask([_case(message, one, op) for one in wanted])


def _difference(message: str, want: _Wanted, source: Connection, seen: Observation) -> Difference:
    what = f"writes {seen.answer.hex()}" if seen.status is Status.ANSWER else f"{seen.status}: {seen.detail}"
    return Difference(f"{message}/{want.version}/{want.name}#encode", source.description.name, what)


def _misread(message: str, entries: Sequence[LedgerEntry], sources: Sequence[Connection]) -> Iterator[Difference]:
    """Entries whose bytes a source does not decode to their value."""
    parsed = ledger.parse(ledger.lines(LedgerHeader(1, message, ""), list(entries)), message).vectors
    for source in sources:
        asked = [vector for vector in parsed if source.description.offers(vector.case(Op.DECODE))]
        for vector, seen in zip(asked, source.ask([vector.case(Op.DECODE) for vector in asked]), strict=True):
            if seen.status is not Status.ANSWER:
                yield Difference(f"{vector.id}#decode", source.description.name, f"{seen.status}: {seen.detail}")
                continue
            assert vector.type is not None
            at: dict[str, Any] = {"dialect": DIALECT, "version": vector.version}
            expected, actual = (reference.complete(vector.type, value, **at) for value in (vector.value, seen.answer))
            mismatch = difference(expected, actual)
            if mismatch is not None:
                yield Difference(f"{vector.id}#decode", source.description.name, f"reads another value at {mismatch}")
