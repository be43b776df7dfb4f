"""Wireproof: a conformance test kit for Kafka's wire protocol and the proposals it grew from.

This package holds the command line (`wireproof`) and the pytest plugin; the codec is `reference`, the vectors are
`vectors`, and what asks and judges is `conformance`.
"""

from __future__ import annotations


def __getattr__(name: str) -> str:
    """`__version__`, looked up when it is asked for: reading metadata costs more than starting the command line."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import metadata

    try:
        return metadata.version("wireproof")
    except metadata.PackageNotFoundError:
        return "0+source"
