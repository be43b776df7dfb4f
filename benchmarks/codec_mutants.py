"""Makes mutants of the reference's codec: copies of the package under another name, each with one small fault.

A fault is a bound that is off by one, a missing check, a number that is one larger, or two swapped fields. The places
are found in the source, and stand in the same order each time.
"""

from __future__ import annotations

import ast
import hashlib
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from wireproof import reference

_SOURCE = Path(reference.__file__).parent
#: Which modules are a dialect's codec.
MODULES: Mapping[str, tuple[str, ...]] = {
    "kafka": ("primitives.py", "message.py", "records/record.py", "records/message_set.py", "records/values.py"),
    "wire-format": tuple(f"dialects/wire_format/{name}.py" for name in ("messages", "parts", "sets", "values")),
    "kip-35-v7": tuple(f"dialects/kip_35/{name}.py" for name in ("properties", "protocol_versions", "tags")),
    "kip-82-int-keys": tuple(f"dialects/kip_82_int/{name}.py" for name in ("bodies", "headers", "messages", "records")),
    "kip-82-string-keys": tuple(
        f"dialects/kip_82_string_keys/{name}.py" for name in ("headers", "messages", "numbers")
    ),
    "kip-482-v1": ("optional_fields.py",),
}
_IMPORT = re.compile(r"^(\s*(?:from|import) )wireproof\.reference\b", re.MULTILINE)
_OTHER = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}


@dataclass(frozen=True, slots=True)
class Mutant:
    """A fault: its dialect, what kind it is, where it is, and the source of the module with it."""

    dialect: str
    kind: str
    module: str
    line: int
    was: str
    source: str

    @property
    def name(self) -> str:
        return f"{self.dialect} {self.module}:{self.line} {self.kind}: {self.was}"

    def write(self, folder: Path, package: str) -> None:
        """The copy with the fault, as a package of this name in a folder."""
        copy = folder / package
        shutil.copytree(_SOURCE, copy, ignore=shutil.ignore_patterns("__pycache__"))
        (copy / self.module).write_text(self.source, "utf-8")
        for path in copy.rglob("*.py"):
            path.write_text(_IMPORT.sub(rf"\g<1>{package}", path.read_text("utf-8")), "utf-8")


def mutants(dialect: str) -> Iterator[Mutant]:
    """All mutants of a dialect's codec, of all kinds and modules in turn."""
    found = [mutant for module in MODULES[dialect] for mutant in _of_module(dialect, module)]
    by_kind: dict[tuple[str, str], list[Mutant]] = {}
    for mutant in sorted(found, key=lambda one: hashlib.sha256(one.name.encode()).digest()):
        by_kind.setdefault((mutant.kind, mutant.module), []).append(mutant)
    while any(by_kind.values()):
        for group in by_kind.values():
            if group:
                yield group.pop()


def _of_module(dialect: str, module: str) -> Iterator[Mutant]:
    text = (_SOURCE / module).read_text("utf-8")
    sites = sum(1 for function in _functions(ast.parse(text)) for _ in _faults(function))
    for number in range(sites):
        tree = ast.parse(text)
        faults = (fault for function in _functions(tree) for fault in _faults(function))
        kind, line, plant = next(fault for at, fault in enumerate(faults) if at == number)
        plant()
        yield Mutant(dialect, kind, module, line, text.splitlines()[line - 1].strip()[:70], ast.unparse(tree))


def _functions(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def _faults(function: ast.FunctionDef) -> Iterator[tuple[str, int, Plant]]:
    """The faults that can be planted in the functions that read and write."""
    inner = {
        one
        for node in ast.walk(function)
        if node is not function and isinstance(node, ast.FunctionDef)
        for one in ast.walk(node)
    }
    for node in ast.walk(function):
        if node in inner:
            continue
        match node:
            case ast.Compare(ops=[operator]) if type(operator) in _OTHER:
                yield "bound", node.lineno, Plant(node, "ops", [_OTHER[type(operator)]()])
            case ast.If(body=[ast.Raise()]):
                yield "check", node.lineno, Plant(node, "test", ast.Constant(False))
            case ast.BinOp(right=ast.Constant(value=int() as number), op=ast.Add() | ast.Sub()):
                yield "number", node.lineno, Plant(node, "right", ast.Constant(number + 1))
            case ast.Dict(keys=[_, _, *_] as keys) if all(isinstance(key, ast.Constant) for key in keys):
                values = [node.values[1], node.values[0], *node.values[2:]]
                yield "swap", node.lineno, Plant(node, "values", values)


@dataclass(frozen=True, slots=True)
class Plant:
    """Puts something else into a node of the tree."""

    node: ast.AST
    field: str
    content: object

    def __call__(self) -> None:
        setattr(self.node, self.field, self.content)
