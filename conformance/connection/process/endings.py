"""The end of a child process, described in one word for reports and in a text for people."""

from __future__ import annotations

import re
import signal
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from wireproof.conformance.model import Status

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Of a child's stderr these many first and last lines are shown, and this many characters of each line.
FIRST_LINES, LAST_LINES = 8, 16
_LINE_LENGTH = 400

#: The beginning of an answer.
_ANSWER = re.compile(rb'\s*\{\s*"(seq"\s*:\s*\d|value"\s*:|data"\s*:)')
_OUT_OF_MEMORY = re.compile(
    r"(out of|insufficient|cannot allocate) memory|bad_alloc|memory allocation of|outofmemoryerror|memoryerror",
    re.IGNORECASE,
)
_ASKED = re.compile(r"memory allocation of (\d{1,20}) bytes failed")  # as Rust has it
_STACK = re.compile(r'most recent call first\):\n((?:  File "[^\n]*", line \d+ in [^\n]*\n?)+)')
_FRAME = re.compile(r'  File "([^\n]*)", line \d+ in ([^\n]*)')
_SHELL_SIGNAL = 128


@dataclass(frozen=True)
class Ending:
    """The end of a process, for the observation of the case that caused it."""

    status: Status
    error: str
    detail: str
    frame: str = ""


def died(code: int, stderr: bytes, half_line: bytes = b"") -> Ending:
    """The process ended by itself. `code`: as in subprocess, negative for a signal."""
    if code < 0:
        error = _signal_name(-code)
        text = f"the process was ended by {error}"
    else:
        error = f"exit {code}"
        text = f"the process ended with exit code {code}"
        if code - _SHELL_SIGNAL in set(signal.Signals):
            text += f" (a shell uses this code for {_signal_name(code - _SHELL_SIGNAL)})"
    if half_line:
        text += f"\nits last line on stdout is not complete: {shorten(half_line)}"
    return Ending(_status(stderr), error, text + last_words(stderr), python_frame(stderr))


def _status(stderr: bytes) -> Status:
    """OOM if stderr speaks of memory, else CRASH. It is a CRASH too if the process asked for more memory than the
    machine has: then our limit is not the cause."""
    text = stderr.decode(errors="replace")
    asked = max((int(number) for number in _ASKED.findall(text)), default=0)
    if asked > psutil.virtual_memory().total:
        return Status.CRASH
    return Status.OOM if _OUT_OF_MEMORY.search(text) else Status.CRASH


def hung(timeout: float, stderr: bytes, *, known: bool = False) -> Ending:
    """The process gave no answer in time, and was killed. `known`: a known hang, for which the kit waits briefly."""
    why = ", a brief wait because it is known to hang" if known else ""
    text = f"no answer within {timeout:g} seconds{why}: the process was killed"
    return Ending(Status.HANG, "timeout", text + last_words(stderr), python_frame(stderr))


def oversized(grown: int, memory: int, stderr: bytes) -> Ending:
    """Its memory grew by `grown` bytes, beyond `memory` MiB, and it was killed."""
    text = f"its memory grew by {grown >> 20} MiB; {memory} MiB are allowed: the process was killed"
    return Ending(Status.OOM, "memory", text + last_words(stderr))


def flooded(size: int, sample: bytes, stderr: bytes) -> Ending:
    """The process wrote too much to stdout without an answer, and was killed. A short line counts as more bytes."""
    text = f"about {size >> 10} KiB on stdout without an answer: the process was killed. It begins {shorten(sample)}"
    return Ending(Status.VIOLATION, "flood", text + last_words(stderr))


def answered_too_long(line: bytes, limit: int, stderr: bytes) -> Ending | None:
    """The process began an answer, and went on beyond `limit` bytes: it was killed, although the answer may be right.
    None if the line does not begin as an answer."""
    if not _ANSWER.match(line[:80]):
        return None
    text = f"an answer of more than {limit >> 20} MiB, the longest line there may be: the process was killed"
    return Ending(Status.OOM, "long answer", f"{text}. It begins {shorten(line[:80])}{last_words(stderr)}")


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def shorten(line: bytes, limit: int = 80) -> str:
    """A line for a message: printable, without line feeds, cut to `limit` bytes."""
    text = f"'{_printable(line[:limit].decode(errors='backslashreplace'))}'"
    return text if len(line) <= limit else f"{text}… ({len(line)} bytes)"


def _printable(text: str, keep: str = "") -> str:
    """A text with escapes for characters that are not printable, but for some."""
    return "".join(char if char.isprintable() or char in keep else f"\\x{ord(char):02x}" for char in text)


def last_words(stderr: bytes) -> str:
    """The first and last lines of stderr, to be added to a detail; "" when stderr is empty."""
    text = _printable(stderr.decode(errors="replace").strip(), "\n\t")
    if not text:
        return ""
    lines = [line for line in text.split("\n") if not _is_our_frame(line)]
    if len(lines) <= FIRST_LINES + LAST_LINES:
        return "\nstderr ends:\n" + _paragraph(lines)
    first, last = lines[:FIRST_LINES], lines[-LAST_LINES:]
    return f"\nstderr begins:\n{_paragraph(first)}\n  …\nand ends:\n{_paragraph(last)}"


def _paragraph(lines: Sequence[str]) -> str:
    return "\n".join(f"  {line[:_LINE_LENGTH]}" for line in lines)


def _is_our_frame(line: str) -> bool:
    """Whether a line of a stack shows a frame of ours, below the implementation's frames."""
    frame = _FRAME.match(line)
    return frame is not None and _is_ours(frame[1])


def python_frame(stderr: bytes) -> str:
    """The top frame outside the standard library, "module:function", of the last stack that faulthandler printed."""
    stacks = _STACK.findall(stderr.decode(errors="replace"))
    frames = _FRAME.findall(stacks[-1]) if stacks else []
    their_frames = [(file, name) for file, name in frames if not _is_ours(file) and not _is_standard(file)]
    return f"{_module_name(their_frames[0][0])}:{their_frames[0][1]}" if their_frames else ""


def _is_ours(file: str) -> bool:
    return file.startswith("<frozen runpy") or Path(__file__).parents[1] in Path(file).parents


def _is_standard(file: str) -> bool:
    path, standard = Path(file), Path(sysconfig.get_path("stdlib"))
    return file.startswith("<frozen") or (
        path.is_relative_to(standard) and "site-packages" not in path.relative_to(standard).parts
    )


def _module_name(file: str) -> str:
    """The dotted name under which a file would be imported, by the search path."""
    path = Path(file).with_suffix("")
    roots = [Path(entry or ".").absolute() for entry in [*sys.path, ""]]
    names = [".".join(path.relative_to(root).parts) for root in roots if path.is_relative_to(root)]
    return min(names, key=len, default=path.name)
