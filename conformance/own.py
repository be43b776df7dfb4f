"""The kit's own reference, with the schemas of the vectors: what the judge, properties and reports ask."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from importlib import resources
from typing import Any

import reference


@functools.cache
def shared_settings(dialect: str) -> Mapping[str, Any]:
    """The settings that all files of a dialect's vectors have: `schemas`, where there is a folder of them."""
    folder = resources.files("vectors") / dialect / "schemas"
    if not folder.is_dir():
        return {}
    found = sorted((entry for entry in folder.iterdir() if entry.name.endswith(".json")), key=lambda one: one.name)
    return {"schemas": [json.loads(entry.read_bytes()) for entry in found]}


@functools.cache
def own() -> reference.Reference:
    """The reference that takes no other reading, with the schemas of every dialect's vectors."""
    found = reference.Reference()
    for dialect in reference.dialects:
        found.configure(shared_settings(dialect), dialect=dialect)
    return found
