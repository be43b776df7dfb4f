"""What the tests of every second opinion share: how it is held beside the reference.

An answer is a value, or "refused".
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from wireproof import reference
from wireproof.conformance.model import Op
from wireproof.conformance.values.compare import equal
from wireproof.conformance.vectors import Vector

#: Puts a wrong reading into the reference.
Plant = Callable[[pytest.MonkeyPatch], None]


def imported(opinion: ModuleType) -> set[str]:
    """The packages that a module imports, wherever in it."""
    tree = ast.parse(Path(opinion.__file__ or "").read_text("utf-8"))
    names = {
        alias.name if isinstance(node, ast.Import) else node.module or ""
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    }
    return {name.partition(".")[0] for name in names}


def disagreements(
    own: reference.Reference, asked: Iterable[tuple[Vector, Op]], said: Callable[[Vector, Op], Any]
) -> set[str]:
    """The ids of the vectors asked to which the reference and the second opinion, `said`, have different answers."""
    found = set()
    for vector, op in asked:
        case = vector.case(op)
        arguments = {**case.args, "dialect": case.dialect}
        if case.type is not None:
            arguments |= {"type": case.type, "version": case.version}
        try:
            answer = getattr(own, op)(**arguments)
        except (reference.WireError, NotImplementedError):
            answer = "refused"
        if not equal(answer, said(vector, op)):
            found.add(vector.id)
    return found
