"""Reduces a corpus to fewer and smaller inputs with the same coverage."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from wireproof.fuzz.targets.inputs import digest, split
from wireproof.fuzz.targets.session import Session

Reached = set[tuple[Any, ...]]


def needed(session: Session, raws: Iterable[bytes], packages: frozenset[str]) -> list[bytes]:
    """The inputs that add coverage, the smallest first. Coverage is each step from one line to another in the reference
    and in `packages`, and each head of an input."""
    seen: Reached = set()
    kept = []
    for raw in sorted(raws, key=lambda one: (len(one), one)):
        steps = reached(session, raw, packages)
        if not steps <= seen:
            seen |= steps
            kept.append(raw)
    return kept


def reached(
    session: Session, raw: bytes, packages: frozenset[str], codes: dict[int, CodeType] | None = None
) -> Reached:
    """The steps that an input takes from line to line, each with the code's id, the line before and the line; and the
    head of the input. Empty if the session does not take the input. `codes`: gets the code of each id."""
    steps: Reached = set()
    head, _ = split(raw)
    prefixes = tuple(f"{package}." for package in packages)

    def called(frame: FrameType, _event: str, _what: Any) -> Any:
        module = f"{frame.f_globals.get('__name__', '')}."
        if not module.startswith(prefixes) and not frame.f_code.co_filename.startswith("<generated"):
            return None
        code = id(frame.f_code)
        if codes is not None:
            codes[code] = frame.f_code
        last = 0

        def line(inner: FrameType, event: str, _: Any) -> Any:
            nonlocal last
            if event == "line":
                steps.add((code, last, inner.f_lineno))
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
    steps.add((head,))
    return steps if taken else set()


def minimise(
    session: Session, folder: Path, packages: Iterable[str], remove: Callable[[bytes], None]
) -> tuple[int, int]:
    """Remove the inputs of a corpus that are not needed. Returns the numbers of inputs before and after. Files that
    have not the name of an input are none."""
    contents = [entry.read_bytes() for entry in sorted(folder.iterdir()) if entry.is_file()]
    raws = {raw for raw in contents if (folder / digest(raw)).is_file()}
    kept = {*needed(session, raws, frozenset({"wireproof.reference", *packages}))}
    for raw in raws - kept:
        remove(raw)
    return len(raws), len(kept)
