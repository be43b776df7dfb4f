"""A clone with planted implementations: its folder, its registry, its attestations."""

from __future__ import annotations

from pathlib import Path

import pytest

from wireproof.clone import registry
from wireproof.conformance.evidence import attestation
from wireproof.conformance.evidence.attestation import Attestation

#: A right codec of one small type.
CODEC = """\
from wireproof.reference import decode as _decode
from wireproof.reference import encode as encode

version = "7"
types = {"kafka": {"BOOLEAN": None, "INT8": None}}


def decode(type, data, **named):
    return _decode(type, data, **named)
"""


class Clone:
    """A folder that the registry takes for the clone; it is the current one too."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.monkeypatch = monkeypatch
        self._entries = ""
        monkeypatch.setattr(registry, "ROOT", folder)
        monkeypatch.chdir(folder)
        self.write("pyproject.toml", "")
        self.write("implementations/registry.toml", "")

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        return path

    def add(self, name: str, text: str, **entry: str) -> Path:
        """A module as an implementation."""
        parts = {"name": name, "spec": name, "language": "python", **entry}
        self._entries += "[[implementation]]\n" + "".join(f'{key} = "{value}"\n' for key, value in parts.items())
        self.write("implementations/registry.toml", self._entries)
        return self.write(f"{name}.py", text)

    def file(self, name: str) -> Path:
        return self.folder / "vectors" / "attested" / f"{name}.jsonl"

    def attested(self, name: str) -> Attestation:
        return attestation.parse(self.file(name).read_bytes(), name)
