"""The key space of headers: who may use which keys, and the names of registered keys.

A register is text in columns, separated by tabs or commas, under a line that names them:

    key,name,description,by,url         a register of the open source: its keys are Kafka's or of the open space
    key,name,description,by,notes       an organisation's own register: its keys are local

    # owns 0x00110000-0x0011FFFF        limits a register to this range instead; allowed several times

A key is a decimal or 0x number up to 0xFFFFFFFF, or a negative one. Each entry has its own line. Blank lines and other
lines that begin with # are ignored. Registers are policy: every int32 decodes, registered or not.
Source: KIP-82 with int keys, Example Key Allocation; R-82i-7.
"""

from __future__ import annotations

import csv
import dataclasses
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from wireproof.errors import WireproofError
from wireproof.reference.cursor import Span
from wireproof.reference.errors import shown

RESERVED = "RESERVED"


@dataclass(frozen=True, slots=True)
class Range:
    """Keys as unsigned numbers, both ends included."""

    low: int
    high: int

    def __contains__(self, key: object) -> bool:
        """Whether a key, signed or unsigned, is in it."""
        return isinstance(key, int) and self.low <= unsigned(key) <= self.high

    def meets(self, other: Range) -> bool:
        return self.low <= other.high and other.low <= self.high

    def __str__(self) -> str:
        return f"0x{self.low:08X}-0x{self.high:08X}"


@dataclass(frozen=True, slots=True)
class Space:
    """A row of the allocation table."""

    range: Range
    name: str

    @property
    def reserved(self) -> bool:
        return self.name == RESERVED


_USES = ("Infrastructure", "Client", "Stack/Middleware", "Application", "User")


def _block(low: int, what: str) -> Iterator[Space]:
    """A mebi-block: 64 Ki keys for each use, the rest reserved."""
    for number, use in enumerate(_USES):
        start = low + number * 0x10000
        yield Space(Range(start, start + 0xFFFF), f"{what} - {use}")
    yield Space(Range(low + 0x50000, low + 0xFFFFF), RESERVED)


#: The allocation table: every key is in one of its rows.
ALLOCATION: tuple[Space, ...] = (
    Space(Range(0x00000000, 0x0000FFFF), "Kafka open source"),
    Space(Range(0x00010000, 0x000FFFFF), RESERVED),
    *_block(0x00100000, "Local use"),
    *_block(0x00200000, "Open use"),
    *_block(0x00300000, "Testing"),
    Space(Range(0x00400000, 0xFFFFFFFF), RESERVED),
)
_KAFKA, _LOCAL, _OPEN = Range(0, 0xFFFF), Range(0x00100000, 0x001FFFFF), Range(0x00200000, 0x002FFFFF)


def unsigned(key: int) -> int:
    """A key as an unsigned number, as in the allocation table."""
    return key & 0xFFFFFFFF


def classify(key: int) -> Space:
    """The row of the allocation table for an int32."""
    return next(space for space in ALLOCATION if key in space.range)


class KafkaHeaderKeys:
    """The draft's class of constants: the keys that Kafka itself has registered."""

    CLIENT_ID_KEY = 1
    CLUSTER_ID_KEY = 2
    CORRELATION_ID_KEY = 3


#: Kafka's own register, which is always loaded.
KAFKA_FILE = "KafkaHeaderKeys"
KAFKA_REGISTER = f"""\
key,name,description,by,url
{KafkaHeaderKeys.CLIENT_ID_KEY},client.id,producers client id,Apache Kafka,
{KafkaHeaderKeys.CLUSTER_ID_KEY},cluster.id,cluster id of where the message first originated,Apache Kafka,
{KafkaHeaderKeys.CORRELATION_ID_KEY},correlation.id,correlation id of a response to a request,Apache Kafka,
"""


@dataclass(frozen=True, slots=True)
class RegisteredKey:
    """A registered key, as an int32. `url` or `notes` is empty: a register has one of the two."""

    key: int
    name: str
    description: str
    by: str
    url: str
    notes: str
    file: str
    line: int

    @property
    def place(self) -> str:
        return f"{self.file}, line {self.line}"


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem of registers that can be read. `key` is None where it is not about one key.

    reserved      a key that the allocation table reserves
    out-of-range  a key outside of its register's ranges
    key-clash     a key that is already registered with another name, or by somebody else
    name-clash    a name that another key already has
    range-clash   two registers own the same keys
    """

    kind: Literal["reserved", "out-of-range", "key-clash", "name-clash", "range-clash"]
    place: str
    key: int | None
    detail: str

    def __str__(self) -> str:
        return f"{self.place}: {self.kind}: {self.detail}"


class RegisterError(WireproofError):
    """Text that is no register; the message names file, line and what is expected."""


@dataclass(frozen=True, slots=True)
class Registry:
    """All loaded registers. When a key comes twice, its first entry counts."""

    entries: tuple[RegisteredKey, ...]
    problems: tuple[Problem, ...]
    _first: Mapping[int, RegisteredKey]

    def name(self, key: int) -> str | None:
        """A key's registered name; None without one."""
        entry = self.entry(key)
        return None if entry is None else entry.name

    def entry(self, key: int) -> RegisteredKey | None:
        return self._first.get(key)

    def shown(self, key: int) -> str:
        """A key for display: its registered name, else its number and its row of the allocation table."""
        return self.name(key) or f"0x{unsigned(key):08X} ({classify(key).name})"


def load(registers: Mapping[str, str] | None = None) -> Registry:
    """Kafka's own register, and `registers`: file name → text. Raises RegisterError."""
    entries: list[RegisteredKey] = []
    by_key: dict[int, list[RegisteredKey]] = {}
    by_name: dict[str, list[RegisteredKey]] = {}
    problems: list[Problem] = []
    claims: list[tuple[str, Range]] = []
    for file, text in {KAFKA_FILE: KAFKA_REGISTER, **(registers or {})}.items():
        register = _read(file, text)
        for claim in register.claims:
            problems += [
                Problem("range-clash", file, None, f"{claim} is owned by {other} too, as {held}")
                for other, held in claims
                if claim.meets(held)
            ]
        claims += [(file, claim) for claim in register.claims]
        for entry in register.entries:
            problems += _misplaced(entry, register.owned)
            same_key, same_name = by_key.setdefault(entry.key, []), by_name.setdefault(entry.name, [])
            problems += _clashes(entry, same_key, same_name)
            entries.append(entry)
            same_key.append(entry)
            same_name.append(entry)
    return Registry(tuple(entries), tuple(problems), {key: entries_of_key[0] for key, entries_of_key in by_key.items()})


def named(spans: Sequence[Span], registry: Registry) -> list[Span]:
    """The spans, with the registered names of header keys."""
    return [
        dataclasses.replace(span, what=f"{span.what} {registry.shown(span.value)}") if span.what == "key" else span
        for span in spans
    ]


def _misplaced(entry: RegisteredKey, owned: Sequence[Range]) -> Iterator[Problem]:
    number = f"0x{unsigned(entry.key):08X}"
    if classify(entry.key).reserved:
        yield Problem("reserved", entry.place, entry.key, f"{number} ({entry.name}) is RESERVED")
    elif not any(entry.key in one for one in owned):
        ranges = " and ".join(map(str, owned))
        detail = f"{number} ({entry.name}) is {classify(entry.key).name}; this register has {ranges}"
        yield Problem("out-of-range", entry.place, entry.key, detail)


def _clashes(
    entry: RegisteredKey, same_key: Iterable[RegisteredKey], same_name: Iterable[RegisteredKey]
) -> Iterator[Problem]:
    """The problems of an entry with earlier ones that have the same key, or only the same name. The same entry twice is
    no problem: registers are copied."""
    for other in same_key:
        if (other.name, other.by) == (entry.name, entry.by):
            continue
        detail = f"0x{unsigned(entry.key):08X} ({entry.name}) is {other.name} already, in {other.place}"
        yield Problem("key-clash", entry.place, entry.key, detail)
    for other in same_name:
        if other.key != entry.key:
            detail = f"{entry.name} is the name of 0x{unsigned(other.key):08X} already, in {other.place}"
            yield Problem("name-clash", entry.place, entry.key, detail)


# --- The text of a register -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Register:
    """`claims`: the ranges that it names; `owned`: the ranges that its keys have to be in."""

    entries: tuple[RegisteredKey, ...]
    claims: tuple[Range, ...]
    owned: tuple[Range, ...]


#: Spreadsheets write it before text in UTF-8.
_BOM = "\ufeff"
_COLUMNS = ("key", "name", "description", "by")
#: The last column tells the kind of register, and so its ranges.
_OWNED = {"url": (_KAFKA, _OPEN), "notes": (_LOCAL,)}
_NUMBER = re.compile(r"-?[0-9]{1,10}|0[xX][0-9a-fA-F]{1,8}")
_OWNS = re.compile(r"#\s*owns\b(.*)", re.IGNORECASE)
_SPAN = re.compile(r"\s+(\S+?)\s*-\s*(\S+)\s*")


def _read(file: str, text: str) -> _Register:
    claims: list[Range] = []
    lines: list[tuple[int, str]] = []
    for number, line in enumerate(text.removeprefix(_BOM).splitlines(), 1):
        owns = _OWNS.fullmatch(line)
        if owns is not None:
            claims.append(_range(owns[1], f"{file}, line {number}"))
        elif line.strip() and not line.startswith("#"):
            lines.append((number, line))
    if not lines:
        raise RegisterError(f"{file}: no columns; the first line names them: {','.join(_COLUMNS)},url or notes")
    (number, head), *rows = lines
    separator = "\t" if "\t" in head else ","
    names = [name.strip().lower() for name in head.split(separator)]
    last = names[-1]
    if tuple(names[:-1]) != _COLUMNS or last not in _OWNED:
        expected = f"{', '.join(_COLUMNS)} and url or notes"
        raise RegisterError(f"{file}, line {number}: the columns are {shown(head)}; {expected} are expected")
    entries = tuple(_entry(_cells(row, separator, f"{file}, line {at}"), last, file, at) for at, row in rows)
    return _Register(entries, tuple(claims), tuple(claims) or _OWNED[last])


def _cells(row: str, separator: str, place: str) -> list[str]:
    try:
        (cells,) = csv.reader(io.StringIO(row), delimiter=separator, strict=True)
    except csv.Error as error:
        raise RegisterError(f"{place}: {error}; an entry has a line of its own") from None
    stripped = [cell.strip() for cell in cells]
    if len(stripped) != len(_COLUMNS) + 1:
        raise RegisterError(f"{place}: {len(stripped)} columns; {len(_COLUMNS) + 1} are expected")
    return stripped


def _entry(cells: Sequence[str], last: str, file: str, line: int) -> RegisteredKey:
    key, name, description, by, more = cells
    place = f"{file}, line {line}"
    if not name:
        raise RegisterError(f"{place}: key {shown(key)} has no name")
    number = _number(key, place)
    url, notes = (more, "") if last == "url" else ("", more)
    return RegisteredKey(number - 2**32 if number >= 2**31 else number, name, description, by, url, notes, file, line)


def _number(text: str, place: str) -> int:
    number = int(text, 16 if text[1:2] in ("x", "X") else 10) if _NUMBER.fullmatch(text) else None
    if number is None or not -(2**31) <= number < 2**32:
        raise RegisterError(f"{place}: {shown(text)} is no key; a decimal or 0x number of 32 bits is expected")
    return number


def _range(text: str, place: str) -> Range:
    span = _SPAN.fullmatch(text)
    if span is None:
        raise RegisterError(f"{place}: {shown(text.strip())} is no range; # owns 0x00110000-0x0011FFFF says one")
    low, high = span.groups()
    keys = Range(unsigned(_number(low, place)), unsigned(_number(high, place)))
    if keys.low > keys.high:
        raise RegisterError(f"{place}: the range {low}-{high} is empty")
    return keys
