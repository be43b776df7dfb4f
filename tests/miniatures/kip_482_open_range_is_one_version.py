"""Reads a versionsWithOptional of "2+" as version 2 alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from miniatures import Produces, everything
from wireproof.reference import Reference

PRODUCES: Produces = frozenset(
    {
        ("null-encodings", "fail", "refused-valid"),
        ("tag-ordering", "fail", "refused-valid"),
        ("tag-ordering", "fail", "wrong-bytes"),
        ("tag-ordering", "fail", "accepted-invalid"),
    }
)

dialects = ("kip-482-v1",)
types = everything((), dialect="kip-482-v1")

_own = Reference()
rejects = _own.rejects
decode = _own.decode
encode = _own.encode


def configure(settings: Mapping[str, Any], *, dialect: str) -> None:
    schemas = [
        schema | {"versionsWithOptional": schema["versionsWithOptional"].strip("+")} for schema in settings["schemas"]
    ]
    _own.configure({**settings, "schemas": schemas}, dialect=dialect)
