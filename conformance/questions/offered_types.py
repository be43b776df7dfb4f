"""The types and versions that an implementation says it offers, compared with those that the kit knows.

A name that is no type's, or versions above all that there are, would silently ask nothing: that is an error. What an
older or newer Kafka has, and the current catalogue has not, is told, with the command that imports its catalogue.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import TypeAlias

from wireproof import reference
from wireproof.conformance.model import Description
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.conformance.oracle.types import types_of
from wireproof.reference import catalog

#: Messages that Kafka has renamed since: no catalogue of today has their old names.
_RENAMED = ("AlterIsr", "ListClientMetricsResources")
#: Stand for several types.
_SEVERAL = frozenset({"*", "ARRAY", "NULLABLE_ARRAY", "COMPACT_ARRAY", "COMPACT_NULLABLE_ARRAY"})
#: The parts around the name of an api in names of types.
_PREFIX, _SUFFIXES = "ResponseFrame:", ("Request", "Response")
#: The types of a dialect, with their lowest and highest versions.
_Versions: TypeAlias = dict[str, tuple[int, int] | None]


def check(described: Description) -> None:
    """Raises ValueError for a type that there is not, or versions above all that it has."""
    for dialect, there, name, span in _listed(described):
        if name in there:
            lowest, highest = there[name] or (0, 0)
            if span is not None and there[name] is not None and span[0] > highest:
                raise ValueError(
                    f"`types` offers the versions {span[0]} to {span[1]} of {name}, which has {lowest} to {highest}"
                )
        elif not _is_of_another_kafka(dialect, name):
            near = difflib.get_close_matches(name, there, 1)
            meant = f"; did you mean {near[0]}?" if near else f": {', '.join(sorted(there)[:20])} …"
            raise ValueError(f"`types` offers {name}, and the dialect {dialect} has no type of this name{meant}")


def of_another_kafka(described: Description) -> list[str]:
    """What it offers of messages and versions that the current catalogue has not, as names with versions."""
    found = []
    for _, there, name, span in _listed(described):
        known = there.get(name)
        if known is None:
            if name not in there:
                found.append(name)
        elif span is not None:
            beyond = (span[0], min(span[1], known[0] - 1)), (max(span[0], known[1] + 1), span[1])
            found += [f"{name} {low}" + (f" to {high}" if high > low else "") for low, high in beyond if low <= high]
    return found


def _listed(described: Description) -> Iterator[tuple[str, _Versions, str, tuple[int, int] | None]]:
    """A dialect, the types that there are in it, and the name and versions of a type that is offered."""
    for dialect, names in (described.types or {}).items():
        if dialect in reference.dialects:
            there = _versions(dialect)
            yield from ((dialect, there, name, span) for name, span in names.items() if not _stands_for_several(name))


def _stands_for_several(name: str) -> bool:
    return name in _SEVERAL or "ARRAY<" in name


def _versions(dialect: str) -> _Versions:
    found: _Versions = dict.fromkeys(reference_codec().dialect(dialect).formats)
    found |= dict.fromkeys(name for name in reference.types[dialect] if not _stands_for_several(name))
    for name, version in types_of(dialect):
        known = found.get(name)
        found[name] = None if version is None else (version if known is None else known[0], version)
    return found


def _is_of_another_kafka(dialect: str, name: str) -> bool:
    if dialect != "kafka":
        return False
    message = f"{name.removeprefix(_PREFIX)}Response" if name.startswith(_PREFIX) else name
    api = next((message.removesuffix(suffix) for suffix in _SUFFIXES if message.endswith(suffix)), message)
    return api in _RENAMED or any(one.load(message) is not None for one in (catalog.bundled(), catalog.current()))
