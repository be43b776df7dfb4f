"""The ProtocolVersion ledger: which ProtocolVersion added, deprecated and removed each version of each request type.

    ProduceRequest v3:
        Added in ProtocolVersion: 19
        Deprecated in ProtocolVersion: 25
        Removed in ProtocolVersion: 27

`negotiate` asks for the number of a connection, and a `lookup` in PROTOCOL_VERSION for the requests that it stands for;
`select` is both.

Source: KIP-35 version 7, ProtocolVersion and Managing the ProtocolVersion; R-35-7.
"""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wireproof.reference.dialects.kip_35.client import NotSupportedError, agree
from wireproof.reference.errors import SchemaError, shown
from wireproof.reference.evolution import Break, Change, Comparison
from wireproof.reference.rules import DEMANDED, Rules

_HEAD = re.compile(r"([A-Za-z][A-Za-z0-9]*) v([0-9]{1,5}):")
_EVENT = re.compile(r"(Added|Deprecated|Removed) in ProtocolVersion: ([0-9]{1,10})")
_MAX_VERSION, _MAX_NUMBER = 2**15 - 1, 2**31 - 1


class LedgerError(SchemaError):
    """A ledger that is refused; the text names the line or the entry."""


@dataclass(frozen=True, slots=True)
class VersionEntry:
    """One version of one request type. `removed` is the first ProtocolVersion without it; None: it is still there."""

    request: str
    version: int
    added: int
    deprecated: int | None = None
    removed: int | None = None

    @property
    def name(self) -> str:
        return f"{self.request} v{self.version}"

    @property
    def numbers(self) -> tuple[int, ...]:
        """The ProtocolVersions that added, deprecated and removed it, in this order."""
        return tuple(number for number in (self.added, self.deprecated, self.removed) if number is not None)

    def within(self, protocol_version: int) -> bool:
        """Whether this ProtocolVersion has it; what is deprecated is still there."""
        return self.added <= protocol_version and (self.removed is None or protocol_version < self.removed)


@dataclass(frozen=True, slots=True)
class VersionLedger:
    """All entries, removed ones too, in the order of the file.

    Raises LedgerError when an entry stands twice, is removed before it is deprecated or deprecated before it is added,
    or when a request's higher version was added before a lower one.
    """

    entries: tuple[VersionEntry, ...]

    def __post_init__(self) -> None:
        for entry in self.entries:
            _check(entry)
        latest: dict[str, VersionEntry] = {}
        for entry in sorted(self.entries, key=lambda one: (one.request, one.version)):
            before = latest.get(entry.request)
            if before is not None and before.version == entry.version:
                raise LedgerError(f"{entry.name} stands twice")
            if before is not None and before.added > entry.added:
                raise LedgerError(
                    f"{entry.name} was added in {entry.added}, before {before.name} (in {before.added}): "
                    "ProtocolVersion only ever grows"
                )
            latest[entry.request] = entry

    @classmethod
    def of(cls, raw: Any) -> VersionLedger:
        """From JSON: {"protocolVersions": [{"request", "version", "added", "deprecated", "removed"}]}.

        The last two may be missing or null; beside the list there may be a `name`. Raises LedgerError."""
        if not isinstance(raw, Mapping) or not {"protocolVersions"} <= raw.keys() <= {"name", "protocolVersions"}:
            raise LedgerError(f'{shown(raw)} is no ledger; {{"protocolVersions": [entries]}} is expected')
        entries = raw["protocolVersions"]
        if not isinstance(entries, (list, tuple)) or not all(isinstance(entry, Mapping) for entry in entries):
            raise LedgerError(f"{shown(entries)} is no list of entries", "protocolVersions")
        try:
            return cls(tuple(VersionEntry(**entry) for entry in entries))
        except TypeError as error:
            detail = f"an entry has request, version, added, deprecated and removed: {error}"
            raise LedgerError(detail, "protocolVersions") from None

    @property
    def as_json(self) -> dict[str, Any]:
        """What `of` reads back."""
        return {"protocolVersions": [dataclasses.asdict(entry) for entry in self.entries]}

    @property
    def current(self) -> int:
        """The newest ProtocolVersion: the greatest number; 0 for an empty ledger."""
        return max((number for entry in self.entries for number in entry.numbers), default=0)

    def requests(self, protocol_version: int) -> dict[str, int]:
        """Request type → its highest version in this ProtocolVersion."""
        highest: dict[str, int] = {}
        for entry in self.entries:
            if entry.within(protocol_version):
                highest[entry.request] = max(entry.version, highest.get(entry.request, 0))
        return highest

    def __str__(self) -> str:
        """The text form."""
        lines = []
        for entry in self.entries:
            lines.append(f"{entry.name}:")
            for word, number in (("Added", entry.added), ("Deprecated", entry.deprecated), ("Removed", entry.removed)):
                if number is not None:
                    lines.append(f"    {word} in ProtocolVersion: {number}")
        return "".join(f"{line}\n" for line in lines)


def _check(entry: VersionEntry) -> None:
    if not isinstance(entry.request, str) or not _HEAD.fullmatch(f"{entry.request} v0:"):
        raise LedgerError(f"{shown(entry.request)} is no request type's name; letters and digits are expected")
    if not _within(entry.version, 0, _MAX_VERSION):
        raise LedgerError(f"{entry.request}: {shown(entry.version)} is no version from 0 to {_MAX_VERSION}")
    for number in (entry.added, *entry.numbers):
        if not _within(number, 1, _MAX_NUMBER):
            raise LedgerError(f"{entry.name}: {shown(number)} is no ProtocolVersion from 1 to {_MAX_NUMBER}")
    if list(entry.numbers) != sorted(entry.numbers):
        order = "added, deprecated and removed in this order"
        raise LedgerError(f"{entry.name}: {', '.join(map(str, entry.numbers))} do not grow; a version is {order}")
    if entry.removed == entry.added:
        raise LedgerError(f"{entry.name} is added and removed in {entry.removed}: it was never there")


def _within(number: object, low: int, high: int) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and low <= number <= high


def parse(text: str) -> VersionLedger:
    """A ledger from its text form; blank lines and indentation mean nothing. Raises LedgerError."""
    entries: list[VersionEntry] = []
    head: re.Match[str] | None = None  # of the entry that is being read, with its line and what happened to it
    line_of_head = 0
    events: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        said = line.strip()
        event = _EVENT.fullmatch(said)
        if event is not None and head is not None:
            word = event[1].lower()
            if word in events:
                raise LedgerError(f"line {number}: {head[0][:-1]} is {word} twice")
            events[word] = int(event[2])
        elif said:
            head_match = _HEAD.fullmatch(said)
            if head_match is None:
                raise LedgerError(
                    f'line {number}: {shown(said)}; "ProduceRequest v3:" is expected, or behind that '
                    '"Added in ProtocolVersion: 19", "Deprecated …" or "Removed …"'
                )
            if head is not None:
                entries.append(_entry(head, events, line_of_head))
            head, events, line_of_head = head_match, {}, number
    if head is not None:
        entries.append(_entry(head, events, line_of_head))
    return VersionLedger(tuple(entries))


def _entry(head: re.Match[str], events: Mapping[str, int], line: int) -> VersionEntry:
    if "added" not in events:
        raise LedgerError(f"line {line}: {head[0][:-1]} was never added; Added in ProtocolVersion is expected")
    return VersionEntry(head[1], int(head[2]), events["added"], events.get("deprecated"), events.get("removed"))


def compare(old: Sequence[VersionLedger], new: VersionLedger, rules: Rules = DEMANDED) -> Comparison:
    """The changes of `new` against the old ledgers, the oldest first; also new numbers that are left out or shared.

    entry-deleted    an entry is gone; when support ends, "Removed in ProtocolVersion" is added, and nothing is deleted
    number-changed   a published number has changed, or is gone
    number-past      a new event has a ProtocolVersion that is already published, whose content would change; of a
                     removal or deprecation under the current one (R-35-10 ‡, other: compatible)
    number-skipped   a new ProtocolVersion that is not the next one; gaps that are published are none of its own
    number-shared    several additions under one number: compatible and noted (R-35-7 ‡, other: this is a break)
    """
    changes: dict[tuple[Break | None, str], Change] = {}
    steps = itertools.chain.from_iterable(_steps(before, new, rules) for before in old)
    for change in itertools.chain(steps, _numbers(old, new), _shared(new, rules)):
        changes.setdefault((change.kind, change.path), change)
    return Comparison(tuple(changes.values()))


def _steps(old: VersionLedger, new: VersionLedger, rules: Rules) -> Iterator[Change]:
    now = {(entry.request, entry.version): entry for entry in new.entries}
    then = {(entry.request, entry.version): entry for entry in old.entries}
    for key, entry in then.items():
        if key not in now:
            detail = "it is gone; when support ends, “Removed in ProtocolVersion” is added, and nothing is deleted"
            yield Change(Break.ENTRY_DELETED, entry.name, detail)
    for key, entry in now.items():
        before = then.get(key)
        for word in ("added", "deprecated", "removed"):
            number = None if before is None else getattr(before, word)
            says = getattr(entry, word)
            if number is not None and says != number:
                detail = f"{word} in {number} before, now {'not at all' if says is None else says}"
                yield Change(Break.NUMBER_CHANGED, entry.name, detail)
            elif number is None and says is not None and says <= old.current:
                detail = f"{word} in {says}, but ProtocolVersion {old.current} is published; at least {old.current + 1}"
                contested = word != "added" and says == old.current
                allowed = contested and rules.ended_in == "current"
                yield Change(None if allowed else Break.NUMBER_PAST, entry.name, detail, "R-35-10" if contested else "")


def _numbers(old: Sequence[VersionLedger], new: VersionLedger) -> Iterator[Change]:
    """New numbers that do not follow one another, or the last published one."""
    current = max((ledger.current for ledger in old), default=0)
    used = {number for entry in new.entries for number in entry.numbers if number > current}
    published = [current] if current else []
    for before, behind in itertools.pairwise([*published, *sorted(used)]):
        if behind > before + 1:
            first = next(entry.name for entry in new.entries if behind in entry.numbers)
            detail = f"ProtocolVersion {behind} comes after {before}; it goes up by one for each addition"
            yield Change(Break.NUMBER_SKIPPED, first, detail)


def _shared(new: VersionLedger, rules: Rules) -> Iterator[Change]:
    kind = Break.NUMBER_SHARED if rules.shared_number == "refused" else None
    first: dict[int, VersionEntry] = {}
    for entry in new.entries:
        other = first.setdefault(entry.added, entry)
        if other is not entry:
            yield Change(kind, entry.name, f"added in {entry.added}, as {other.name} is", "R-35-7")


@dataclass(frozen=True, slots=True)
class Spoken:
    """The ProtocolVersion of a connection, and the version to use of each request type."""

    protocol_version: int
    requests: Mapping[str, int]

    def version(self, request: str) -> int:
        """The version of a request type to send. Raises NotSupportedError, which names the request."""
        if request not in self.requests:
            raise NotSupportedError(f"{request}: not supported by server, in ProtocolVersion {self.protocol_version}")
        return self.requests[request]


def select(ledger: VersionLedger, *ranges: tuple[int, int]) -> Spoken:
    """The versions for a connection between a client and a broker, or between brokers, with these ranges of
    ProtocolVersions.

    They hold for this connection alone. Raises NotSupportedError when the ranges have nothing in common.
    """
    chosen = agree(ranges)
    return Spoken(chosen, ledger.requests(chosen))
