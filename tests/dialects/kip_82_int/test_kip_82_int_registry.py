"""kip-82-int-keys: owners and names of keys, and where people see the names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from wireproof import reference
from wireproof.cli import group
from wireproof.reference.dialects.kip_82_int.registry import (
    ALLOCATION,
    KafkaHeaderKeys,
    Range,
    RegisterError,
    classify,
    load,
)

DIALECT = "kip-82-int-keys"

#: The draft's sample of an open register, and of an organisation's own.
OPEN = """\
key,name,description,by,url
2100001,new.relic,stores the transaction linking guid,New Relic,some url to a document about it
2100002,appdynamics,"stores the transaction linking guid, for stitching",AppDynamics,some url
"""
LOCAL = """\
key\tname\tdescription\tby\tnotes
1114000\tapp.name\tig's unique app name for the producer\tIG\tsome internal document about it
1050000\tcharge.tag\ttag to make per message chargebacks for\tIG\tsome internal document about it
"""


#: The draft's sample of Kafka's own, word for word.
KAFKA = """\
key\tname\tdescription\tby\turl
1\tclient.id\tproducers client id\tApache Kafka\tsome url to a document about it
2\tcluster.id\tcluster id of where the message first originated\tApache Kafka\tsome url to a document about it
3\tcorrelation.id\tcorrelation id for where a message is for mutex response from a request\tApache Kafka\tsome url
"""


def problems(**registers: str) -> list[tuple[str, str, int | None]]:
    return [(one.kind, one.place, one.key) for one in load(registers).problems]


def test_the_drafts_own_sample_clashes_with_nothing() -> None:
    """Its first three keys are built in: the same entry once more is no clash, its url and description aside."""
    assert problems(kafka=KAFKA, open=OPEN, local=LOCAL, again=LOCAL) == []
    assert load({"kafka": KAFKA}).name(3) == "correlation.id"


@pytest.mark.parametrize(
    ("entry", "kind"),
    [("1,client.name,x,Apache Kafka,", "key-clash"), ("1,client.id,x,New Relic,", "key-clash")],
    ids=["another name", "somebody else's"],
)
def test_a_built_in_key_that_is_registered_otherwise_is_a_clash(entry: str, kind: str) -> None:
    assert [found for found, _, _ in problems(mine=f"key,name,description,by,url\n{entry}\n")] == [kind]


# --- The allocation table ---------------------------------------------------------------------------------------------


def test_every_key_is_in_one_row() -> None:
    position = 0
    for space in ALLOCATION:
        assert space.range.low == position <= space.range.high
        position = space.range.high + 1
    assert position == 2**32


@pytest.mark.parametrize(
    ("key", "name"),
    [
        (0x00000000, "Kafka open source"),
        (0x00000010, "Kafka open source"),
        (0x0000FFFF, "Kafka open source"),
        (0x00010000, "RESERVED"),
        (0x000FFFFF, "RESERVED"),
        (0x00100000, "Local use - Infrastructure"),
        (0x00100010, "Local use - Infrastructure"),
        (0x0010FFFF, "Local use - Infrastructure"),
        (0x00110000, "Local use - Client"),
        (0x0012FFFF, "Local use - Stack/Middleware"),
        (0x00130000, "Local use - Application"),
        (0x0014FFFF, "Local use - User"),
        (0x00150000, "RESERVED"),
        (0x001FFFFF, "RESERVED"),
        (0x00200000, "Open use - Infrastructure"),
        (0x00220010, "Open use - Stack/Middleware"),
        (0x0024FFFF, "Open use - User"),
        (0x00250000, "RESERVED"),
        (0x00300000, "Testing - Infrastructure"),
        (0x00340010, "Testing - User"),
        (0x0034FFFF, "Testing - User"),
        (0x00350000, "RESERVED"),
        (0x00400000, "RESERVED"),
        (0x7FFFFFFF, "RESERVED"),
        (-(2**31), "RESERVED"),
        (-1, "RESERVED"),
    ],
)
def test_the_row_of_a_key(key: int, name: str) -> None:
    space = classify(key)
    assert (space.name, space.reserved) == (name, name == "RESERVED")
    assert key in space.range


def test_the_page_s_example_numbers() -> None:
    """It says 10 for 0x10, and leaves a digit out of 0x00340010 (R-82i-7)."""
    assert (0x00000010, 0x00100010, 0x00220010, 0x00340010) == (16, 1048592, 2228240, 3407888)


# --- Registers --------------------------------------------------------------------------------------------------------


def test_kafka_s_own_register_is_always_there() -> None:
    registry = load()
    assert [(one.key, one.name, one.by) for one in registry.entries] == [
        (KafkaHeaderKeys.CLIENT_ID_KEY, "client.id", "Apache Kafka"),
        (KafkaHeaderKeys.CLUSTER_ID_KEY, "cluster.id", "Apache Kafka"),
        (KafkaHeaderKeys.CORRELATION_ID_KEY, "correlation.id", "Apache Kafka"),
    ]
    assert (KafkaHeaderKeys.CLIENT_ID_KEY, KafkaHeaderKeys.CORRELATION_ID_KEY) == (1, 3)
    assert registry.problems == ()


def test_several_load_together_from_url_and_notes_columns() -> None:
    registry = load({"open.csv": OPEN, "local.tsv": LOCAL})
    assert registry.problems == ()
    assert [registry.name(key) for key in (1, 2100001, 1114000, 7)] == ["client.id", "new.relic", "app.name", None]
    new_relic, app_name = registry.entry(2100002), registry.entry(1114000)
    assert new_relic is not None
    assert app_name is not None
    assert (new_relic.url, new_relic.notes) == ("some url", "")
    assert new_relic.description == "stores the transaction linking guid, for stitching"
    assert (app_name.url, app_name.notes) == ("", "some internal document about it")
    assert (new_relic.place, app_name.place) == ("open.csv, line 3", "local.tsv, line 2")


def test_how_a_key_is_shown() -> None:
    registry = load({"local.tsv": LOCAL})
    assert [registry.shown(key) for key in (1, 1050000, 0x00340010, -1)] == [
        "client.id",
        "charge.tag",
        "0x00340010 (Testing - User)",
        "0xFFFFFFFF (RESERVED)",
    ]


def register(*rows: str, last: str = "url", owns: str = "") -> str:
    return "\n".join([*([f"# owns {owns}"] if owns else []), f"key,name,description,by,{last}", *rows])


def test_reserved_keys_are_flagged() -> None:
    rows = register("0x00010000,a,,X,", "0x00150000,b,,X,", "0xFFFFFFFF,c,,X,", "-2,d,,X,", "0x00220000,e,,X,")
    assert problems(file=rows) == [
        ("reserved", "file, line 2", 0x00010000),
        ("reserved", "file, line 3", 0x00150000),
        ("reserved", "file, line 4", -1),
        ("reserved", "file, line 5", -2),
    ]
    assert load({"file": rows}).name(-1) == "c"


def test_each_register_is_confined_to_its_range() -> None:
    """By its last column, or by what it owns."""
    assert problems(open=register("9,a,,X,", "0x00200000,b,,X,", "0x00100000,c,,X,", "0x00300000,d,,X,")) == [
        ("out-of-range", "open, line 4", 0x00100000),
        ("out-of-range", "open, line 5", 0x00300000),
    ]
    rows = ("9,a,,X,", "0x00100000,b,,X,", "0x0014FFFF,c,,X,", "0x00200000,d,,X,")
    assert problems(local=register(*rows, last="notes")) == [
        ("out-of-range", "local, line 2", 9),
        ("out-of-range", "local, line 5", 0x00200000),
    ]
    owned = register("0x00110000,a,,X,", "0x00120000,b,,X,", last="notes", owns="0x00110000-0x0011FFFF")
    (found,) = load({"team": owned}).problems
    assert str(found) == (
        "team, line 4: out-of-range: 0x00120000 (b) is Local use - Stack/Middleware; "
        "this register has 0x00110000-0x0011FFFF"
    )


def test_a_testing_register_says_what_it_owns() -> None:
    assert problems(test=register("0x00340010,a,,X,", last="notes", owns="0x00300000 - 0x0034FFFF")) == []


def test_clashes_are_reported() -> None:
    own = register("1,mine,,X,", "0x00200001,theirs,,X,", "0x00200001,again,,X,", "0x00200002,client.id,,X,")
    registry = load({"first": own, "second": register("2097153,theirs,,Y,")})
    assert [(one.kind, one.place, one.key) for one in registry.problems] == [
        ("key-clash", "first, line 2", 1),
        ("key-clash", "first, line 4", 0x00200001),
        ("name-clash", "first, line 5", 0x00200002),
        ("key-clash", "second, line 2", 0x00200001),
        ("key-clash", "second, line 2", 0x00200001),
    ]
    assert "is client.id already, in KafkaHeaderKeys, line 2" in str(registry.problems[0])
    assert "client.id is the name of 0x00000001 already" in str(registry.problems[2])
    assert registry.name(1) == "client.id"  # the first one counts


def test_two_owners_of_a_range_clash() -> None:
    one = register(last="notes", owns="0x00110000-0x0011FFFF")
    assert problems(one=one, two=register(last="notes", owns="0x00120000-0x0012FFFF")) == []
    (found,) = load({"one": one, "two": register(last="notes", owns="0x0011FFFF-0x0012FFFF")}).problems
    assert str(found) == ("two: range-clash: 0x0011FFFF-0x0012FFFF is owned by one too, as 0x00110000-0x0011FFFF")
    assert not Range(0, 4).meets(Range(5, 9))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "reg: no columns; the first line names them: key,name,description,by,url or notes"),
        ("# a remark\n\n", "reg: no columns"),
        ("key,name\n", "reg, line 1: the columns are 'key,name'; key, name, description, by and url or notes"),
        ("key,name,description,by,link\n", "reg, line 1: the columns are"),
        (register("one,a,,X,"), "reg, line 2: 'one' is no key; a decimal or 0x number of 32 bits is expected"),
        (register("4294967296,a,,X,"), "reg, line 2: '4294967296' is no key"),
        (register("-2147483649,a,,X,"), "reg, line 2: '-2147483649' is no key"),
        (register("0x123456789,a,,X,"), "reg, line 2: '0x123456789' is no key"),
        (register("1" * 5000 + ",a,,X,"), "is no key"),
        (register("9,,,X,"), "reg, line 2: key '9' has no name"),
        (register("9,a,X"), "reg, line 2: 3 columns; 5 are expected"),
        (register("", '9,"a,,X,'), "reg, line 3: unexpected end of data; an entry has a line of its own"),
        (register('9,"a', 'b",,X,'), "reg, line 2: unexpected end of data"),
        (register(owns="0x9-0x1"), "reg, line 1: the range 0x9-0x1 is empty"),
        (register(owns="a-0x1"), "reg, line 1: 'a' is no key"),
        (register(owns="0x00110000-"), "reg, line 1: '0x00110000-' is no range; # owns 0x00110000-0x0011FFFF says one"),
        (register(owns="0x00110000 to 0x0011FFFF"), "reg, line 1: '0x00110000 to 0x0011FFFF' is no range"),
        ("#OWNS\n" + register(), "reg, line 1: '' is no range"),
        (register(owns="0x0011" * 1000), "is no range"),
    ],
)
def test_what_is_no_register_is_refused_with_its_place(text: str, said: str) -> None:
    with pytest.raises(RegisterError) as caught:
        load({"reg": text})
    assert said in str(caught.value)
    assert len(str(caught.value)) < 200


def test_lines_that_say_nothing_count_for_the_places() -> None:
    text = "\n# ours\nkey,name,description,by,url\n\n# first\n 0x00200000 , a , , X , \n"
    entry = load({"reg": text}).entries[-1]
    assert (entry.key, entry.name, entry.line) == (0x00200000, "a", 6)


def test_a_register_as_a_spreadsheet_writes_it() -> None:
    text = "\ufeff" + LOCAL.replace("\n", "\r\n")
    assert load({"local": text}) == load({"local": LOCAL})
    assert problems(own="\ufeff" + register("0x00120000,a,,X,", owns="0x00110000-0x0011FFFF")) == [
        ("out-of-range", "own, line 3", 0x00120000)
    ]


def test_remarks_that_only_begin_like_a_claim_are_none() -> None:
    assert problems(own=register("0x00200000,a,,X,").replace("key,", "# ownership is ours; owned by us\nkey,", 1)) == []


# --- Where people read names ------------------------------------------------------------------------------------------

WORKED = "0000000000000000000000 26ced442a0021000000000000003e8000000016b0000000a0000000100000002616200000001 76"


def run(*arguments: str) -> Any:
    return CliRunner().invoke(group, ["explain", "--dialect", DIALECT, *arguments])


def test_explain_shows_registered_names() -> None:
    found = run("MESSAGE_AND_OFFSET", WORKED)
    assert found.exit_code == 0, found.output
    assert "key client.id" in found.stdout
    found = run("--json", "HEADERS", "00340010 00000000")
    assert '"what": "key 0x00340010 (Testing - User)"' in found.stdout


def test_explain_takes_registers(tmp_path: Path) -> None:
    files = {"open.csv": OPEN, "local.tsv": LOCAL}
    options = []
    for name, text in files.items():
        (tmp_path / name).write_text(text, "utf-8")
        options += ["--register", str(tmp_path / name)]
    found = run(*options, "HEADERS", "0010ff90 00000000 00200b21 00000001 61")
    assert found.exit_code == 0, found.output
    assert "key app.name" in found.stdout
    assert "key new.relic" in found.stdout
    assert found.stderr == ""


def test_explain_tells_of_problems_among_registers(tmp_path: Path) -> None:
    file = tmp_path / "own.csv"
    file.write_text(register("1,mine,,X,"), "utf-8")
    found = run("--register", str(file), "HEADERS", "00000001 00000000")
    assert found.exit_code == 0
    assert "key-clash: 0x00000001 (mine) is client.id already" in found.stderr
    assert "key client.id" in found.stdout


def test_problems_are_told_without_what_a_terminal_obeys(tmp_path: Path) -> None:
    file = tmp_path / "own.csv"
    file.write_text(register("1,\x1b[31mred,,X,"), "utf-8")
    found = run("--register", str(file), "HEADERS", "")
    assert "\\x1b[31mred" in found.stderr
    assert "\x1b" not in found.output


@pytest.mark.parametrize("dialect", [DIALECT, "kip-82-string-keys"])
@pytest.mark.parametrize("request_option", [[], ["--request", "00"]])
def test_without_a_type_explain_needs_a_dialect_that_has_frames(dialect: str, request_option: list[str]) -> None:
    found = CliRunner().invoke(group, ["explain", "--dialect", dialect, *request_option, WORKED])
    assert found.exit_code == 2
    assert f"the dialect {dialect} has no frames: say TYPE" in " ".join(found.stderr.split())
    assert found.exception is None or isinstance(found.exception, SystemExit)


@pytest.mark.parametrize(
    ("text", "said"),
    [(b"key", "the columns are 'key'"), (b"\xff", "is no UTF-8"), (None, "cannot be read")],
)
def test_explain_refuses_what_is_no_register(tmp_path: Path, text: bytes | None, said: str) -> None:
    file = tmp_path / "own.csv"
    if text is not None:
        file.write_bytes(text)
    found = run("--register", str(file), "HEADERS", "")
    assert found.exit_code == 2
    assert said in found.stderr
    assert "Traceback" not in found.output


def test_other_dialects_have_no_registers(tmp_path: Path) -> None:
    file = tmp_path / "own.csv"
    file.write_text(OPEN, "utf-8")
    found = CliRunner().invoke(group, ["explain", "--register", str(file), "INT32", "00000001"])
    assert found.exit_code == 2
    assert "the dialect kafka has no registers" in found.stderr


@pytest.mark.parametrize(
    ("type_arguments", "digits", "offset", "ruling"),
    [
        (["HEADERS"], "00000002000000000000000100000000", 8, "R-82i-3 ‡"),
        (["HEADERS"], "00000001ffffffff", 4, "R-82i-4 "),
        (["MESSAGE_AND_OFFSET"], WORKED.replace("ced4", "ced5"), 12, "R-82i-5 "),
        (["MESSAGE_AND_OFFSET"], WORKED.replace("a002", "a003"), 16, "R-82i-9 "),
        (["MESSAGE_AND_OFFSET"], WORKED + "00", 50, "R-D-5 "),
        (["ProduceRequest", "--version", "3"], "0001000003e8ffffffff", 6, "R-D-3 "),
        (["ProduceRequest", "--version", "3"], "0001000003e8fffffffe", 6, "R-D-3 "),
        (["ProduceRequest", "--version", "3"], "0001000003e8000000010001ff00000000", 10, "R-D-2 ‡"),
    ],
)
def test_explain_marks_the_byte_and_names_the_ruling(
    type_arguments: list[str], digits: str, offset: int, ruling: str
) -> None:
    found = run(*type_arguments, digits)
    assert found.exit_code == 1
    assert f"(byte {offset})" in " ".join(found.stdout.split())
    assert f"\nruling   {ruling}" in found.stdout


def test_names_stand_in_spans_alone() -> None:
    own = reference.Reference()
    own.configure({"registers": {"local.tsv": LOCAL}}, dialect=DIALECT)
    found = own.explain("HEADERS", bytes.fromhex("0010ff9000000000"), dialect=DIALECT)
    assert [span.what for span in found.spans] == ["key app.name", "length"]
    assert found.value == [(1114000, b"")]
