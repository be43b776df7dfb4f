"""Texts that tests compare with a file: `WIREPROOF_GOLDEN=write` writes them anew, for a person to look at."""

from __future__ import annotations

import os

from support.paths import TESTS

FOLDER = TESTS / "texts"


def check(name: str, text: str) -> None:
    """`text` is what `tests/texts/<name>.txt` holds."""
    path = FOLDER / f"{name}.txt"
    if os.environ.get("WIREPROOF_GOLDEN") == "write":
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"{text}\n", "utf-8")
    assert path.is_file(), f"there is no {path.name}: run with WIREPROOF_GOLDEN=write, and look at what it writes"
    assert text == path.read_text("utf-8").removesuffix("\n")
