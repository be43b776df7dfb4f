"""Kafka's messages in kip-482-v1: the bytes that Apache Kafka's own classes wrote, laid out as the draft has them.

No value is encoded here. Numbers, texts and bytes are taken over from the message ledger of `kafka`, byte for byte;
what changes is what stands around them, as R-482-15 has it:

    compact lengths and counts    → classic ones
    a tag buffer, at the end      → nothing in an older version; in the new one the optional-field buffer, at the start
    a tagged array of structures,   → a mandatory field of the new version, in its place by the schema
      a tagged structure that can
      be null
    bytes of a classic version    → the same bytes; in a new version that comes after one, with buffers

What it knows of a message is the catalogue's JSON. The kit's ledger of this dialect is made by

    python tests/second_opinion/lifted.py vectors/kip-482-v1/messages
"""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parent.parent.parent
CATALOG = ROOT / "reference" / "catalog"
KAFKA = ROOT / "vectors" / "kafka" / "messages"

#: The kinds of messages that the draft gives a new version.
RPCS = ("request", "response")
#: An unknown field for messages of which Kafka's ledger has none, for they never were flexible.
UNKNOWN = (9999, b"\x01\x02")
#: Cases of the older versions and of the new one: few, for there are 800 message-versions. `default` is taken where
#: there is nothing else, and of the new version where it says what absent fields stand for.
FLEXIBLE = ("set",)
CLASSIC = ("set", "null")
NEW = ("set", "null", "tagged", "explicit", "lowest", "greatest", "unknown-tags")

Schema = Mapping[str, Any]


class At(NamedTuple):
    """Where the bytes come from, a version that is flexible or not, and where they go: the new version or not.
    `unknown`: put an unknown field into every buffer."""

    version: int
    flexible: bool
    new: bool
    unknown: bool = False


class Source:
    """Bytes of Kafka's, which are taken from the front."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.pos = 0

    def take(self, count: int) -> bytes:
        taken = self.data[self.pos : self.pos + count]
        assert len(taken) == count
        self.pos += count
        return taken

    def uvarint(self) -> int:
        number = shift = 0
        while (byte := self.take(1)[0]) & 0x80:
            number |= (byte & 0x7F) << shift
            shift += 7
        return number | byte << shift

    def length(self, compact: bool, width: int) -> int:
        """−1 is null."""
        return self.uvarint() - 1 if compact else int.from_bytes(self.take(width), signed=True)


def holds(versions: str, version: int) -> bool:
    if versions == "none":
        return False
    low, _, high = versions.rstrip("+").partition("-")
    return int(low) <= version and (versions.endswith("+") or version <= int(high or low))


# --- Bytes ------------------------------------------------------------------------------------------------------------

_FIXED = {
    "bool": 1, "int8": 1, "int16": 2, "uint16": 2, "int32": 4, "uint32": 4, "int64": 8, "float64": 8, "uuid": 16
}  # fmt: skip


def laid_out(message: Schema, data: bytes, at: At) -> bytes:
    """A body of Kafka's as one of the draft's."""
    source = Source(data)
    made = _Lay(message, at).structure(message["fields"], source)
    assert source.pos == len(data)
    return made


def fields_of(message: Schema, field: Schema) -> Sequence[Schema] | None:
    """The fields of a field's structure, which the message may have in common for several."""
    common = {one["name"]: one["fields"] for one in message.get("commonStructs", [])}
    found: Sequence[Schema] | None = field.get("fields", common.get(field["type"].removeprefix("[]")))
    return found


def is_tagged(field: Schema, version: int) -> bool:
    return holds(field.get("taggedVersions", "none"), version)


class _Lay:
    def __init__(self, message: Schema, at: At) -> None:
        self.message = message
        self.at = at

    def structure(self, fields: Sequence[Schema], source: Source) -> bytes:
        version = self.at.version
        here = [field for field in fields if holds(field.get("versions", field.get("taggedVersions")), version)]
        plain = {
            field["name"]: self.value(field, source, self.at.flexible)
            for field in here
            if not is_tagged(field, version)
        }
        tags = {}
        if self.at.flexible:
            for _ in range(source.uvarint()):
                tag, size = source.uvarint(), source.uvarint()
                tags[tag] = source.take(size)
        if not self.at.new:
            return b"".join(plain.values())
        optional: dict[int, bytes] = {}
        for field in (field for field in here if is_tagged(field, version)):
            raw = tags.pop(int(field["tag"]), None)
            value = None if raw is None else self.tagged(field, raw)
            if self.becomes_mandatory(field):
                plain[field["name"]] = self.absent(field) if value is None else value
            elif value is not None:
                optional[int(field["tag"])] = value
        optional |= tags | (dict([UNKNOWN]) if self.at.unknown else {})
        order = [field["name"] for field in here if field["name"] in plain]
        return buffer(optional) + b"".join(plain[name] for name in order)

    def becomes_mandatory(self, field: Schema) -> bool:
        """What the draft does not allow among optional fields: arrays of structures, structures that can be null."""
        structure = fields_of(self.message, field) is not None
        return structure and (field["type"].startswith("[]") or self.is_marked(field))

    def is_marked(self, field: Schema) -> bool:
        """A structure that can be null."""
        structure = fields_of(self.message, field) is not None and not field["type"].startswith("[]")
        return structure and holds(field.get("nullableVersions", "none"), self.at.version)

    def absent(self, field: Schema) -> bytes:
        """A field that has become mandatory, and was left out because it has its default."""
        null = field.get("default") == "null"
        if field["type"].startswith("[]"):
            return b"\xff\xff\xff\xff" if null else bytes(4)
        assert null
        return b"\xff"

    def tagged(self, field: Schema, raw: bytes) -> bytes:
        source = Source(raw)
        if self.is_marked(field):
            made = b"\xff" if source.uvarint() == 0 else b"\x01" + self.one(field, source, self.at.flexible)
        else:
            made = self.value(field, source, self.at.flexible)
        assert source.pos == len(raw)
        return made

    def value(self, field: Schema, source: Source, compact: bool) -> bytes:
        compact = compact and holds(field.get("flexibleVersions", "0+"), self.at.version)
        if field["type"].startswith("[]"):
            count = source.length(compact, 4)
            elements = b"".join(self.one(field, source, compact) for _ in range(count))
            return count.to_bytes(4, signed=True) + elements
        if self.is_marked(field):
            marker = source.take(1)
            return marker if marker == b"\xff" else marker + self.one(field, source, compact)
        return self.one(field, source, compact)

    def one(self, field: Schema, source: Source, compact: bool) -> bytes:
        """An element, or a field that is no array."""
        name = field["type"].removeprefix("[]")
        inner = fields_of(self.message, field)
        if inner is not None:
            return self.structure(inner, source)
        if name in _FIXED:
            return source.take(_FIXED[name])
        width = 2 if name == "string" else 4
        length = source.length(compact, width)
        return length.to_bytes(width, signed=True) + source.take(max(0, length))


def buffer(fields: Mapping[int, bytes]) -> bytes:
    """An optional-field buffer: a zigzag length, a tag of two bytes, the value; 00 at the end."""
    made = b""
    for tag, value in sorted(fields.items()):
        length = 2 * len(value)
        while length > 0x7F:
            made += bytes([length & 0x7F | 0x80])
            length >>= 7
        made += bytes([length]) + tag.to_bytes(2) + value
    return made + b"\0"


# --- Values -----------------------------------------------------------------------------------------------------------


def valued(message: Schema, fields: Sequence[Schema], value: Any, at: At) -> Any:
    """The value that such bytes have: in an older version nothing that was tagged, in the new one all of it."""
    if value is None:
        return None
    kept = {}
    for field in fields:
        if field["name"] not in value or (is_tagged(field, at.version) and not at.new):
            continue
        item, inner = value[field["name"]], fields_of(message, field)
        if inner is not None and isinstance(item, list):
            item = [valued(message, inner, one, at) for one in item]
        elif inner is not None:
            item = valued(message, inner, item, at)
        kept[field["name"]] = item
    if at.new and at.unknown:
        kept["_tags"] = [[UNKNOWN[0], {"hex": UNKNOWN[1].hex()}]]
    elif at.new and "_tags" in value:
        kept["_tags"] = value["_tags"]
    return kept


# --- Files ------------------------------------------------------------------------------------------------------------


class Case(NamedTuple):
    """A case of one version: its value, and bytes as hex digits."""

    version: int
    name: str
    value: Any
    data: Mapping[str, str]


def stored(lines: Iterable[Schema]) -> list[Case]:
    """The cases of a ledger's lines, by version, in the order of the lines."""
    cases: dict[tuple[int, int], Case] = {}
    for number, line in enumerate(lines):
        for key in ("bytes", "canonical"):
            for span, digits in line.get(key, {}).items():
                low, _, high = span.partition("-")
                for version in range(int(low), int(high or low) + 1):
                    case = cases.setdefault((version, number), Case(version, line["case"], line["value"], {}))
                    cases[version, number] = case._replace(data={**case.data, key: digits})
    return [case for _, case in sorted(cases.items(), key=lambda item: item[0])]


def grouped(cases: Sequence[Case]) -> Iterator[Schema]:
    """Lines in which a case says a value once for all versions that have it, in the order of the newest version's
    cases. Without data, it is Kafka's case."""
    newest = [case.name for case in cases if case.version == cases[-1].version]
    order = [*newest, *(case.name for case in cases)]
    groups: dict[tuple[str, str], list[Case]] = {}
    for case in cases:
        groups.setdefault((case.name, json.dumps(case.value) if case.data else ""), []).append(case)
    for group in sorted(groups.values(), key=lambda group: order.index(group[0].name)):
        name, value, data = group[0].name, group[0].value, group[0].data
        if not data:
            yield from ({"case": name, "same_as": "kafka", "versions": span} for span in spans(group, ""))
        else:
            yield {"case": name, "value": value, **{key: spans(group, key) for key in data}}


def spans(group: Sequence[Case], key: str) -> Mapping[str, str]:
    """Versions that follow one another with the same bytes → these bytes."""
    found: dict[str, str] = {}
    low = group[0].version
    for case, following in itertools.zip_longest(group, group[1:]):
        digits = case.data.get(key, "")
        if following is None or (following.version, following.data.get(key, "")) != (case.version + 1, digits):
            found[f"{low}-{case.version}" if case.version > low else f"{low}"] = digits
            low = following.version if following else 0
    return found


def ledger(name: str) -> Iterator[Schema]:
    """The lines of a message's ledger in this dialect."""
    message = json.loads((CATALOG / f"{name}.json").read_bytes())
    first, *lines = map(json.loads, (KAFKA / f"{name}.jsonl").read_bytes().splitlines())
    made_by = f"{first['made_by']}, laid out by tests/second_opinion/lifted.py"
    yield {"ledger": 1, "message": name, "made_by": made_by, "derive_from": ["unknown-tags"]}
    yield from grouped([*_cases(message, stored(lines))])


def _cases(message: Schema, cases: Sequence[Case]) -> Iterator[Case]:
    flexible = message.get("flexibleVersions", "none")
    for version, of_version in itertools.groupby(cases, lambda case: case.version):
        at = At(version, flexible=holds(flexible, version), new=False)
        for case in _chosen(of_version, FLEXIBLE if at.flexible else CLASSIC):
            yield _laid_out(message, case, version, at) if at.flexible else case._replace(data={})
    at = at._replace(new=True)
    for case in _chosen((case for case in cases if case.version == version), NEW):
        yield _laid_out(message, case, version + 1, at)
        if not at.flexible and case.name == "lowest":
            yield _laid_out(message, case._replace(name="unknown-tags"), version + 1, at._replace(unknown=True))


def _chosen(cases: Iterable[Case], wanted: Sequence[str]) -> Iterator[Case]:
    found = {case.name: case for case in cases}
    if "set" not in found or ("tagged" in found and "tagged" in wanted):
        wanted = ("default", *wanted)
    yield from (case for name, case in found.items() if name in wanted)


def _laid_out(message: Schema, case: Case, version: int, at: At) -> Case:
    value = valued(message, message["fields"], case.value, at)
    data = {key: laid_out(message, bytes.fromhex(digits), at).hex() for key, digits in case.data.items()}
    return Case(version, case.name, value, data)


def names() -> list[str]:
    """The RPCs: requests and responses. Headers and what is stored stay as they are."""
    stems = sorted(path.stem for path in KAFKA.glob("*.jsonl"))
    return [stem for stem in stems if json.loads((CATALOG / f"{stem}.json").read_bytes())["type"] in RPCS]


def content(name: str) -> bytes:
    """A ledger file."""
    return b"".join(
        json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for line in ledger(name)
    )


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for one in names():
        (folder / f"{one}.jsonl").write_bytes(content(one))
