"""Files of known deviations: their format, what they match, when they are out of date, and how one is drafted."""

from __future__ import annotations

import datetime
import sys
import tomllib
from pathlib import Path
from typing import Any

import msgspec
import pytest

from wireproof.conformance.connection.spec import known_beside
from wireproof.conformance.evidence import known_deviations
from wireproof.conformance.evidence.known_deviations import Known, KnownError
from wireproof.conformance.judging.clusters import Group
from wireproof.conformance.model import DEVIATIONS, FailureKind, Op, Outcome, Verdict

TODAY = datetime.date(2025, 6, 15)
ID = "kafka/varints/minus-1#decode"
EVERY_ID = (ID, "kafka/varints/minus-1#encode", "kafka/varints/zero#decode", "kafka/framing/zero#decode")


def verdict(identifier: str = ID, outcome: Outcome = Outcome.FAIL, **fields: Any) -> Verdict:
    usual: dict[str, Any] = {
        "dialect": "kafka",
        "area": "varints",
        "type": "VARINT",
        "version": None,
        "op": Op(identifier.rpartition("#")[2]),
        "kind": FailureKind.WRONG_VALUE if outcome is Outcome.FAIL else None,
    }
    return Verdict(id=identifier, outcome=outcome, **usual | fields)


def entry(**fields: Any) -> str:
    """A `[[deviation]]` that is right, with other fields; None takes one away."""
    usual: dict[str, Any] = {"match": ID, "class": "bug", "reason": "it is so", "reported": "pending"}
    lines = [f"{key} = {_toml(value)}" for key, value in (usual | fields).items() if value is not None]
    return "\n".join(["[[deviation]]", *lines, ""])


def _toml(value: Any) -> str:
    match value:
        case str():
            return f'"{value}"'
        case bool():
            return str(value).lower()
        case list():
            return f"[{', '.join(map(_toml, value))}]"
        case dict():
            return f"{{{', '.join(f'{key} = {_toml(item)}' for key, item in value.items())}}}"
    return str(value)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "mine.known.toml"


def load(file: Path, *entries: str, version: str | None = None) -> Known:
    file.write_text("\n".join(entries), "utf-8")
    return known_deviations.load(file, version)


# --- Reading ----------------------------------------------------------------------------------------------------------


def test_all_fields(file: Path) -> None:
    found = load(
        file,
        entry(
            **{"class": "wont-fix"}, url="https://example.org/1", versions=["1.*"], expires=datetime.date(2030, 1, 2)
        ),
        version="1.2",
    )
    (deviation,) = found.deviations
    assert (deviation.kind, deviation.reason, deviation.url) == ("wont-fix", "it is so", "https://example.org/1")
    assert (deviation.globs, deviation.expires) == ((ID,), datetime.date(2030, 1, 2))
    assert (found.path, deviation.name) == (file, ID)


def test_an_empty_file_knows_nothing(file: Path) -> None:
    assert load(file, "# nothing yet").deviations == ()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[[deviation]", "not TOML"),
        ("deviations = []", "deviations"),
        ("deviation = 1", "deviation"),
        (entry(colour="red"), "colour"),
        (entry(**{"class": "odd"}), "class"),
        (entry(**{"class": None}), "class"),
        (entry(reason=None), "reason"),
        (entry(reason="  "), f"deviation 1 ({ID}) gives no reason"),
        (entry() + entry(match=None), "deviation 2 needs either `match`, `signature` or `finding`"),
        (entry(signature={"op": "decode"}), "deviation 1 needs either `match`, `signature` or `finding`"),
        (entry(match=None, signature={"ops": "decode"}), "ops"),
        (entry(reported=None), f'deviation 1 ({ID}) needs `url` or `reported = "pending"`'),
        (entry(expires="soon"), "expires"),
        (entry(match=5), "match"),
    ],
)
def test_a_file_that_does_not_keep_to_the_format(file: Path, content: str, said: str) -> None:
    with pytest.raises(KnownError) as caught:
        load(file, content)
    assert str(caught.value).startswith(f"{file}: ")
    assert said in str(caught.value)


def test_a_file_that_is_not_there_or_no_text(tmp_path: Path) -> None:
    with pytest.raises(KnownError, match="--known takes a TOML file, or none"):
        known_deviations.load(tmp_path / "none.toml", None)
    with pytest.raises(KnownError, match="--known takes a TOML file"):
        known_deviations.load(tmp_path, None)
    (tmp_path / "odd.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(KnownError, match="not TOML"):
        known_deviations.load(tmp_path / "odd.toml", None)


@pytest.mark.parametrize(
    ("versions", "version", "concerns"),
    [
        (None, "1.2", True),
        (None, None, True),
        ("1.2", "1.2", True),
        ("1.2", "1.20", False),
        ("1.*", "1.20", True),
        (["0.9", "1.*"], "1.20", True),
        (["0.9", "1.*"], "2.0", False),
        # One that does not say its version may be of any.
        ("1.2", None, True),
    ],
)
def test_an_entry_may_be_about_some_versions(file: Path, versions: Any, version: str | None, concerns: bool) -> None:
    assert bool(load(file, entry(versions=versions), version=version).deviations) is concerns


# --- Knowing ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("match", "knows"),
    [
        (ID, True),
        ("kafka/varints/minus-1#encode", False),
        ("kafka/varints/minus-1", False),
        ("kafka/varints/minus-*", True),
        ("kafka/varints/minus-?#decode", True),
        ("KAFKA/varints/minus-*", False),
        (["kafka/framing/zero#*", "kafka/*/minus-*#decode"], True),
        (["kafka/framing/zero#*", "kafka/*/minus-*#encode"], False),
    ],
)
def test_an_entry_knows_ids_and_globs(file: Path, match: Any, knows: bool) -> None:
    assert (load(file, entry(match=match)).find(verdict()) is not None) is knows


@pytest.mark.parametrize(
    ("signature", "knows"),
    [
        ({"type": "VARINT", "op": "decode"}, True),
        ({"type": "VARINT", "op": "encode"}, False),
        ({"type": "VARINT", "verdict": "fail", "kind": "wrong-value"}, True),
        ({"type": "VARLONG", "verdict": "fail", "kind": "wrong-value"}, False),
        ({"type": "VARINT", "verdict": "crash"}, False),
        ({"type": "VARINT", "kind": "wrong-bytes"}, False),
        ({"cause": "truncated"}, True),
        ({"cause": "EOFError"}, False),
        ({"frame": "mine:read"}, True),
        ({"frame": "mine:write"}, False),
    ],
)
def test_an_entry_knows_what_looks_so(file: Path, signature: dict[str, str], knows: bool) -> None:
    deviation = verdict(reason="truncated", error="EOFError", frame="mine:read")
    assert (load(file, entry(match=None, signature=signature)).find(deviation) is not None) is knows


@pytest.mark.parametrize("outcome", sorted(Outcome))
def test_only_a_deviation_is_known(file: Path, outcome: Outcome) -> None:
    found = load(file, entry(verdict=["crash", "hang", "oom"])).find(verdict(outcome=outcome))
    assert (found is not None) is (outcome in DEVIATIONS)


@pytest.mark.parametrize("named", [None, "crash", "hang", "oom"])
@pytest.mark.parametrize("outcome", sorted(DEVIATIONS))
def test_a_death_is_known_by_its_own_kind_only(file: Path, outcome: Outcome, named: str | None) -> None:
    found = load(file, entry(verdict=named)).find(verdict(outcome=outcome))
    assert (found is not None) is (outcome in (Outcome.FAIL, Outcome.VIOLATION) or outcome == named)


def test_a_verdict_stands_in_a_key_itself(file: Path) -> None:
    with pytest.raises(KnownError, match="has `verdict` beside a key that has its own"):
        load(file, entry(match=None, signature={"type": "VARINT"}, verdict="crash"))


def test_the_first_entry_that_matches_is_the_one(file: Path) -> None:
    found = load(
        file, entry(match="kafka/framing/zero#*"), entry(match="*/*/minus*", reason="first"), entry(reason="second")
    )
    deviation = found.find(verdict())
    assert deviation is not None
    assert deviation.reason == "first"


def test_without_a_file_nothing_is_known() -> None:
    nothing = Known(None, ())
    assert nothing.find(verdict()) is None
    assert nothing.stale([verdict()], lambda: EVERY_ID, complete=True, today=TODAY) == []


# --- Out of date ------------------------------------------------------------------------------------------------------


def stale(found: Known, *ran: Verdict, complete: bool = True) -> list[str]:
    return found.stale(ran, lambda: EVERY_ID, complete=complete, today=TODAY)


def test_what_still_deviates_is_not_stale(file: Path) -> None:
    assert stale(load(file, entry()), verdict()) == []


@pytest.mark.parametrize("outcome", sorted(set(Outcome) - DEVIATIONS - {Outcome.NOT_ASKED}))
def test_what_no_longer_deviates_is(file: Path, outcome: Outcome) -> None:
    (line,) = stale(load(file, entry()), verdict(outcome=outcome))
    assert line == f"{file}: {ID}: {ID} did not deviate ({outcome}): remove it"


def test_of_what_was_not_asked_nothing_is_claimed(file: Path) -> None:
    """Of a file that names hundreds of hangs a few are asked."""
    not_asked = verdict(outcome=Outcome.NOT_ASKED)
    assert stale(load(file, entry()), not_asked) == []
    passed = verdict("kafka/varints/minus-1#encode", Outcome.PASS)
    assert stale(load(file, entry(match="kafka/varints/minus-1#*")), not_asked, passed) == []
    for signature, claimed in [
        ({"cause": "timeout", "verdict": "hang"}, 0),
        ({"type": "VARINT", "op": "decode"}, 0),
        ({"type": "VARINT", "op": "encode"}, 1),
    ]:
        found = load(file, entry(match=None, signature=signature))
        assert len(stale(found, not_asked)) == claimed


def test_an_entry_about_a_race_lives_when_its_cases_pass(file: Path) -> None:
    passed = verdict("kafka/varints/minus-1#encode", Outcome.PASS)
    assert stale(load(file, entry(match="kafka/varints/minus-1#encode", unsteady=True)), passed) == []
    assert len(stale(load(file, entry(match="kafka/varints/minus-1#encode")), passed)) == 1


def test_a_glob_lives_as_long_as_one_of_its_cases_deviates(file: Path) -> None:
    found = load(file, entry(match="kafka/varints/minus-1#*"))
    passed = verdict("kafka/varints/minus-1#encode", Outcome.PASS)
    assert stale(found, verdict(), passed) == []
    assert len(stale(found, verdict(outcome=Outcome.PASS), passed)) == 1


def test_each_glob_of_a_list_is_looked_at(file: Path) -> None:
    found = load(file, entry(match=[ID, "kafka/varints/zero#decode"]))
    zero = "kafka/varints/zero#decode"
    assert stale(found, verdict(), verdict(zero)) == []
    (line,) = stale(found, verdict(), verdict(zero, Outcome.PASS))
    assert f"{zero} did not deviate (pass)" in line


@pytest.mark.parametrize("complete", [True, False])
def test_what_was_deselected_is_never_stale(file: Path, complete: bool) -> None:
    assert stale(load(file, entry()), complete=complete) == []


@pytest.mark.parametrize("complete", [True, False])
@pytest.mark.parametrize("match", ["kafka/varints/gone#decode", "kafka/gone/zero*"])
def test_an_id_that_exists_nowhere_is(file: Path, match: str, complete: bool) -> None:
    (line,) = stale(load(file, entry(match=match)), verdict(), complete=complete)
    assert line == f"{file}: {match}: no case has the id {match}: correct or remove it"


def test_generated_cases_have_ids_without_end(file: Path) -> None:
    found = load(file, entry(match="gen/kafka/VARINT/-/*"))
    assert stale(found, verdict()) == []
    assert stale(found, verdict("gen/kafka/VARINT/-/x01#decode")) == []
    (line,) = stale(found, verdict("gen/kafka/VARINT/-/x01#decode", Outcome.PASS))
    assert line.endswith("gen/kafka/VARINT/-/* did not deviate (pass): remove it")


@pytest.mark.parametrize(
    ("day", "expired"), [(TODAY - datetime.timedelta(1), True), (TODAY, False), (TODAY + datetime.timedelta(1), False)]
)
def test_an_entry_lives_until_the_day_it_expires(file: Path, day: datetime.date, expired: bool) -> None:
    lines = stale(load(file, entry(expires=day)), verdict())
    assert lines == (
        [f"{file}: {ID}: expired on {day}: look at it again, then move the date or remove the entry"] * expired
    )


def test_a_signature_that_nothing_showed_is_stale_when_everything_was_asked(file: Path) -> None:
    found = load(file, entry(match=None, signature={"type": "VARINT"}))
    name = found.deviations[0].name
    seen = verdict(known=name)
    assert name == 'signature {"op":null,"type":"VARINT","verdict":null,"kind":null,"cause":null,"frame":null}'
    assert stale(found, seen) == []
    assert stale(found, complete=False) == []
    (line,) = stale(found)
    assert line.endswith("no deviation of this run looks so: remove the entry")


@pytest.mark.parametrize(
    "part",
    [
        {"signature": {"type": "VARINT"}},
        {"finding": {"verdict": "fail", "kind": "wrong-value", "side": "read", "place": "nowhere"}},
    ],
)
def test_what_only_generated_cases_show_a_run_of_the_suite_need_not_show(file: Path, part: dict[str, Any]) -> None:
    (line,) = stale(load(file, entry(match=None, **part)))
    assert line.endswith("no deviation of this run looks so: remove the entry")
    assert stale(load(file, entry(match=None, generated=True, **part))) == []
    expired = TODAY - datetime.timedelta(1)
    assert len(stale(load(file, entry(match=None, generated=True, expires=expired, **part)))) == 1


def test_what_hangs_is_known_before_it_is_asked(file: Path) -> None:
    found = load(file, entry(match=["kafka/varints/one#decode", "kafka/framing/one*#decode"], hangs=True))
    assert [found.hangs(f"kafka/{one}#decode") for one in ("varints/one", "framing/one", "varints/two")] == [
        True,
        True,
        False,
    ]
    assert not load(file, entry(match="kafka/varints/one#decode")).hangs("kafka/varints/one#decode")
    with pytest.raises(KnownError, match="has `hangs` without `match`"):
        load(file, entry(match=None, signature={"type": "VARINT"}, hangs=True))


def test_an_id_says_itself_whether_its_case_is_generated(file: Path) -> None:
    with pytest.raises(KnownError, match="has `generated` beside `match`"):
        load(file, entry(generated=True))


# --- Where it is ------------------------------------------------------------------------------------------------------


def test_the_file_stands_beside_the_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "wrapped.py").write_text("")
    assert known_beside("wrapped") is None
    (tmp_path / "wrapped.known.toml").write_text("")
    assert known_beside("wrapped") == tmp_path / "wrapped.known.toml"
    assert known_beside("wrapped:Codec") == tmp_path / "wrapped.known.toml"
    (tmp_path / "wrapped.Codec.known.toml").write_text("")
    assert known_beside("wrapped:Codec") == tmp_path / "wrapped.Codec.known.toml"
    assert known_beside("wrapped") == tmp_path / "wrapped.known.toml"


@pytest.mark.parametrize("spec", ["no.such.module", "no_such_module", "sys", "a b", "", "exec:no-such-program"])
def test_what_is_nowhere_has_none_beside_it(spec: str) -> None:
    assert known_beside(spec) is None


def test_the_file_stands_beside_the_program(tmp_path: Path) -> None:
    program = tmp_path / "a wrapper.py"
    program.write_text("")
    assert known_beside(f"exec:{sys.executable} '{program}' --flag") is None
    (tmp_path / "a wrapper.known.toml").write_text("")
    assert known_beside(f"exec:{sys.executable} '{program}' --flag") == tmp_path / "a wrapper.known.toml"


# --- Drafting ---------------------------------------------------------------------------------------------------------


def test_a_draft_knows_what_it_was_made_of(file: Path) -> None:
    made_of = [
        verdict(),
        verdict("kafka/varints/zero#decode"),
        verdict(
            "kafka/framing/zero#decode", Outcome.CRASH, type="INT8", error="SIGABRT", detail='it said "ouch"\nand died'
        ),
        verdict("kafka/varints/minus-1#encode", Outcome.PASS),
    ]
    drafted = known_deviations.draft(made_of, "mine")
    assert drafted.startswith("# Known deviations of mine.")
    found = load(file, drafted)
    assert [entry.finding and entry.finding for entry in found.deviations] == [
        Group("fail", kind="wrong-value", side="read", type="VARINT"),
        Group("crash", side="read", cause="SIGABRT", type="INT8"),
    ]
    assert "# 2 cases, the first is kafka/varints/minus-1#decode" in drafted
    assert [found.find(v) is not None for v in made_of] == [True, True, True, False]
    assert stale(found, *made_of) == []
    assert found.deviations[0].reason.startswith("fail (wrong-value)")
    assert found.deviations[1].reason == 'crash: it said "ouch"\nand died'
    assert {entry.reported for entry in found.deviations} == {"pending"}


def test_an_entry_of_a_finding_knows_what_has_its_group_and_nothing_else(file: Path) -> None:
    parts = {"kind": "accepted-invalid", "side": "read", "demanded": "truncated", "place": "tag size"}
    found = load(file, entry(match=None, finding={"verdict": "fail"} | parts))
    like = verdict(kind=FailureKind.ACCEPTED_INVALID, demanded="truncated", place="tag size")
    others = [
        msgspec.structs.replace(like, place="count"),
        msgspec.structs.replace(like, ground="R-K-10"),  # a part that the entry has not
        msgspec.structs.replace(like, demanded="negative-length"),
    ]
    assert found.find(like) is found.deviations[0]
    assert [found.find(other) for other in others] == [None, None, None]
    assert stale(found, like) == []
    assert "no deviation of this run looks so" in stale(found, *others)[0]
    assert found.deviations[0].name == ("finding accepted-invalid on read where truncated is demanded at tag size")


def test_a_draft_excuses_the_run_that_it_was_made_of_and_nothing_else(file: Path) -> None:
    seen = [
        verdict(f"kafka/varints/{number}#decode", kind=FailureKind.ACCEPTED_INVALID, demanded="truncated", place=place)
        for number, place in enumerate(("tag size", "count", "tag size", "length"))
    ]
    found = load(file, known_deviations.draft(seen, "mine"))
    assert len(found.deviations) == 3
    assert [found.find(one) is not None for one in seen] == [True] * 4
    assert found.find(msgspec.structs.replace(seen[0], place="marker")) is None


def test_a_draft_names_no_folder_of_the_machine(file: Path) -> None:
    trace = (
        'Traceback (most recent call last):\n  File "/home/me/kit/wrapper.py", line 3, in decode\n    x()\n'
        "ZeroDivisionError: in /home/me/kit/x.py:7 of https://example.org/a/b and 1/2/3"
    )
    drafted = known_deviations.draft([verdict(outcome=Outcome.CRASH, error="ZeroDivisionError", detail=trace)], "mine")
    (entry,) = load(file, drafted).deviations
    assert entry.reason == "crash: ZeroDivisionError: in x.py:7 of https://example.org/a/b and 1/2/3"
    thrown = verdict(
        outcome=Outcome.CRASH, error="Error", detail="Error: bad\n    at f (/srv/app/node_modules/a/b.js:1:2)"
    )
    (entry,) = load(file, known_deviations.draft([thrown], "mine")).deviations
    assert entry.reason == "crash: Error: bad\n    at f (b.js:1:2)"


@pytest.mark.parametrize(
    ("grounds", "kind"), [(["R-K-19"], "bug"), (["R-K-22e"], "disputed"), (["R-K-22e", None], "bug")]
)
def test_a_drafted_bug_has_a_text(grounds: list[str | None], kind: str, file: Path) -> None:
    """R-K-19 quotes the guide; of R-K-22e all texts are silent; what rests on no ruling has its source."""
    seen = [verdict(f"kafka/varints/{at}#decode", ground=ground) for at, ground in enumerate(grounds)]
    assert [one.kind for one in load(file, known_deviations.draft(seen, "mine")).deviations] == [kind]


def test_a_draft_of_nothing_is_a_file(file: Path) -> None:
    assert load(file, known_deviations.draft([verdict(outcome=Outcome.PASS)], "mine")).deviations == ()


def test_drafts_of_several_can_be_joined() -> None:
    joined = "\n".join(
        [
            known_deviations.draft([], "one"),
            known_deviations.draft([verdict()], "two"),
            known_deviations.draft([verdict()], "three"),
        ]
    )
    assert len(tomllib.loads(joined)["deviation"]) == 2
