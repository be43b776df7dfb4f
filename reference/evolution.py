"""Finds the changes of a schema that break compatibility.

A change is compatible when programs with the old and the new schema understand each other in every version that both
have, and no tag gets a second meaning. The same code compares shipped schemas with tagged fields (R-K-24), and schemas
of kip-482-v1 with optional fields (R-482-13).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from wireproof.reference.errors import join
from wireproof.reference.schema import MAX_VERSION, Field, Schema, Versions


class Break(StrEnum):
    """How a change breaks compatibility; part of the public contract."""

    TAG_REUSED = "tag-reused"
    TYPE_CHANGED = "type-changed"
    NULLABILITY_CHANGED = "nullability-changed"
    VERSIONS_MOVED = "versions-moved"
    FIELD_CHANGED = "field-changed"
    # Of a ledger of ProtocolVersions (kip-35-v7).
    ENTRY_DELETED = "entry-deleted"
    NUMBER_CHANGED = "number-changed"
    NUMBER_PAST = "number-past"
    NUMBER_SKIPPED = "number-skipped"
    NUMBER_SHARED = "number-shared"


@dataclass(frozen=True, slots=True)
class Change:
    """A change at a path ("Foos.Bar"). `kind`: None for a compatible one. `detail`: text for a person.

    `ruling`: the contested ruling that decides whether the change breaks compatibility."""

    kind: Break | None
    path: str
    detail: str
    ruling: str = ""

    def as_json(self) -> dict[str, str]:
        """The form of a break in the op `evolve`."""
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


@dataclass(frozen=True, slots=True)
class Policy:
    """The points in which dialects, or readings of a dialect, differ.

    null_by_version        a tagged field has its null in some versions, as a plain one has; otherwise in all or none
    tagged_default_breaks  another default of a tagged field breaks: who reads no such tag takes its own default
    plain_default_breaks   another default of a plain field breaks, although it changes no byte
    default_ruling         the contested ruling on that, where it is one
    rename_breaks          another name under a tag, from one release to the next, is a reuse
    rename_ruling          the contested ruling on that, where it is one
    plain_rename_breaks    another name for a plain field in the same place breaks, although it changes no byte
    replacement_breaks     another structure under a tag in new versions is a change of type
    """

    null_by_version: bool
    tagged_default_breaks: bool = False
    plain_default_breaks: bool = False
    default_ruling: str = ""
    rename_breaks: bool = False
    rename_ruling: str = ""
    plain_rename_breaks: bool = False
    replacement_breaks: bool = True


def compare(old: Sequence[Schema], new: Schema, policy: Policy) -> Comparison:
    """The changes of `new` against each of the old releases, the oldest first. A break with any of them is a break."""
    changes: dict[tuple[Break | None, str], Change] = {}
    for index, release in enumerate(old):
        for change in _Pair(release, new, policy).changes():
            if change.kind is None and index < len(old) - 1:
                continue  # compatible changes are only reported against the last release
            changes.setdefault((change.kind, change.path), change)
    for change in _taken_up_again(old, new):
        changes.setdefault((change.kind, change.path), change)
    return Comparison(tuple(changes.values()))


# --- A tag over all releases ------------------------------------------------------------------------------------------


def _taken_up_again(old: Sequence[Schema], new: Schema) -> Iterator[Change]:
    """Tags of the new release that an earlier release had, a later one lacked, and that now belong to another field.

    Contexts are compared by path. A new name from one release to the next is not found here, but by `_Pair`.
    """
    history = [dict(_contexts(release.fields, "")) for release in old]
    for path, fields in _contexts(new.fields, ""):
        for tag, field in fields.items():
            before = [release[path][tag].name if tag in release.get(path, {}) else None for release in history]
            meant = _meant_before_a_gap([*before, field.name])
            if meant is not None:
                detail = f"tag {tag} meant {meant}, and was taken away; it can mean nothing else"
                yield Change(Break.TAG_REUSED, join(path, field.name), detail)


def _contexts(fields: Sequence[Field], path: str) -> Iterator[tuple[str, Mapping[int, Field]]]:
    """Every structure by its path (that of the body is ""), with those of its fields that have a tag."""
    yield path, {field.tag: field for field in fields if field.tag is not None}
    for field in fields:
        if field.fields is not None:
            yield from _contexts(field.fields, join(path, field.name))


def _meant_before_a_gap(names: Sequence[str | None]) -> str | None:
    """The name of a tag before another field got it; None where that never happened. `names`: the tag's name in each
    release, None where there is no such tag."""
    known: list[str] = []  # what it was called, the last name at the end
    there = False
    for name in names:
        if name is not None and known and not there and name not in known:
            return known[-1]
        if name is not None:
            known.append(name)
        there = name is not None
    return None


# --- Two releases -----------------------------------------------------------------------------------------------------


class _Pair:
    """One old release beside the new one."""

    def __init__(self, old: Schema, new: Schema, policy: Policy) -> None:
        self.old = old
        self.new = new
        self.policy = policy
        self.shared = old.versions & new.versions
        self.steps = _steps(old, new)

    def changes(self) -> Iterator[Change]:
        if self.old.api_key != self.new.api_key:
            yield Change(Break.FIELD_CHANGED, "apiKey", f"api key {self.old.api_key} is {self.new.api_key} now")
        for name, old, new in (
            ("versionsWithOptional", self.old.optional, self.new.optional),
            ("flexibleVersions", self.old.flexible, self.new.flexible),
        ):
            moved = [span for span in self._spans(self.shared) if (span.low in old) != (span.low in new)]
            if moved:
                detail = f"{old} before, {new} now: not the same for {_versions_text(moved)}, which is published"
                yield Change(Break.VERSIONS_MOVED, name, detail)
        yield from self._going_forward()
        yield from self._tags(self.old.fields, self.new.fields, "")
        for span in self._spans(self.shared):
            yield from self._layout(self.old.fields, self.new.fields, span.low, "")

    def _spans(self, versions: Versions) -> list[Versions]:
        """These versions, divided into spans in which no field begins or ends: all versions of a span are alike.

        There may be 32,768 versions, too many to compare one by one.
        """
        starts = [versions.low, *(step for step in self.steps if versions.low < step <= versions.high)]
        ends = [*(start - 1 for start in starts[1:]), versions.high]
        return [Versions(low, high) for low, high in zip(starts, ends, strict=True)] if versions else []

    def _going_forward(self) -> Iterator[Change]:
        """Once a version has optional fields, every later new version must have them: "new versions will have this
        support going forward"."""
        with_optional = [schema.versions & schema.optional for schema in (self.old, self.new)]
        first = min((span.low for span in with_optional if span), default=MAX_VERSION)
        later = Versions(max(first, self.old.versions.high) + 1, self.new.versions.high) & self.new.versions
        without = [span for span in self._spans(later) if span.low not in self.new.optional]
        if without:
            named = _versions_text(without)
            detail = f"{named} {'are' if named.startswith('versions') else 'is'} new, and without the optional fields"
            yield Change(Break.VERSIONS_MOVED, "versionsWithOptional", f"{detail} that version {first} has")

    # --- Mandatory fields: the same ones in the same places, in every version that both have ---

    def _layout(self, old: Iterable[Field], new: Iterable[Field], version: int, path: str) -> Iterator[Change]:
        before = [field for field in old if _is_plain(field, version)]
        now = [field for field in new if _is_plain(field, version)]
        names = {field.name for field in before} & {field.name for field in now}
        for earlier, later in zip(before, now, strict=False):
            at = join(path, later.name)
            if earlier.name != later.name:
                if names & {earlier.name, later.name}:
                    detail = f"in version {version} it stands where {earlier.name} stood"
                    yield Change(Break.FIELD_CHANGED, at, detail)
                    return
                kind = Break.FIELD_CHANGED if self.policy.plain_rename_breaks else None
                yield Change(kind, at, f"it was called {earlier.name}")
            difference = self._difference(earlier, later, version)
            if difference:
                yield Change(Break.FIELD_CHANGED, at, f"in version {version} {difference}")
            elif earlier.default != later.default:
                kind = Break.FIELD_CHANGED if self.policy.plain_default_breaks else None
                yield Change(kind, at, _default_text(earlier, later), self.policy.default_ruling)
            if earlier.fields is not None and later.fields is not None:
                if earlier.name != later.name:
                    yield from self._tags(earlier.fields, later.fields, at)
                yield from self._layout(earlier.fields, later.fields, version, at)
        for gone in before[len(now) :]:
            yield Change(Break.FIELD_CHANGED, join(path, gone.name), f"version {version} has it no more")
        for more in now[len(before) :]:
            yield Change(Break.FIELD_CHANGED, join(path, more.name), f"version {version} did not have it")
        behind = {field.tag: field for field in old if version in field.tagged}
        for field in new:
            same = behind.get(field.tag) if version in field.tagged else None
            if same is not None and same.fields is not None and field.fields is not None:
                yield from self._layout(same.fields, field.fields, version, join(path, field.name))

    def _difference(self, old: Field, new: Field, version: int) -> str:
        if _type(old) != _type(new):
            return f"{_type(old)} became {_type(new)}"
        if (version in old.nullable) != (version in new.nullable):
            return f"it {'can be null' if version in new.nullable else 'can be null no more'}"
        overridden = old.flexible is not None or new.flexible is not None
        if overridden and _is_compact(old, self.old, version) != _is_compact(new, self.new, version):
            return "its flexibleVersions differ"
        return ""

    # --- Tags: one meaning each, whatever the versions ---

    def _tags(self, old: Sequence[Field], new: Sequence[Field], path: str) -> Iterator[Change]:
        before = {field.tag: field for field in old if field.tag is not None}
        now = {field.tag: field for field in new if field.tag is not None}
        for tag, later in now.items():
            at = join(path, later.name)
            earlier = before.get(tag)
            if earlier is None:
                yield Change(None, at, f"new, under tag {tag}")
                continue
            yield from self._meaning(earlier, later, at)
        for tag in before.keys() - now.keys():
            detail = f"gone; its tag {tag} is never to be used again"
            yield Change(None, join(path, before[tag].name), detail)
        by_name = {field.name: field for field in old if field.tag is None}
        for field in new:
            pair = by_name.get(field.name) if field.tag is None else None
            if pair is not None and pair.fields is not None and field.fields is not None:
                yield from self._tags(pair.fields, field.fields, join(path, field.name))

    def _meaning(self, old: Field, new: Field, at: str) -> Iterator[Change]:
        if _type(old) != _type(new):
            if old.name == new.name:
                yield Change(Break.TYPE_CHANGED, at, f"{_type(old)} became {_type(new)}")
            else:
                detail = f"tag {new.tag} meant {old.name}, {_type(old)}; now it means a field of type {_type(new)}"
                yield Change(Break.TAG_REUSED, at, detail)
            return
        if old.name != new.name:
            kind = Break.TAG_REUSED if self.policy.rename_breaks else None
            yield Change(kind, at, f"it was called {old.name}", self.policy.rename_ruling)
        if self._is_replaced(old, new):
            kind = Break.TYPE_CHANGED if self.policy.replacement_breaks else None
            yield Change(kind, at, f"it is another structure in versions behind {self.old.versions.high}")
        if self._null_breaks(old, new):
            detail = f"null was allowed in {old.nullable}, and is now in {new.nullable}"
            yield Change(Break.NULLABILITY_CHANGED, at, detail)
        if old.default != new.default:
            kind = Break.FIELD_CHANGED if self.policy.tagged_default_breaks else None
            yield Change(kind, at, _default_text(old, new))
        if old.fields is not None and new.fields is not None:
            yield from self._tags(old.fields, new.fields, at)

    def _is_replaced(self, old: Field, new: Field) -> bool:
        """Whether another structure replaces this one in new versions: it keeps no field of the last old version, or a
        field has another type. In new versions a structure may gain and lose fields, as a body does."""
        there = self.old.versions & old.tagged
        if old.fields is None or new.fields is None or not there:
            return False
        before = _members(old.fields, there.high)
        behind = Versions(self.old.versions.high + 1, self.new.versions.high) & self.new.versions & new.tagged
        for span in self._spans(behind):
            now = _members(new.fields, span.low)
            kept = before.keys() & now.keys()
            renamed = list(before.values()) == list(now.values())  # no byte changes
            if before and not kept and not renamed or any(before[name] != now[name] for name in kept):
                return True
        return False

    def _null_breaks(self, old: Field, new: Field) -> bool:
        if not self.policy.null_by_version:
            return bool(old.nullable) != bool(new.nullable)
        published = self._spans(self.shared & old.tagged & new.tagged)
        return any((span.low in old.nullable) != (span.low in new.nullable) for span in published)


def _is_plain(field: Field, version: int) -> bool:
    return version in field.versions and version not in field.tagged


def _steps(*schemas: Schema) -> list[int]:
    """The versions at which something begins, or no longer exists."""
    spans = {span for schema in schemas for span in (schema.versions, schema.flexible, schema.optional)}
    for schema in schemas:
        spans.update(_field_spans(schema.fields))
    return sorted({version for span in spans for version in (span.low, span.high + 1)})


def _field_spans(fields: Iterable[Field]) -> Iterator[Versions]:
    for field in fields:
        yield from (field.versions, field.nullable, field.tagged)
        if field.flexible is not None:
            yield field.flexible
        if field.fields is not None:
            yield from _field_spans(field.fields)


def _members(fields: Iterable[Field], version: int) -> dict[str, str]:
    """The fields of a structure in one version with their types, tagged ones included."""
    return {field.name: _type(field) for field in fields if version in field.versions}


def _is_compact(field: Field, schema: Schema, version: int) -> bool:
    return version in (schema.flexible if field.flexible is None else field.flexible)


def _type(field: Field) -> str:
    """The type, as far as the bytes depend on it: the name of a structure does not count."""
    return f"{'array of ' if field.array else ''}{field.type if field.fields is None else 'structure'}"


def _default_text(old: Field, new: Field) -> str:
    return f"its default was {old.default!r} and is {new.default!r}"


def _versions_text(spans: Sequence[Versions]) -> str:
    """These versions in words; spans that meet are one."""
    joined: list[Versions] = []
    for span in spans:
        if joined and joined[-1].high + 1 == span.low:
            joined[-1] = Versions(joined[-1].low, span.high)
        else:
            joined.append(span)
    one = len(joined) == 1 and joined[0].low == joined[0].high
    return f"version{'' if one else 's'} {', '.join(map(_span_text, joined))}"


def _span_text(span: Versions) -> str:
    few = range(span.low, span.high + 1)[:4]
    return f"{span.low} to {span.high}" if len(few) > 3 else ", ".join(map(str, few))
