"""Catalogues: Kafka's message schemas as facts: names, types, versions, tags, defaults; no prose.

The catalogue of this package was imported from kafka-clients 4.4.0 (Apache Kafka, Apache License 2.0), without
comments, descriptions, listeners, entity types and map keys, none of which changes a byte. `wireproof schema import`
makes a catalogue from any other kafka-clients jar; the environment variable WIREPROOF_CATALOG (`--catalog`) selects it.

    index.json      {"made_by": "…", "apis": {"3": "Metadata", …}, "messages": {"ApiVersionsRequest": [0, 5], …}}
    <Name>.json     a message schema
    removed/        the same for the messages of which Kafka 4.0 removed versions (KIP-896), from kafka-clients 3.9.1,
                    the last one that has them: all versions that brokers ever announced stand here or there
    coordinators/   keys and values of __consumer_offsets and __transaction_state, from kafka-group-coordinator and
                    kafka-transaction-coordinator 4.4.0
"""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from wireproof.reference.errors import SchemaError
from wireproof.reference.schema import MAX_VERSION, Schema, load_json, parse

#: Names the folder of the catalogue in force; unset: this package's.
VARIABLE = "WIREPROOF_CATALOG"
_EXPECTED = "a folder that `wireproof schema import` made is expected"


class Catalog:
    """The schemas of one folder; each is read when it is first needed."""

    def __init__(self, folder: Traversable) -> None:
        self.folder = folder
        self._schemas: dict[str, Schema | None] = {}

    @functools.cached_property
    def index(self) -> Mapping[str, Any]:
        """The content of index.json. Raises SchemaError when the folder has none."""
        entry = self.folder / "index.json"
        try:
            content: Mapping[str, Any] = load_json(entry.read_bytes())
        except OSError as error:
            raise SchemaError(f"{entry}: {error.strerror or error}; {_EXPECTED}") from None
        except SchemaError as error:
            raise SchemaError(f"{entry}: {error.detail}; {_EXPECTED}") from None
        if not _is_index(content):
            raise SchemaError(f"{entry}: made_by, apis and messages, as in the kit's own index, are expected")
        return content

    @functools.cached_property
    def apis(self) -> Mapping[int, str]:
        """Api key → the api's name ("Metadata"), of those that have a version."""
        return {int(key): str(name) for key, name in self.index["apis"].items()}

    @property
    def made_by(self) -> str:
        """The source of its schemas."""
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
            try:
                content = entry.read_bytes() if known else b""
            except OSError as error:
                raise SchemaError(f"{entry}: {error.strerror or error}") from None
            self._schemas[name] = parse(content, str(entry.name)) if known else None
        return self._schemas[name]

    def at(self, name: str, version: int) -> Schema | None:  # noqa: ARG002 (each message has one schema here)
        """The schema of this name for a version."""
        return self.load(name)


class WithRemoved(Catalog):
    """A catalogue with the versions, too, that Kafka 4.0 removed."""

    def __init__(self, catalog: Catalog, removed: Catalog) -> None:
        super().__init__(catalog.folder)
        self._catalog, self._removed = catalog, removed

    @functools.cached_property
    def apis(self) -> Mapping[int, str]:
        """Those of both."""
        return {**self._removed.apis, **self._catalog.apis}

    @functools.cached_property
    def messages(self) -> Mapping[str, tuple[int, int]]:
        """Name → (lowest, highest) version of both."""
        spans = dict(self._removed.messages)
        for name, (low, high) in self._catalog.messages.items():
            lowest, highest = spans.get(name, (low, high))
            spans[name] = min(low, lowest), max(high, highest)
        return spans

    def at(self, name: str, version: int) -> Schema | None:
        """The schema that has this version of the message; the catalogue's own where none has."""
        low, high = self._catalog.messages.get(name, (0, -1))
        return (None if low <= version <= high else self._removed.at(name, version)) or self._catalog.at(name, version)


def _is_index(content: Any) -> bool:
    """Whether this JSON has the form of an index."""
    match content:
        case {"made_by": str(), "apis": dict() as apis, "messages": dict() as messages}:
            return all(map(_is_api, apis.items())) and all(map(_is_span, messages.values()))
    return False


def _is_api(item: tuple[str, Any]) -> bool:
    key, name = item
    return key.isascii() and key.isdigit() and len(key) <= 5 and isinstance(name, str)


def _is_span(value: Any) -> bool:
    match value:
        case [int() as low, int() as high]:
            return 0 <= low <= high <= MAX_VERSION
    return False


#: CPython's mapping behind `os.environ`: every reading and writing asks it, and a lookup in `os.environ` itself takes
#: ten times as long, as much as reading a small message. Its names and values are bytes where the system's are.
_variables: Mapping[Any, Any] = getattr(os.environ, "_data", os.environ)
_name = os.fsencode(VARIABLE) if os.supports_bytes_environ and _variables is not os.environ else VARIABLE


@functools.cache
def _catalog(folder: str | bytes | None) -> Catalog:
    return Catalog(resources.files(__package__) if folder is None else Path(os.fsdecode(folder)))


def bundled() -> Catalog:
    """This package's own catalogue, whichever is in force."""
    return _catalog(None)


def current() -> Catalog:
    """The catalogue in force."""
    return _catalog(_variables.get(_name) or None)


@functools.cache
def with_removed(catalog: Catalog) -> Catalog:
    """This catalogue with the versions, too, that Kafka 4.0 removed."""
    return WithRemoved(catalog, Catalog(resources.files(__package__) / "removed"))


@functools.cache
def coordinators() -> Catalog:
    """The records of the group and the transaction coordinator."""
    return Catalog(resources.files(__package__) / "coordinators")
