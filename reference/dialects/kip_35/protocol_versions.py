"""The ProtocolVersion ledger: in which version of the whole protocol each request type and version came and went.

    ProduceRequest v3:
        Added in ProtocolVersion: 19
        Deprecated in ProtocolVersion: 25
        Removed in ProtocolVersion: 27

Source: KIP-35 version 7, ProtocolVersion and Managing the ProtocolVersion; R-35-7.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from reference.dialects.kip_35.client import NotSupportedError, agree
from reference.errors import shown

_HEAD = re.compile(r"([A-Za-z][A-Za-z0-9]*) v([0-9]{1,5}):")
_EVENT = re.compile(r"(Added|Deprecated|Removed) in ProtocolVersion: ([0-9]{1,10})")
_MAX_VERSION, _MAX_NUMBER = 2**15 - 1, 2**31 - 1


class LedgerError(ValueError):
    """A ledger that is refused; the text names the line or the entry."""


@dataclass(frozen=True, slots=True)
class Entry:
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
        """The ProtocolVersions in which something happened to it, in the order in which things happen."""
        return tuple(number for number in (self.added, self.deprecated, self.removed) if number is not None)

    def within(self, protocol_version: int) -> bool:
        """Whether this ProtocolVersion has it. Deprecated is still there."""
        return self.added <= protocol_version and (self.removed is None or protocol_version < self.removed)


@dataclass(frozen=True, slots=True)
class Break:
    """What a newer ledger does to an older one, and may not."""

    kind: Literal["deleted", "changed", "past"]
    name: str
    detail: str

    def __str__(self) -> str:
        return f"{self.name}: {self.detail}"


@dataclass(frozen=True, slots=True)
class Ledger:
    """Every entry that there ever was, in the order of the file.

    Raises LedgerError when an entry stands twice, is removed before it is deprecated or deprecated before it is added,
    or when a request's higher version was added before a lower one.
    """

    entries: tuple[Entry, ...]

    def __post_init__(self) -> None:
        for entry in self.entries:
            _check(entry)
        latest: dict[str, Entry] = {}
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
    def of(cls, setting: Iterable[Mapping[str, Any]]) -> Ledger:
        """From the setting `ledger`: [{"request", "version", "added", "deprecated", "removed"}], of which the last two
        may be missing or null. Raises LedgerError."""
        try:
            return cls(tuple(Entry(**item) for item in setting))
        except TypeError as error:
            raise LedgerError(f"an entry has request, version, added, deprecated and removed: {error}") from None

    @property
    def current(self) -> int:
        """The ProtocolVersion: the greatest number of all; 0 for an empty ledger."""
        return max((number for entry in self.entries for number in entry.numbers), default=0)

    def requests(self, protocol_version: int) -> dict[str, int]:
        """Request type → the highest version of it that this ProtocolVersion has."""
        found: dict[str, int] = {}
        for entry in self.entries:
            if entry.within(protocol_version):
                found[entry.request] = max(entry.version, found.get(entry.request, 0))
        return found

    def __str__(self) -> str:
        """The text form."""
        lines = []
        for entry in self.entries:
            lines.append(f"{entry.name}:")
            for word, number in (("Added", entry.added), ("Deprecated", entry.deprecated), ("Removed", entry.removed)):
                if number is not None:
                    lines.append(f"    {word} in ProtocolVersion: {number}")
        return "".join(f"{line}\n" for line in lines)


def _check(entry: Entry) -> None:
    if not isinstance(entry.request, str) or not _HEAD.fullmatch(f"{entry.request} v0:"):
        raise LedgerError(f"{shown(entry.request)} is no request type's name; letters and digits are expected")
    if not _within(entry.version, 0, _MAX_VERSION):
        raise LedgerError(f"{entry.request}: {shown(entry.version)} is no version from 0 to {_MAX_VERSION}")
    for number in (entry.added, *entry.numbers):
        if not _within(number, 1, _MAX_NUMBER):
            raise LedgerError(f"{entry.name}: {shown(number)} is no ProtocolVersion from 1 to {_MAX_NUMBER}")
    if list(entry.numbers) != sorted(entry.numbers):
        told = "added, deprecated and removed in this order"
        raise LedgerError(f"{entry.name}: {', '.join(map(str, entry.numbers))} do not grow; a version is {told}")
    if entry.removed == entry.added:
        raise LedgerError(f"{entry.name} is removed in {entry.removed}, which is to add it: it never was there")


def _within(number: object, low: int, high: int) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and low <= number <= high


def parse(text: str) -> Ledger:
    """A ledger from its text form; blank lines and indentation mean nothing. Raises LedgerError."""
    entries: list[Entry] = []
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
            found = _HEAD.fullmatch(said)
            if found is None:
                raise LedgerError(
                    f'line {number}: {shown(said)}; "ProduceRequest v3:" is expected, or behind that '
                    '"Added in ProtocolVersion: 19", "Deprecated …" or "Removed …"'
                )
            if head is not None:
                entries.append(_entry(head, events, line_of_head))
            head, events, line_of_head = found, {}, number
    if head is not None:
        entries.append(_entry(head, events, line_of_head))
    return Ledger(tuple(entries))


def _entry(head: re.Match[str], events: Mapping[str, int], line: int) -> Entry:
    if "added" not in events:
        raise LedgerError(f"line {line}: {head[0][:-1]} was never added; Added in ProtocolVersion is expected")
    return Entry(head[1], int(head[2]), events["added"], events.get("deprecated"), events.get("removed"))


def breaks(old: Ledger, new: Ledger) -> list[Break]:
    """What `new` does to the facts that `old` published; empty when it only adds.

    deleted   an entry is gone: when support ends, "Removed in ProtocolVersion" is added, and nothing is taken away
    changed   a number that was published is another now, or is gone
    past      something new is dated into a ProtocolVersion that was published before: what it holds would change
    """
    now = {(entry.request, entry.version): entry for entry in new.entries}
    then = {(entry.request, entry.version): entry for entry in old.entries}
    found = []
    for key, entry in then.items():
        if key not in now:
            detail = "it is not there any more; removing support adds “Removed in ProtocolVersion”, and deletes nothing"
            found.append(Break("deleted", entry.name, detail))
    for key, entry in now.items():
        before = then.get(key)
        for word in ("added", "deprecated", "removed"):
            told = None if before is None else getattr(before, word)
            says = getattr(entry, word)
            if told is not None and says != told:
                found.append(Break("changed", entry.name, f"{word} in {told} before, now {says or 'not at all'}"))
            elif told is None and says is not None and says <= old.current:
                detail = f"{word} in {says}, but ProtocolVersion {old.current} is published; at least {old.current + 1}"
                found.append(Break("past", entry.name, detail))
    return found


@dataclass(frozen=True, slots=True)
class Spoken:
    """What is spoken on a connection: the ProtocolVersion, and by request type the version to use."""

    protocol_version: int
    requests: Mapping[str, int]

    def version(self, request: str) -> int:
        """The version in which to send a request. Raises NotSupportedError, which names it."""
        if request not in self.requests:
            raise NotSupportedError(f"{request}: not supported by server, in ProtocolVersion {self.protocol_version}")
        return self.requests[request]


def select(ledger: Ledger, *ranges: tuple[int, int]) -> Spoken:
    """What to speak on the connection of a client and a broker with these ranges of ProtocolVersions, or among brokers.

    It holds for this connection alone. Raises NotSupportedError when the ranges have nothing in common.
    """
    chosen = agree(ranges)
    return Spoken(chosen, ledger.requests(chosen))
