"""Is a schema's change compatible? Those who speak the old schema and those who speak the new one still understand each
other in every version that both have, and no tag means two things.

The same walk serves kip-482-v1 (R-482-13) and the schemas that shipped (R-K-24): there an optional field, here a tagged
one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from reference.errors import join
from reference.schema import Field, Schema


class Break(StrEnum):
    """How a change breaks compatibility; part of the public contract."""

    TAG_REUSED = "tag-reused"
    TYPE_CHANGED = "type-changed"
    NULLABILITY_CHANGED = "nullability-changed"
    VERSIONS_MOVED = "versions-moved"
    FIELD_CHANGED = "field-changed"


@dataclass(frozen=True, slots=True)
class Change:
    """A change at a path ("Foos.Bar"); `kind` None: it breaks nothing. `detail` is for a person."""

    kind: Break | None
    path: str
    detail: str

    def as_json(self) -> dict[str, str]:
        """How the op `evolve` names a break."""
        return {"kind": str(self.kind), "path": self.path}


@dataclass(frozen=True, slots=True)
class Comparison:
    """What changed over a history of releases."""

    changes: tuple[Change, ...]

    @property
    def breaks(self) -> tuple[Change, ...]:
        """The changes that break compatibility."""
        return tuple(change for change in self.changes if change.kind is not None)

    @property
    def notes(self) -> tuple[Change, ...]:
        """The compatible ones."""
        return tuple(change for change in self.changes if change.kind is None)


def compare(old: Sequence[Schema], new: Schema, *, null_may_come: bool) -> Comparison:
    """What `new` changes against each of the old releases, the oldest first: a break with one is a break, whatever came
    between.

    `null_may_come`: a tagged field may become nullable.
    """
    found: dict[tuple[Break | None, str], Change] = {}
    for index, release in enumerate(old):
        for change in _Pair(release, new, null_may_come).changes():
            if change.kind is None and index < len(old) - 1:
                continue  # of compatible changes the latest step alone is news
            found.setdefault((change.kind, change.path), change)
    return Comparison(tuple(found.values()))


class _Pair:
    """One old release beside the new one."""

    def __init__(self, old: Schema, new: Schema, null_may_come: bool) -> None:
        self.old = old
        self.new = new
        self.null_may_come = null_may_come
        self.shared = range(max(old.versions.low, new.versions.low), min(old.versions.high, new.versions.high) + 1)

    def changes(self) -> Iterator[Change]:
        if self.old.api_key != self.new.api_key:
            yield Change(Break.FIELD_CHANGED, "apiKey", f"api key {self.old.api_key} is {self.new.api_key} now")
        for name, old, new in (
            ("versionsWithOptional", self.old.optional, self.new.optional),
            ("flexibleVersions", self.old.flexible, self.new.flexible),
        ):
            moved = [version for version in self.shared if (version in old) != (version in new)]
            if moved:
                detail = f"{old} before, {new} now: not the same for {_told(moved)}, which is published"
                yield Change(Break.VERSIONS_MOVED, name, detail)
        yield from self._tags(self.old.fields, self.new.fields, "")
        for version in self.shared:
            yield from self._layout(self.old.fields, self.new.fields, version, "")

    # --- Mandatory fields: the same ones in the same places, in every version that both have ---

    def _layout(self, old: Iterable[Field], new: Iterable[Field], version: int, path: str) -> Iterator[Change]:
        before = [field for field in old if _is_plain(field, version)]
        now = [field for field in new if _is_plain(field, version)]
        names = {field.name for field in before} & {field.name for field in now}
        for was, found in zip(before, now, strict=False):
            at = join(path, found.name)
            if was.name != found.name:
                if names & {was.name, found.name}:
                    detail = f"in version {version} it stands where {was.name} stood"
                    yield Change(Break.FIELD_CHANGED, at, detail)
                    return
                yield Change(None, at, f"it was called {was.name}")
            difference = self._difference(was, found, version)
            if difference:
                yield Change(Break.FIELD_CHANGED, at, f"in version {version} {difference}")
            elif was.default != found.default:
                yield _new_default(was, found, at)
            if was.fields is not None and found.fields is not None:
                if was.name != found.name:
                    yield from self._tags(was.fields, found.fields, at)
                yield from self._layout(was.fields, found.fields, version, at)
        for gone in before[len(now) :]:
            yield Change(Break.FIELD_CHANGED, join(path, gone.name), f"version {version} has it no more")
        for more in now[len(before) :]:
            yield Change(Break.FIELD_CHANGED, join(path, more.name), f"version {version} did not have it")
        behind = {field.tag: field for field in old if version in field.tagged}
        for field in new:
            same = behind.get(field.tag) if version in field.tagged else None
            if same is not None and same.fields is not None and field.fields is not None:
                yield from self._layout(same.fields, field.fields, version, join(path, field.name))

    def _difference(self, was: Field, found: Field, version: int) -> str:
        if _type(was) != _type(found):
            return f"{_type(was)} became {_type(found)}"
        if (version in was.nullable) != (version in found.nullable):
            return f"it {'can be null' if version in found.nullable else 'can be null no more'}"
        own = was.flexible is not None or found.flexible is not None
        if own and _is_compact(was, self.old, version) != _is_compact(found, self.new, version):
            return "its flexibleVersions differ"
        return ""

    # --- Tags: one meaning each, whatever the versions ---

    def _tags(self, old: Sequence[Field], new: Sequence[Field], path: str) -> Iterator[Change]:
        before = {field.tag: field for field in old if field.tag is not None}
        now = {field.tag: field for field in new if field.tag is not None}
        for tag, found in now.items():
            at = join(path, found.name)
            was = before.get(tag)
            if was is None:
                yield Change(None, at, f"new, under tag {tag}")
                continue
            yield from self._meaning(was, found, at)
        for tag in before.keys() - now.keys():
            detail = f"gone; its tag {tag} is never to be used again"
            yield Change(None, join(path, before[tag].name), detail)
        by_name = {field.name: field for field in old if field.tag is None}
        for field in new:
            pair = by_name.get(field.name) if field.tag is None else None
            if pair is not None and pair.fields is not None and field.fields is not None:
                yield from self._tags(pair.fields, field.fields, join(path, field.name))

    def _meaning(self, was: Field, found: Field, at: str) -> Iterator[Change]:
        if _type(was) != _type(found):
            if was.name == found.name:
                yield Change(Break.TYPE_CHANGED, at, f"{_type(was)} became {_type(found)}")
            else:
                detail = f"tag {found.tag} meant {was.name}, {_type(was)}; now it means a field of type {_type(found)}"
                yield Change(Break.TAG_REUSED, at, detail)
            return
        if was.name != found.name:
            yield Change(None, at, f"it was called {was.name}")
        if self._null_breaks(was, found):
            detail = f"null was allowed in {was.nullable}, and is now in {found.nullable}"
            yield Change(Break.NULLABILITY_CHANGED, at, detail)
        if was.default != found.default:
            yield _new_default(was, found, at)
        if was.fields is not None and found.fields is not None:
            yield from self._tags(was.fields, found.fields, at)

    def _null_breaks(self, was: Field, found: Field) -> bool:
        if not self.null_may_come:
            return bool(was.nullable) != bool(found.nullable)
        common = was.tagged & found.tagged
        ends = {common.low, *(span.low for span in (was.nullable, found.nullable)), found.nullable.high + 1}
        return any(end in common and end in was.nullable and end not in found.nullable for end in ends)


def _is_plain(field: Field, version: int) -> bool:
    return version in field.versions and version not in field.tagged


def _is_compact(field: Field, schema: Schema, version: int) -> bool:
    return version in (schema.flexible if field.flexible is None else field.flexible)


def _type(field: Field) -> str:
    """Types as the wire has them: what a structure is called does not count."""
    return f"{'array of ' if field.array else ''}{field.type if field.fields is None else 'structure'}"


def _new_default(was: Field, found: Field, at: str) -> Change:
    return Change(None, at, f"its default was {was.default!r} and is {found.default!r}")


def _told(versions: list[int]) -> str:
    return f"version {versions[0]}" if len(versions) == 1 else f"versions {', '.join(map(str, versions))}"
