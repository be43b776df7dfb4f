"""Consumers that are commands and print what they are given."""

from __future__ import annotations

import shlex
import sys

import pytest
from support.paths import TESTS

from wireproof.conformance.asking.examiner import Examiner
from wireproof.conformance.connection import Options, open_connection
from wireproof.conformance.connection.base import ImplementationError
from wireproof.conformance.connection.live import printed
from wireproof.conformance.connection.live.printed import PrintError
from wireproof.conformance.model import FailureKind, Outcome, Status, Verdict
from wireproof.conformance.questions import find

PATTERN = r"{offset}\t{key=NULL}\t{value=NULL}\x1e"
FORMS = {"json": "json", "tabs": PATTERN}
#: Vectors of each sort: gaps, transactions, magic 0, null keys, headers, an empty batch, a broken batch.
ASKED = (
    *("kafka/delivery/compacted-gaps#consume", "kafka/delivery/magic-0#consume"),
    *("kafka/delivery/empty-batch-last#consume", "kafka/delivery/refused-crc#consume"),
    *("kafka/delivery/empty-set#consume", "kafka/delivery/magic-1-wrapper-from-its-middle#consume"),
)


@pytest.fixture(autouse=True)
def _in_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(TESTS)


def spec(name: str, form: str) -> str:
    words = [sys.executable, "-m", "programs.prints_records", name, form]
    return f"client:{shlex.join(words)} {{bootstrap}} {{position}} {{isolation}}"


def asked(name: str, form: str, ids: tuple[str, ...]) -> dict[str, Verdict]:
    with Examiner(open_connection(spec(name, form), Options(prints=FORMS[form], timeout=30.0))) as examiner:
        return {judged.verdict.id: judged.verdict for judged in examiner.judge(map(find, ids))}


@pytest.mark.parametrize("form", FORMS)
def test_a_consumer_that_is_right_passes(form: str) -> None:
    assert {one.outcome for one in asked("right", form, ASKED).values()} == {Outcome.PASS}


@pytest.mark.parametrize(
    ("name", "form", "case", "kind"),
    [
        ("loses_the_last", "json", ASKED[0], FailureKind.WRONG_ANSWER),
        ("loses_the_last", "tabs", ASKED[0], FailureKind.WRONG_ANSWER),
        ("null_is_empty", "tabs", "kafka/delivery/null-key-and-value#consume", FailureKind.WRONG_ANSWER),
        ("says_nothing", "json", ASKED[3], FailureKind.ACCEPTED_INVALID),
    ],
)
def test_what_is_printed_is_judged(name: str, form: str, case: str, kind: FailureKind) -> None:
    found = asked(name, form, (case,))[case]
    assert (found.outcome, found.kind) == (Outcome.FAIL, kind)


def test_where_it_asks_next_is_judged() -> None:
    """Nobody tells the position: it is the offset of the last Fetch, if there is another one."""
    case = "kafka/delivery/empty-batch-last#consume"
    assert asked("asks_on", "json", (case,))[case].outcome is Outcome.PASS
    found = asked("asks_from_there_again", "json", (case,))[case]
    assert found.outcome is Outcome.FAIL
    assert "position" in found.detail


def test_who_prints_something_else_has_not_answered() -> None:
    (one,) = asked("prints_more", "json", ASKED[:1]).values()
    assert one.outcome is Outcome.VIOLATION
    assert "3 records" in one.detail


def test_a_refusal_is_an_exit_code_without_records() -> None:
    case = find(ASKED[3]).case
    with open_connection(spec("right", "json"), Options(prints="json", timeout=30.0)) as connection:
        (seen,) = connection.ask([case])
    assert seen.status is Status.REJECT
    assert "exit code 1" in seen.detail


@pytest.mark.parametrize("place", ["{position}", "{isolation}", "{bootstrap}"])
def test_a_command_has_all_places(place: str) -> None:
    with pytest.raises(ImplementationError, match=f"\\{place} is expected"):
        open_connection(spec("right", "json").replace(place, "x"), Options(prints="json"))


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("{key=NULL}", r"\{offset\} is expected"),
        ("{offset} {key}", r"\{key=NULL\} is expected"),
        ("{offset=NULL}", r"\{offset=NULL\} is there; \{offset\}"),
        ("{offset} {offset}", "stands there twice"),
        ("{offset} {topic}", "is none of"),
        ("{offset} {key=-}{value=-}", r"behind \{key\}"),
    ],
)
def test_a_form_that_cannot_be_is_an_error(form: str, text: str) -> None:
    with pytest.raises(ImplementationError, match=text):
        open_connection(spec("right", "json"), Options(prints=form))


def test_only_commands_of_clients_print() -> None:
    with pytest.raises(ImplementationError, match="what a client's command prints"):
        open_connection("reference", Options(prints="json"))


def test_bytes_of_a_pattern_may_be_any() -> None:
    read = printed.reader(r"CreateTime:{timestamp}\t{offset}\t{key=-}\t{value=null}")
    output = b"CreateTime:-1\t7\t-\ta\tb\nCreateTime:5\t8\tk\xff\tnull\n"
    assert read(output) == [
        {"timestamp": -1, "offset": 7, "key": None, "value": b"a\tb"},
        {"timestamp": 5, "offset": 8, "key": b"k\xff", "value": None},
    ]
    with pytest.raises(PrintError, match=r"at byte 22 .*does not describe"):
        read(output[:22] + b"%" + output[22:])


def test_output_without_an_end_is_read_once() -> None:
    """A pattern that tries every place for every field would take hours."""
    read = printed.reader(r"{offset}\t{key=-}\t{value=-}")
    with pytest.raises(PrintError, match="does not describe"):
        read(b"1" + b"\t" * 1_000_000)


@pytest.mark.parametrize(
    "line",
    [
        *(b"[]", b"{", b'{"offset":1}', b'{"offset":1,"key":7,"payload":null}', b"[" * 100_000),
        b'{"offset":1,"key":null,"payload":null,"headers":["a"]}',
    ],
)
def test_json_that_is_no_record_is_an_error(line: bytes) -> None:
    with pytest.raises(PrintError, match="no record as JSON"):
        printed.reader("json")(line)
