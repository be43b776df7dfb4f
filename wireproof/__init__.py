"""Wireproof: a conformance test kit for Kafka's wire protocol and the proposals it grew from.

`wireproof.reference` is the codec, `wireproof.vectors` the vectors; `wireproof.conformance` asks and judges. The other
modules here are the command line. In a clone, five folders here are links to those at the top (docs/adr/0016).
"""

from __future__ import annotations


def __getattr__(name: str) -> str:
    """`__version__`, read when needed: reading the metadata takes longer than starting the command line."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import metadata

    try:
        return metadata.version("wireproof")
    except metadata.PackageNotFoundError:
        return "0+source"
