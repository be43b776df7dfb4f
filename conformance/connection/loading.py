"""Imports the Python module of an implementation; errors say why a module is not accepted."""

from __future__ import annotations

import importlib
import inspect
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wireproof.conformance.connection import description as describing
from wireproof.conformance.connection.base import ImplementationError
from wireproof.conformance.connection.module import REJECTS, Module, trace_text
from wireproof.conformance.connection.protocol.shapes import brief
from wireproof.conformance.connection.spec import module_name
from wireproof.conformance.model import BY_NAME, OF_CLIENTS, TYPED_OPS, Op, argument_names

if TYPE_CHECKING:
    from collections.abc import Callable

    from wireproof.conformance.model import Description


def load(spec: str) -> Module:
    """Load the implementation `package.module[:attribute]`. The current folder is searched first.

    Raises ImplementationError.
    """
    name, colon, attribute = spec.partition(":")
    attributes = attribute.split(".") if colon else []
    if not all(part.isidentifier() for part in [*name.split("."), *attributes]):
        raise ImplementationError(_not_a_name(spec))
    here = str(Path.cwd())
    if here not in sys.path and "" not in sys.path:
        sys.path.insert(0, here)
    target = _import(module_name(spec), here)
    for part in attributes:
        if not hasattr(target, part):
            public = [word for word in dir(target) if not word.startswith("_")]
            raise ImplementationError(
                f"{spec}: {name} was imported, but has no attribute {attribute!r}.\n"
                f"It has: {', '.join(public) or 'nothing public'}."
            )
        target = getattr(target, part)
    return _implementation(target, spec)


def _implementation(target: Any, spec: str) -> Module:
    functions = {op: function for op in Op if callable(function := getattr(target, op.value, None))}
    if not functions:
        raise ImplementationError(_no_functions(target, spec))
    given = ("bootstrap",) if getattr(target, "bootstrap", False) is True else ()
    for op, function in functions.items():
        _check_signature(op, argument_names(op, given if op in OF_CLIENTS else ()), function, spec)
    configure = getattr(target, "configure", None)
    rejects = _rejects(target, spec)
    return Module(
        description=_describe(target, spec, set(functions), rejects),
        functions=functions,
        configure=configure if callable(configure) else None,
        rejects=rejects,
    )


#: Exceptions that nobody raises on purpose to refuse an input, and the end of the process.
_NEVER_REFUSALS = (SystemExit, KeyboardInterrupt, GeneratorExit, MemoryError, NameError)


def _import(name: str, here: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        missing = error.name or ""
        if name != missing and not name.startswith(f"{missing}."):
            raise ImplementationError(_import_failed(name, error)) from error
        if name.endswith(".py"):
            raise ImplementationError(_not_a_name(name)) from error
        raise ImplementationError(
            f"{name}: there is no module {missing!r}.\n"
            f"Looked in the current folder ({here}), in PYTHONPATH and in the packages of {sys.executable}.\n"
            "Run this in the folder of the module, or install the module. For a program write exec:COMMAND."
        ) from error
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise ImplementationError(_import_failed(name, error)) from error


def _import_failed(name: str, error: BaseException) -> str:
    return (
        f"{name} was found, but its import failed:\n{trace_text(error)}\n"
        f"Fix that first: `python -c 'import {name}'` shows it too."
    )


def _not_a_name(spec: str) -> str:
    path = spec.partition(":")[0]
    if path.endswith(".py"):
        name = path.removesuffix(".py").removeprefix(f".{os.sep}").replace(os.sep, ".")
        return f"{spec!r} is the name of a file; write the name of the module: {name}"
    if os.sep in path or " " in path:
        return f"{spec!r} is not the name of a module (package.module[:attribute]). For a program write exec:{spec}"
    return (
        f"{spec!r} is not the name of a module. Write package.module, package.module:attribute, exec:COMMAND, or "
        "tcp://HOST:PORT for a broker"
    )


def _no_functions(target: Any, spec: str) -> str:
    functions = [name for name, _ in inspect.getmembers(target, inspect.isroutine) if not name.startswith("_")]
    functions_text = f"Its functions: {', '.join(functions)}." if functions else "It has no functions."
    return (
        f"{spec} has none of the eleven functions {', '.join(Op)}.\n{functions_text}\n"
        "Write at least one, such as decode(type, data, *, dialect, version=None); "
        "`wireproof new wrapper python DIR` writes a module to start with."
    )


def _check_signature(op: Op, arguments: tuple[str, ...], function: Callable[..., Any], spec: str) -> None:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # a compiled function without a signature
        return
    names = [*(["type"] if op in TYPED_OPS else []), *(name for name in arguments if name not in BY_NAME)]
    by_name = [*(name for name in arguments if name in BY_NAME), "dialect"]
    keywords = dict.fromkeys(by_name) | ({"version": None} if op in TYPED_OPS else {})
    try:
        signature.bind(*names, **keywords)
    except TypeError as error:
        version = ", version=None" if op in TYPED_OPS else ""
        raise ImplementationError(
            f"{spec}: {op.value}{signature} cannot be called as the contract says: {error}.\n"
            f"Expected: {op.value}({', '.join(names)}, *, {', '.join(by_name)}{version})."
        ) from None


def _rejects(target: Any, spec: str) -> tuple[type[BaseException], ...]:
    declared = getattr(target, "rejects", REJECTS)
    classes = declared if isinstance(declared, (tuple, list)) else (declared,)
    if not all(isinstance(item, type) and issubclass(item, BaseException) for item in classes):
        raise ImplementationError(f"{spec}: `rejects` is {brief(declared)}; expected a tuple of exception classes")
    for item in classes:
        if any(issubclass(bug, item) for bug in _NEVER_REFUSALS):
            raise ImplementationError(
                f"{spec}: `rejects` has {item.__name__}, which its bugs raise too: every crash would be a refusal. "
                "List the exceptions that the library raises on purpose."
            )
    return tuple(classes)


def _describe(target: Any, spec: str, ops: set[Op], rejects: tuple[type[BaseException], ...]) -> Description:
    if {Op.DECODE, Op.ENCODE} <= ops:
        ops = {*ops, Op.RECODE}
    raw: dict[str, Any] = {"language": "python", "ops": [op.value for op in Op if op in ops]}
    for member in ("name", "version", "dialects", "types", "rebuilds", "readings", "bootstrap"):
        if hasattr(target, member):
            raw[member] = getattr(target, member)
    raw.setdefault("name", spec.replace(":", "."))
    raw["rejects"] = [item.__qualname__[: describing.LONGEST_NAME] for item in rejects if not issubclass(item, REJECTS)]
    try:
        return describing.parse(raw)
    except describing.DescriptionError as error:
        raise ImplementationError(f"{spec}: {error}") from None
