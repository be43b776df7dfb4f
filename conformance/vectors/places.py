"""Where a vector stands: the file and the line, for tools that lead from a test to its source.

Files are not parsed for it: a vector begins where its `"id"` is written, a case of the ledger where its `"case"` is.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

from wireproof.conformance.vectors.user_folders import added_folder

#: The name of a vector, of a conversation, or of a case of the ledger, as it is written in JSON.
_NAME = re.compile(r'"(?:id|case)"\s*:\s*"([^"\\]+)"')


def place(name: str) -> tuple[Path, int]:
    """The file that holds the vector or the case of the ledger of an item, and its line, from 0. `name`: the item's
    id without the implementation. Of what no file holds, such as generated cases, the folder of the dialect's vectors,
    or of the user's."""
    path, _, _ = name.partition("#")
    first, _, rest = path.partition("/")
    area, _, inner = rest.partition("/")
    added = added_folder(path)
    folder = _vectors() if added is None else added
    candidates: Sequence[Path]
    if added is None and inner.count("/") >= 1 and area == "messages":
        message, _, case = inner.partition("/")
        candidates = (_file(f"{first}/{area}/{message}.jsonl"),)
        wanted = case.partition("/")[2]
    else:
        own = (_file(f"{first}/{area}.json"), _file(f"{area}.json"))
        candidates = own if added is None else sorted(folder.rglob("*.json"))
        wanted = inner
    for candidate in candidates:
        lines = _lines(candidate)
        if wanted in lines:
            return candidate, lines[wanted]
        if lines and added is None:  # derived from what the file holds
            return candidate, 0
    return folder / first if (folder / first).is_dir() else folder, 0


@functools.cache
def _vectors() -> Path:
    return Path(str(resources.files("wireproof.vectors")))


@functools.cache
def _file(name: str) -> Path:
    """A file of the kit's own vectors. Thousands of items stand in one."""
    return _vectors() / name


@functools.cache
def _lines(path: Path) -> dict[str, int]:
    """The line of each name in a file, from 0; empty if there is no such file."""
    if not path.is_file():
        return {}
    found: dict[str, int] = {}
    for number, line in enumerate(path.read_text("utf-8", "replace").splitlines()):
        for name in _NAME.findall(line):
            found.setdefault(name, number)
    return found
