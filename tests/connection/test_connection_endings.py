"""How processes end, and what is shown and kept of what they said."""

from __future__ import annotations

import random

import pytest

from wireproof.conformance.connection.process.endings import (
    FIRST_LINES,
    LAST_LINES,
    answered_too_long,
    died,
    last_words,
    python_frame,
    shorten,
)
from wireproof.conformance.connection.process.stderr import HEAD, TAIL, Stderr
from wireproof.conformance.model import Status


def test_how_processes_end() -> None:
    assert died(-6, b"").error == "SIGABRT"
    assert died(-64, b"").error == "SIGRTMAX"
    assert died(-99, b"").error == "signal 99"
    assert died(139, b"").detail == "the process ended with exit code 139 (a shell uses this code for SIGSEGV)"
    assert died(255, b"").detail == "the process ended with exit code 255"
    assert died(0, b"", b'{"seq":3,"va').detail.endswith("""its last line on stdout is not complete: '{"seq":3,"va'""")
    endless = died(-6, b"memory allocation of 1152921504606846976 bytes failed")
    assert endless.status is Status.CRASH
    for text in (b"fatal error: runtime: out of memory", b"std::bad_alloc", b"memory allocation of 8 bytes failed"):
        assert died(-6, text).status is Status.OOM
    assert died(-6, b"memory is fine").status is Status.CRASH


@pytest.mark.parametrize(
    ("line", "is_answer"),
    [
        (b'{"seq": 3, "data": "00', True),
        (b' { "seq" :3,', True),
        (b'{"value": {"hex": "00', True),  # the value before its seq
        (b'{"data":"00', True),
        (b'{"name": "mine"', False),
        (b'{"values": [', False),
        (b'garbage {"seq": 3', False),
    ],
)
def test_a_line_that_is_too_long_is_an_answer_if_it_begins_as_one(line: bytes, is_answer: bool) -> None:
    ending = answered_too_long(line.ljust(200, b"0"), 64 << 20, b"")
    assert (ending is not None) is is_answer
    if ending is not None:
        assert (ending.status, ending.error) == (Status.OOM, "long answer")
        assert ending.detail.startswith("an answer of more than 64 MiB")


def test_what_is_shown_is_harmless() -> None:
    assert shorten(b"\x1b[2Jhi\xff") == r"'\x1b[2Jhi\xff'"
    assert shorten(b"a" * 100) == f"'{'a' * 80}'… (100 bytes)"
    assert last_words(b"") == last_words(b"\n \n") == ""
    assert last_words(b"one\n\x1b[31mtwo\xff\n") == "\nstderr ends:\n  one\n  \\x1b[31mtwo�"


def test_first_and_last_lines_of_what_it_said_are_shown() -> None:
    lines = [f"\x1b{number} " + "x" * 1000 for number in range(FIRST_LINES + LAST_LINES)]
    shown = last_words("\n".join(lines).encode()).split("\n")
    assert shown[:2] == ["", "stderr ends:"]
    assert [len(line) for line in shown[2:]] == [2 + 400] * len(lines), "each cut, and escaped"
    shown = last_words("\n".join([*lines, "one more"]).encode()).split("\n")
    assert [line[:8] for line in shown] == [
        *["", "stderr b"],
        *[f"  \\x1b{number} "[:8] for number in range(FIRST_LINES)],
        "  …",
        "and ends",
        *[f"  \\x1b{number} "[:8] for number in range(FIRST_LINES + 1, len(lines))],
        "  one mo",
    ]


@pytest.mark.parametrize("size", [1, 700, 1 << 20])
def test_stderr_is_kept_in_bounded_memory(size: int) -> None:
    """Whatever the pieces: all of it when it is short, else its beginning and its end."""
    for length in (0, 1, HEAD, TAIL, HEAD + TAIL, HEAD + TAIL + 1, 5 * (HEAD + TAIL)):
        said = random.Random(length).randbytes(length)
        kept = Stderr()
        kept.add(b"of a question before")
        kept.answered()
        kept.answered()
        for start in range(0, length, size):
            kept.add(said[start : start + size])
        if length <= HEAD + TAIL:
            assert bytes(kept) == (said or b"of a question before")
        else:
            middle = b"\n... (%d bytes left out) ...\n" % (length - HEAD - TAIL)
            assert bytes(kept) == said[:HEAD] + middle + said[-TAIL:]
        assert kept.size == length + len(b"of a question before")
        kept.clear()
        assert (bytes(kept), kept.size) == (b"", 0)


def test_frames_of_a_python_stack() -> None:
    stack = """Fatal Python error: Aborted

Current thread 0x00007f (most recent call first):
  File "<frozen importlib>", line 3 in load
  File "/nowhere/package/codec.py", line 7 in read
  File "/nowhere/main.py", line 9 in decode
"""
    assert python_frame(stack.encode()) == "codec:read"
    assert python_frame(b"no stack at all") == ""
