"""The content of control records, for `wireproof explain`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from wireproof import reference
from wireproof.conformance.report.text import brief
from wireproof.reference import catalog
from wireproof.reference.records.control import CONTROL, read_control
from wireproof.reference.rules import Rules

#: The maximum length of a record's content, in characters.
_SHOWN = 200


def control_lines(dialect: str, type_name: str, value: Any) -> list[str]:
    """A line for each control record in a value of Kafka's batches; none for other types."""
    if type_name not in reference.dialect_named(dialect).control_batches:
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
    from wireproof.reference.dialects.kafka import CatalogMessages

    try:
        control = read_control(record, CatalogMessages(catalog.current()), Rules())
    except reference.DecodeError as error:
        return f"not a control record: {error}"
    if control.kind is None:
        return f"type {control.type} is unknown: readers skip it"
    return f"{control.kind}, {brief(control.value, _SHOWN)}"
