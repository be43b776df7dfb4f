"""What the records of a control batch say, for `wireproof explain`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import reference
from conformance.report.text import brief
from reference import catalog
from reference.records.control import CONTROL, read_control
from reference.rules import Rules

_BATCHES = ("RecordBatch", "RecordSet")
#: How much of what a record says is shown.
_SHOWN = 200


def control_lines(dialect: str, type_name: str, value: Any) -> list[str]:
    """A line for each control record in a value of Kafka's batches; none for other types."""
    if dialect != "kafka" or type_name not in _BATCHES:
        return []
    batches = enumerate([value] if type_name == "RecordBatch" else value)
    return [
        f"{f'[{number}].' if type_name == 'RecordSet' else ''}records[{index}]: {_said(record)}"
        for number, batch in batches
        for index, record in _control_records(batch)
    ]


def _control_records(batch: Mapping[str, Any]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    if batch.get("magic", 2) == 2 and batch["attributes"] & CONTROL:
        yield from enumerate(batch["records"])


def _said(record: Mapping[str, Any]) -> str:
    from reference.dialects.kafka import CatalogMessages

    try:
        found = read_control(record, CatalogMessages(catalog.current()), Rules())
    except reference.DecodeError as error:
        return f"no control record: {error}"
    if found.kind is None:
        return f"type {found.type}, which is not known: readers pass over it"
    return f"{found.kind}, {brief(found.value, _SHOWN)}"
