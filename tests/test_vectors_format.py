"""The format of vectors: refusals of the strict loader and of the schema, and rules for every file of the set."""

from __future__ import annotations

import contextlib
import copy
import gzip
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import essence
import jsonschema
import mended as messages_mended
import pytest

import reference
from conformance import vectors
from conformance.model import Op
from conformance.vectors import Vector, VectorError, VectorFile, VectorKind

FOLDER = Path(vectors.__file__).parents[2] / "vectors"
FILES = sorted(path for path in FOLDER.glob("*/*.json"))
SCHEMA = json.loads((FOLDER / "schema.json").read_bytes())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
VECTORS = vectors.load()

Document = dict[str, Any]

#: A vector of every kind; what is wrong in the tables below is one change to it.
RIGHT: Document = {
    "format": 1,
    "dialect": "kafka",
    "area": "framing",
    "settings": {"apis": {"18": [0, 5]}},
    "vectors": [
        {
            "id": "five",
            "about": "a number",
            "type": "INT8",
            "bytes": [["05", "five"]],
            "value": 5,
            "canonical": [["05", "five"]],
            "rulings": ["R-K-7"],
            "also": [
                {"ruling": "R-K-7", "value": 6},
                {"ruling": ["R-K-7", "R-K-5"], "refuses": True, "ops": ["decode"]},
            ],
            "wrong": [{"bug": "V01", "op": "decode", "value": 7}, {"bug": "V02", "op": "encode", "refuses": True}],
        },
        {
            "id": "six",
            "about": "a byte too many",
            "type": "INT8",
            "bytes": [["05", "five"], ["06", "one more", 2]],
            "reject": {"reason": "trailing-bytes", "offset": 1},
            "twin": "five",
            "ops": ["decode"],
        },
        {
            "id": "too-large",
            "about": "more than a byte holds",
            "type": "INT8",
            "value": 128,
            "reject": {"reason": "out-of-range"},
            "twin": "five",
        },
        {"id": "long", "about": "derived", "type": "TAG_BUFFER", "derive": {"tags": 3}},
        {
            "id": "zeros",
            "about": "compressed",
            "type": "RecordBatch",
            "derive": {"batch": {"codec": "zstd", "zeros": 5}},
            "compare": "decoded",
        },
        {
            "id": "bomb",
            "about": "more than a reader has to take",
            "type": "RecordBatch",
            "derive": {"batch": {"codec": "zstd", "zeros": 1073741824}},
            "reject": {"reason": "resource-limit", "offset": 61},
            "twin": "zeros",
        },
        {
            "id": "text",
            "about": "derived too",
            "type": "STRING",
            "bytes": [["0003", "length"], ["61", "a", 3]],
            "derive": {"value": {"text": "a", "times": 3}},
        },
        {
            "id": "nested",
            "about": "derived at every depth",
            "type": "RequestHeader",
            "version": 1,
            "bytes": [["00", "a byte"]],
            "derive": {
                "value": {
                    "S": {"T": [{"text": "é", "times": 2}, 1]},
                    "B": {"hex": "0a0b", "times": 2},
                    "H": {"hex": "0c"},
                    "L": {"item": {"A": {"text": "b", "times": 1}}, "times": 2},
                    "N": None,
                }
            },
        },
        {
            "id": "found",
            "about": "a header's values",
            "type": "Record",
            "bytes": [["00", "a byte"]],
            "key": "a",
            "values": [{"hex": "01"}, None],
        },
        {
            "id": "older",
            "about": "in a format from before",
            "type": "RecordSet",
            "bytes": [["00", "a byte"]],
            "to": "magic-0",
            "gives": [["01", "another"]],
            "compare": "decoded",
            "twin": "oldest",
        },
        {
            "id": "oldest",
            "about": "nothing, in a format from before",
            "type": "RecordSet",
            "bytes": [["00", "a byte"]],
            "to": "magic-0",
            "gives": [["", "nothing"]],
        },
        {
            "id": "no-older",
            "about": "what that can't hold",
            "type": "RecordSet",
            "bytes": [["02", "a byte"]],
            "to": "magic-0",
            "reject": {"reason": "crc-mismatch", "offset": 0},
            "twin": "older",
        },
        {
            "id": "broker",
            "about": "answers",
            "chunks": [[["00", "a byte"]], [["", "nothing"]]],
            "sends": [{"type": "ResponseFrame:ApiVersions", "version": 0, "value": {"header": {"contains": 1}}}],
            "closes": False,
            "needs": ["apis"],
        },
        {
            "id": "client",
            "about": "goes on",
            "request": [["00", "a byte"]],
            "response": None,
            "outcome": {"outcome": "retry", "version": 0},
        },
        {"id": "choice", "about": "of a version", "api_key": 18, "client": [0, 5], "broker": None, "chooses": None},
        {
            "id": "change",
            "about": "of a schema",
            "old": {},
            "new": {},
            "breaks": [{"kind": "tag-reused", "path": "a"}],
        },
    ],
}


def text(document: Document) -> bytes:
    return json.dumps(document).encode()


def test_a_vector_of_every_kind_is_taken() -> None:
    file = vectors.parse(text(RIGHT), "right.json")
    assert {vector.kind for vector in file.vectors} == set(VectorKind)
    assert list(VALIDATOR.iter_errors(RIGHT)) == []
    assert [vector.path for vector in file.vectors][:2] == ["kafka/framing/five", "kafka/framing/six"]
    assert file.vectors[1].data == b"\x05\x06\x06"
    by_id = {vector.id: vector for vector in file.vectors}
    assert by_id["text"].value == "aaa"
    assert by_id["nested"].value == {
        "S": {"T": ["éé", 1]},
        "B": b"\x0a\x0b\x0a\x0b",
        "H": b"\x0c",
        "L": [{"A": "b"}] * 2,
        "N": None,
    }
    assert by_id["zeros"].value["records"][0]["value"] == bytes(5)
    assert by_id["bomb"].value is vectors.ABSENT
    assert len(by_id["bomb"].data) < 2**16
    assert (file.vectors[3].data, file.vectors[3].value) == (
        bytes.fromhex("03000001000200"),
        [[0, b""], [1, b""], [2, b""]],
    )
    assert (by_id["older"].case(Op.CONVERT).args, by_id["older"].canonical_data) == (
        {"data": b"\0", "to": "magic-0"},
        b"\1",
    )
    assert by_id["oldest"].canonical_data == b""
    assert file.settings == {"apis": {"18": [0, 5]}}


@dataclass(frozen=True)
class Broken:
    """A change to the right document: fields of one vector (or, without one, of the file) are put, or taken away."""

    name: str
    vector: str | None
    put: dict[str, Any]
    #: What the loader's text has to name, beside file and vector.
    names: str
    #: Whether it is wrong in a way that a schema can see.
    seen: bool = True
    take: tuple[str, ...] = ()

    def document(self) -> Document:
        document = copy.deepcopy(RIGHT)
        target = document
        if self.vector is not None:
            target = next(vector for vector in document["vectors"] if vector["id"] == self.vector)
        for field in self.take:
            del target[field]
        target.update(copy.deepcopy(self.put))
        return document


PIECE = 'bytes: a piece is ["<hex>", "<what it is>"]'
KIND = "its fields do not make one kind"

BROKEN = [
    # The file.
    Broken("another format", None, {"format": 2}, "$.format"),
    Broken("no format", None, {}, "format", take=("format",)),
    Broken("an unknown field of the file", None, {"version": 1}, "version"),
    Broken("an unknown area", None, {"area": "odds"}, "there is no area 'odds'"),
    Broken("no vectors", None, {}, "vectors", take=("vectors",)),
    # Any vector.
    Broken("an unknown field", "five", {"colour": "red"}, "colour"),
    Broken("no about", "five", {}, "about", take=("about",)),
    Broken("no id", "five", {}, "id", take=("id",)),
    Broken("an id with capitals", "five", {"id": "Five"}, "an id is lower-case words"),
    Broken("an id that stands twice", "long", {"id": "five"}, "the id 'five' stands twice", seen=False),
    Broken("a version in words", "five", {"version": "one"}, "version"),
    Broken("an op that is none", "five", {"ops": ["read"]}, "ops"),
    Broken("no op at all", "five", {"ops": []}, "ops"),
    Broken("an op of another kind", "five", {"ops": ["decode", "serve"]}, "ops: a vector of kind valid asks some of"),
    Broken("an op of another kind, for a broker", "broker", {"ops": ["decode"]}, "ops: a vector of kind serve asks"),
    Broken("settings that the file lacks", "five", {"needs": ["apis", "schemas"]}, "needs", seen=False),
    # Bytes and values.
    Broken("a piece without a label", "five", {"bytes": [["05"]]}, PIECE),
    Broken("a piece that comes no time", "five", {"bytes": [["05", "five", 0]]}, PIECE),
    Broken("a piece of a number", "five", {"bytes": [[5, "five"]]}, PIECE),
    Broken("bytes in one text", "five", {"bytes": "05"}, "bytes"),
    Broken("half a byte", "five", {"bytes": [["5", "five"]]}, "bytes: '5' is not a row of pairs"),
    Broken("half a byte in canonical", "five", {"canonical": [["5", "five"]]}, "canonical: '5'"),
    Broken("half a byte in a value", "five", {"value": {"hex": "5"}}, "'5' is not a row of hex digit pairs"),
    Broken("no number", "five", {"value": {"int": "five"}}, "'five' is not a decimal integer"),
    Broken("no UUID", "five", {"value": {"uuid": "five"}}, "'five' is not a UUID"),
    Broken("half a float", "five", {"value": {"float64": "3ff0"}}, "16 hex digits"),
    Broken("a float as a number", "five", {"value": 0.5}, "0.5 is no value"),
    Broken("a derivation that is none", "long", {"derive": {"zeros": 3}}, "derive: {'zeros': 3}"),
    Broken("a derivation too many", "long", {"derive": {"tags": 3, "value": {"text": "a", "times": 3}}}, "derive"),
    Broken(
        "a value in which nothing comes many times",
        "text",
        {"derive": {"value": {"A": 1}}},
        "derive: {'value'",
        seen=False,
    ),
    Broken("text less than no time", "text", {"derive": {"value": [{"text": "a", "times": -1}]}}, "derive: {'text'"),
    Broken(
        "two things that come many times",
        "text",
        {"derive": {"value": {"text": "a", "hex": "61", "times": 1}}},
        "derive: ",
    ),
    Broken("a number as text", "text", {"derive": {"value": {"text": 5, "times": 1}}}, "5 is no text"),
    Broken("a number as hex", "text", {"derive": {"value": {"hex": 5, "times": 1}}}, "5 found where"),
    Broken("half a byte many times", "text", {"derive": {"value": {"hex": "5", "times": 3}}}, "derive: '5'"),
    Broken("an unknown codec", "zeros", {"derive": {"batch": {"codec": "brotli", "zeros": 5}}}, "derive: {'batch'"),
    Broken(
        "a batch of half a zero", "zeros", {"derive": {"batch": {"codec": "gzip", "zeros": -1}}}, "derive: {'batch'"
    ),
    Broken(
        "a batch of too many zeros",
        "bomb",
        {"derive": {"batch": {"codec": "gzip", "zeros": 2**30 + 1}}},
        "derive: {'batch'",
    ),
    Broken(
        "a batch with more to say",
        "zeros",
        {"derive": {"batch": {"codec": "gzip", "zeros": 5, "ones": 5}}},
        "derive: {'batch'",
    ),
    Broken("another comparison", "five", {"compare": "loosely"}, "compare"),
    # Fields that stand where they do not belong.
    Broken("a field of another kind", "six", {"canonical": [["05", "five"]]}, "canonical: a vector of kind invalid"),
    Broken("an offset in a value", "too-large", {"reject": {"reason": "out-of-range", "offset": 0}}, "reject.offset"),
    Broken("an outcome that is none", "client", {"outcome": {"outcome": "perhaps"}}, "outcome: "),
    Broken("a retry without a version", "client", {"outcome": {"outcome": "retry"}}, "a retry has a version"),
    Broken("a pattern without a type", "broker", {"sends": [{"value": {}}]}, "sends: a pattern is"),
    Broken("an order that is none", "broker", {"sends": [{"type": "A", "value": 1, "order": "my"}]}, 'is "any", or'),
    Broken(
        "a mark that is not there",
        "broker",
        {"sends": [{"type": "A", "value": {"greater": "a"}}]},
        "marked so",
        seen=False,
    ),
    Broken(
        "too many answers in any order",
        "broker",
        {"sends": [{"type": "A", "value": 1, "order": "any"}] * 6},
        "6 answers in any order; at most 5",
        seen=False,
    ),
    Broken("a pattern of bytes and more", "broker", {"sends": [{"hex": "00", "value": {}}]}, "sends: a pattern is"),
    Broken("a pattern of no bytes", "broker", {"sends": [{"hex": ""}]}, "sends: '' are no bytes"),
    Broken("a pattern of half a byte", "broker", {"sends": [{"hex": "0"}]}, "sends: '0' are no bytes"),
    Broken("a pattern of bytes in capitals", "broker", {"sends": [{"hex": "FF"}]}, "sends: 'FF' are no bytes"),
    Broken("a ruling's name that is none", "five", {"rulings": ["K-7"]}, "'K-7' is no ruling's id"),
    Broken("an empty piece beside another", "five", {"bytes": [["05", "five"], ["", "nothing"]]}, "an empty piece"),
    Broken("hex in capitals", "five", {"bytes": [["0A", "ten"]], "value": 10}, "in lower case"),
    Broken("hex with spaces", "six", {"bytes": [["05 06", "five, six"]]}, "in lower case"),
    Broken("a break that is none", "change", {"breaks": [{"kind": "odd", "path": "a"}]}, "breaks: "),
    # Kinds.
    Broken("bytes alone", "five", {}, KIND, take=("value",)),
    Broken("a value alone", "five", {}, KIND, take=("bytes",)),
    Broken("a value that is refused", "five", {"reject": {"reason": "truncated"}}, KIND),
    Broken("a broker without an end", "broker", {}, KIND, take=("closes",)),
    Broken("a client without a conclusion", "client", {}, KIND, take=("outcome",)),
    Broken("a client without a response", "client", {}, "response: missing", take=("response",)),
    Broken("a choice without an api", "choice", {}, "api_key: missing", take=("api_key",)),
    Broken("a range of three", "choice", {"client": [0, 1, 2]}, "client"),
    # Negatives.
    Broken("a reason that is none", "six", {"reject": {"reason": "odd"}}, "reject.reason"),
    Broken("a reject in a word", "six", {"reject": "truncated"}, "reject"),
    Broken("no twin", "six", {}, "needs a valid twin", take=("twin",)),
    Broken("no twin of a value", "too-large", {}, "needs a valid twin", take=("twin",)),
    Broken("a twin that is not there", "six", {"twin": "seven"}, "its twin 'seven' is no valid vector", seen=False),
    Broken("a twin that is not valid", "six", {"twin": "too-large"}, "its twin 'too-large' is no valid", seen=False),
    Broken("a twin of another type", "six", {"twin": "text"}, "its twin 'text' is of another type", seen=False),
    Broken("an offset behind the end", "six", {"reject": {"reason": "truncated", "offset": 4}}, "offset 4", seen=False),
    # Other readings.
    Broken("a reading that gives nothing", "five", {"also": [{"ruling": "R-K-7"}]}, "also: an entry either refuses"),
    Broken(
        "a reading that gives two things",
        "five",
        {"also": [{"ruling": "R-K-7", "value": 1, "refuses": True}]},
        "also: an entry either refuses",
    ),
    Broken("a reading of no ruling", "five", {"also": [{"value": 1}]}, "also"),
    Broken("half a byte in a reading", "five", {"also": [{"ruling": "R-K-7", "bytes": "5"}]}, "also.bytes: '5'"),
    Broken("a reading with an unknown field", "five", {"also": [{"ruling": "R-K-7", "reads": 5}]}, "reads"),
    # Bugs.
    Broken("a bug that does nothing", "five", {"wrong": [{"bug": "V01", "op": "decode"}]}, "wrong V01: exactly one"),
    Broken(
        "a bug that does two things",
        "five",
        {"wrong": [{"bug": "V01", "op": "decode", "value": 1, "hang": True}]},
        "wrong V01: exactly one",
    ),
    Broken(
        "a bug in an op that is not asked",
        "six",
        {"wrong": [{"bug": "V01", "op": "recode", "accepts": True}]},
        "wrong V01 is about recode",
        seen=False,
    ),
    Broken("a bug without an op", "five", {"wrong": [{"bug": "V01", "value": 1}]}, "op"),
    Broken(
        "half a byte in a bug", "five", {"wrong": [{"bug": "V01", "op": "encode", "bytes": "5"}]}, "wrong.bytes: '5'"
    ),
]


def _name(broken: Broken) -> str:
    return broken.name


@pytest.mark.parametrize("broken", BROKEN, ids=_name)
def test_the_loader_refuses_it_and_says_where(broken: Broken) -> None:
    with pytest.raises(VectorError) as caught:
        vectors.parse(text(broken.document()), "vectors/kafka/odd.json")
    said = str(caught.value)
    assert said.startswith("vectors/kafka/odd.json")
    assert broken.names in said
    if broken.vector is not None and "id" not in (*broken.take, *broken.put):
        assert f"vector {broken.vector!r}" in said


@pytest.mark.parametrize("broken", [broken for broken in BROKEN if broken.seen], ids=_name)
def test_the_schema_refuses_it_too(broken: Broken) -> None:
    assert not VALIDATOR.is_valid(broken.document())


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b'{"format": 1', b"\xff\xfe"])
def test_what_is_no_document_is_refused(content: bytes) -> None:
    with pytest.raises(VectorError, match=r"^odd\.json: "):
        vectors.parse(content, "odd.json")


# --- The set ----------------------------------------------------------------------------------------------------------


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
