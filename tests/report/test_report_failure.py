"""The failure message: whole texts for each kind of verdict, and what holds for all of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from support import golden
from support.judging import GIVEN, PLAIN, judged
from support.thorough import some

from wireproof import reference
from wireproof.conformance import vectors
from wireproof.conformance.connection.protocol.shapes import RECORD_KEYS
from wireproof.conformance.generation import expectations
from wireproof.conformance.judging.judge import judge
from wireproof.conformance.judging.rulings import rests_on
from wireproof.conformance.model import Case, Description, Observation, Op, Outcome, Status, Verdict
from wireproof.conformance.questions.lookup import find
from wireproof.conformance.report.background import Bug, Likeness, resemblances
from wireproof.conformance.report.failure import failure_page, render_failure, repro_command
from wireproof.conformance.report.text import to_string
from wireproof.conformance.vectors import Vector
from wireproof.reference.errors import Reason
from wireproof.reference.rules import Ruling

WIDTH = 100

RULINGS = {
    "R-1": Ruling(
        "R-1",
        "tags out of order or twice, on read",
        "refused: tags are strictly ascending",
        {"other": ("tag_order", "any")},
        "any order, the last of a known tag wins (Java's generated readers)",
        "KIP-482, Tagged fields",
    ),
    "R-2": Ruling("R-2", "unknown tags", "kept and re-emitted in order", source="KIP-482, Tagged fields"),
}
BUGS = {
    "T12": Bug("T12", "some/library", "#12", "Tags in any order", "reads tags into a map"),
    "T13": Bug("T13", "other/library", "#13", "Tag buffer skipped"),
}

ASCENDING: dict[str, Any] = {
    "id": "ascending",
    "about": "two tags in order",
    "type": "TAG_BUFFER",
    "bytes": [["02", "two tags"], ["03", "tag 3"], ["00", "size 0"], ["05", "tag 5"], ["01", "size 1"], ["aa", "data"]],
    "value": [[3, {"hex": ""}], [5, {"hex": "aa"}]],
    "rulings": ["R-2"],
    "source": "KIP-482, Tagged fields",
}
DESCENDING: dict[str, Any] = {
    "id": "descending",
    "about": "two tags in the wrong order",
    "type": "TAG_BUFFER",
    "bytes": [["02", "two tags"], ["05", "tag 5"], ["00", "size 0"], ["03", "tag 3"], ["00", "size 0"]],
    "reject": {"reason": "tag-order", "offset": 3},
    "twin": "ascending",
    "rulings": ["R-1"],
    "source": "KIP-482, Tagged fields",
    "wrong": [
        {"bug": "T13", "op": "decode", "accepts": True},
        {"bug": "T12", "op": "decode", "value": [[5, {"hex": ""}], [3, {"hex": ""}]]},
    ],
}
RESPONSE: dict[str, Any] = {
    "id": "response",
    "about": "one api",
    "type": "ApiVersionsResponse",
    "version": 0,
    "bytes": [
        ["0000", "no error"],
        ["00000001", "one api"],
        ["0012", "ApiVersions"],
        ["0000", "from 0"],
        ["0004", "to 4"],
    ],
    "value": {"ErrorCode": 0, "ApiKeys": [{"ApiKey": 18, "MinVersion": 0, "MaxVersion": 4}]},
    "source": "message schema ApiVersionsResponse",
}


def load(*entries: Mapping[str, Any]) -> dict[str, Vector]:
    document = {"format": 1, "dialect": "kafka", "area": "tag-ordering", "vectors": entries}
    return {vector.id: vector for vector in vectors.parse(json.dumps(document).encode(), "test").vectors}


VECTORS = load(ASCENDING, DESCENDING, RESPONSE)


def page(vector: Vector, op: Op, status: Status, answer: Any = None, *, twin: Vector | None = None, **seen: Any) -> str:
    """The text about an observation, judged by the judge."""
    case = vector.case(op)
    observation = Observation(case, status, answer, **seen)
    verdict = judged(vector, observation)
    text = failure_page(
        vector,
        case,
        observation,
        verdict,
        implementation="library 1.0",
        repro=repro_command(case.id, "my.wrapper"),
        width=WIDTH,
        rulings=RULINGS,
        catalogue=BUGS,
        twin=twin,
    )
    return to_string(text, width=WIDTH, color=False)


def test_accepted_invalid() -> None:
    text = page(VECTORS["descending"], Op.DECODE, Status.ANSWER, [(5, b""), (3, b"")], twin=VECTORS["ascending"])
    golden.check("failure-accepted-invalid", text)


def test_accepted_unencodable() -> None:
    entry = {
        "id": "twice",
        "about": "a tag twice",
        "type": "TAG_BUFFER",
        "value": [[3, {"hex": ""}], [3, {"hex": "aa"}]],
        "reject": {"reason": "tag-duplicate"},
        "twin": "ascending",
    }
    made = load(ASCENDING, entry)
    text = page(made["twice"], Op.ENCODE, Status.ANSWER, bytes.fromhex("0203000301aa"), twin=made["ascending"])
    golden.check("failure-accepted-unencodable", text)


def test_refused_valid() -> None:
    text = page(
        VECTORS["ascending"],
        Op.DECODE,
        Status.REJECT,
        reason="tag-order",
        offset=3,
        error="TagError",
        detail="tag 5 after 3?\nsecond line",
    )
    golden.check("failure-refused-valid", text)


def test_wrong_value() -> None:
    answer = {"ErrorCode": 0, "ApiKeys": [{"ApiKey": 18, "MinVersion": 0, "MaxVersion": 1024}]}
    golden.check("failure-wrong-value", page(VECTORS["response"], Op.DECODE, Status.ANSWER, answer))


def test_wrong_bytes() -> None:
    text = page(VECTORS["ascending"], Op.RECODE, Status.ANSWER, bytes.fromhex("0105 01aa"))
    golden.check("failure-wrong-bytes", text)


def test_wrong_bytes_that_cannot_be_read() -> None:
    text = page(VECTORS["response"], Op.ENCODE, Status.ANSWER, bytes.fromhex("00000000000100120000"))
    golden.check("failure-wrong-bytes-unreadable", text)


def test_bytes_that_mean_the_same() -> None:
    entry = {"id": "one", "about": "one", "type": "UNSIGNED_VARINT", "bytes": [["01", "1"]], "value": 1}
    text = page(load(entry)["one"], Op.ENCODE, Status.ANSWER, b"\x81\x00")
    assert "mean the right value, in another form than encoders write" in text


def test_crash() -> None:
    text = page(
        VECTORS["descending"],
        Op.DECODE,
        Status.CRASH,
        error="SIGABRT",
        frame="library.tags:read",
        detail="the process was ended by SIGABRT\nstderr ends:\n  \x1b[31mpanicked\x1b[0m at [bold]tags.rs[/bold]:12",
    )
    golden.check("failure-crash", text)


def test_contested() -> None:
    entry = DESCENDING | {"also": [{"ruling": "R-1", "value": [[5, {"hex": ""}], [3, {"hex": ""}]]}]}
    made = load(ASCENDING, entry)
    text = page(made["descending"], Op.DECODE, Status.ANSWER, [(5, b""), (3, b"")], twin=made["ascending"])
    golden.check("failure-contested", text)


SERVE: dict[str, Any] = {
    "id": "broker",
    "about": "ApiVersions of a version that nobody has",
    "chunks": [[["0000000a00", "the beginning"]], [["1200630000000700ff", "the rest, with an unknown version"]]],
    "sends": [
        {
            "type": "ResponseFrame:ApiVersions",
            "version": 0,
            "value": {
                "header": {"CorrelationId": 7},
                "body": {"ErrorCode": 35, "ApiKeys": {"contains": {"ApiKey": 18}}},
            },
        }
    ],
    "closes": False,
}


def test_wrong_conversation() -> None:
    sent = bytes.fromhex("0000000a00000007000000000000")
    golden.check("failure-serve", page(load(SERVE)["broker"], Op.SERVE, Status.ANSWER, (sent, False)))


def test_exact_bytes_that_were_expected() -> None:
    text = page(load(SERVE | {"sends": [{"hex": "0000000000000009"}]})["broker"], Op.SERVE, Status.ANSWER, (b"", True))
    assert "00 00 00 00 00 00 00 09" in text


def test_a_connection_that_was_closed() -> None:
    text = page(load(SERVE | {"sends": []})["broker"], Op.SERVE, Status.ANSWER, (b"", True))
    assert "the connection was closed" in text
    assert "no bytes" in text


def test_wrong_outcome() -> None:
    entry = {
        "id": "client",
        "about": "a cut answer",
        "request": [["0000000a0012000000000001ffff", "ApiVersions 0"]],
        "response": [["0000000600000001", "a header"], ["0000", "error 0, and no array"]],
        "outcome": {"outcome": "malformed"},
    }
    text = page(load(entry)["client"], Op.INTERPRET, Status.ANSWER, {"outcome": "accepted"})
    golden.check("failure-interpret", text)


def test_wrong_choice() -> None:
    entry = {
        "id": "choice",
        "about": "nothing in common",
        "api_key": 18,
        "client": [0, 2],
        "broker": [4, 3],
        "chooses": None,
    }
    text = page(load(entry)["choice"], Op.NEGOTIATE, Status.ANSWER, 2)
    assert "choose the version of api 18: the client has 0 to 2, the broker 4 to 3 (an empty" in text
    assert "expected  no version: they have none in common" in text
    assert "actual    2" in text


def test_wrong_judgement_of_a_schema() -> None:
    entry = {
        "id": "change",
        "about": "a tag reused",
        "old": {"name": "A"},
        "new": {"name": "B"},
        "breaks": [{"kind": "tag-reused", "path": "X"}],
    }
    text = page(load(entry)["change"], Op.EVOLVE, Status.ANSWER, [])
    assert "tag-reused at X" in text
    assert "actual    nothing breaks" in text


def test_lookup() -> None:
    entry = {"id": "find", "about": "a key", "type": "Record", "bytes": [["00", "x"]], "key": "k", "values": ["a", "b"]}
    text = page(load(entry)["find"], Op.LOOKUP, Status.ANSWER, ["b"])
    assert "look up all values of the key 'k' in 1 byte as Record: 00" in text
    assert "first difference at [0]" in text


def test_generated_cases_are_named_by_the_reference() -> None:
    seed = bytes.fromhex("0000000000010012000000040000")
    vector, case = expectations.vector_of(Op.DECODE, "kafka", "ApiVersionsResponse", 0, seed, 12)
    observation = Observation(case, Status.REJECT, reason="truncated", detail="no")
    text = failure_page(
        vector,
        case,
        observation,
        judge(vector, observation),
        implementation="library",
        repro="again",
        width=WIDTH,
    ).plain
    assert "MaxVersion" in text
    assert "as generated" not in text


def test_the_nearest_resemblance_comes_first() -> None:
    vector = VECTORS["descending"]
    case = vector.case(Op.DECODE)

    def likenesses(observation: Observation) -> list[tuple[str, Likeness]]:
        return [(one.bug.id, one.likeness) for one in resemblances(vector, observation, BUGS)]

    exact = Observation(case, Status.ANSWER, [[5, b""], [3, b""]])
    assert likenesses(exact) == [("T12", Likeness.SAME_ANSWER), ("T13", Likeness.DID_SO)]
    near = Observation(case, Status.ANSWER, [])
    assert likenesses(near) == [("T13", Likeness.DID_SO), ("T12", Likeness.SHOWED)]
    assert likenesses(Observation(case, Status.CRASH)) == []  # neither of them crashed
    assert not likenesses(Observation(vector.case(Op.RECODE), Status.ANSWER, b""))


def test_a_skip_says_why() -> None:
    vector = VECTORS["descending"]
    case = vector.case(Op.DECODE)
    observation = Observation(case, Status.REJECT, reason="tag-order", offset=3)
    twin = Observation(VECTORS["ascending"].case(Op.DECODE), Status.REJECT, detail="nothing is read")
    text = failure_page(
        vector,
        case,
        observation,
        judge(vector, observation, twin=twin),
        implementation="library",
        repro="again",
        width=WIDTH,
    ).plain
    assert text.startswith("skip: library was not judged")
    assert "twin refused" in text


def test_render_failure_in_colour() -> None:
    vector = VECTORS["ascending"]
    case = vector.case(Op.DECODE)
    observation = Observation(case, Status.ANSWER, [(9, b"x")])
    arguments: dict[str, Any] = {
        "implementation": Description("library", "1.0"),
        "repro": "wireproof repro x",
        "width": 80,
    }
    plain = render_failure(vector, case, observation, judge(vector, observation), color=False, **arguments)
    coloured = render_failure(vector, case, observation, judge(vector, observation), color=True, **arguments)
    assert plain.startswith("fail (wrong-value): library 1.0 reads a wrong value\n")
    assert coloured.startswith("\x1b[1;31mfail")
    assert [line.rstrip() for line in re.sub(r"\x1b\[[0-9;]*m", "", coloured).splitlines()] == plain.splitlines()


def test_the_command_is_quoted_for_a_shell() -> None:
    assert repro_command("kafka/a/b#decode", "exec:./it's here --x") == (
        "wireproof repro 'kafka/a/b#decode' --impl='exec:./it'\"'\"'s here --x'"
    )


# --- What holds for all -------------------------------------------------------------------------------------------

HOSTILE = "\x1b[2J[/bold]\u202e\x00" * 3


def _observations(case: Case) -> Iterator[Observation]:
    """What an implementation may come back with, made to break a report."""
    answers: dict[Op, list[Any]] = {
        Op.DECODE: [None, HOSTILE, {HOSTILE: [HOSTILE]}, [[1, [None]]], bytes(500), -1, {"ApiKeys": 1}],
        Op.LOOKUP: [[], [HOSTILE]],
        Op.ENCODE: [b"", bytes(3), bytes(5000)],
        Op.RECODE: [b"", b"\xff" * 40],
        Op.CONVERT: [b"", b"\xff" * 40],
        Op.CONSUME: [
            {"records": [], "position": -(2**63)},
            {"records": [dict.fromkeys(RECORD_KEYS, HOSTILE)], "position": 0},
        ],
        Op.PRODUCE: [
            b"",
            b"\xff" * 40,
            reference.produce([GIVEN], magic=2, codec="none", options=PLAIN, dialect="kafka"),
        ],
        Op.SERVE: [(b"", False), (b"", True), (bytes(9), False), (b"\xff" * 40, True)],
        Op.INTERPRET: [{"outcome": "accepted"}, {"outcome": "error", "error": None, "request": HOSTILE}],
        Op.NEGOTIATE: [None, 3, -(10**30)],
        Op.EVOLVE: [[], [HOSTILE]],
    }
    for answer in answers[case.op]:
        yield Observation(case, Status.ANSWER, answer)
    for status in Status:
        if status is not Status.ANSWER:
            yield Observation(case, status, reason=HOSTILE, offset=10**6, half="encode", error=HOSTILE, detail=HOSTILE)
            yield Observation(case, status, detail=HOSTILE + "\n" + "x" * 5000)


def _some_vectors() -> list[Vector]:
    """Some vectors, and more of those that are unusual."""
    every = vectors.load()
    usual, others = ([one for one in every if (one.kind in ("valid", "invalid")) is of] for of in (True, False))
    return [*some(usual[::11], 3), *some(others[::5], 2)]


@pytest.mark.parametrize("area", vectors.AREAS)
def test_no_observation_breaks_a_report(area: str) -> None:
    for vector in (one for one in _some_vectors() if one.area == area):
        for case in vector.cases():
            for number, observation in enumerate(_observations(case)):
                _check(vector, observation, judged(vector, observation), 80 if number % 2 else WIDTH)


@pytest.mark.parametrize("area", vectors.AREAS)
def test_what_real_bugs_did_is_named(area: str) -> None:
    for vector in vectors.load(areas=[area]):
        for wrong in vector.wrong:
            status = {"refuses": Status.REJECT, "crash": Status.CRASH, "hang": Status.HANG}.get(wrong.does)
            if wrong.does == "accepts":
                continue
            observation = Observation(vector.case(wrong.op), status or Status.ANSWER, wrong.answer)
            verdict = judged(vector, observation)
            if verdict.outcome not in (Outcome.PASS, Outcome.CONTESTED):
                text = " ".join(_check(vector, observation, verdict).split())
                assert f"{wrong.bug} {'is exactly this' if wrong.does == 'answers' else 'did the same'}" in text


def _check(vector: Vector, observation: Observation, verdict: Verdict, width: int = WIDTH) -> str:
    text = failure_page(
        vector,
        observation.case,
        observation,
        verdict,
        implementation=f"name {HOSTILE}",
        repro=repro_command(observation.case.id, "my.wrapper"),
        width=width,
    ).plain
    lines = text.splitlines()
    assert all(line.isprintable() for line in lines), verdict.id
    assert [line for line in lines if len(line) > width and not line.startswith("repeat")] == [], verdict.id
    assert len(lines) < 150, verdict.id
    return text


# --- What the judge compared ------------------------------------------------------------------------------------------


def told(identifier: str, observation: Observation, rebuilds: tuple[str, ...] = ()) -> str:
    """The page of what an implementation did with a question, as `wireproof repro` shows it."""
    question = find(identifier)
    return failure_page(
        question.vector,
        question.case,
        observation,
        judge(question.vector, observation, rebuilds=rebuilds),
        implementation="library",
        repro="again",
        width=WIDTH,
        rebuilds=rebuilds,
    ).plain


def test_a_field_that_the_writer_sets_is_never_the_difference_shown() -> None:
    """It reads a record without its attributes, which it declares, and loses a header."""
    identifier = "kafka/header-multimaps/record-duplicate-adjacent#decode"
    question = find(identifier)
    value = {name: item for name, item in question.vector.value.items() if name != "attributes"}
    lost = value | {"headers": value["headers"][1:]}
    text = told(identifier, Observation(question.case, Status.ANSWER, lost), ("attributes",))
    assert "first difference at headers[0][1]" in text
    assert "missing" not in text


def test_bytes_that_are_compared_decoded_are_shown_decoded() -> None:
    identifier = "kafka/header-multimaps/record-duplicate-adjacent#recode"
    written = bytes.fromhex("18020000026b02760202610232")
    observation = Observation(find(identifier).case, Status.ANSWER, written)
    text = told(identifier, observation, ("attributes",))
    assert "compared by the meaning of the bytes, without attributes, which its writer sets by itself" in text
    assert "first difference at headers[0][1]" in text
    assert "18 02 00 00 02 6b 02 76 02 02 61 02 32" in text
    assert "attributes      0" not in text
    # To somebody who declares nothing, the bytes themselves.
    assert 'first difference: byte 0, in "length 16": expected 20, got 18' in told(identifier, observation)


# --- Where it comes from, and on what it rests ------------------------------------------------------------------------


def test_a_derived_case_names_nobody_as_the_source_of_bytes_that_were_changed() -> None:
    for identifier, rule in (
        ("kafka/messages/MetadataRequest/12/set+bomb:0#decode", "R-K-10"),
        ("kafka/messages/MetadataRequest/12/set+prefix:0#decode", ""),
    ):
        text = told(identifier, Observation(find(identifier).case, Status.ANSWER, {}))
        source = next(line for line in text.splitlines() if line.startswith("source"))
        assert source.split(maxsplit=1)[1] == "this kit: made from the bytes of MetadataRequest/12/set"
        assert ("rule" in text) is bool(rule)
        assert rule in text


#: Reasons that rest on no ruling: they are what a primitive, a schema or a format says by itself.
_PLAIN = {
    ("kafka", "invalid-wrapper"),
    ("kafka", "known-tag"),
    ("kafka", "out-of-range"),
    ("kafka", "tags-not-allowed"),
    ("kafka", "truncated"),
    ("kafka", "unknown-api"),
    ("kafka", "unknown-field"),
    ("kafka", "unsupported-version"),
    ("kip-35-v7", "out-of-range"),
    ("kip-35-v7", "truncated"),
    ("kip-35-v7", "unknown-api"),
    ("kip-35-v7", "unknown-field"),
    ("kip-35-v7", "unsupported-version"),
    ("kip-482-v1", "truncated"),
    ("kip-482-v1", "unknown-api"),
    ("kip-82-string-keys", "null-not-allowed"),
    ("kip-82-string-keys", "out-of-range"),
    ("kip-82-string-keys", "truncated"),
    ("wire-format", "field-not-in-version"),
    ("wire-format", "truncated"),
}


def test_every_refusal_that_has_a_ruling_shows_it() -> None:
    refused = [
        (vector, vector.case(vector.ops[0]))
        for vector in vectors.load()
        if vector.reject is not None and not (vector.reject.reason is Reason.TRUNCATED and not vector.rulings)
    ]
    silent = {(vector.dialect, str(vector.reject.reason)) for vector, case in refused if not rests_on(vector, case)}  # type: ignore[union-attr]
    assert silent <= _PLAIN
    for reason in ("string-too-long", "unsupported-magic", "negative-length"):
        vector, case = next((v, case) for v, case in refused if v.reject and v.reject.reason == reason)
        text = told(case.id, Observation(case, Status.CRASH, error="SIGSEGV"))
        assert f"\nrule      {rests_on(vector, case)[0]}" in text


def test_a_length_that_announces_too_much_shows_its_ruling_though_the_vector_names_none() -> None:
    """Generated: what it rests on is found by asking the reference."""
    for seed, reason, ruling in (
        (("STRING", "0003aa"), "truncated", "R-K-10"),
        (("COMPACT_STRING", "818002" + "61" * 32768), "string-too-long", "R-K-29"),
        (("NULLABLE_STRING", "fffe"), "negative-length", "R-K-15"),
        (("VARINT", "ffffffff1f"), "varint-overflow", "R-K-6"),
    ):
        vector, case = expectations.vector_of(Op.DECODE, "kafka", seed[0], None, bytes.fromhex(seed[1]))
        assert vector.reject is not None
        assert vector.reject.reason == reason
        assert rests_on(vector, case)[0] == ruling
