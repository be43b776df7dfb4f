"""The implementations of a clone: those of `implementations/registry.toml`, and every wrapper that lies in
`implementations/<language>/<library>/wrapper`.

A wrapper in such a folder needs no entry: its name and its group are the library's (with the language before it, if the
name is taken), and `build` is the program of this name beside it, or in the folder above. An entry without a spec
changes its group.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import msgspec

from wireproof.conformance.connection.spec import known_beside
from wireproof.conformance.files import read_text
from wireproof.conformance.report.text import safe

#: The clone, if this is one.
ROOT = Path(__file__).resolve().parents[2]
_TABLE = "implementations/registry.toml"


class _Entry(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    name: str
    spec: str | None = None
    language: str | None = None
    group: str | None = None
    build: str | None = None
    install: str | None = None


class _File(msgspec.Struct, forbid_unknown_fields=True):
    implementation: list[_Entry] = []


@dataclass(frozen=True, slots=True)
class Implementation:
    """An implementation of the clone. `spec`: as `--impl` takes it in the clone's folder. `build`: the program that
    builds it, a path in the clone. `install`: what a person does if its library is missing."""

    name: str
    spec: str
    language: str
    group: str
    build: str | None = None
    install: str | None = None

    @property
    def absolute(self) -> str:
        """The spec for any current folder."""
        program = self.spec.removeprefix("exec:")
        return self.spec if program == self.spec else f"exec:{ROOT / program}"

    @property
    def known_file(self) -> Path | None:
        """Its file of known deviations."""
        return known_beside(self.absolute)

    @property
    def remedy(self) -> str:
        """What makes it run."""
        return self.build or self.install or "see its README"


def implementations() -> tuple[Implementation, ...]:
    """All implementations of the clone. Raises click.UsageError outside of a clone, and for a wrong table."""
    table = ROOT / _TABLE
    if not (ROOT / "pyproject.toml").is_file() or not table.is_file():
        raise click.UsageError(
            "the implementations are not part of an installed package: work in a clone of Wireproof, installed with "
            "pip install -e ."
        )
    try:
        entries = msgspec.convert(tomllib.loads(read_text(table)), _File).implementation
    except (OSError, ValueError) as error:
        raise click.UsageError(f"{_TABLE}: {error}") from None
    found = [_of_entry(entry) for entry in entries if entry.spec is not None]
    found += _of_folders({entry.name: entry for entry in entries})
    for names in ([entry.name for entry in entries], [one.name for one in found]):
        twice = [name for name, count in Counter(names).items() if count > 1]
        if twice:
            raise click.UsageError(f"{_TABLE}: two implementations are called {', '.join(twice)}")
    strangers = {entry.name for entry in entries} - {one.name for one in found}
    if strangers:
        raise click.UsageError(f"{_TABLE}: {', '.join(sorted(strangers))}: there is no spec and no such wrapper")
    return tuple(found)


def _of_entry(entry: _Entry) -> Implementation:
    assert entry.spec is not None
    group = entry.group or entry.name
    return Implementation(entry.name, entry.spec, entry.language or "", group, entry.build, entry.install)


def _of_folders(entries: Mapping[str, _Entry]) -> list[Implementation]:
    wrappers = sorted((ROOT / "implementations").glob("*/*/wrapper"))
    taken = Counter(wrapper.parent.name for wrapper in wrappers)
    taken.update(entry.name for entry in entries.values() if entry.spec is not None)
    found = []
    for wrapper in wrappers:
        library, language = wrapper.parent.name, wrapper.parent.parent.name
        name = library if taken[library] == 1 else f"{language}-{library}"
        entry = entries.get(name)
        builds = (wrapper.with_name("build"), wrapper.parent.with_name("build"))
        build = next((str(one.relative_to(ROOT)) for one in builds if one.is_file()), None)
        group = (entry.group if entry else None) or name
        found.append(Implementation(name, f"exec:{wrapper.relative_to(ROOT)}", language, group, build))
    return found


def chosen(specs: Sequence[str]) -> tuple[Implementation, ...]:
    """Those with these specs or names; all without any. Raises click.UsageError for an unknown one."""
    everything = implementations()
    if not specs:
        return everything
    by_spec = {key: one for one in everything for key in (one.spec, one.absolute, one.name)}
    unknown = [spec for spec in specs if spec not in by_spec]
    if unknown:
        names = ", ".join(one.name for one in everything)
        raise click.UsageError(f"--impl={safe(unknown[0])}: not in the registry. There are {names}.")
    return tuple(dict.fromkeys(by_spec[spec] for spec in specs))
