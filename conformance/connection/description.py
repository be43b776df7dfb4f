"""An implementation's description of itself, read strictly from a module's attributes or from a JSON object."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any, NoReturn

from wireproof.conformance.connection.protocol.shapes import brief
from wireproof.conformance.model import OF_CLIENTS, Description, Op
from wireproof.errors import WireproofError

#: The version of the line protocol.
PROTOCOL = 1
#: The longest name, version or language, in characters.
LONGEST_NAME = 1000

_MEMBERS = (
    *("name", "version", "language", "dialects", "ops", "types", "rebuilds", "rejects", "readings", "protocol"),
    *("listens", "bootstrap"),
)
#: The fields that `rebuilds` may name, by type: a writer computes them from the rest, or takes them from where the
#: records go, so that what it was given does not matter. All others are compared, as a writer that loses them is wrong.
_OF_BATCHES = frozenset(
    {
        *("crc", "lastOffsetDelta", "baseTimestamp", "maxTimestamp"),  # follow from the records
        *("offsetDelta", "timestampDelta"),  # of the records: relative to the batch's
        *("baseOffset", "partitionLeaderEpoch"),  # the broker's
        *("producerId", "producerEpoch", "baseSequence"),  # the producer's own state
        "attributes",  # the codec and the flags, which a producer takes from its settings
    }
)
COMPUTED: Mapping[str, frozenset[str]] = {
    "RecordBatch": _OF_BATCHES,
    "RecordSet": _OF_BATCHES,
    "Record": frozenset({"offsetDelta", "timestampDelta"}),
    "MessageSet": frozenset({"crc", "offset", "attributes"}),
}
_TYPES_EXAMPLE = '{"kafka": {"INT32": null, "ApiVersionsRequest": [0, 3]}}'


class DescriptionError(WireproofError):
    """A malformed description. The text names the member, its value and the expected form."""


def parse(raw: Any) -> Description:
    """A description from an object with the members of a `describe` answer; lists may be tuples."""
    if not isinstance(raw, Mapping):
        raise DescriptionError(f"the description is {brief(raw)}; an object was expected")
    for key in raw:
        if key not in _MEMBERS:
            close = difflib.get_close_matches(str(key), _MEMBERS, 1)
            meant = f"; did you mean `{close[0]}`?" if close else f"; it may have {', '.join(_MEMBERS)}"
            raise DescriptionError(f"the description has a member {brief(key)}{meant}")
    if raw.get("protocol", PROTOCOL) != PROTOCOL:
        raise DescriptionError(f"`protocol` is {brief(raw['protocol'])}; this kit speaks {PROTOCOL}")
    name, ops = _text(raw, "name"), _ops(raw)
    return Description(
        name=name,
        version=None if raw.get("version") is None else _text(raw, "version"),
        language=_text(raw, "language") if "language" in raw else "unknown",
        dialects=_texts("dialects", raw.get("dialects", ("kafka",)), '["kafka"]'),
        ops=ops,
        types=None if raw.get("types") is None else _types(raw["types"]),
        type_ops={} if raw.get("types") is None else _type_ops(raw["types"], ops),
        rebuilds=_rebuilds(raw.get("rebuilds", {})),
        rejects=_texts("rejects", raw.get("rejects", ()), '["WireError"]'),
        readings=_readings(raw.get("readings", {})),
        listens=None if raw.get("listens") is None else _text(raw, "listens"),
        bootstrap=_of_client(raw.get("bootstrap", False), ops),
    )


def to_json(description: Description) -> dict[str, Any]:
    """The description as a `describe` answer."""
    return {
        "name": description.name,
        "version": description.version,
        "language": description.language,
        "dialects": list(description.dialects),
        "ops": [op.value for op in Op if op in description.ops],
        "types": None
        if description.types is None
        else {
            dialect: {name: _listed(description, dialect, name) for name in names}
            for dialect, names in description.types.items()
        },
        "rebuilds": description.rebuilds,
        "rejects": list(description.rejects),
        "readings": description.readings,
        **({"bootstrap": True} if description.bootstrap else {}),
    }


def _of_client(value: Any, ops: frozenset[Op]) -> bool:
    if not isinstance(value, bool):
        _wrong("bootstrap", value, "true or false")
    if value and not ops <= OF_CLIENTS.keys():
        _wrong("ops", sorted(ops), f"only {' and '.join(OF_CLIENTS)} beside `bootstrap`")
    return value


def _wrong(member: str, value: Any, expected: str) -> NoReturn:
    raise DescriptionError(f"`{member}` is {brief(value)}; expected {expected}")


def _text(raw: Mapping[str, Any], member: str) -> str:
    if member not in raw:
        raise DescriptionError(f"the description lacks `{member}`, a string")
    text = raw[member]
    if not isinstance(text, str) or not 0 < len(text) <= LONGEST_NAME:
        _wrong(member, text, f"a string, not empty, of {LONGEST_NAME} characters at most")
    return text


def _texts(member: str, value: Any, example: str) -> tuple[str, ...]:
    if not isinstance(value, (list, tuple)) or not all(isinstance(item, str) for item in value):
        _wrong(member, value, f"a list of strings, such as {example}")
    return tuple(value)


def _object(value: Any, member: str, example: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        _wrong(member, value, f"an object such as {example}")
    return value


def _ops(raw: Mapping[str, Any]) -> frozenset[Op]:
    names = ", ".join(Op)
    if "ops" not in raw:
        raise DescriptionError(f"the description lacks `ops`, a list of some of {names}")
    return _op_names("ops", raw["ops"])


def _op_names(member: str, raw: Any) -> frozenset[Op]:
    names = ", ".join(Op)
    listed = _texts(member, raw, '["decode", "encode"]')
    for name in listed:
        if name not in set(Op):
            _wrong(member, raw, f"names of these only: {names}")
    if not listed:
        _wrong(member, raw, f"at least one of {names}")
    return frozenset(Op(name) for name in listed)


def _types(value: Any) -> dict[str, dict[str, tuple[int, int] | None]]:
    types: dict[str, dict[str, tuple[int, int] | None]] = {}
    for dialect, names in _object(value, "types", _TYPES_EXAMPLE).items():
        member = f'types["{dialect}"]'
        types[dialect] = {
            name: _versions(f'{member}["{name}"]', listed)
            for name, listed in _object(names, member, f"types, by dialect: {_TYPES_EXAMPLE}").items()
        }
    return types


def _listed(description: Description, dialect: str, name: str) -> Any:
    """The entry of a type in `types`."""
    assert description.types is not None
    versions = description.types[dialect][name]
    ops = description.type_ops.get(dialect, {}).get(name)
    return versions if ops is None else {"versions": versions, "ops": [op.value for op in Op if op in ops]}


def _type_ops(value: Any, ops: frozenset[Op]) -> dict[str, dict[str, frozenset[Op]]]:
    """The ops of types that list their own: dialect → type → ops. `ops`: all ops of the implementation."""
    narrowed: dict[str, dict[str, frozenset[Op]]] = {}
    for dialect, names in value.items():
        for name, listed in names.items():
            if isinstance(listed, Mapping) and "ops" in listed:
                member = f'types["{dialect}"]["{name}"]["ops"]'
                type_ops = _op_names(member, listed["ops"])
                if not type_ops <= ops:
                    _wrong(member, listed["ops"], f"some of the ops that it offers: {', '.join(sorted(ops))}")
                narrowed.setdefault(dialect, {})[name] = type_ops
    return narrowed


def _versions(member: str, value: Any) -> tuple[int, int] | None:
    """The versions of a type, from the short form, or from the long form, `{"versions": …, "ops": […]}`."""
    if not isinstance(value, Mapping):
        return _span(member, value)
    if not value.keys() <= {"versions", "ops"}:
        _wrong(member, value, 'an object such as {"versions": [0, 3], "ops": ["recode"]}')
    return _span(f'{member}["versions"]', value.get("versions"))


def _span(member: str, value: Any) -> tuple[int, int] | None:
    if value is None:
        return None
    match value:
        case [int() as low, int() as high] if low <= high and not isinstance(low, bool) and not isinstance(high, bool):
            return low, high
    _wrong(member, value, "the lowest and the highest version, such as [0, 3], or null for a type without versions")


def _rebuilds(value: Any) -> dict[str, tuple[str, ...]]:
    rebuilds = _object(value, "rebuilds", '{"RecordBatch": ["maxTimestamp"]}')
    named = {name: _texts(f'rebuilds["{name}"]', fields, '["maxTimestamp"]') for name, fields in rebuilds.items()}
    for name, fields in named.items():
        others = [field for field in fields if field not in COMPUTED.get(name, ())]
        if others:
            allowed = "; ".join(f"{one}: {', '.join(sorted(COMPUTED[one]))}" for one in sorted(COMPUTED))
            _wrong(f'rebuilds["{name}"]', others, f"fields that a writer computes from others. These are {allowed}")
    return named


def _readings(value: Any) -> dict[str, str | Mapping[str, str]]:
    readings = _object(value, "readings", '{"R-K-5": "other"}')
    for ruling, reading in readings.items():
        named = reading.values() if isinstance(reading, Mapping) else (reading,)
        if not all(isinstance(name, str) for name in named):
            expected = 'the name of a reading, such as "other", or one for each type: {"Record*": "other"}'
            _wrong(f'readings["{ruling}"]', reading, expected)
    return dict(readings)
