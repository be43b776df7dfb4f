"""The arguments of a question as one byte string (a seed), and back. The id of a generated case holds it as hex.

decode, recode       the input
encode               the value as JSON in UTF-8, in the value encoding (v<hex>; x<hex> are bytes that mean the value)
lookup               *Part: the input, the key as JSON
convert              *Part: the input, the format's name
consume              *Part: the input, a JSON array of the other arguments, in their order
produce              a JSON array of all arguments, in their order, in the value encoding
serve                *Part: the chunks
interpret            *Part: the request frame, and the response frame unless the connection was closed instead
negotiate, evolve    a JSON array of all arguments, in their order
Part => size:UINT32 bytes
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NoReturn

from wireproof.conformance.model import ARGUMENTS, Op
from wireproof.conformance.values.encoding import ValueFormatError, from_json, to_json
from wireproof.reference.records.consume import ISOLATIONS
from wireproof.reference.records.produce import KEYS, OPTIONS

_SIZE = struct.Struct(">I")


def seed_of(op: Op, args: Mapping[str, Any]) -> bytes:
    """The seed of a question's arguments."""
    match op:
        case Op.DECODE | Op.RECODE:
            return bytes(args["data"])
        case Op.ENCODE:
            return _written(to_json(args["value"]))
        case Op.LOOKUP:
            return parts_seed([args["data"], _written(to_json(args["key"]))])
        case Op.CONVERT:
            return parts_seed([args["data"], args["to"].encode()])
        case Op.CONSUME:
            data, *others = (args[name] for name in ARGUMENTS[op])
            return parts_seed([data, _written(others)])
        case Op.PRODUCE:
            return _written([to_json(args[name]) for name in ARGUMENTS[op]])
        case Op.SERVE:
            return parts_seed(args["chunks"])
        case Op.INTERPRET:
            response = args["response"]
            return parts_seed([args["request"], *([] if response is None else [response])])
        case Op.NEGOTIATE | Op.EVOLVE:
            return _written([args[name] for name in ARGUMENTS[op]])


def arguments_of(op: Op, seed: bytes) -> dict[str, Any]:
    """The arguments in a seed. Raises ValueError for a seed that does not fit the op."""
    match op:
        case Op.DECODE | Op.RECODE:
            return {"data": seed}
        case Op.ENCODE:
            return {"value": _value(seed)}
        case Op.LOOKUP | Op.CONVERT | Op.CONSUME:
            data, rest = _two(op, seed)
            return {"data": data, **_BESIDE_DATA[op](rest)}
        case Op.PRODUCE:
            return _production(_value(seed))
        case Op.SERVE:
            return {"chunks": parts_of(seed)}
        case Op.INTERPRET:
            match parts_of(seed):
                case [request]:
                    return {"request": request, "response": None}
                case [request, response]:
                    return {"request": request, "response": response}
            raise ValueError("interpret takes one part, the request, or two, with the response")
        case Op.NEGOTIATE:
            return _negotiation(_read(seed))
        case Op.EVOLVE:
            match _read(seed):
                case [old, new]:
                    return {"old": old, "new": new}
            raise ValueError("evolve takes a JSON array of two: old and new")


def parts_seed(parts: Iterable[bytes]) -> bytes:
    """Parts one after the other, each after its size."""
    return b"".join(_SIZE.pack(len(part)) + part for part in parts)


def parts_of(seed: bytes) -> list[bytes]:
    """The parts of a seed. Raises ValueError for bytes that cannot be divided into parts."""
    parts: list[bytes] = []
    at = 0
    while at < len(seed):
        if len(seed) - at < _SIZE.size:
            raise ValueError(f"byte {at}: a part begins with its size, 4 bytes; {len(seed) - at} are left")
        (size,) = _SIZE.unpack_from(seed, at)
        at += _SIZE.size
        if size > len(seed) - at:
            raise ValueError(f"byte {at - _SIZE.size}: a part of {size} bytes, of which {len(seed) - at} are there")
        parts.append(seed[at : at + size])
        at += size
    return parts


def _two(op: Op, seed: bytes) -> list[bytes]:
    parts = parts_of(seed)
    if len(parts) != 2:
        names = " and ".join(ARGUMENTS[op]) if len(ARGUMENTS[op]) == 2 else "data and an array of the other arguments"
        raise ValueError(f"{op} takes 2 parts, {names}; {len(parts)} are there")
    return parts


def _consumption(arguments: Any) -> dict[str, Any]:
    match arguments:
        case [position, str() as isolation, [*aborted]] if (
            _is_integer(position) and isolation in ISOLATIONS and all(map(_is_transaction, aborted))
        ):
            return {"position": position, "isolation": isolation, "aborted": aborted}
    raise ValueError(
        f"consume takes a JSON array of three: a position, one of {', '.join(ISOLATIONS)}, and an array of "
        '{"producer_id", "first_offset"}'
    )


def _production(arguments: Any) -> dict[str, Any]:
    match arguments:
        case [[*records], int() as magic, str() as codec, dict() as options] if (
            all(map(_is_record, records)) and options.keys() == OPTIONS.keys()
        ):
            return {"records": records, "magic": magic, "codec": codec, "options": options}
    raise ValueError(
        f"produce takes a JSON array of four: an array of {{{', '.join(KEYS)}}}, a magic, a codec's name, and "
        f"{{{', '.join(OPTIONS)}}}"
    )


def _is_record(value: Any) -> bool:
    match value:
        case {"timestamp": int(), "key": bytes() | None, "value": bytes() | None, "headers": [*_], **rest}:
            return not rest
    return False


_BESIDE_DATA: Mapping[Op, Callable[[bytes], dict[str, Any]]] = {
    Op.LOOKUP: lambda key: {"key": _value(key)},
    Op.CONVERT: lambda to: {"to": _text(to)},
    Op.CONSUME: lambda others: _consumption(_read(others)),
}


def _is_transaction(value: Any) -> bool:
    match value:
        case {"producer_id": producer, "first_offset": first, **rest}:
            return not rest and _is_integer(producer) and _is_integer(first)
    return False


def _negotiation(arguments: Any) -> dict[str, Any]:
    match arguments:
        case [api_key, client, broker] if (
            _is_integer(api_key) and _is_range(client) and (broker is None or _is_range(broker))
        ):
            return {
                "api_key": api_key,
                "client": tuple(client),
                "broker": None if broker is None else tuple(broker),
            }
    raise ValueError("negotiate takes a JSON array of three: an api key, and two ranges of versions, or null")


def _is_range(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(_is_integer(one) for one in value)


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**63


def _written(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=True).encode()


def _text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise ValueError(f"byte {error.start}: UTF-8 is expected") from None


def _value(data: bytes) -> Any:
    try:
        return from_json(_read(data))
    except (ValueFormatError, RecursionError) as error:
        raise ValueError(f"no value: {error}") from None


def _read(data: bytes) -> Any:
    try:
        return json.loads(_text(data), parse_constant=_no_number)
    except RecursionError:
        raise ValueError("the JSON is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"no JSON: {error}") from None


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON's")
