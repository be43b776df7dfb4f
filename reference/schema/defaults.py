"""The default of a field: the one that its schema states, else its type's own."""

from __future__ import annotations

import base64
import contextlib
import re
import uuid
from collections.abc import Callable, Mapping
from typing import Any

from wireproof.reference.errors import SchemaError
from wireproof.reference.primitives import INTEGERS, NULL_UUID
from wireproof.reference.schema.model import Versions
from wireproof.reference.schema.parts import kind_of, whole

_KAFKA_UUID = re.compile(r"[A-Za-z0-9_-]{22}(?:==)?")
_USUAL_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


def default_of(raw: Any, type_name: str, array: bool, nullable: Versions, path: str) -> Any:
    """The default that a schema states, else the type's own: 0, false, "", empty, zero UUID. For a structure:
    `...` (Ellipsis), which stands for a structure of defaults."""
    path += ".default"
    if raw == "":  # how Kafka writes that no default is stated
        raw = None
    if raw == "null":
        if not nullable:
            raise SchemaError("null is the default of a field that is never nullable", path)
        return None
    if array:
        return _unstated(raw, [], "an array", path)
    if type_name.upper() in INTEGERS:
        return _integer(raw, *INTEGERS[type_name.upper()], path)
    parse = _DEFAULTS.get(type_name)
    if parse is not None:
        return parse(raw, path)
    if type_name == "records":
        return _unstated(raw, None if nullable else b"", "records", path)
    return _unstated(raw, ..., "a structure", path)


def _unstated(raw: Any, default: Any, what: str, path: str) -> Any:
    """The default of a type for which a schema states none, but null."""
    if raw is not None:
        raise SchemaError(f"{what} can't have a default but null, not {kind_of(raw)}", path)
    return default


def _bytes(raw: Any, path: str) -> Any:
    return _unstated(raw, b"", "bytes", path)


def _string(raw: Any, path: str) -> str:
    if raw is not None and not isinstance(raw, str):
        raise SchemaError(f"a string's default is a string, not {kind_of(raw)}", path)
    return raw or ""


def _integer(raw: Any, low: int, high: int, path: str) -> int:
    """A decimal or 0x number, or a string of one."""
    if raw is None:
        return 0
    number = raw
    if isinstance(raw, str) and re.fullmatch(r"-?(0[xX][0-9a-fA-F]{1,16}|[0-9]{1,20})", raw):
        number = int(raw, 16 if "x" in raw.lower() else 10)
    if not whole(number, low, high):
        raise SchemaError(f"{kind_of(raw)} is no default from {low} to {high}", path)
    return int(number)


def _bool(raw: Any, path: str) -> bool:
    if raw is None or isinstance(raw, bool):
        return raw is True
    if isinstance(raw, str) and raw.lower() in ("true", "false"):
        return raw.lower() == "true"
    raise SchemaError(f"{kind_of(raw)} is no boolean default; true or false is expected", path)


def _float(raw: Any, path: str) -> float:
    if raw is None:
        return 0.0
    if isinstance(raw, (int, float, str)) and not isinstance(raw, bool):
        with contextlib.suppress(ValueError, OverflowError):
            return float(raw)
    raise SchemaError(f"{kind_of(raw)} is no number", path)


def _uuid(raw: Any, path: str) -> uuid.UUID:
    """In Kafka's form, 22 characters of URL-safe base64, or in the usual one."""
    if raw is None:
        return NULL_UUID
    if isinstance(raw, str) and _KAFKA_UUID.fullmatch(raw):
        return uuid.UUID(bytes=base64.urlsafe_b64decode(raw[:22] + "=="))
    if isinstance(raw, str) and _USUAL_UUID.fullmatch(raw):
        return uuid.UUID(raw)
    raise SchemaError(f"{kind_of(raw)} is no UUID; 22 characters of URL-safe base64 are expected, or 8-4-4-4-12", path)


_DEFAULTS: Mapping[str, Callable[[Any, str], Any]] = {
    "bool": _bool,
    "bytes": _bytes,
    "float64": _float,
    "string": _string,
    "uuid": _uuid,
}
