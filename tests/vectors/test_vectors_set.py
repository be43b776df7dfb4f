"""Rules for every file of the set of vectors: its schema, its sources and rulings, and what negatives differ in."""

from __future__ import annotations

import contextlib
import gzip
import json
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pytest
import support.mended as messages_mended
from support import essence

from wireproof import reference
from wireproof.conformance import vectors
from wireproof.conformance.model import Op
from wireproof.conformance.questions import scripts
from wireproof.conformance.vectors import Vector, VectorFile, VectorKind

FOLDER = Path(vectors.__file__).parents[2] / "vectors"
FILES = sorted(path for path in FOLDER.glob("*/*.json"))
SCHEMA = json.loads((FOLDER / "vectors.schema.json").read_bytes())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
VECTORS = vectors.load()


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["properties"]["area"]["enum"] == list(vectors.AREAS)
    assert SCHEMA["$defs"]["reason"]["enum"] == list(reference.Reason)
    assert SCHEMA["$defs"]["op"]["enum"] == list(Op)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_file_keeps_to_the_schema(path: Path) -> None:
    problems = [
        f"{'/'.join(map(str, error.absolute_path))}: {error.message[:200]}"
        for error in VALIDATOR.iter_errors(json.loads(path.read_bytes()))
    ]
    assert problems == []


def test_every_file_is_loaded() -> None:
    assert len(VECTORS) == sum(len(json.loads(path.read_bytes())["vectors"]) for path in FILES)
    assert len({vector.path for vector in VECTORS}) == len(VECTORS)


def test_every_vector_says_what_is_special_in_it_and_whence_it_is() -> None:
    assert [vector.path for vector in VECTORS if not vector.about.strip() or not vector.source.strip()] == []
    assert [piece for vector in VECTORS for piece in vector.pieces if not piece.label.strip()] == []


def test_no_question_is_asked_twice_with_two_expectations() -> None:
    """The same bytes of the same type are valid or not, and mean one thing, whatever file they stand in."""
    seen: dict[tuple[str, str | None, int | None, bytes], Vector] = {}
    clashes = []
    for vector in VECTORS:
        if Op.DECODE not in vector.ops:
            continue
        first = seen.setdefault((vector.dialect, vector.type, vector.version, vector.data), vector)
        if (first.kind, first.value, first.reject) != (vector.kind, vector.value, vector.reject):
            clashes.append((first.path, vector.path))
    assert clashes == []


def _asked(vector: Vector) -> str:
    """What a vector asks. A broker may be asked the same for several things in its answers."""
    what = (vector.dialect, vector.kind, vector.ops, vector.type, vector.version, vector.data, vector.value)
    return repr((*what, vector.needs, dict(vector.args), vector.expected))


def test_what_several_vectors_ask_stands_in_one_of_them() -> None:
    same_as = {
        f"{path.parent.name}/{path.stem}/{vector['id']}": vector.get("same_as")
        for path in FILES
        for vector in json.loads(path.read_bytes())["vectors"]
    }
    first: dict[str, Vector] = {}
    unmarked = []
    for vector in VECTORS:
        other = first.setdefault(_asked(vector), vector)
        if other is not vector and same_as[vector.path] != f"{other.area}/{other.id}":
            unmarked.append((vector.path, other.path))
    assert unmarked == []
    assert sum(name is not None for name in same_as.values()) == len(VECTORS) - len(first)


RULINGS = {dialect: set(reference.rulings(dialect)) for dialect in reference.dialects}
CONTESTED = {
    dialect: {ruling.id for ruling in reference.rulings(dialect).values() if ruling.contested}
    for dialect in reference.dialects
}


def test_every_ruling_that_a_vector_rests_on_exists() -> None:
    assert [(v.path, ruling) for v in VECTORS for ruling in v.rulings if ruling not in RULINGS[v.dialect]] == []


@pytest.mark.parametrize("dialect", reference.dialects)
def test_every_ruling_has_vectors_and_every_contested_one_a_vector_with_its_other_reading(dialect: str) -> None:
    found = [vector for vector in VECTORS if vector.dialect == dialect]
    named = {ruling for vector in found for ruling in vector.rulings}
    assert RULINGS[dialect] - named <= {one.id for one in reference.rulings(dialect).values() if one.beyond}
    found += [one.vector for one in scripts.questions() if one.vector.dialect == dialect]
    assert CONTESTED[dialect] == {ruling for vector in found for also in vector.also for ruling in also.rulings}


@pytest.mark.parametrize("dialect", reference.dialects)
def test_an_area_without_vectors_has_a_reason(dialect: str) -> None:
    found = {vector.area for vector in VECTORS if vector.dialect == dialect}
    assert {*vectors.AREAS} - found == reference.dialect_named(dialect).empty_areas.keys()


def test_every_other_reading_is_of_contested_rulings_one_of_which_the_vector_names() -> None:
    entries = [(vector, entry.rulings) for vector in VECTORS for entry in vector.also]
    assert len(entries) > 100
    assert [(v.path, rulings) for v, rulings in entries if not CONTESTED[v.dialect].issuperset(rulings)] == []
    assert [(v.path, rulings) for v, rulings in entries if not set(rulings) & set(v.rulings)] == []


def _answers(vector: Vector, op: Op) -> set[tuple[str, ...]]:
    """The readings of which the vector says what they make of the op."""
    key = "value" if op is Op.DECODE else "bytes"
    return {
        entry.rulings
        for entry in vector.also
        if (entry.ops is None or op in entry.ops) and (entry.refuses or key in entry.expected)
    }


def test_another_reading_of_what_is_invalid_says_of_both_ops_what_comes_of_it() -> None:
    """Where a library offers `recode` alone, that is what is asked in place of `decode`."""
    found = [vector for vector in VECTORS if vector.kind is VectorKind.INVALID and vector.also]
    assert len(found) > 100
    assert [v.path for v in found if _answers(v, Op.DECODE) != _answers(v, Op.RECODE)] == []


BUGS = {bug["id"]: bug for bug in json.loads((FOLDER / "bugs.json").read_bytes())["bugs"]}


def test_every_bug_that_a_vector_names_is_in_the_catalogue() -> None:
    assert [(v.path, entry.bug) for v in VECTORS for entry in v.wrong if entry.bug not in BUGS] == []


def test_every_bug_is_caught_or_ruled_or_not_reached() -> None:
    caught = {entry.bug for vector in VECTORS for entry in vector.wrong}
    for identifier, bug in BUGS.items():
        fates = [identifier in caught, "ruled" in bug, "unreached" in bug]
        assert sum(fates) == 1, f"{identifier}: caught, ruled, unreached: {fates}"
        if "ruled" in bug:
            assert bug["ruled"]["ruling"] in set.union(*RULINGS.values()), identifier
            assert bug["ruled"]["why"].strip(), identifier


def test_two_vectors_catch_each_bug_or_it_says_why_one_alone_does() -> None:
    catching = Counter(bug for vector in VECTORS for bug in {entry.bug for entry in vector.wrong})
    assert {bug for bug, vectors_ in catching.items() if vectors_ < 2} == {
        name for name, bug in BUGS.items() if "once" in bug
    }


# --- A negative differs from its twin in one thing --------------------------------------------------------------------

#: The longest stretch that may differ: two tags of a response that changed places.
FAULT = 20
#: No batch that is stored is longer; a bomb, which is derived, is.
BOMB = 10_000


#: Where the codec and the messages of kip-82-string-keys' BATCH stand.
_CODEC_AT, _MESSAGES_AT = 18, 53


def _common(left: bytes, right: bytes) -> int:
    """How many bytes the two begin with alike."""
    pairs = enumerate(zip(left, right, strict=False))
    return next((index for index, (a, b) in pairs if a != b), min(len(left), len(right)))


def difference(negative: bytes, twin: bytes) -> tuple[bytes, bytes]:
    """What is left of the two between their common beginning and their common end."""
    start = _common(negative, twin)
    negative, twin = negative[start:], twin[start:]
    end = _common(negative[::-1], twin[::-1])
    return negative[: len(negative) - end], twin[: len(twin) - end]


def in_one_place(negative: bytes, twin: bytes) -> bool:
    """Something was put in, or left out, or a short stretch is another."""
    left, right = difference(negative, twin)
    return not left or not right or max(len(left), len(right)) <= FAULT


TWINS = {(vector.dialect, vector.area, vector.id): vector for vector in VECTORS}
NEGATIVES = [vector for vector in VECTORS if vector.kind is VectorKind.INVALID]


def test_there_are_many_negatives() -> None:
    assert len(NEGATIVES) > len(VECTORS) / 4


@pytest.mark.parametrize("file", vectors.files(), ids=lambda file: f"{file.dialect}/{file.area}")
def test_a_negative_differs_from_its_twin_in_one_place(file: VectorFile) -> None:
    for negative in file.vectors:
        if negative.kind is not VectorKind.INVALID:
            continue
        assert negative.reject is not None
        twin = TWINS[negative.dialect, negative.area, negative.twin or ""]
        if (twin.type, twin.version) != (negative.type, negative.version):
            assert negative.reject.reason is reference.Reason.UNSUPPORTED_VERSION, negative.path
            continue
        assert negative.data != twin.data, negative.path
        assert any(left != right and in_one_place(left, right) for left, right in _mended(negative, twin)), (
            f"{negative.path}: {negative.data[:500].hex()}"
        )


def _mended(negative: Vector, twin: Vector) -> Iterator[tuple[bytes, bytes]]:
    """Both as they are; then without what is mended with what it counts, and is no fault of its own then."""
    assert negative.reject is not None
    if negative.reject.reason is reference.Reason.RESOURCE_LIMIT and len(negative.data) > BOMB:
        fields, fields_too = (data[:8] + data[12:17] + data[21:61] for data in (negative.data, twin.data))
        yield fields + b"more of the same content", fields_too
        return
    yield negative.data, twin.data
    if "Frame" in str(negative.type) or (_sized(negative.data) and _sized(twin.data)):
        yield negative.data[4:], twin.data[4:]
    if negative.type == "BATCH":
        yield negative.data[:8] + negative.data[16:], twin.data[:8] + twin.data[16:]  # the length and the CRC
        if {negative.data[_CODEC_AT : _CODEC_AT + 1], twin.data[_CODEC_AT : _CODEC_AT + 1]} == {b"\1"}:
            with contextlib.suppress(EOFError, OSError, zlib.error):
                yield gzip.decompress(negative.data[_MESSAGES_AT:]), gzip.decompress(twin.data[_MESSAGES_AT:])
    if negative.type is not None and (negative.dialect, negative.type) in essence.TYPES:
        yield from essence.pairs(negative.dialect, negative.type, negative.version, negative.data, twin.data)
    if (negative.dialect, negative.type) in messages_mended.TYPES:
        yield from messages_mended.pairs(negative.data, twin.data)


def _sized(data: bytes) -> bool:
    """Whether the bytes begin with the size of the others, as a frame does."""
    return len(data) >= 4 and int.from_bytes(data[:4]) == len(data) - 4


@pytest.mark.parametrize(
    ("negative", "twin", "left"),
    [
        ("0102", "0103", ("02", "03")),
        ("010203", "0103", ("02", "")),
        ("01", "010203", ("", "0203")),
        ("ff02ff", "fe02fe", ("ff02ff", "fe02fe")),
        ("0101", "01", ("01", "")),
        ("", "", ("", "")),
    ],
)
def test_what_differs_between_two(negative: str, twin: str, left: tuple[str, str]) -> None:
    assert difference(bytes.fromhex(negative), bytes.fromhex(twin)) == tuple(bytes.fromhex(part) for part in left)
