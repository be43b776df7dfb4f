"""The dialects: versions of the protocol, each its types, its rules and its rulings in one small module."""

from __future__ import annotations

from reference.dialects.base import Dialect, UnknownType
from reference.dialects.kafka import Kafka

#: All dialects by id.
DIALECTS: dict[str, Dialect] = {dialect.name: dialect for dialect in (Kafka(),)}

__all__ = ["DIALECTS", "Dialect", "UnknownType"]
