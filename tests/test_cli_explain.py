"""`wireproof explain`."""

from __future__ import annotations

import json
from pathlib import Path

import golden
import pytest
from click.testing import CliRunner

from wireproof.cli import group


def run(*arguments: str, given: str | None = None) -> tuple[int, str]:
    result = CliRunner().invoke(group, ["explain", *arguments], input=given)
    return result.exit_code, result.output


RESPONSE = "0000 02 0012 0000 0004 00 00000000 02 00 08 02 02 66 0000 0001 00 63 02 7878"


def test_a_message() -> None:
    code, text = run("ApiVersionsResponse", "--version", "4", RESPONSE)
    assert code == 0
    golden.check("explain-response", text.rstrip("\n"))


def test_bytes_that_are_refused() -> None:
    code, text = run("TAG_BUFFER", "02 05 00 03 00")
    assert code == 1
    golden.check("explain-refused", text.rstrip("\n"))


def test_no_bytes_at_all() -> None:
    code, text = run("VARINT", "")
    assert code == 1
    assert "the input ends here" in text


@pytest.mark.parametrize(
    "digits", ["0002 6162", "0x00026162", "00:02:61:62", "0x00 0x02 0x61 0x62", "00,02,\n61,62", r"\x00\x02\x61\x62"]
)
def test_how_people_write_hex(digits: str) -> None:
    assert run("STRING", digits) == run("STRING", "00026162")
    assert run("STRING", "-", given=digits) == run("STRING", "00026162")
    assert run("STRING", *digits.split()) == run("STRING", "00026162")


def test_a_file(tmp_path: Path) -> None:
    path = tmp_path / "bytes.bin"
    path.write_bytes(b"\x00\x02ab")
    assert run("STRING", f"@{path}") == run("STRING", "00026162")


def test_json() -> None:
    code, text = run("ARRAY<BYTES>", "--json", "00000001 00000002 6162")
    assert code == 0
    found = json.loads(text)
    assert found["value"] == [{"hex": "6162"}]
    assert found["data"] == "00000001000000026162"
    assert found["error"] is None
    assert [(span["start"], span["end"], span["path"]) for span in found["spans"]] == [
        (0, 4, ""),
        (4, 8, "[0]"),
        (8, 10, "[0]"),
    ]
    code, text = run("BOOLEAN", "--json", "0100")
    assert code == 1
    found = json.loads(text)
    assert found["error"]["reason"] == "trailing-bytes"
    assert found["error"]["offset"] == 1
    assert found["value"] is None


def test_a_version_that_a_message_does_not_have_is_refused() -> None:
    code, text = run("ApiVersionsRequest", "--version", "99", "00")
    assert code == 1
    assert "unsupported-version" in text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("VARIN", "00"), "no type 'VARIN'; near it are VARINT"),
        (("apiversionsresponse", "00"), "near it are ApiVersionsResponse"),
        (("Zzzzzzz", "00"), "its types are"),
        (("ARRAY<STRIN>", "00"), "is no array type of kafka"),
        (("ARRAY", "00"), "is no array type of kafka"),
        (("VARINT", "--dialect", "kafak", "00"), "there is no dialect 'kafak'; there are kafka"),
        (("VARINT", "--version", "1", "00"), "VARINT has no versions"),
        (("ApiVersionsRequest", "00"), "say which with --version, 0 to 5"),
        (("VARINT", "000"), "HEX has 3 digits, an odd number: digit 3"),
        (("VARINT", "00 0g"), "character 5 of HEX, 'g', is no hex digit"),
        (("VARINT", "0 0x00"), "'x', is no hex digit"),
        (("VARINT", "00\x1b"), r"'\x1b', is no hex digit"),
        (("VARINT", "@nowhere.bin"), "nowhere.bin cannot be read: No such file or directory"),
        (("VARINT",), "Missing argument 'HEX...'"),
    ],
)
def test_usage_errors(arguments: tuple[str, ...], words: str) -> None:
    code, text = run(*arguments)
    assert code == 2
    assert words in text
    assert "Traceback" not in text
