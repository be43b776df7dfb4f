"""The reference codec that says what bytes mean and how values are written: one for the whole process.

It is the readable codec alone: no generated code decides a verdict. Its only settings are the schemas that the vectors
use. An answer to a whole case (a broker's, or one under a declared reading) depends on more settings: ask
`vectors.configured_reference` for it.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Mapping
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

from wireproof import reference


@functools.cache
def shared_settings(dialect: str) -> Mapping[str, Any]:
    """The settings that all files of a dialect's vectors have: `schemas`, where there is a folder of them."""
    folder = resources.files("wireproof.vectors") / dialect / "schemas"
    return {"schemas": list(_schemas(folder))} if folder.is_dir() else {}


def _schemas(folder: Traversable) -> Iterator[Any]:
    """The schemas in a folder, by name, and those in the folders in it."""
    for entry in sorted(folder.iterdir(), key=lambda one: one.name):
        if entry.is_dir():
            yield from _schemas(entry)
        elif entry.name.endswith(".json"):
            yield json.loads(entry.read_bytes())


def own_settings(dialect: str) -> Mapping[str, Any]:
    """The settings of `reference_codec`. A broker is read in the versions, too, that Kafka 4.0 removed."""
    return {**shared_settings(dialect), "removed": True}


@functools.cache
def reference_codec() -> reference.Reference:
    """The reference that takes no other reading, with the schemas of every dialect's vectors. The judge asks it to
    read, write and complete values."""
    codec = reference.Reference()
    for dialect in reference.dialects:
        codec.configure(own_settings(dialect), dialect=dialect)
    return codec
