"""Vectors and ledger cases as plain data, for those who want nothing else of the kit: docs/reference/export-format.md.

Nothing has to be looked up elsewhere: bytes are put together, expectations stand beside the input, the valid twin of a
negative is in its line, and of the fields of a value those are named that an answer may leave out. What is exported is
decided by the vectors alone, so the same vector set gives the same bytes on each machine.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from wireproof.conformance import ledger, vectors
from wireproof.conformance.connection.protocol.shapes import plain
from wireproof.conformance.judging.alternatives import incidental_entries
from wireproof.conformance.model import Op
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.conformance.oracle.types import answered_in
from wireproof.conformance.questions.positive_control import twin_case
from wireproof.conformance.values.compare import equal
from wireproof.conformance.values.encoding import to_json
from wireproof.conformance.vectors import Also, Vector, VectorKind

FORMAT = 1
#: The file with the cases of a dialect's ledger.
LEDGER = "ledger"
#: Longer lines are left out unless somebody asks for them: bombs have many megabytes.
LARGEST = 1 << 20
#: The member of a line with the answer that is expected, where it is nothing but that.
_EXPECTED: Mapping[VectorKind, str] = {
    VectorKind.LOOKUP: "values",
    VectorKind.CONSUME: "delivers",
    VectorKind.PRODUCE: "writes",
    VectorKind.INTERPRET: "outcome",
    VectorKind.NEGOTIATE: "chooses",
    VectorKind.EVOLVE: "breaks",
}
#: In values with more structures, no field is looked at.
_MOST_STRUCTURES = 200

Line = dict[str, Any]


@dataclass(frozen=True, slots=True)
class File:
    """A file of an export: its lines, and the ids of vectors that were left out because they are too large. `types`: of
    both."""

    dialect: str
    name: str
    lines: tuple[str, ...]
    left_out: tuple[str, ...]
    types: frozenset[str]


def files(
    dialects: Collection[str] = (), areas: Collection[str] = (), types: Collection[str] = (), largest: int = LARGEST
) -> Iterator[File]:
    """The files of an export. An empty selection means everything; `largest`: of a line, in bytes."""
    for dialect in vectors.dialects():
        if dialects and dialect not in dialects:
            continue
        for area in vectors.AREAS:
            if not areas or area in areas:
                yield from _file(dialect, area, vectors.load([dialect], [area]), types, largest)
        if not areas or ledger.AREA in areas:
            yield from _file(dialect, LEDGER, ledger.every_vector(dialect), types, largest)


def _file(dialect: str, name: str, chosen: Iterable[Vector], types: Collection[str], largest: int) -> Iterator[File]:
    lines, left_out, found = [], [], set()
    for vector in chosen:
        if types and vector.type not in types:
            continue
        if vector.type is not None:
            found.add(vector.type)
        line = _written(vector, largest)
        if line is None:
            left_out.append(vector.path)
        else:
            lines.append(line)
    if lines or left_out:
        yield File(dialect, name, tuple(lines), tuple(left_out), frozenset(found))


def _written(vector: Vector, largest: int) -> str | None:
    """The line of a vector as text; None if it is larger. A bomb is, without what other readings make of it, which
    takes long to find out."""
    line = _asked(vector)
    if len(_text(line).encode()) > largest:
        return None
    if contested := (*vector.also, *incidental_entries(vector)):
        line["contested"] = [_reading(vector, also) for also in contested]
    if vector.needs:
        line["needs"] = [*vector.needs]
    text = _text(line | {"rulings": [*vector.rulings], "source": vector.source})
    return text if len(text.encode()) <= largest else None


def _text(line: Line) -> str:
    return json.dumps(line, ensure_ascii=False, separators=(",", ":"))


def _asked(vector: Vector) -> Line:
    """The first members of a line, those that its kind has: what is asked, and what is demanded."""
    line: Line = {"id": vector.path, "kind": str(vector.kind), "ops": [str(op) for op in vector.ops]}
    if vector.type is not None:
        line["type"] = vector.type
    if vector.version is not None:
        line["version"] = vector.version
    return line | {"about": vector.about, **_content(vector), **_refusals(vector)}


def _content(vector: Vector) -> Line:
    """What is asked, and the answer that is expected."""
    given = {"bytes": vector.data.hex()} if vector.pieces else {}
    compare = {"compare": "decoded" if vector.compare_decoded else "bytes"}
    asked = {name: _json(value) for name, value in vector.args.items()}
    if vector.reject is not None:
        return {"value": _json(vector.value)} if vector.kind is VectorKind.UNENCODABLE else given | asked
    match vector.kind:
        case VectorKind.VALID:
            value = _complete(vector, vector.value)
            shown = {"value": _json(value), "optional": _optional(vector, value)}
            return given | shown | {"canonical": vector.canonical_data.hex()} | compare
        case VectorKind.CONVERT:
            form = answered_in(vector.case(Op.CONVERT))
            versioned = {} if form.version is None else {"version": form.version}
            read_as = {"as": {"dialect": form.dialect, "type": form.type, **versioned}}
            return given | asked | {"gives": vector.canonical_data.hex()} | compare | read_as
        case VectorKind.SERVE:
            return asked | _conversation(vector.expected)
    return given | asked | {_EXPECTED[vector.kind]: _json(vector.expected)}


def _json(value: Any) -> Any:
    return to_json(plain(value))


def _conversation(expected: Any) -> Line:
    sends, closes = expected
    return {"sends": _pattern(sends), "closes": closes}


def _pattern(value: Any) -> Any:
    """A pattern keeps its own forms, such as {"hex": …}; the values in it are written as all values."""
    if isinstance(value, Mapping):
        return {name: _pattern(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_pattern(item) for item in value]
    return _json(value)


def _refusals(vector: Vector) -> Line:
    """The refusal that is demanded, or allowed, with the valid twin without which it counts for nothing.

    There is a twin too if only another reading refuses."""
    if vector.or_reject is not None:
        return {"or_reject": {"reason": str(vector.or_reject)}, **_twin(vector, vector.ops[-1])}
    if vector.reject is not None:
        reject = {"reason": str(vector.reject.reason), "offset": vector.reject.offset}
        return {"reject": reject, **_twin(vector, vector.ops[0])}
    # What each op that is refused asks: bytes, and a value.
    twin: Line = {}
    for op in vector.ops:
        if any(also.refuses and _speaks_of(vector, also, op) for also in vector.also):
            twin = _twin(vector, op).get("twin", {}) | twin
    return {"twin": twin} if twin else {}


def _twin(vector: Vector, op: Op) -> Line:
    twin = twin_case(vector, vector.case(op))
    if twin is None:
        return {}
    arguments = {{"data": "bytes"}.get(name, name): _json(value) for name, value in twin.args.items()}
    if isinstance(twin.args.get("data"), bytes):
        arguments["bytes"] = twin.args["data"].hex()
    version = {} if twin.version is None else {"version": twin.version}
    return {"twin": {"id": twin.id.partition("#")[0], **version, **arguments}}


def _reading(vector: Vector, also: Also) -> Line:
    """Another reading of a contested point: the answer that is neither right nor wrong."""
    ops = [op for op in vector.ops if _speaks_of(vector, also, op)]
    line: Line = {"rulings": [*also.rulings], "ops": [str(op) for op in ops]}
    if also.refuses:
        # A reading of bytes does not explain why they could not be written again, unless it names recode.
        line["refuses"] = "decode" if also.ops is None and Op.RECODE in ops else True
    for name, value in also.expected.items():
        if name == "sends":
            line |= _conversation(value)
        else:
            line[name] = value.hex() if name == "bytes" else _json(value)
    return line


def _speaks_of(vector: Vector, also: Also, op: Op) -> bool:
    if also.ops is not None:
        return op in also.ops
    return op is not Op.ENCODE or vector.kind is VectorKind.UNENCODABLE


def _optional(vector: Vector, value: Any) -> list[str]:
    """The paths of fields that an answer may leave out, because they have their default: `Topics[0].Name`. Of values
    with very many structures, none."""
    places = [*itertools.islice(_structures(value, ()), _MOST_STRUCTURES + 1)]
    if len(places) > _MOST_STRUCTURES:
        return []
    found = []
    for path, structure in places:
        defaults = _at(_complete(vector, _with(value, path, {})), path)
        shown = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
        found += [
            f"{shown}.{name}".removeprefix(".")
            for name, item in structure.items()
            if name in defaults and equal(defaults[name], item)
        ]
    return found


_Path = tuple[str | int, ...]


def _structures(value: Any, path: _Path) -> Iterator[tuple[_Path, Mapping[str, Any]]]:
    """All structures in a value, each with its path."""
    if isinstance(value, Mapping):
        yield path, value
        for name, item in value.items():
            yield from _structures(item, (*path, name))
    elif isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            if isinstance(item, (Mapping, list, tuple)):
                yield from _structures(item, (*path, index))


def _at(value: Any, path: _Path) -> Any:
    for step in path:
        value = value[step]
    return value


def _with(value: Any, path: _Path, new: Any) -> Any:
    """A copy of a value, with another part at this path."""
    if not path:
        return new
    step, *rest = path
    copy = dict(value) if isinstance(value, Mapping) else list(value)
    copy[step] = _with(value[step], tuple(rest), new)  # type: ignore[index]
    return copy


def _complete(vector: Vector, value: Any) -> Any:
    if vector.type is None:
        return value
    return reference_codec().complete(vector.type, value, dialect=vector.dialect, version=vector.version)
