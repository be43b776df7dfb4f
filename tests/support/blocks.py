"""The marked code blocks of a Markdown page, so that what a page tells people to type is what is run.

    python3 tests/support/blocks.py PAGE          names of the page's blocks to run, one a line
    python3 tests/support/blocks.py PAGE NAME     that block's commands

A block is marked by an HTML comment on the line before its fence:

    <!-- run: NAME -->           shell commands that end with exit code 0
    <!-- run: NAME, exit 1 -->   … with that exit code
    <!-- output: NAME -->        lines that the commands of that name print, in this order; `…` alone stands for others
    <!-- file: PATH -->          a file that has to be there first

It needs the standard library alone: CI calls it before anything is installed.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

_MARK = re.compile(r"<!-- (?P<kind>run|output|file): (?P<name>[^\s,]+)(?:, exit (?P<code>\d+))? -->")


class PageError(ValueError):
    """A page whose marks cannot be followed; the text names page and line."""


@dataclass(frozen=True)
class Block:
    """A marked code block. `kind` is run, output or file; `code` the exit code that is expected of a run."""

    kind: str
    name: str
    code: int
    line: int
    text: str


def blocks(page: Path) -> list[Block]:
    """The marked blocks of a page, in its order. Raises PageError."""
    lines = page.read_text("utf-8").splitlines()
    found = []
    for number, line in enumerate(lines, 1):
        if not line.startswith(("<!-- run", "<!-- output", "<!-- file")):
            continue
        mark = _MARK.fullmatch(line)
        if mark is None:
            raise PageError(f"{page}, line {number}: {line!r} is no mark; see tests/support/blocks.py")
        text = _fenced(lines[number:], f"{page}, line {number}")
        found.append(Block(mark["kind"], mark["name"], int(mark["code"] or 0), number, text))
    return found


def unmarked_shell(page: Path) -> list[int]:
    """Lines at which a block of shell commands begins that is neither run nor a file that a test uses."""
    lines = page.read_text("utf-8").splitlines()
    return [
        number
        for number, (before, line) in enumerate(zip(["", *lines], lines, strict=False), 1)
        if line.strip() in ("```sh", "```bash", "```shell", "```console")
        and not before.startswith(("<!-- run", "<!-- file"))
    ]


def _fenced(lines: list[str], place: str) -> str:
    if not lines or not lines[0].startswith("```"):
        raise PageError(f"{place}: a code block has to follow the mark at once")
    try:
        end = lines.index("```", 1)
    except ValueError:
        raise PageError(f"{place}: the code block does not end") from None
    return "".join(f"{line}\n" for line in lines[1:end])


def main(arguments: list[str]) -> int:
    """Print names, or one block. The exit code is 2 when there is no such page or block."""
    try:
        runs = {block.name: block.text for block in blocks(Path(arguments[0])) if block.kind == "run"}
        sys.stdout.write(runs[arguments[1]] if len(arguments) > 1 else "".join(f"{name}\n" for name in runs))
    except (IndexError, KeyError, OSError, PageError) as error:
        sys.stderr.write(f"tests/support/blocks.py: {error or 'PAGE is missing'}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
