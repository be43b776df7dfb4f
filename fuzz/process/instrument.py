"""Instruments Python code, so that libFuzzer sees the branches that an input takes.

Modules are instrumented when they are imported. Functions that they generate with `exec` are instrumented when they are
made, because an import hook does not see them. Only fuzzing processes use this module; other processes are unchanged.
"""

from __future__ import annotations

import builtins
import pkgutil
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import atheris

import wireproof

#: The number of generated functions that are instrumented as soon as they are made. Each takes about ten milliseconds,
#: and the messages have hundreds, so the others follow one by one.
AT_ONCE = 40

#: The package of the reference.
REFERENCE = "wireproof.reference"
#: Modules of the reference that are not instrumented, because they take the same branches for all inputs: half of all
#: branches were in them, and each costs a fifth of a microsecond. The code that some of them generate is instrumented.
_ALIKE = (
    REFERENCE,
    *(f"{REFERENCE}.{module}" for module in ("catalog", "codec", "cursor", "dialects.base", "errors", "rules")),
    f"{REFERENCE}.fast",
    *(f"{REFERENCE}.fast.{module}" for module in ("decoding", "encoding", "source")),
)
#: Modules of which only the branches are instrumented, and not what they compare: like the functions that the reference
#: generates, they read what a readable module reads too, and compare the same.
_BRANCHES = (f"{REFERENCE}.fast.records",)
#: Modules that only the inputs of this target reach.
_SCHEMA = "schema"
_OF_SCHEMAS = (f"{REFERENCE}.evolution", f"{REFERENCE}.schema.parsing")


def install(packages: Iterable[str], dialect: str, target: str) -> Generated:
    """Instrument the modules of these packages from now on, when they are imported, but no modules of the reference
    that no input of this dialect and target reaches. Modules that are already imported are not changed. Functions that
    they make with `exec` are instrumented as well; see `Generated`."""
    names = frozenset(packages)
    if names:
        # Other tools' loaders are left alone, except in a target packed by PyInstaller: its loader loads all modules.
        frozen = hasattr(sys, "frozen")
        left_out = [*_ALIKE, *_BRANCHES, *_never(dialect), *(() if target == _SCHEMA else _OF_SCHEMAS)]
        hook = atheris.instrument_imports(include=sorted(names), exclude=left_out, enable_loader_override=frozen)
        # The hook is never removed, because some modules are imported late.
        hook.__enter__()
    made = Generated(builtins.exec, names)
    builtins.exec = made
    return made


def show_branches() -> None:
    """Instrument the functions of the modules whose branches alone are shown, those that are imported by now."""
    for name in _BRANCHES:
        for item in vars(sys.modules[name]).values() if name in sys.modules else ():
            if isinstance(item, FunctionType) and item.__module__ == name:
                item.__code__ = atheris.patch_code(item.__code__, trace_dataflow=False)


def _never(dialect: str) -> Iterator[str]:
    """The kit's modules outside of the reference, and the reference's for other dialects: no input reaches them."""
    kit = Path(wireproof.__file__).parent
    others = _packages_of_others(kit / "reference" / "dialects", dialect)
    for module in _modules(kit, "wireproof."):
        if not belongs(module, (REFERENCE,)) or belongs(module, others):
            yield module


def _packages_of_others(folder: Path, dialect: str) -> frozenset[str]:
    """The packages of all dialects but this one, by their names (see `Dialect.name`): none may be imported yet. Modules
    beside them belong to all dialects."""
    own = dialect.replace("-", "_")
    found = (one.name for one in pkgutil.iter_modules([str(folder)]) if one.ispkg)
    return frozenset(f"{REFERENCE}.dialects.{name}" for name in found if not own.startswith(name))


def _modules(folder: Path, prefix: str) -> Iterator[str]:
    """The names of all modules in a package's folder."""
    for found in pkgutil.iter_modules([str(folder)], prefix):
        yield found.name
        if found.ispkg:
            yield from _modules(folder / found.name.removeprefix(prefix), f"{found.name}.")


def belongs(module: str, packages: Iterable[str]) -> bool:
    """Whether a module is one of these packages, or in one of them."""
    return f"{module}.".startswith(tuple(f"{package}." for package in packages))


class Generated:
    """`exec`, but functions that an instrumented module makes with it are instrumented: the first ones at once, then
    one with each call of `one_more`."""

    def __init__(self, usual: Any, packages: frozenset[str]) -> None:
        self._usual = usual
        self._packages = packages
        self._made = 0
        #: Functions, and whether what they compare is shown to libFuzzer too.
        self._waiting: deque[tuple[FunctionType, bool]] = deque()

    def __call__(self, source: Any, names: dict[str, Any] | None = None, inner: Any = None, /, **named: Any) -> None:
        caller = sys._getframe(1)  # noqa: SLF001 (exec also uses the names of its caller by default)
        if names is None:
            names = caller.f_globals
            inner = caller.f_locals if inner is None else inner
        within = names if inner is None else inner
        module = str(caller.f_globals.get("__name__", ""))
        if not belongs(module, self._packages) or not isinstance(source, str | CodeType):
            self._usual(source, names, within, **named)
            return
        code = compile(source, "<string>", "exec", dont_inherit=True) if isinstance(source, str) else source
        self._usual(code, names, within, **named)
        if code.co_filename.startswith("<"):
            inside = {id(constant) for constant in code.co_consts}
            # What the functions that the reference generates compare, lengths and markers, its readable codec compares
            # too, and shows it. A sixth of the time of an input went into showing it twice.
            compares = not belongs(module, (REFERENCE,))
            for item in [*within.values()]:
                if isinstance(item, FunctionType) and id(item.__code__) in inside:
                    self._waiting.append((item, compares))
                    self._made += 1
                    if self._made <= AT_ONCE:
                        self.one_more()

    def one_more(self) -> None:
        """Instrument one of the waiting functions."""
        if self._waiting:
            function, compares = self._waiting.popleft()
            function.__code__ = atheris.patch_code(function.__code__, trace_dataflow=compares)


def basic_mutation(data: bytes, most: int) -> bytes:
    """libFuzzer's own mutation. Looked up at each call, because `atheris.Setup` replaces the function."""
    return bytes(atheris.Mutate(data, most))
