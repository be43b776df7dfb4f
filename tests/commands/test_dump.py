"""Pasted hex dumps: the output of xxd and `tcpdump -X`, also when a paste has damaged it."""

from __future__ import annotations

import re
import shutil
import string
import subprocess

import pytest
from click.testing import CliRunner
from hypothesis import example, given
from hypothesis import strategies as st

from wireproof.cli import group
from wireproof.explain.hexdump import DumpError, undump

#: An ApiVersions request of version 0, from client "me", correlation id 7: size, key, version, id, client.
REQUEST = bytes.fromhex("0000000c 0012 0000 00000007 0002 6d65")
XXD = "00000000: 0000 000c 0012 0000 0000 0007 0002 6d65  ..............me\n"
#: RFC 791: version 4, header of 5 words, 60 bytes in all, protocol 6, 127.0.0.1 to 127.0.0.1. RFC 9293: from port 54321
#: to 9092, header of 6 words, the last an option.
PACKET = """\
14:02:13.123456 IP localhost.54321 > localhost.9092: Flags [P.], seq 1:17, ack 1, win 512, length 16
\t0x0000:  4500 003c 0001 4000 4006 0000 7f00 0001  E..<..@.@.......
\t0x0010:  7f00 0001 d431 2384 0000 0001 0000 0001  .....1#.........
\t0x0020:  6018 0200 0000 0000 0101 0101 0000 000c  `...............
\t0x0030:  0012 0000 0000 0007 0002 6d65            ..........me
"""
#: RFC 9293: no data behind the header of 5 words.
ACK = """\
14:02:13.123470 IP localhost.54321 > localhost.9092: Flags [.], ack 17, win 512, length 0
\t0x0000:  4500 0028 0001 4000 4006 0000 7f00 0001  E..(..@.@.......
\t0x0010:  7f00 0001 d431 2384 0000 0001 0000 0001  .....1#.........
\t0x0020:  5010 0200 0000 0000                      P.......
"""
#: RFC 8200: 36 bytes behind the header of 40, next header 6, ::1 to ::1.
OVER_IPV6 = """\
\t0x0000:  6000 0000 0024 0640 0000 0000 0000 0000  `....$.@........
\t0x0010:  0000 0000 0000 0001 0000 0000 0000 0000  ................
\t0x0020:  0000 0000 0000 0001 d431 2384 0000 0001  .........1#.....
\t0x0030:  0000 0001 5018 0200 0000 0000 0000 000c  ....P...........
\t0x0040:  0012 0000 0000 0007 0002 6d65            ..........me
"""


@pytest.mark.parametrize(
    "text",
    [
        XXD,
        f"$ xxd request.bin\n{XXD}\n\n",
        XXD.replace("  ..............me", ""),
        XXD.replace("000c", "000C").replace("\n", "\r\n"),
        "00000000: 00 00 00 0c 00 12 00 00  ........\n00000008: 00 00 00 07 00 02 6d 65  ......me",
        "00001f40: 0000 000c 0012 0000  ........\n00001f48: 0000 0007 0002 6d65  ......me",
        "00000000: 0000 000c 0012 0000 0000 0007  ............\n0000000c: 0002 6d65                      ..me",
    ],
    ids=["whole", "with its command", "no text", "lines of Windows", "bytewise", "from further on", "short last row"],
)
def test_xxd(text: str) -> None:
    assert undump(text) == REQUEST


def test_text_that_looks_like_digits_and_blanks() -> None:
    assert undump("00000000: 6162 2020 3030 2020  ab  00  \n00000008: 2061  a") == b"ab  00   a"
    assert undump("00000000: 2020                                       ") == b"  "


@pytest.mark.parametrize(
    ("text", "carried"),
    [
        (PACKET, REQUEST),
        (OVER_IPV6, REQUEST),
        (ACK, b""),
        (PACKET + ACK + PACKET, REQUEST * 2),
        (PACKET.replace("14:02:13.123456 IP ", "IP (tos 0x0, ttl 64, id 1, proto TCP (6), length 60)\n    "), REQUEST),
        ("\t0x0000:  0000 000c 0012 0000 0000 0007 0002 6d65", REQUEST),
        ("\t0x002c:  0000 000c                                ....\n" + PACKET.split("\n")[4], REQUEST),
    ],
    ids=["a packet", "over IPv6", "nothing carried", "several", "tcpdump -v", "no headers", "cut to what was carried"],
)
def test_tcpdump(text: str, carried: bytes) -> None:
    assert undump(text) == carried


@pytest.mark.parametrize(
    "text", ["", "0002 6162", "00:02:61:62", "0000: 6162", "no dump", "0x00026162", "00000002:6162"]
)
def test_what_is_no_dump(text: str) -> None:
    assert undump(text) is None


ANSWER = PACKET.replace("d431 2384", "2384 d431")
LINES = PACKET.splitlines(keepends=True)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (LINES[1] + LINES[3], "line 2 of the dump is at offset 20, but the rows before it end at 10"),
        (LINES[1].replace(" 0001  E", "  E") + LINES[2], "line 1 of the dump shows 14 bytes, which its text, of 16"),
        (LINES[1].replace("4500", "450"), "line 1 of the dump: '450' has an odd number of digits"),
        (XXD.replace("000c", "000x"), "line 1 of the dump has something else behind its offset"),
        ("00000000:", "line 1 of the dump has something else behind its offset"),
        ("00000000: 01100001 01100010  ab", "digits are missing, or they are no hex digits (xxd -b)"),
        (XXD + "00000010 0000 000c  ....", "line 2 is no row of the dump"),
        (XXD + "*\n00000030: 00  .", "line 2 is no row of the dump"),
        (PACKET + "^C\n2 packets captured\n", "line 6 is no row of the dump"),
        (PACKET + ANSWER, "127.0.0.1 port 54321 (line 2), 127.0.0.1 port 9092 (line 7); give one direction at a time"),
        ("".join(LINES[:4]), "rows begin at line 2 is no whole TCP segment over IP"),
        (PACKET.replace("4006", "4011"), "no whole TCP segment"),
        (PACKET.replace("4500", "4100"), "no whole TCP segment"),
        (PACKET.replace("6018", "f018"), "no whole TCP segment"),
        (PACKET.replace("6018", "4018"), "no whole TCP segment"),
    ],
)
def test_what_is_wrong_with_a_dump(text: str, words: str) -> None:
    with pytest.raises(DumpError) as caught:
        undump(text)
    assert words in str(caught.value)


@given(st.binary(min_size=1, max_size=100), st.integers(1, 20), st.sampled_from([1, 2, 4]))
def test_what_xxd_prints_is_read(data: bytes, columns: int, group: int) -> None:
    rows = []
    for start in range(0, len(data), columns):
        row = data[start : start + columns]
        digits = " ".join(row[at : at + group].hex() for at in range(0, len(row), group))
        text = "".join(chr(byte) if chr(byte) in string.printable[:95] else "." for byte in row)
        rows.append(f"{start:08x}: {digits}  {text}")
    assert undump("\n".join(rows)) == data


@pytest.mark.skipif(shutil.which("xxd") is None, reason="there is no xxd here")
@pytest.mark.parametrize("options", [[], ["-c", "7"], ["-g", "1"], ["-u"], ["-o", "256"]])
def test_xxd_itself(options: list[str]) -> None:
    data = bytes(range(256)) + b"  two blanks  "
    done = subprocess.run(["xxd", *options], input=data, capture_output=True, check=True)
    assert undump(done.stdout.decode()) == data


@given(st.text(alphabet="0123456789abcdef :x\n\t.zE", max_size=80))
@example("\n\n0")
def test_no_text_ends_otherwise(text: str) -> None:
    for odd in (text, f"00000000: {text}", f"0x0000:  45{text}"):
        try:
            undump(odd)
        except DumpError as error:
            said = str(error)
            line = re.search(r"line (\d+)", said)
            assert "several senders" in said if line is None else 1 <= int(line[1]) <= odd.count("\n") + 1


def explain(*arguments: str, given: str | None = None) -> tuple[int, str]:
    result = CliRunner().invoke(group, ["explain", *arguments], input=given)
    return result.exit_code, result.output


def test_the_command_takes_them() -> None:
    wanted = explain(REQUEST.hex())
    assert wanted[0] == 0
    for text in (XXD, PACKET):
        assert explain(text) == explain("-", given=text) == wanted


def test_the_command_says_what_is_wrong() -> None:
    code, text = explain(*XXD.split())
    assert code == 2
    assert "put it in quotes, or give it on standard input" in " ".join(text.split())
    code, text = explain("00000000:", "6162", "ab")
    assert code == 2
    assert "the columns of a dump are told apart by its blanks" in " ".join(text.split())
