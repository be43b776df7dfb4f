"""Reads a file into vectors. A wrong format is refused; the error names the vector and the field."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from wireproof.conformance.connection.protocol.shapes import ShapeError, consumed
from wireproof.conformance.decoding import DecodingError, decode_json
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
    RawDelivered,
    RawFile,
    RawSettings,
    RawVector,
    RawWrong,
)
from wireproof.conformance.vectors.short_forms import DEEPEST, FORM_WORDS, MOST, MOST_OF_FILE, ShortForms
from wireproof.reference.errors import Reason
from wireproof.reference.evolution import Break

_decoder = msgspec.json.Decoder(RawFile)
_any_decoder = msgspec.json.Decoder()
_settings_decoder = msgspec.json.Decoder(RawSettings)
_vector_decoder = msgspec.json.Decoder(RawVector)

#: Fields that vectors of every kind may have, and those that belong to some kinds.
_COMMON_FIELDS = frozenset({"id", "about", "ops", "needs", "rulings", "source", "also", "wrong"})
_OWN_FIELDS: Mapping[VectorKind, frozenset[str]] = {
    kind: frozenset(fields.split())
    for kind, fields in {
        VectorKind.VALID: "type version bytes value derive canonical compare or_reject",
        VectorKind.INVALID: "type version bytes derive compare reject twin",
        VectorKind.UNENCODABLE: "type version value reject twin",
        VectorKind.LOOKUP: "type version bytes key values reject twin",
        VectorKind.CONVERT: "type version bytes to gives compare reject twin",
        VectorKind.CONSUME: "bytes position isolation aborted delivers reject twin",
        VectorKind.PRODUCE: "records magic codec options writes reject twin",
        VectorKind.SERVE: "chunks sends closes",
        VectorKind.INTERPRET: "request response outcome",
        VectorKind.NEGOTIATE: "api_key client broker chooses",
        VectorKind.EVOLVE: "old new breaks reject twin",
    }.items()
}
#: Kinds that may be refused, and ask about no bytes.
_WITHOUT_BYTES = frozenset({VectorKind.UNENCODABLE, VectorKind.EVOLVE, VectorKind.PRODUCE})
_RULING = re.compile(r"R-[A-Za-z0-9]+(-[A-Za-z0-9]+)*")
_HEX = re.compile("(?:[0-9a-f]{2})*")
_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
#: The maximum number of answers in any order: all their orders are compared with the patterns.
_MOST_TOGETHER = 5
#: The most derived tags.
_MOST_TAGS = MOST // 4
#: The most zeros of an invalid derived batch, which are not made: its record's length is an INT32.
_MOST_ZEROS = 2**30


class _Identified(msgspec.Struct):
    id: str


_identified = msgspec.json.Decoder(_Identified)

#: Area → the file of this area of the same dialect; None where there is none to refer to.
OtherFile = Callable[[str], VectorFile | None]
#: A further check of a vector, with the settings of its file. Raises VectorError.
Check = Callable[[Vector, Mapping[str, Any]], None]


def parse(
    text: bytes,
    name: str,
    shared: Mapping[str, Any] | None = None,
    other_file: OtherFile = lambda _: None,
    check: Check = lambda _vector, _settings: None,
) -> VectorFile:
    """Reads one file's content. `name`: its name in errors; `shared`: settings of the whole dialect, beside the file's
    own; `other_file`: files whose vectors a `same_as` may name; `check`: called with each vector and the settings.
    Raises VectorError, with the vector's line also for one that `check` raises."""
    try:
        raw = decode_json(_decoder, text)
    except DecodingError as error:
        raise VectorError(f"{name}: {error}") from None
    if raw.area not in AREAS:
        raise VectorError(f"{name}: there is no area {raw.area!r}; the areas are {', '.join(AREAS)}")
    vectors: list[Vector] = []
    try:
        short_forms = ShortForms(raw.named)
        settings = {**(shared or {}), **_settings(raw.settings, short_forms)}
    except (ValueFormatError, VectorError) as error:
        raise VectorError(f"{name}: {error}") from None
    except RecursionError:
        raise VectorError(f"{name}: it is nested too deeply") from None
    size = 0
    for number, entry in enumerate(raw.vectors):
        try:
            raw_vector = _raw_vector(bytes(entry), short_forms)
            same = None if raw_vector.same_as is None else _named_by(raw_vector.same_as, raw.area, vectors, other_file)
            vector = _resolve(raw_vector, raw, settings, same)
            size = _grown(size, vector) if same is None else size
            check(vector, settings)
            vectors.append(vector)
        except (DecodingError, ValueFormatError, VectorError, msgspec.ValidationError) as error:
            raise VectorError(f"{name}{_place(text, number, entry)}: {error}") from None
        except RecursionError:
            raise VectorError(f"{name}{_place(text, number, entry)}: it is nested too deeply") from None
    _check_file(vectors, name)
    return VectorFile(raw.dialect, raw.area, settings, tuple(vectors))


def _grown(size: int, vector: Vector) -> int:
    """The size of a file's vectors, with this one. Raises VectorError."""
    size += sum(len(piece.data) for piece in (*vector.pieces, *vector.canonical))
    if size > MOST_OF_FILE:
        raise VectorError(f"the bytes of the file's vectors up to here are more than {MOST_OF_FILE}")
    return size


def own_settings(text: bytes) -> dict[str, Any]:
    """Only the settings in a file's content, which `parse` has to accept."""
    raw = _settings_decoder.decode(text)
    return _settings(raw.settings, ShortForms(raw.named))


def _settings(raw: Mapping[str, Json], short_forms: ShortForms) -> dict[str, Any]:
    try:
        return {key: from_json(short_forms.written_out(value)) for key, value in raw.items()}
    except (ValueFormatError, VectorError) as error:
        raise VectorError(f"settings: {error}") from None


def _raw_vector(text: bytes, short_forms: ShortForms) -> RawVector:
    """A vector's fields from its JSON text. Most have no short form and little depth, and are decoded faster."""
    if not any(word in text for word in FORM_WORDS) and text.count(b"[") + text.count(b"{") <= DEEPEST:
        return decode_json(_vector_decoder, text)
    return msgspec.convert(short_forms.written_out(decode_json(_any_decoder, text)), RawVector)


def _place(text: bytes, number: int, vector: msgspec.Raw) -> str:
    """Where a vector stands in its file, for an error: its line, and its id if it has one."""
    line = text.count(b"\n", 0, text.index(bytes(vector))) + 1
    try:
        name = repr(decode_json(_identified, vector).id)
    except DecodingError:  # it may be anything
        name = f"{number + 1}, without an id"
    return f", line {line}, vector {name}"


def _hex(text: str, field: str) -> bytes:
    if not _HEX.fullmatch(text):
        raise VectorError(f"{field}: {text!r:.60} is not a row of pairs of hex digits in lower case")
    return bytes.fromhex(text)


def _pieces(raw: Pieces | None, field: str) -> tuple[Piece, ...]:
    pieces = []
    size = 0
    for entry in raw or ():
        match entry:
            case [str(digits), str(label)]:
                pieces.append(Piece(_hex(digits, field), label))
            case [str(digits), str(label), int(times)] if times > 0:
                size += len(digits) // 2 * times
                if size > MOST:
                    raise VectorError(f"{field}: {size} bytes; at most {MOST} are read")
                pieces.append(Piece(_hex(digits, field) * times, label))
            case _:
                raise VectorError(f'{field}: a piece is ["<hex>", "<what it is>"], with a count behind it to repeat it')
    if len(pieces) > 1 and not all(piece.data for piece in pieces):
        raise VectorError(f"{field}: an empty piece stands beside others")
    return tuple(pieces)


def _derived(form: Mapping[str, Any], *, valid: bool) -> tuple[tuple[Piece, ...], Any]:
    """`derive` → (pieces, value). The value of a bomb is not made."""
    match form:
        case {"tags": int(count), **rest} if not rest and 0 <= count <= _MOST_TAGS:
            tags = b"".join(leb128(tag) + b"\0" for tag in range(count))
            pieces = (
                Piece(leb128(count), f"{count} tags"),
                Piece(tags, f"tags 0 … {count - 1}, each of size 0"),
            )
            return pieces, [[tag, b""] for tag in range(count)]
        case {"batch": {"codec": str(codec), "zeros": int(zeros), **odd}, **rest} if (
            not rest
            and not odd
            and codec in compression_bombs.CODECS
            and 0 <= zeros <= (MOST if valid else _MOST_ZEROS)
        ):
            made = tuple(Piece(data, label) for data, label in compression_bombs.pieces(codec, zeros))
            return made, compression_bombs.value(codec, zeros) if valid else ABSENT
    raise VectorError(
        f"derive: {form!r:.80} is none of the forms of vectors/FORMAT.md, with at most {_MOST_TAGS} tags, and "
        f"{MOST} zeros in a valid batch, {_MOST_ZEROS} in an invalid one"
    )


def _kind(raw: RawVector) -> VectorKind:
    """A vector's kind, which follows from its fields."""
    has_bytes = raw.bytes is not None or raw.derive is not None
    has_value = raw.value is not ABSENT or raw.derive is not None
    has_key = raw.key is not ABSENT
    narrowed = has_key or raw.to is not None or raw.position is not None
    kinds = [
        kind
        for kind, holds in (
            (VectorKind.SERVE, raw.chunks is not None and raw.sends is not None and raw.closes is not None),
            (VectorKind.INTERPRET, raw.request is not None and raw.outcome is not None),
            (VectorKind.NEGOTIATE, raw.client is not None and raw.chooses is not msgspec.UNSET),
            (VectorKind.EVOLVE, raw.old is not ABSENT and (raw.breaks is None) != (raw.reject is None)),
            (VectorKind.LOOKUP, has_bytes and has_key and (raw.values is ABSENT) != (raw.reject is None)),
            (VectorKind.CONVERT, has_bytes and raw.to is not None and (raw.gives is None) != (raw.reject is None)),
            (
                VectorKind.CONSUME,
                has_bytes and raw.position is not None and (raw.delivers is None) != (raw.reject is None),
            ),
            (
                VectorKind.PRODUCE,
                raw.records is not None and raw.magic is not None and (raw.writes is None) != (raw.reject is None),
            ),
            (VectorKind.INVALID, has_bytes and raw.value is ABSENT and raw.reject is not None and not narrowed),
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


def _named_by(same_as: str, area: str, before: Sequence[Vector], other_file: OtherFile) -> Vector:
    """The vector that `same_as` names: one that stands before this one, or one of another file."""
    of_area, _, identifier = same_as.partition("/")
    file = None if of_area == area else other_file(of_area)
    there = before if of_area == area else file.vectors if file else ()
    for vector in there:
        if vector.id == identifier:
            return vector
    raise VectorError(f"same_as: {same_as!r} is no vector before this one, <area>/<id>")


def _resolve(raw: RawVector, file: RawFile, settings: Mapping[str, Any], same: Vector | None) -> Vector:
    """`same`: the vector that asks the same and expects the same."""
    if not _ID.fullmatch(raw.id):
        raise VectorError("an id is lower-case words with hyphens")
    kind = _kind(raw) if same is None else same.kind
    _check_fields(kind, raw)
    missing = set(raw.needs) - set(settings)
    if missing:
        raise VectorError(f"needs: the file's settings have no {', '.join(sorted(missing))}")
    also = None if raw.also is msgspec.UNSET else tuple(_also(entry) for entry in raw.also)
    negative = raw.reject is not None or (same is not None and same.reject is not None)
    if raw.twin is None and negative:
        raise VectorError("a negative vector needs a valid twin")
    if not negative and any(entry.accepts for entry in also or ()):
        raise VectorError("also: only what has to be refused may have an entry that accepts")
    if same is not None:
        return msgspec.structs.replace(
            same,
            id=raw.id,
            area=file.area,
            about=raw.about,
            ops=same.ops if raw.ops is None else _ops(kind, raw.ops),
            twin=raw.twin,
            rulings=tuple(raw.rulings),
            source=_source(raw.source, file.sources),
            needs=tuple(raw.needs),
            also=same.also if also is None else also,
            wrong=tuple(_wrong(entry) for entry in raw.wrong),
        )
    pieces, value = _pieces(raw.bytes, "bytes"), raw.value
    if raw.derive is not None:
        pieces, value = _derived(raw.derive, valid=raw.reject is None)
    elif value is not ABSENT:
        value = from_json(value)
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
        source=_source(raw.source, file.sources),
        needs=tuple(raw.needs),
        also=also or (),
        wrong=tuple(_wrong(entry) for entry in raw.wrong),
        args=args,
        expected=expected,
    )


def _source(source: str, sources: Mapping[str, str]) -> str:
    """A vector's source, which may be a name in the file's `sources`."""
    if sources and source not in sources and _ID.fullmatch(source):
        raise VectorError(f"source: {source!r} is no name of the file's `sources`")
    return sources.get(source, source)


def _check_fields(kind: VectorKind, raw: RawVector) -> None:
    present = {name for name in raw.__struct_fields__ if getattr(raw, name) != UNSET_FIELDS[name]}
    own = _OWN_FIELDS[kind] if raw.same_as is None else {"same_as"} | _OWN_FIELDS[kind] & {"twin"}
    foreign = sorted(present - _COMMON_FIELDS - own)
    if foreign:
        what = f"of kind {kind}" if raw.same_as is None else "with same_as"
        raise VectorError(f"{', '.join(foreign)}: a vector {what} has no such field")
    if raw.derive is not None and (raw.bytes is not None or raw.value is not ABSENT):
        raise VectorError("derive: it makes bytes and value, so neither stands beside it")
    if kind in _WITHOUT_BYTES and raw.reject and raw.reject.offset is not None:
        raise VectorError("reject.offset: a value, a schema or records have no bytes that could be at fault")
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
    """Arguments and expected answer of the ops without a type, and of lookup and convert, beside `data`."""
    match kind:
        case VectorKind.LOOKUP:
            return {"key": from_json(raw.key)}, None if raw.values is ABSENT else from_json(raw.values)
        case VectorKind.CONVERT:
            return {"to": raw.to}, None
        case VectorKind.CONSUME:
            aborted = [msgspec.to_builtins(one) for one in raw.aborted]
            delivered = None if raw.delivers is None else _delivered(raw.delivers)
            return {"position": raw.position, "isolation": raw.isolation, "aborted": aborted}, delivered
        case VectorKind.PRODUCE:
            records = [from_json(msgspec.to_builtins(one)) for one in raw.records or ()]
            written = None if raw.writes is None else from_json(raw.writes)
            options = msgspec.to_builtins(raw.options)
            return {"records": records, "magic": raw.magic, "codec": raw.codec, "options": options}, written
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


def _delivered(raw: RawDelivered) -> dict[str, Any]:
    try:
        return consumed(from_json(msgspec.to_builtins(raw)))
    except ShapeError as error:
        raise VectorError(f"delivers: {error}") from None


def _also(raw: RawAlso) -> Also:
    expected = {**_of_bytes_or_value(raw), **_of_peers(raw)}
    if raw.delivers is not None:
        expected["delivers"] = _delivered(raw.delivers)
    if raw.writes is not None:
        expected["writes"] = from_json(raw.writes)
    if raw.accepts:
        if expected:
            raise VectorError("also: an entry that accepts says nothing of the value")
        expected["accepts"] = True
    if bool(expected) == raw.refuses:
        raise VectorError("also: an entry either refuses or says what its reading gives")
    rulings = (raw.ruling,) if isinstance(raw.ruling, str) else tuple(raw.ruling)
    return Also(rulings, None if raw.ops is None else frozenset(raw.ops), raw.refuses, expected)


def _of_bytes_or_value(raw: RawAlso) -> dict[str, Any]:
    """What another reading reads or writes."""
    expected: dict[str, Any] = {}
    if raw.value is not ABSENT:
        expected["value"] = from_json(raw.value)
    if raw.values is not ABSENT:
        expected["value"] = from_json(raw.values)
    if raw.bytes is not None:
        expected["bytes"] = _hex(raw.bytes, "also.bytes")
    return expected


def _of_peers(raw: RawAlso) -> dict[str, Any]:
    """What another reading answers as a broker or a client, and of schemas."""
    expected: dict[str, Any] = {}
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
    return expected


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
    if raw.delivers is not None:
        wrong.append(Wrong(raw.bug, raw.op, "answers", _delivered(raw.delivers)))
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
            of_values = vector.kind in (VectorKind.INVALID, VectorKind.UNENCODABLE)
            if (
                twin is None
                or twin.reject is not None
                or twin.kind is not (VectorKind.VALID if of_values else vector.kind)
            ):
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
