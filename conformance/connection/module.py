"""A Python module (or an object in one) as an implementation: found, described, called."""

from __future__ import annotations

import importlib
import inspect
import os
import struct
import sys
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conformance.connection import description as describing
from conformance.connection.base import ImplementationError
from conformance.connection.shapes import ShapeError, brief, shape
from conformance.model import ARGUMENTS, TYPED_OPS, Case, Observation, Op, Status

if TYPE_CHECKING:
    from types import TracebackType

    from conformance.model import Description

#: Exceptions that mean "I refuse this", unless the module says otherwise in `rejects`.
REJECTS: tuple[type[BaseException], ...] = (ValueError, EOFError)
#: On encode these mean it too.
ENCODE_REJECTS: tuple[type[BaseException], ...] = (TypeError, OverflowError, KeyError, struct.error)

_NOT_ITS_OWN = (Path(__file__).parent, Path(importlib.__file__).parent)
_HALVES = ("decode", "encode")
_DETAIL_LINES = 24
_LINE_LENGTH = 400


class Module:
    """A loaded implementation. `call` puts a case to it and never raises, but for KeyboardInterrupt."""

    def __init__(self, target: Any, spec: str) -> None:
        self._functions: dict[Op, Callable[..., Any]] = {
            op: function for op in Op if callable(function := getattr(target, op.value, None))
        }
        self._configure = getattr(target, "configure", None)
        if not self._functions:
            raise ImplementationError(_no_functions(target, spec))
        for op, function in self._functions.items():
            _check_signature(op, function, spec)
        rejects = _rejects(target, spec)
        self._rejects = dict.fromkeys(Op, rejects) | {Op.ENCODE: (*rejects, *ENCODE_REJECTS)}
        self.description = _describe(target, spec, self._ops())

    def _ops(self) -> list[str]:
        offered = set(self._functions)
        if {Op.DECODE, Op.ENCODE} <= offered:
            offered.add(Op.RECODE)
        return [op.value for op in Op if op in offered]

    def configure(self, dialect: str, settings: Mapping[str, Any]) -> bool:
        """Hand over the settings. False: the module has no `configure`. Raises ImplementationError when it fails."""
        if not callable(self._configure):
            return False
        try:
            self._configure(settings, dialect=dialect)
        except NotImplementedError:
            return False
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise ImplementationError(
                f"its configure(settings, dialect={dialect!r}) failed:\n{trace_text(error)}\n"
                "What settings hold is said in the contract; raise NotImplementedError to go without them."
            ) from error
        return True

    def call(self, case: Case) -> Observation:
        """What the module did with the case."""
        try:
            if case.op is Op.RECODE and Op.RECODE not in self._functions:
                return self._decode_and_encode(case)
            return Observation(case, Status.ANSWER, shape(case.op, self._ask(case)))
        except ShapeError as error:
            return Observation(case, Status.VIOLATION, error="wrong form", detail=str(error))
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 (whatever an implementation raises is an observation)
            return self._raised(case, error, case.op)

    def _function(self, op: Op) -> Callable[..., Any]:
        function = self._functions.get(op)
        if function is None:
            raise NotImplementedError(f"there is no function {op.value}")
        return function

    def _ask(self, case: Case) -> Any:
        function = self._function(case.op)
        arguments = [case.args[name] for name in ARGUMENTS[case.op]]
        if case.op in TYPED_OPS:
            return function(case.type, *arguments, dialect=case.dialect, version=case.version)
        return function(*arguments, dialect=case.dialect)

    def _decode_and_encode(self, case: Case) -> Observation:
        """`recode` as it is where the module has none: what encode writes for what decode read."""
        half = Op.DECODE
        try:
            encode = self._function(Op.ENCODE)
            value = self._function(half)(case.type, case.args["data"], dialect=case.dialect, version=case.version)
            half = Op.ENCODE
            written = encode(case.type, value, dialect=case.dialect, version=case.version)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 (as in call)
            return self._raised(case, error, half)
        return Observation(case, Status.ANSWER, shape(Op.RECODE, written))

    def _raised(self, case: Case, error: BaseException, at: Op) -> Observation:
        """An exception as an observation; `at`: the function that raised it."""
        if isinstance(error, NotImplementedError):
            why = _message(error) or f"{at.value} raised NotImplementedError"
            return Observation(case, Status.UNSUPPORTED, detail=why)
        name = type(error).__name__
        if isinstance(error, MemoryError):
            return Observation(case, Status.OOM, error=name, frame=top_frame(error), detail=trace_text(error))
        if isinstance(error, self._rejects[at]):
            named_half = getattr(error, "half", None)
            offset = getattr(error, "offset", None)
            return Observation(
                case,
                Status.REJECT,
                reason=_reason(error),
                offset=offset if isinstance(offset, int) and not isinstance(offset, bool) and offset >= 0 else None,
                half=_half(named_half, at) if case.op is Op.RECODE else None,
                detail=f"{name}: {_message(error)}",
            )
        return Observation(case, Status.CRASH, error=name, frame=top_frame(error), detail=trace_text(error))


def _half(named: object, at: Op) -> str | None:
    if isinstance(named, str) and named in _HALVES:
        return str(named)
    return at.value if at.value in _HALVES else None


def _reason(error: BaseException) -> str | None:
    # A UnicodeError's `reason` is the text codec's own wording, which means nothing here.
    reason = None if isinstance(error, UnicodeError) else getattr(error, "reason", None)
    return str.__str__(reason) if isinstance(reason, str) and reason else None


def _message(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception as failure:  # noqa: BLE001 (an implementation's exception may fail to print itself)
        return f"(its text could not be had: {type(failure).__name__})"
    return text if len(text) <= _LINE_LENGTH else f"{text[:_LINE_LENGTH]}… ({len(text)} characters)"


def _own_frames(trace: TracebackType | None) -> TracebackType | None:
    """The part of a traceback that is the implementation's: what comes after our frames and the import system's."""
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if Path(file).parent not in _NOT_ITS_OWN and not file.startswith("<frozen importlib"):
            break
        trace = trace.tb_next
    return trace


def top_frame(error: BaseException) -> str:
    """ "module:function" where it was raised: the innermost frame outside the standard library; "" if there is none."""
    found = ""
    trace = _own_frames(error.__traceback__)
    while trace is not None:
        module = str(trace.tb_frame.f_globals.get("__name__", "?"))
        if not found or module.partition(".")[0] not in sys.stdlib_module_names:
            found = f"{module}:{trace.tb_frame.f_code.co_name}"
        trace = trace.tb_next
    return found


def trace_text(error: BaseException) -> str:
    """The last lines of the traceback, without our own frames, at most a page."""
    try:
        text = "".join(traceback.format_exception(type(error), error, _own_frames(error.__traceback__), limit=-8))
    except Exception:  # noqa: BLE001 (formatting calls the exception's own methods)
        text = f"{type(error).__name__}: {_message(error)}"
    lines = [line if len(line) <= _LINE_LENGTH else f"{line[:_LINE_LENGTH]}…" for line in text.splitlines()]
    return "\n".join(lines[-_DETAIL_LINES:])


def load(spec: str) -> Module:
    """The implementation that `package.module[:attribute]` names; the current folder comes first in the search.

    Raises ImplementationError.
    """
    name, _, attribute = spec.partition(":")
    if not all(part.isidentifier() for part in [*name.split("."), *(attribute.split(".") if attribute else ())]):
        raise ImplementationError(_not_a_name(spec))
    here = str(Path.cwd())
    if here not in sys.path and "" not in sys.path:
        sys.path.insert(0, here)
    target = _import(name, here)
    for part in attribute.split(".") if attribute else ():
        if not hasattr(target, part):
            public = [word for word in dir(target) if not word.startswith("_")]
            raise ImplementationError(
                f"{spec}: {name} was imported, and has no attribute {attribute!r}.\n"
                f"It has: {', '.join(public) or 'nothing public'}."
            )
        target = getattr(target, part)
    return Module(target, spec)


def _import(name: str, here: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        missing = error.name or ""
        if name != missing and not name.startswith(f"{missing}."):
            raise ImplementationError(_import_failed(name, error)) from error
        raise ImplementationError(
            f"{name}: there is no module {missing!r}.\n"
            f"Looked in the current folder ({here}), in PYTHONPATH and in what is installed for {sys.executable}.\n"
            "Start from the folder that holds it, or install it; a program is given as exec:COMMAND."
        ) from error
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise ImplementationError(_import_failed(name, error)) from error


def _import_failed(name: str, error: BaseException) -> str:
    return f"{name} was found, and its import failed:\n{trace_text(error)}\nMend that first: `python -c 'import {name}'` shows it too."


def _not_a_name(spec: str) -> str:
    path = spec.partition(":")[0]
    if path.endswith(".py"):
        name = path.removesuffix(".py").removeprefix(f".{os.sep}").replace(os.sep, ".")
        return f"{spec!r} is a file's name; give the module's: {name}"
    if os.sep in path or " " in path:
        return f"{spec!r} is no module's name (package.module or package.module:attribute). A program is given as exec:{spec}"
    return f"{spec!r} is no module's name: package.module or package.module:attribute is expected, or exec:COMMAND"


def _no_functions(target: Any, spec: str) -> str:
    functions = [name for name, item in vars(target).items() if inspect.isfunction(item)] if hasattr(target, "__dict__") else []
    found = f"Its functions: {', '.join(functions)}." if functions else "It has no functions."
    return (
        f"{spec} has none of the eight functions {', '.join(Op)}.\n{found}\n"
        "Write at least one, such as decode(type, data, *, dialect, version=None); "
        "`wireproof new wrapper python DIR` makes a module to start from."
    )


def _check_signature(op: Op, function: Callable[..., Any], spec: str) -> None:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # a compiled function that does not tell
        return
    names = ("type", *ARGUMENTS[op]) if op in TYPED_OPS else ARGUMENTS[op]
    keywords = {"dialect": "", "version": None} if op in TYPED_OPS else {"dialect": ""}
    try:
        signature.bind(*names, **keywords)
    except TypeError as error:
        version = ", version=None" if op in TYPED_OPS else ""
        raise ImplementationError(
            f"{spec}: {op.value}{signature} cannot be called as the contract says: {error}.\n"
            f"Expected: {op.value}({', '.join(names)}, *, dialect{version})."
        ) from None


def _rejects(target: Any, spec: str) -> tuple[type[BaseException], ...]:
    found = getattr(target, "rejects", REJECTS)
    classes = found if isinstance(found, (tuple, list)) else (found,)
    if not all(isinstance(item, type) and issubclass(item, BaseException) for item in classes):
        raise ImplementationError(f"{spec}: `rejects` is {brief(found)}; expected a tuple of exception classes")
    return tuple(classes)


def _describe(target: Any, spec: str, ops: list[str]) -> Description:
    raw: dict[str, Any] = {"language": "python", "ops": ops}
    for member in ("name", "version", "dialects", "types", "rebuilds", "readings"):
        if hasattr(target, member):
            raw[member] = getattr(target, member)
    raw.setdefault("name", spec.replace(":", "."))
    try:
        return describing.parse(raw)
    except describing.DescriptionError as error:
        raise ImplementationError(f"{spec}: {error}") from None
