"""Reads a file into vectors. A wrong format is refused; the error names the vector and the field."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from wireproof.conformance.model import CLIENT_OUTCOMES, OUTCOME_KEYS, Op
from wireproof.conformance.values.encoding import ValueFormatError, from_json
from wireproof.conformance.vectors import compression_bombs
from wireproof.conformance.vectors.leb128 import leb128
from wireproof.conformance.vectors.model import (
    ABSENT,
    AREAS,
    KIND_OPS,
    Also,
    Piece,
    Reject,
    Vector,
    VectorError,
    VectorFile,
    VectorKind,
    Wrong,
)
from wireproof.conformance.vectors.patterns import marks_of
from wireproof.conformance.vectors.schema import (
    UNSET_FIELDS,
    Json,
    Pieces,
    RawAlso,
    RawFile,
    RawSettings,
    RawVector,
    RawWrong,
)
from wireproof.reference.errors import Reason
from wireproof.reference.evolution import Break

_decoder = msgspec.json.Decoder(RawFile)
_settings_decoder = msgspec.json.Decoder(RawSettings)

#: Fields that vectors of every kind may have, and those that belong to some kinds.
_COMMON_FIELDS = frozenset({"id", "about", "ops", "needs", "rulings", "source", "also", "wrong"})
_OWN_FIELDS: Mapping[VectorKind, frozenset[str]] = {
    kind: frozenset(fields.split())
    for kind, fields in {
        VectorKind.VALID: "type version bytes value derive canonical compare or_reject",
        VectorKind.INVALID: "type version bytes derive compare reject twin",
        VectorKind.UNENCODABLE: "type version value derive reject twin",
        VectorKind.LOOKUP: "type version bytes key values",
        VectorKind.CONVERT: "type version bytes to gives compare reject twin",
        VectorKind.SERVE: "chunks sends closes",
        VectorKind.INTERPRET: "request response outcome",
        VectorKind.NEGOTIATE: "api_key client broker chooses",
        VectorKind.EVOLVE: "old new breaks",
    }.items()
}
_RULING = re.compile(r"R-[A-Za-z0-9]+(-[A-Za-z0-9]+)*")
_HEX = re.compile("(?:[0-9a-f]{2})*")
_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
#: Forms of `derive` that make bytes.
_OF_BYTES = frozenset({"tags", "batch"})
#: The maximum number of answers in any order: all their orders are compared with the patterns.
_MOST_TOGETHER = 5
#: The most zeros of a derived batch: its record's length is an INT32.
_MOST_ZEROS = 2**30


def parse(text: bytes, name: str, shared: Mapping[str, Any] | None = None) -> VectorFile:
    """Reads one file's content. `name`: its name in errors; `shared`: settings of the whole dialect, beside the file's
    own. Raises VectorError."""
    try:
        raw = _decoder.decode(text)
    except RecursionError:
        raise VectorError(f"{name}: it is nested too deeply") from None
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise VectorError(f"{name}: {error}{_where(text, str(error))}") from None
    if raw.area not in AREAS:
        raise VectorError(f"{name}: there is no area {raw.area!r}; the areas are {', '.join(AREAS)}")
    vectors = []
    try:
        file_settings = {key: from_json(value) for key, value in raw.settings.items()}
    except ValueFormatError as error:
        raise VectorError(f"{name}: settings: {error}") from None
    settings = {**(shared or {}), **file_settings}
    for entry in raw.vectors:
        try:
            vectors.append(_resolve(entry, raw, settings))
        except (ValueFormatError, VectorError) as error:
            raise VectorError(f"{name}, vector {entry.id!r}: {error}") from None
    _check_file(vectors, name)
    return VectorFile(raw.dialect, raw.area, settings, tuple(vectors))


def own_settings(text: bytes) -> dict[str, Any]:
    """Only the settings in a file's content, which `parse` has to accept."""
    return {key: from_json(value) for key, value in _settings_decoder.decode(text).settings.items()}


def _where(text: bytes, error: str) -> str:
    """The id of the vector at fault, for an error: msgspec names only its index."""
    match = re.search(r"\$\.vectors\[(\d+)\]", error)
    if not match:
        return ""
    try:
        identifier = msgspec.json.decode(text)["vectors"][int(match[1])]["id"]
    except (ValueError, TypeError, KeyError, RecursionError):  # behind the error the text may be anything
        return " (vector without an id)"
    return f" (vector {identifier!r})"


def _hex(text: str, field: str) -> bytes:
    if not _HEX.fullmatch(text):
        raise VectorError(f"{field}: {text!r:.60} is not a row of pairs of hex digits in lower case")
    return bytes.fromhex(text)


def _pieces(raw: Pieces | None, field: str) -> tuple[Piece, ...]:
    pieces = []
    for entry in raw or ():
        match entry:
            case [str(digits), str(label)]:
                pieces.append(Piece(_hex(digits, field), label))
            case [str(digits), str(label), int(times)] if times > 0:
                pieces.append(Piece(_hex(digits, field) * times, label))
            case _:
                raise VectorError(f'{field}: a piece is ["<hex>", "<what it is>"], with a count behind it to repeat it')
    if len(pieces) > 1 and not all(piece.data for piece in pieces):
        raise VectorError(f"{field}: an empty piece stands beside others")
    return tuple(pieces)


def _derived(form: Mapping[str, Any], *, valid: bool) -> tuple[tuple[Piece, ...], Any]:
    """`derive` → (pieces, value); one of them may be absent. The value of a bomb is not made."""
    match form:
        case {"tags": int(count), **rest} if not rest:
            tags = b"".join(leb128(tag) + b"\0" for tag in range(count))
            pieces = (
                Piece(leb128(count), f"{count} tags"),
                Piece(tags, f"tags 0 … {count - 1}, each of size 0"),
            )
            return pieces, [[tag, b""] for tag in range(count)]
        case {"batch": {"codec": str(codec), "zeros": int(zeros), **odd}, **rest} if (
            not rest and not odd and codec in compression_bombs.CODECS and 0 <= zeros <= _MOST_ZEROS
        ):
            made = tuple(Piece(data, label) for data, label in compression_bombs.pieces(codec, zeros))
            return made, compression_bombs.value(codec, zeros) if valid else ABSENT
        case {"value": value, **rest} if not rest:
            whole = _Repeated()
            made = whole.read(value)
            if whole.found:
                return (), made
    raise VectorError(f"derive: {form!r} is none of the forms of vectors/FORMAT.md")


class _Repeated:
    """Reads a value in which texts, bytes and arrays may be written as repetitions (`times`)."""

    #: Of what stands beside `times`.
    _FORMS = frozenset({"text", "hex", "item"})

    def __init__(self) -> None:
        self.found = False

    def read(self, value: Any) -> Any:
        """Raises ValueFormatError for JSON that is no value."""
        match value:
            case {"times": int(times), **rest} if times >= 0 and len(rest) == 1 and not self._FORMS.isdisjoint(rest):
                self.found = True
                ((form, one),) = rest.items()
                match form:
                    case "item":
                        return [self.read(one)] * times
                    case "hex":
                        return _hex(one, "derive") * times if isinstance(one, str) else from_json(rest)
                if isinstance(one, str):
                    return one * times
                raise ValueFormatError(f"{one!r:.60} is no text that could be repeated")
            case {"times": _}:
                raise VectorError(f"derive: {value!r:.60} is none of the forms of vectors/FORMAT.md")
            case list():
                return [self.read(item) for item in value]
            case dict() if len(value) > 1 or any(isinstance(item, (dict, list)) for item in value.values()):
                return {key: self.read(item) for key, item in value.items()}
        return from_json(value)


def _kind(raw: RawVector) -> VectorKind:
    """A vector's kind, which follows from its fields."""
    has_bytes = raw.bytes is not None or raw.derive is not None and not _OF_BYTES.isdisjoint(raw.derive)
    has_value = raw.value is not ABSENT or raw.derive is not None
    kinds = [
        kind
        for kind, holds in (
            (VectorKind.SERVE, raw.chunks is not None and raw.sends is not None and raw.closes is not None),
            (VectorKind.INTERPRET, raw.request is not None and raw.outcome is not None),
            (VectorKind.NEGOTIATE, raw.client is not None and raw.chooses is not msgspec.UNSET),
            (VectorKind.EVOLVE, raw.old is not ABSENT and raw.breaks is not None),
            (VectorKind.LOOKUP, has_bytes and raw.key is not ABSENT and raw.values is not ABSENT),
            (VectorKind.CONVERT, has_bytes and raw.to is not None and (raw.gives is None) != (raw.reject is None)),
            (VectorKind.INVALID, has_bytes and raw.value is ABSENT and raw.reject is not None and raw.to is None),
            (VectorKind.UNENCODABLE, not has_bytes and has_value and raw.reject is not None),
            (VectorKind.VALID, has_bytes and has_value and raw.reject is None),
        )
        if holds
    ]
    if len(kinds) != 1:
        raise VectorError(
            "its fields do not make one kind: valid has bytes and value, invalid bytes and reject, "
            "unencodable value and reject; see vectors/FORMAT.md for the others"
        )
    return kinds[0]


def _resolve(raw: RawVector, file: RawFile, settings: Mapping[str, Any]) -> Vector:
    if not _ID.fullmatch(raw.id):
        raise VectorError("an id is lower-case words with hyphens")
    derived = None if raw.derive is None else _derived(raw.derive, valid=raw.reject is None)
    kind = _kind(raw)
    _check_fields(kind, raw)
    pieces, value = _pieces(raw.bytes, "bytes"), raw.value
    if derived is not None:
        derived_pieces, value = derived
        pieces = derived_pieces or pieces
    elif value is not ABSENT:
        value = from_json(value)
    missing = set(raw.needs) - set(settings)
    if missing:
        raise VectorError(f"needs: the file's settings have no {', '.join(sorted(missing))}")
    if raw.reject is not None and raw.twin is None:
        raise VectorError("a negative vector needs a valid twin")
    args, expected = _question(kind, raw)
    return Vector(
        id=raw.id,
        dialect=file.dialect,
        area=file.area,
        about=raw.about,
        kind=kind,
        ops=_ops(kind, raw.ops),
        type=raw.type,
        version=raw.version,
        pieces=pieces,
        value=value,
        canonical=_pieces(raw.canonical, "canonical") or _pieces(raw.gives, "gives"),
        compare_decoded=raw.compare == "decoded",
        reject=Reject(raw.reject.reason, raw.reject.offset) if raw.reject else None,
        or_reject=raw.or_reject.reason if raw.or_reject else None,
        twin=raw.twin,
        rulings=tuple(raw.rulings),
        source=raw.source,
        needs=tuple(raw.needs),
        also=tuple(_also(entry) for entry in raw.also),
        wrong=tuple(_wrong(entry) for entry in raw.wrong),
        args=args,
        expected=expected,
    )


def _check_fields(kind: VectorKind, raw: RawVector) -> None:
    present = {name for name in raw.__struct_fields__ if getattr(raw, name) != UNSET_FIELDS[name]}
    foreign = sorted(present - _COMMON_FIELDS - _OWN_FIELDS[kind])
    if foreign:
        raise VectorError(f"{', '.join(foreign)}: a vector of kind {kind} has no such field")
    if kind is VectorKind.UNENCODABLE and raw.reject is not None and raw.reject.offset is not None:
        raise VectorError("reject.offset: a value has no bytes that could be at fault")
    _check_patterns(raw.sends or ())
    if raw.outcome is not None:
        _check_outcome(raw.outcome)
    for ruling in raw.rulings:
        if not _RULING.fullmatch(ruling):
            raise VectorError(f"rulings: {ruling!r} is no ruling's id")
    _check_breaks(raw.breaks or ())


def _check_breaks(breaks: Sequence[Mapping[str, str]]) -> None:
    for entry in breaks:
        if entry.keys() != {"kind", "path"} or entry["kind"] not in tuple(Break):
            raise VectorError(f'breaks: {entry} is no {{"kind", "path"}} with one of {", ".join(Break)}')


def _check_patterns(patterns: Sequence[Json]) -> None:
    marked: set[str] = set()
    for pattern in patterns:
        _check_pattern(pattern)
        for key, name in marks_of(pattern):
            if key != "mark" and name not in marked:
                raise VectorError(f"sends: {key} {name!r}: nothing before it is marked so")
            marked.add(name)
    groups = itertools.groupby(patterns, _in_any_order)
    together = max((len([*group]) for any_order, group in groups if any_order), default=0)
    if together > _MOST_TOGETHER:
        raise VectorError(f"sends: {together} answers in any order; at most {_MOST_TOGETHER} can be tried")


def _in_any_order(pattern: Json) -> bool:
    return isinstance(pattern, dict) and "order" in pattern


def _check_pattern(pattern: Json) -> None:
    match pattern:
        case {"hex": str(digits), **rest} if not rest:
            if not digits or not _HEX.fullmatch(digits):
                raise VectorError(f"sends: {digits!r} are no bytes; pairs of lower-case hex digits are expected")
        case dict() if {"type", "value"} <= pattern.keys() <= {"type", "version", "value", "order"}:
            if pattern.get("order", "any") != "any":
                raise VectorError('sends: the order of a pattern is "any", or is left out')
        case _:
            raise VectorError('sends: a pattern is {"type", "version", "value", "order"} or {"hex": digits}')


def _check_outcome(outcome: Mapping[str, Json]) -> None:
    if outcome.get("outcome") not in CLIENT_OUTCOMES or not outcome.keys() <= OUTCOME_KEYS:
        raise VectorError(f"outcome: {outcome} does not name one of {', '.join(CLIENT_OUTCOMES)}")
    if (outcome["outcome"] == "retry") != ("version" in outcome):
        raise VectorError("outcome: a retry has a version, and nothing else has one")


def _ops(kind: VectorKind, narrowed: Sequence[Op] | None) -> tuple[Op, ...]:
    allowed = KIND_OPS[kind]
    if narrowed is None:
        return allowed
    if not narrowed or set(narrowed) - set(allowed):
        raise VectorError(f"ops: a vector of kind {kind} asks some of {', '.join(allowed)}")
    return tuple(op for op in allowed if op in narrowed)


def _question(kind: VectorKind, raw: RawVector) -> tuple[Mapping[str, Any], Any]:
    """Arguments and expected answer of the ops without a type, and of lookup and convert."""
    match kind:
        case VectorKind.LOOKUP:
            return {"key": from_json(raw.key)}, from_json(raw.values)
        case VectorKind.CONVERT:
            return {"to": raw.to}, None
        case VectorKind.SERVE:
            chunks = [b"".join(p.data for p in _pieces(chunk, "chunks")) for chunk in raw.chunks or ()]
            return {"chunks": chunks}, (raw.sends, raw.closes)
        case VectorKind.INTERPRET:
            if raw.response is msgspec.UNSET:
                raise VectorError("response: missing (null says that the connection was closed)")
            request = b"".join(p.data for p in _pieces(raw.request, "request"))
            response = None if raw.response is None else b"".join(p.data for p in _pieces(raw.response, "response"))
            return {"request": request, "response": response}, raw.outcome
        case VectorKind.NEGOTIATE:
            if raw.api_key is None:
                raise VectorError("api_key: missing")
            return {"api_key": raw.api_key, "client": raw.client, "broker": raw.broker}, raw.chooses
        case VectorKind.EVOLVE:
            return {"old": raw.old, "new": raw.new}, raw.breaks
    return {}, None


def _also(raw: RawAlso) -> Also:
    expected: dict[str, Any] = {}
    if raw.value is not ABSENT:
        expected["value"] = from_json(raw.value)
    if raw.values is not ABSENT:
        expected["value"] = from_json(raw.values)
    if raw.bytes is not None:
        expected["bytes"] = _hex(raw.bytes, "also.bytes")
    if (raw.sends is None) != (raw.closes is None):
        raise VectorError("also: sends and closes belong together")
    if raw.sends is not None:
        _check_patterns(raw.sends)
        expected["sends"] = (raw.sends, raw.closes)
    if raw.outcome is not None:
        _check_outcome(raw.outcome)
        expected["outcome"] = raw.outcome
    if raw.chooses is not msgspec.UNSET:
        expected["chooses"] = raw.chooses
    if raw.breaks is not None:
        _check_breaks(raw.breaks)
        expected["breaks"] = raw.breaks
    if bool(expected) == raw.refuses:
        raise VectorError("also: an entry either refuses or says what its reading gives")
    rulings = (raw.ruling,) if isinstance(raw.ruling, str) else tuple(raw.ruling)
    return Also(rulings, None if raw.ops is None else frozenset(raw.ops), raw.refuses, expected)


def _wrong(raw: RawWrong) -> Wrong:
    wrong: list[Wrong] = []
    for does in ("accepts", "refuses", "crash", "hang"):
        if getattr(raw, does):
            wrong.append(Wrong(raw.bug, raw.op, does))
    if raw.value is not ABSENT:
        wrong.append(Wrong(raw.bug, raw.op, "answers", from_json(raw.value)))
    if raw.bytes is not None:
        wrong.append(Wrong(raw.bug, raw.op, "answers", _hex(raw.bytes, "wrong.bytes")))
    if raw.sent is not None:
        wrong.append(Wrong(raw.bug, raw.op, "answers", (_hex(raw.sent, "wrong.sent"), bool(raw.closed))))
    if raw.outcome is not None:
        wrong.append(Wrong(raw.bug, raw.op, "answers", raw.outcome))
    if raw.chooses is not msgspec.UNSET:
        wrong.append(Wrong(raw.bug, raw.op, "answers", raw.chooses))
    if len(wrong) != 1:
        raise VectorError(f"wrong {raw.bug}: exactly one of value, bytes, accepts, refuses, crash, hang, sent, …")
    return wrong[0]


def _check_file(vectors: Sequence[Vector], name: str) -> None:
    by_id: dict[str, Vector] = {}
    for vector in vectors:
        if vector.id in by_id:
            raise VectorError(f"{name}: the id {vector.id!r} stands twice")
        by_id[vector.id] = vector
    for vector in vectors:
        place = f"{name}, vector {vector.id!r}"
        if vector.twin is not None:
            twin = by_id.get(vector.twin)
            kinds = (VectorKind.CONVERT,) if vector.kind is VectorKind.CONVERT else (VectorKind.VALID, vector.kind)
            if twin is None or twin.reject is not None or twin.kind not in kinds:
                raise VectorError(f"{place}: its twin {vector.twin!r} is no valid vector of this file")
            if (twin.type, twin.version) != (vector.type, vector.version) and not _other_version(vector):
                raise VectorError(f"{place}: its twin {vector.twin!r} is of another type or version")
        if vector.reject and vector.reject.offset is not None and vector.reject.offset > len(vector.data):
            raise VectorError(f"{place}: offset {vector.reject.offset} lies behind its {len(vector.data)} bytes")
        for entry in vector.wrong:
            if entry.op not in vector.ops:
                raise VectorError(f"{place}: wrong {entry.bug} is about {entry.op}, which this vector does not ask")


def _other_version(vector: Vector) -> bool:
    return vector.reject is not None and vector.reject.reason is Reason.UNSUPPORTED_VERSION
