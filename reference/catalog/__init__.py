"""Catalogues: Kafka's message schemas as facts: names, types, versions, tags, defaults; no prose.

The catalogue of this package was imported from kafka-clients 4.4.0 (Apache Kafka, Apache License 2.0), without
comments, descriptions, listeners, entity types and map keys, none of which changes a byte. `wireproof schema import`
makes one from any other kafka-clients jar; the environment variable WIREPROOF_CATALOG (`--catalog`) puts it in this
one's place.

    index.json      {"made_by": "…", "apis": {"3": "Metadata", …}, "messages": {"ApiVersionsRequest": [0, 5], …}}
    <Name>.json     a message schema
"""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Mapping
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from reference.errors import SchemaError
from reference.schema import Schema, parse

#: Names the folder of the catalogue in force; unset: this package's.
VARIABLE = "WIREPROOF_CATALOG"


class Catalog:
    """The schemas of one folder, each read when it is first asked for."""

    def __init__(self, folder: Traversable) -> None:
        self.folder = folder
        self._schemas: dict[str, Schema | None] = {}

    @functools.cached_property
    def index(self) -> Mapping[str, Any]:
        """The content of index.json. Raises SchemaError when the folder has none."""
        entry = self.folder / "index.json"
        try:
            found = json.loads(entry.read_bytes())
        except (OSError, ValueError) as error:
            raise SchemaError(f"{entry}: {error}; a folder that `wireproof schema import` made is expected") from None
        if not isinstance(found, dict) or not {"made_by", "apis", "messages"} <= found.keys():
            raise SchemaError(f"{entry}: made_by, apis and messages are expected")
        return found

    @functools.cached_property
    def apis(self) -> Mapping[int, str]:
        """Api key → the api's name ("Metadata"), of those that have a version."""
        return {int(key): str(name) for key, name in self.index["apis"].items()}

    @property
    def made_by(self) -> str:
        """Where its schemas are from."""
        return str(self.index["made_by"])

    @functools.cached_property
    def messages(self) -> Mapping[str, tuple[int, int]]:
        """Name → (lowest, highest) version, of all messages that have one."""
        return {name: (low, high) for name, (low, high) in self.index["messages"].items()}

    def load(self, name: str) -> Schema | None:
        """The schema of this name; None when the catalogue has none. Raises SchemaError for one that is no schema."""
        if name not in self._schemas:
            entry = self.folder / f"{name}.json"
            known = name.isalnum() and entry.is_file()
            self._schemas[name] = parse(entry.read_bytes(), str(entry.name)) if known else None
        return self._schemas[name]


@functools.cache
def _catalog(folder: str | None) -> Catalog:
    return Catalog(resources.files(__package__) if folder is None else Path(folder))


def bundled() -> Catalog:
    """This package's own catalogue, whichever is in force."""
    return _catalog(None)


def current() -> Catalog:
    """The catalogue in force."""
    return _catalog(os.environ.get(VARIABLE) or None)
