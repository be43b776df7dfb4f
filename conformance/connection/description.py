"""An implementation's description of itself, read strictly from a module's attributes or from a JSON object."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any, NoReturn

from conformance.connection.shapes import brief
from conformance.model import Description, Op

#: The version of the line protocol.
PROTOCOL = 1
#: The longest name, version or language, in characters.
LONGEST_NAME = 1000

_MEMBERS = ("name", "version", "language", "dialects", "ops", "types", "rebuilds", "readings", "protocol")
_TYPES_EXAMPLE = '{"kafka": {"INT32": null, "ApiVersionsRequest": [0, 3]}}'


class DescriptionError(ValueError):
    """A description that is malformed. The text names the member, what was found and what was expected."""


def parse(raw: Any) -> Description:
    """A description from an object with the members of a `describe` answer; tuples may stand for lists."""
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
        readings=_readings(raw.get("readings", {})),
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
        "readings": description.readings,
    }


def _wrong(member: str, found: Any, expected: str) -> NoReturn:
    raise DescriptionError(f"`{member}` is {brief(found)}; expected {expected}")


def _text(raw: Mapping[str, Any], member: str) -> str:
    if member not in raw:
        raise DescriptionError(f"the description lacks `{member}`, a string")
    found = raw[member]
    if not isinstance(found, str) or not 0 < len(found) <= LONGEST_NAME:
        _wrong(member, found, f"a string, not empty, of {LONGEST_NAME} characters at most")
    return found


def _texts(member: str, found: Any, example: str) -> tuple[str, ...]:
    if not isinstance(found, (list, tuple)) or not all(isinstance(item, str) for item in found):
        _wrong(member, found, f"a list of strings, such as {example}")
    return tuple(found)


def _object(found: Any, member: str, example: str) -> Mapping[str, Any]:
    if not isinstance(found, Mapping) or not all(isinstance(key, str) for key in found):
        _wrong(member, found, f"an object such as {example}")
    return found


def _ops(raw: Mapping[str, Any]) -> frozenset[Op]:
    names = ", ".join(Op)
    if "ops" not in raw:
        raise DescriptionError(f"the description lacks `ops`, a list of what it offers of {names}")
    return _op_names("ops", raw["ops"])


def _op_names(member: str, raw: Any) -> frozenset[Op]:
    names = ", ".join(Op)
    found = _texts(member, raw, '["decode", "encode"]')
    for name in found:
        if name not in set(Op):
            _wrong(member, raw, f"names of these only: {names}")
    if not found:
        _wrong(member, raw, f"at least one of {names}")
    return frozenset(Op(name) for name in found)


def _types(found: Any) -> dict[str, dict[str, tuple[int, int] | None]]:
    types: dict[str, dict[str, tuple[int, int] | None]] = {}
    for dialect, names in _object(found, "types", _TYPES_EXAMPLE).items():
        member = f'types["{dialect}"]'
        types[dialect] = {
            name: _versions(f'{member}["{name}"]', listed)
            for name, listed in _object(names, member, f"types, by dialect: {_TYPES_EXAMPLE}").items()
        }
    return types


def _listed(description: Description, dialect: str, name: str) -> Any:
    """What stands for a type in `types`."""
    assert description.types is not None
    versions = description.types[dialect][name]
    ops = description.type_ops.get(dialect, {}).get(name)
    return versions if ops is None else {"versions": versions, "ops": [op.value for op in Op if op in ops]}


def _type_ops(found: Any, ops: frozenset[Op]) -> dict[str, dict[str, frozenset[Op]]]:
    """The ops of the types that name them: dialect → type → ops. `ops`: all that the implementation has."""
    narrowed: dict[str, dict[str, frozenset[Op]]] = {}
    for dialect, names in found.items():
        for name, listed in names.items():
            if isinstance(listed, Mapping) and "ops" in listed:
                member = f'types["{dialect}"]["{name}"]["ops"]'
                type_ops = _op_names(member, listed["ops"])
                if not type_ops <= ops:
                    _wrong(member, listed["ops"], f"some of the ops that it offers: {', '.join(sorted(ops))}")
                narrowed.setdefault(dialect, {})[name] = type_ops
    return narrowed


def _versions(member: str, found: Any) -> tuple[int, int] | None:
    """The versions of a type: of the short form, or of the long one, `{"versions": …, "ops": […]}`."""
    if not isinstance(found, Mapping):
        return _span(member, found)
    if not found.keys() <= {"versions", "ops"}:
        _wrong(member, found, 'an object such as {"versions": [0, 3], "ops": ["recode"]}')
    return _span(f'{member}["versions"]', found.get("versions"))


def _span(member: str, found: Any) -> tuple[int, int] | None:
    if found is None:
        return None
    match found:
        case [int() as low, int() as high] if low <= high and not isinstance(low, bool) and not isinstance(high, bool):
            return low, high
    _wrong(member, found, "the lowest and the highest version, such as [0, 3], or null where there are none")


def _rebuilds(found: Any) -> dict[str, tuple[str, ...]]:
    rebuilds = _object(found, "rebuilds", '{"RecordBatch": ["maxTimestamp"]}')
    return {name: _texts(f'rebuilds["{name}"]', fields, '["maxTimestamp"]') for name, fields in rebuilds.items()}


def _readings(found: Any) -> dict[str, str]:
    readings = _object(found, "readings", '{"R-K-5": "other"}')
    for ruling, reading in readings.items():
        if not isinstance(reading, str):
            _wrong(f'readings["{ruling}"]', reading, 'the name of a reading, such as "other"')
    return dict(readings)
