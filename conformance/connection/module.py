"""A Python module (or an object in it) as an implementation: calls its functions, and turns their results and
exceptions into observations."""

from __future__ import annotations

import importlib
import struct
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wireproof.conformance.connection.base import ImplementationError
from wireproof.conformance.connection.protocol.shapes import ShapeError, shape
from wireproof.conformance.model import BY_NAME, TYPED_OPS, Case, Observation, Op, Status, argument_names

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import TracebackType

    from wireproof.conformance.model import Description

#: The ops that may refuse their input: bytes, a value, a schema. A broker and a client answer any input.
_MAY_REFUSE = TYPED_OPS | {Op.EVOLVE, Op.CONSUME, Op.PRODUCE}
#: Exceptions that mean "I refuse this", unless the module says otherwise in `rejects`.
REJECTS: tuple[type[BaseException], ...] = (ValueError, EOFError)
#: On encode and produce these mean it too.
ENCODE_REJECTS: tuple[type[BaseException], ...] = (TypeError, OverflowError, KeyError, struct.error)

_NOT_ITS_OWN = frozenset({Path(__file__).parent, Path(importlib.__file__).parent})
_HALVES = ("decode", "encode")
_DETAIL_LINES = 24
_LINE_LENGTH = 400


class Module:
    """A loaded implementation. `call` asks it a case, and raises nothing but KeyboardInterrupt."""

    def __init__(
        self,
        description: Description,
        functions: Mapping[Op, Callable[..., Any]],
        configure: Callable[..., Any] | None,
        rejects: tuple[type[BaseException], ...] = REJECTS,
    ) -> None:
        self.description = description
        self._functions = functions
        self._configure = configure
        self._rejects = dict.fromkeys(Op, rejects) | dict.fromkeys((Op.ENCODE, Op.PRODUCE), (*rejects, *ENCODE_REJECTS))

    def configure(self, dialect: str, settings: Mapping[str, Any]) -> bool:
        """Pass the settings. False: the module has no `configure`. Raises ImplementationError when it fails."""
        if self._configure is None:
            return False
        try:
            self._configure(settings, dialect=dialect)
        except NotImplementedError:
            return False
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise ImplementationError(
                f"it raised\n{trace_text(error)}\n"
                "The contract describes the settings. Raise NotImplementedError if you do not need them."
            ) from error
        return True

    def function(self, op: Op) -> Callable[..., Any] | None:
        """The module's own function of an op, for those who look at what it does themselves; None: it has none."""
        return self._functions.get(op)

    def refusals(self, op: Op) -> tuple[type[BaseException], ...]:
        """The exceptions by which an op refuses what it is asked; NotImplementedError is none, whatever it is."""
        return self._rejects[op]

    def call(self, case: Case, form: Callable[[Op, Any], Any] = shape) -> Observation:
        """The observation of one case. `form`: makes the observation's answer of what the function returned."""
        try:
            if case.op is Op.RECODE and Op.RECODE not in self._functions:
                return self._decode_and_encode(case)
            return Observation(case, Status.ANSWER, form(case.op, self._ask(case)))
        except ShapeError as error:
            return Observation(case, Status.VIOLATION, error="wrong form", detail=str(error))
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # any exception of an implementation is an observation
            return self._raised(case, error, case.op)

    def _function(self, op: Op) -> Callable[..., Any]:
        function = self._functions.get(op)
        if function is None:
            raise NotImplementedError(f"there is no function {op.value}")
        return function

    def _ask(self, case: Case) -> Any:
        function = self._function(case.op)
        names = argument_names(case.op, case.args)
        arguments = [case.args[name] for name in names if name not in BY_NAME]
        if case.op in TYPED_OPS:
            return function(case.type, *arguments, dialect=case.dialect, version=case.version)
        named = {name: case.args[name] for name in names if name in BY_NAME}
        return function(*arguments, dialect=case.dialect, **named)

    def _decode_and_encode(self, case: Case) -> Observation:
        """`recode` for a module without one: decode, then encode the value."""
        half = Op.DECODE
        try:
            encode = self._function(Op.ENCODE)
            value = self._function(half)(case.type, case.args["data"], dialect=case.dialect, version=case.version)
            half = Op.ENCODE
            written = encode(case.type, value, dialect=case.dialect, version=case.version)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # as in call
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
        if case.op in _MAY_REFUSE and isinstance(error, self._rejects[at]):
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
    # The `reason` of a UnicodeError is Python's own text, not one of the contract's reasons.
    reason = None if isinstance(error, UnicodeError) else getattr(error, "reason", None)
    return str.__str__(reason) if isinstance(reason, str) and reason else None


def _message(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception as failure:  # an implementation's exception may fail to print itself
        return f"(str() of it raised {type(failure).__name__})"
    return text if len(text) <= _LINE_LENGTH else f"{text[:_LINE_LENGTH]}… ({len(text)} characters)"


def _own_frames(trace: TracebackType | None) -> TracebackType | None:
    """The implementation's part of a traceback: the frames after ours and the import system's."""
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if not _NOT_ITS_OWN.intersection(Path(file).parents) and not file.startswith("<frozen importlib"):
            break
        trace = trace.tb_next
    return trace


def top_frame(error: BaseException) -> str:
    """The place of an exception, "module:function": the innermost frame outside the standard library, if there is one,
    else the first frame; "" if there is none."""
    place = ""
    trace = _own_frames(error.__traceback__)
    while trace is not None:
        module = str(trace.tb_frame.f_globals.get("__name__", "?"))
        if not place or module.partition(".")[0] not in sys.stdlib_module_names:
            place = f"{module}:{trace.tb_frame.f_code.co_name}"
        trace = trace.tb_next
    return place


def trace_text(error: BaseException) -> str:
    """The last lines of the traceback, without our own frames."""
    try:
        text = "".join(traceback.format_exception(type(error), error, _own_frames(error.__traceback__), limit=-8))
    except Exception:  # formatting calls the exception's own methods
        text = f"{type(error).__name__}: {_message(error)}"
    lines = [line if len(line) <= _LINE_LENGTH else f"{line[:_LINE_LENGTH]}…" for line in text.splitlines()]
    return "\n".join(lines[-_DETAIL_LINES:])
