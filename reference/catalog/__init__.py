"""Kafka's message schemas as facts: names, types, versions, tags, defaults; no prose.

Provenance: the message definitions inside kafka-clients 4.4.0 (Apache Kafka, Apache License 2.0), without comments,
descriptions, listeners, entity types and map keys, none of which changes a byte. RequestHeader is that of
kafka-clients 3.9.0, the last with version 0.
"""

from __future__ import annotations

import functools
import json
from importlib import resources

from reference.schema import Schema, parse


@functools.cache
def load(name: str) -> Schema | None:
    """The schema of this name, read when it is first asked for; None when the catalogue has none."""
    entry = resources.files(__package__) / f"{name}.json"
    return parse(entry.read_bytes()) if name.isalnum() and entry.is_file() else None


@functools.cache
def apis() -> dict[int, str]:
    """api key → the api's name ("Metadata"), from the catalogue's index."""
    index = json.loads((resources.files(__package__) / "index.json").read_bytes())
    return {int(key): name for key, name in index.items()}
