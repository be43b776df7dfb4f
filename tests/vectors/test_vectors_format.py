"""The format of vectors: refusals of the strict loader and of the schema."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest

from wireproof.conformance import vectors
from wireproof.conformance.model import Op
from wireproof.conformance.vectors import Reject, VectorError, VectorKind
from wireproof.reference.errors import Reason

FOLDER = Path(vectors.__file__).parents[2] / "vectors"
FILES = sorted(path for path in FOLDER.glob("*/*.json"))
SCHEMA = json.loads((FOLDER / "vectors.schema.json").read_bytes())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
VECTORS = vectors.load()

Document = dict[str, Any]

#: A vector of every kind; what is wrong in the tables below is one change to it.
RIGHT: Document = {
    "format": 1,
    "dialect": "kafka",
    "area": "framing",
    "settings": {"apis": {"named": "apis"}},
    "sources": {"guide": "the guide, chapter 1"},
    "named": {
        "apis": {"18": [0, 5]},
        "start": [["01", "another byte"]],
        "digits": "0d",
        "numbers": {"repeat": [7], "times": 2},
    },
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
            "about": "a letter many times",
            "type": "STRING",
            "bytes": [["0003", "length"], ["61", "a", 3]],
            "value": {"repeat": "a", "times": 3},
            "source": "guide",
        },
        {
            "id": "nested",
            "about": "short forms at every depth",
            "type": "RequestHeader",
            "version": 1,
            "bytes": {"join": [{"named": "start"}, [["00", "a byte"]]]},
            "value": {
                "S": {"T": [{"repeat": "é", "times": 2}, 1]},
                "B": {"hex": {"join": ["ff", {"repeat": "0a0b", "times": 2}, {"named": "digits"}]}},
                "H": {"hex": "0c"},
                "L": {"repeat": [{"A": {"repeat": "b", "times": 1}}], "times": 2},
                "J": {"join": [[1], {"repeat": [2], "times": 2}, {"named": "numbers"}]},
                "E": {"repeat": [], "times": 0},
                "R": {"repeat": 1, "times": 2, "named": 3, "join": 4},
                "N": None,
            },
            "also": [{"ruling": "R-K-7", "bytes": {"repeat": "0b", "times": 2}}],
        },
        {"id": "five-again", "about": "the same number", "same_as": "framing/five", "source": "guide"},
        {
            "id": "five-read",
            "about": "the same number, read",
            "same_as": "framing/five-again",
            "ops": ["decode"],
            "also": [],
            "wrong": [{"bug": "V03", "op": "decode", "value": 8}],
        },
        {"id": "six-again", "about": "too many again", "same_as": "framing/six", "twin": "five-read"},
        {
            "id": "found",
            "about": "a header's values",
            "type": "Record",
            "bytes": [["00", "a byte"]],
            "key": "a",
            "values": [{"hex": "01"}, None],
        },
        {
            "id": "not-found",
            "about": "a header's value in what is no record",
            "type": "Record",
            "bytes": [["02", "a byte"]],
            "key": "a",
            "reject": {"reason": "truncated", "offset": 0},
            "twin": "found",
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
            "id": "given",
            "about": "a record as an application gets it",
            "bytes": [["00", "a byte"]],
            "position": 3,
            "isolation": "read_committed",
            "aborted": [{"producer_id": 9, "first_offset": 3}],
            "delivers": {
                "records": [
                    {
                        "offset": {"int": "9007199254740993"},
                        "timestamp": -1,
                        "timestamp_type": None,
                        "key": None,
                        "value": {"hex": "76"},
                        "headers": [["a", None]],
                    }
                ],
                "position": 4,
            },
            "also": [{"ruling": "R-K-39", "delivers": {"records": [], "position": 3}}],
            "wrong": [{"bug": "V04", "op": "consume", "delivers": {"records": [], "position": 4}}],
        },
        {
            "id": "not-given",
            "about": "what no application gets",
            "bytes": [["01", "a byte"]],
            "position": 3,
            "reject": {"reason": "crc-mismatch", "offset": 0},
            "twin": "given",
        },
        {
            "id": "sent",
            "about": "a record as a producer is given it",
            "records": [{"timestamp": {"int": "9007199254740993"}, "key": None, "value": {"hex": "76"}}],
            "magic": 1,
            "codec": "gzip",
            "options": {"producer_id": 9},
            "writes": [{"magic": 1, "attributes": 0, "timestamp": 7, "key": None, "value": {"hex": "76"}}],
            "also": [{"ruling": "R-K-60", "writes": [{"magic": 0, "attributes": 0, "key": None, "value": None}]}],
            "wrong": [{"bug": "V04", "op": "produce", "bytes": "00"}],
        },
        {
            "id": "not-sent",
            "about": "what no producer writes",
            "records": [{"timestamp": 7, "key": None, "value": None, "headers": [["a", None]]}],
            "magic": 0,
            "reject": {"reason": "field-not-in-version"},
            "twin": "sent",
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
        "B": b"\xff\x0a\x0b\x0a\x0b\x0d",
        "H": b"\x0c",
        "L": [{"A": "b"}] * 2,
        "J": [1, 2, 2, 7, 7],
        "E": [],
        "R": {"repeat": 1, "times": 2, "named": 3, "join": 4},
        "N": None,
    }
    assert by_id["nested"].data == b"\x01\x00"
    assert by_id["nested"].also[0].expected == {"bytes": b"\x0b\x0b"}
    assert (by_id["text"].source, by_id["nested"].source) == ("the guide, chapter 1", "")
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
    assert (by_id["found"].kind, by_id["found"].expected) == (VectorKind.LOOKUP, [b"\1", None])
    refused = by_id["not-found"]
    assert (refused.kind, refused.reject, refused.expected) == (VectorKind.LOOKUP, Reject(Reason.TRUNCATED, 0), None)
    assert refused.case(Op.LOOKUP).args == {"data": b"\2", "key": "a"}
    given = by_id["given"]
    assert given.case(Op.CONSUME).args == {
        "data": b"\0",
        "position": 3,
        "isolation": "read_committed",
        "aborted": [{"producer_id": 9, "first_offset": 3}],
    }
    (record,) = given.expected["records"]
    assert (record["offset"], record["value"], given.expected["position"]) == (2**53 + 1, b"v", 4)
    assert given.also[0].expected == {"delivers": {"records": [], "position": 3}}
    assert given.wrong[0].answer == {"records": [], "position": 4}
    assert by_id["not-given"].case(Op.CONSUME).args["isolation"] == "read_uncommitted"
    assert by_id["sent"].case(Op.PRODUCE).args == {
        "records": [{"timestamp": 2**53 + 1, "key": None, "value": b"v", "headers": []}],
        "magic": 1,
        "codec": "gzip",
        "options": {"producer_id": 9, "producer_epoch": -1, "base_sequence": -1, "transactional": False},
    }
    message = {"magic": 1, "attributes": 0, "timestamp": 7, "key": None, "value": b"v"}
    assert by_id["sent"].expected == [message]
    assert by_id["sent"].also[0].expected == {"writes": [{"magic": 0, "attributes": 0, "key": None, "value": None}]}
    assert by_id["sent"].wrong[0].answer == b"\0"
    assert by_id["not-sent"].case(Op.PRODUCE).args["records"][0]["headers"] == [["a", None]]
    assert by_id["not-sent"].case(Op.PRODUCE).args["codec"] == "none"
    assert file.settings == {"apis": {"18": [0, 5]}}


def test_a_vector_that_asks_the_same_as_another_one() -> None:
    by_id = {vector.id: vector for vector in vectors.parse(text(RIGHT), "right.json").vectors}
    five, again, read = (by_id[name] for name in ("five", "five-again", "five-read"))
    assert (again.id, again.about, again.source, again.rulings, again.wrong) == (
        "five-again",
        "the same number",
        "the guide, chapter 1",
        (),
        (),
    )
    own = {"id": "", "about": "", "source": "", "rulings": (), "wrong": ()}
    assert msgspec.structs.replace(again, **own) == msgspec.structs.replace(five, **own)
    assert (read.ops, read.also, read.data) == ((Op.DECODE,), (), b"\x05")
    assert read.wrong[0].bug == "V03"
    assert (by_id["six-again"].reject, by_id["six-again"].twin) == (by_id["six"].reject, "five-read")


def test_a_vector_that_asks_the_same_as_one_of_another_file() -> None:
    other = vectors.parse(text(RIGHT), "right.json")
    document = {**RIGHT, "area": "messages", "vectors": [{"id": "one", "about": "one", "same_as": "framing/five"}]}
    file = vectors.parse(text(document), "other.json", other_file={"framing": other}.get)
    assert file.vectors[0].path == "kafka/messages/one"
    assert file.vectors[0].value == 5
    with pytest.raises(VectorError, match="same_as: 'framing/five' is no vector before this one"):
        vectors.parse(text(document), "other.json")


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
    Broken("a derivation too many", "long", {"derive": {"tags": 3, "batch": {"codec": "gzip", "zeros": 5}}}, "derive"),
    Broken("a derivation beside bytes", "long", {"bytes": [["00", "a byte"]]}, "derive: it makes bytes and value"),
    Broken("more tags than can be read", "long", {"derive": {"tags": 2**40}}, "derive: {'tags'"),
    Broken(
        "a piece of more bytes than can be read", "five", {"bytes": [["05", "a", 2**40]]}, "at most 4194304 are read"
    ),
    # The same as another one.
    Broken("the same as none", "five-again", {"same_as": "framing/fifth"}, "same_as: 'framing/fifth'", seen=False),
    Broken("the same as itself", "five-again", {"same_as": "framing/five-again"}, "same_as: ", seen=False),
    Broken(
        "the same as a later one",
        "six",
        {"same_as": "framing/long"},
        "same_as: ",
        seen=False,
        take=("bytes", "reject", "type"),
    ),
    Broken("the same as one of no area", "five-again", {"same_as": "five"}, "same_as: 'five'"),
    Broken("the same, with a value", "five-again", {"value": 5}, "value: a vector with same_as has no such field"),
    Broken("the same, of a type", "five-again", {"type": "INT8"}, "type: a vector with same_as has no such field"),
    Broken(
        "the same, with a twin", "five-again", {"twin": "five"}, "twin: a vector with same_as has no such", seen=False
    ),
    Broken("the same, without a twin", "six-again", {}, "needs a valid twin", seen=False, take=("twin",)),
    Broken("the same, with other ops", "five-again", {"ops": ["serve"]}, "ops: a vector of kind valid", seen=False),
    Broken("the same, without a setting", "five-again", {"needs": ["cluster"]}, "needs: the file's", seen=False),
    # Short forms.
    Broken("text less than no time", "text", {"value": [{"repeat": "a", "times": -1}]}, "a repetition is"),
    Broken("text half a time", "text", {"value": {"repeat": "a", "times": 0.5}}, "a repetition is"),
    Broken("text true times", "text", {"value": {"repeat": "a", "times": True}}, "a repetition is"),
    Broken("text without a number", "text", {"value": {"repeat": "a"}}, "a repetition is"),
    Broken("a number many times", "text", {"value": {"repeat": 5, "times": 1}}, "a repetition is"),
    Broken("an object many times", "text", {"value": {"repeat": {"A": 1}, "times": 1}}, "a repetition is", seen=False),
    Broken("more than can be read", "text", {"value": {"repeat": "aa", "times": 2**40}}, "a size of 2199023255552; at"),
    Broken(
        "more than can be read, inside",
        "text",
        {"value": {"repeat": [{"repeat": "a", "times": 2**20}], "times": 2**20}},
        "a size of 1099512676352; at most 4194304",
        seen=False,
    ),
    Broken(
        "more than can be read, by names",
        None,
        {"named": {"a": {"repeat": "a", "times": 2**22}, "b": [{"named": "a"}, {"named": "a"}]}},
        "named 'b': written out, it would have a size of 8388609",
        seen=False,
    ),
    Broken(
        "half a byte many times",
        "text",
        {"value": {"hex": {"repeat": "5", "times": 3}}},
        "'555' is not a row",
        seen=False,
    ),
    Broken("texts and arrays in one", "text", {"value": {"join": ["a", [1]]}}, '{"join": …} takes', seen=False),
    Broken("nothing joined", "text", {"value": {"join": []}}, '{"join": …} takes'),
    Broken("one text joined", "text", {"value": {"join": "a"}}, '{"join": …} takes'),
    Broken("a name that is not there", "text", {"value": {"named": "other"}}, "`named` has no such name", seen=False),
    Broken(
        "a name before its turn",
        None,
        {"named": {"a": {"named": "b"}, "b": 1}},
        "named 'a': {'named': 'b'}",
        seen=False,
    ),
    Broken("a name that is a number", "text", {"value": {"named": 5}}, "`named` has no such name"),
    Broken("a setting with a wrong form", None, {"settings": {"apis": {"join": []}}}, "settings: {"),
    Broken("a source that is not there", "text", {"source": "book"}, "source: 'book' is no name", seen=False),
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
    Broken("a break and a refusal", "change", {"reject": {"reason": "invalid-schema"}}, "do not make one kind"),
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
    Broken("a twin of another kind", "not-found", {"twin": "five"}, "its twin 'five' is no valid vector", seen=False),
    Broken("a lookup that finds and refuses", "not-found", {"values": []}, "its fields do not make one kind"),
    Broken("a lookup that does neither", "found", {}, "its fields do not make one kind", take=("values",)),
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
    Broken(
        "a reading that accepts, with a value",
        "six",
        {"also": [{"ruling": "R-K-7", "accepts": True, "value": 1}]},
        "also: an entry that accepts",
    ),
    Broken(
        "a reading that accepts and refuses",
        "six",
        {"also": [{"ruling": "R-K-7", "accepts": True, "refuses": True}]},
        "also: an entry either refuses",
    ),
    Broken(
        "a reading that accepts what is valid",
        "five",
        {"also": [{"ruling": "R-K-7", "accepts": True}]},
        "also: only what has to be refused",
        seen=False,
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


def test_an_error_names_the_line_of_its_vector() -> None:
    document = copy.deepcopy(RIGHT)
    document["vectors"][1]["bytes"] = 5
    lines = json.dumps(document, indent=1).encode()
    line = lines[: lines.index(b'"id": "six"')].count(b"\n")  # of the brace before it
    with pytest.raises(VectorError, match=rf"^odd\.json, line {line}, vector 'six': "):
        vectors.parse(lines, "odd.json")


def test_a_size_is_refused_before_memory_is_taken() -> None:
    """Of 2**62 bytes, for which there is none."""
    for value in ({"repeat": "a", "times": 2**62}, {"repeat": [{"repeat": [0], "times": 2**22 - 1}], "times": 2**40}):
        document = copy.deepcopy(RIGHT)
        document["vectors"][2]["value"] = value
        with pytest.raises(VectorError, match="vector 'too-large': written out, it would have a size of"):
            vectors.parse(text(document), "odd.json")


def test_what_is_nested_too_deeply_is_refused() -> None:
    document = json.dumps(RIGHT).replace('"value": 128', '"value": ' + "[" * 900 + "]" * 900).encode()
    with pytest.raises(VectorError, match="it is nested too deeply"):
        vectors.parse(document, "odd.json")


@pytest.mark.parametrize("broken", [broken for broken in BROKEN if broken.seen], ids=_name)
def test_the_schema_refuses_it_too(broken: Broken) -> None:
    assert not VALIDATOR.is_valid(broken.document())


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b'{"format": 1', b"\xff\xfe"])
def test_what_is_no_document_is_refused(content: bytes) -> None:
    with pytest.raises(VectorError, match=r"^odd\.json: "):
        vectors.parse(content, "odd.json")
