"""A corpus with the same coverage, and as few and as small inputs as are needed for it."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from types import FrameType
from typing import Any

from fuzz.inputs import split
from fuzz.session import Session

Reached = set[tuple[Any, ...]]


def needed(session: Session, raws: Iterable[bytes], packages: frozenset[str]) -> list[bytes]:
    """Of these inputs those, the small ones first, that reach a line of the reference or of `packages` from a line from
    which no one before them did, or show what none before them showed."""
    seen: Reached = set()
    kept = []
    for raw in sorted(raws, key=lambda one: (len(one), one)):
        reached = _reached(session, raw, packages)
        if not reached <= seen:
            seen |= reached
            kept.append(raw)
    return kept


def _reached(session: Session, raw: bytes, packages: frozenset[str]) -> Reached:
    found: Reached = set()
    head, _ = split(raw)

    def called(frame: FrameType, _event: str, _what: Any) -> Any:
        package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        if package not in packages and not frame.f_code.co_filename.startswith("<generated"):
            return None
        code = id(frame.f_code)
        last = 0

        def line(inner: FrameType, event: str, _: Any) -> Any:
            nonlocal last
            if event == "line":
                found.add((code, last, inner.f_lineno))
                last = inner.f_lineno
            return line

        return line

    before = sys.gettrace()
    sys.settrace(called)
    try:
        taken = session.execute(raw)
        session.finish()
    finally:
        sys.settrace(before)
    found.add((head,))
    return found if taken else set()


def minimise(session: Session, folder: Path, packages: Iterable[str]) -> tuple[int, int]:
    """Take the inputs out of a corpus that are not needed. How many there were, and how many are left."""
    files = [entry for entry in sorted(folder.iterdir()) if entry.is_file()]
    contents = {entry: entry.read_bytes() for entry in files}
    kept = {*needed(session, contents.values(), frozenset({"reference", *packages}))}
    for entry, raw in contents.items():
        if raw not in kept:
            entry.unlink()
    return len(files), len(kept)
