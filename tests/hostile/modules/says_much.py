"""Raises errors with long texts: in the `reason` of a refusal, its `message`, the `name` of its class, or of the
`function` that raises it."""

from types import FunctionType, SimpleNamespace
from typing import Any, NoReturn

LONG = "x" * 20_000


class RefusedError(ValueError):
    reason = LONG


def _raise(error: type[Exception]) -> NoReturn:
    raise error("\n".join([LONG] * 30))


_RAISE_LONG = FunctionType(_raise.__code__.replace(co_name=LONG, co_qualname=LONG), globals())


def _implementation(error: type[Exception] | None) -> Any:
    def decode(type: str, data: bytes, *, dialect: str, version: int | None = None) -> None:
        if error is None:
            _RAISE_LONG(RuntimeError)
        else:
            _raise(error)

    return SimpleNamespace(decode=decode, dialects=("kafka",), types={"kafka": {"INT32": None}})


reason = _implementation(RefusedError)
message = _implementation(RuntimeError)
name = _implementation(type(LONG, (Exception,), {}))
function = _implementation(None)
