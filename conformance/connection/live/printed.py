r"""What a consumer's command prints: the records that it was given, as the option `--prints` says.

`json` is a JSON object a line, as `kcat -J` prints it: "offset", "ts", "tstype", "key", "payload", "headers", a flat
list of names and values. Bytes that are no UTF-8 stand there as they are.

Anything else is a pattern for a record: `{offset} {timestamp} {key=NULL} {value=NULL}`, with `\t`, `\n` and `\xNN` for
bytes. Behind `=` stands what is printed for null. What a pattern does not name is not compared. A line feed ends it,
unless it ends in `\n` or `\xNN`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from wireproof.errors import WireproofError

JSON = "json"
Record = dict[str, Any]
#: Gives the records in a command's output.
Reader = Callable[[bytes], list[Record]]

#: The names of what a pattern may have: numbers, and bytes or null.
_NUMBERS, _BYTES = ("offset", "timestamp"), ("key", "value")
_FIELD = re.compile(r"\{([^{}]*)\}")
_ESCAPE = re.compile(rb"\\(?:x([0-9a-fA-F]{2})|([tnr\\]))")
_ESCAPED = {b"t": b"\t", b"n": b"\n", b"r": b"\r", b"\\": b"\\"}
_ENDED = re.compile(r"\\(?:n|x[0-9a-fA-F]{2})\Z")
#: The timestamp of a record of magic 0, which has none: kcat leaves it out.
_NO_TIME = -1
_TYPES = {"create": "create", "logappend": "append"}
#: The most bytes of a record that is told in an error.
_SHOWN = 60


class PrintError(WireproofError):
    """A form that cannot be, or output that is not of the form."""


def reader(form: str) -> Reader:
    """The reader of this form. Raises PrintError for one that cannot be."""
    if form == JSON:
        return _json_records
    pattern, nulls = _compiled(form)
    return lambda output: _pattern_records(output, pattern, nulls)


def _compiled(form: str) -> tuple[re.Pattern[bytes], Mapping[str, bytes]]:
    """The pattern of one record, and what stands for null, by field. A field of bytes ends where what stands behind it
    comes first, and nowhere else (an atomic group), so that no output takes longer than its length."""
    parts: list[bytes] = []
    nulls: dict[str, bytes] = {}
    seen: list[str] = []
    ended = form if _ENDED.search(form) else f"{form}\\n"
    for number, part in enumerate(_FIELD.split(ended)):
        if number % 2 == 0:
            behind_bytes = bool(seen) and seen[-1] in _BYTES
            if behind_bytes and not part:
                raise PrintError(
                    f"--prints={form}: something has to stand behind {{{seen[-1]}}} and tell where it ends"
                )
            parts.append(re.escape(_literal(part)) + (b")" if behind_bytes else b""))
            continue
        name, told, null = part.partition("=")
        if name not in _NUMBERS + _BYTES or name in seen:
            named = ", ".join(f"{{{one}}}" for one in _NUMBERS + _BYTES)
            raise PrintError(f"--prints={form}: {{{part}}} is none of {named}, or stands there twice")
        if (name in _BYTES) != bool(told):
            text = f"{{{name}=NULL}} is expected, with what is printed for null" if name in _BYTES else f"{{{name}}}"
            raise PrintError(f"--prints={form}: {{{part}}} is there; {text}")
        seen.append(name)
        named_group = f"(?P<{name}>".encode()
        parts.append(named_group + b"-?[0-9]{1,19})" if name in _NUMBERS else b"(?>" + named_group + b".*?)")
        if told:
            nulls[name] = _literal(null)
    if "offset" not in seen:
        raise PrintError(f"--prints={form}: {{offset}} is expected, which says which record it is; or {JSON}")
    return re.compile(b"".join(parts), re.DOTALL), nulls


def _literal(text: str) -> bytes:
    def byte(found: re.Match[bytes]) -> bytes:
        return bytes.fromhex(found[1].decode()) if found[1] else _ESCAPED[found[2]]

    return _ESCAPE.sub(byte, text.encode())


def _pattern_records(output: bytes, pattern: re.Pattern[bytes], nulls: Mapping[str, bytes]) -> list[Record]:
    records: list[Record] = []
    at = 0
    while at < len(output):
        found = pattern.match(output, at)
        if found is None:
            raise PrintError(f"at byte {at} it printed what --prints does not describe: {output[at : at + _SHOWN]!r}")
        at = found.end()
        record: Record = {}
        for name, text in found.groupdict().items():
            record[name] = int(text) if name in _NUMBERS else None if text == nulls[name] else text
        records.append(record)
    return records


def _json_records(output: bytes) -> list[Record]:
    return [_json_record(line) for line in output.split(b"\n") if line.strip()]


def _json_record(line: bytes) -> Record:
    try:
        told = json.loads(line.decode("utf-8", "surrogateescape"))
        flat = told.get("headers") or []
        headers = [[str(name), _bytes(value)] for name, value in zip(flat[::2], flat[1::2], strict=True)]
        record: Record = {
            "offset": int(told["offset"]),
            "timestamp": int(told.get("ts", _NO_TIME)),
            "key": _bytes(told["key"]),
            "value": _bytes(told["payload"]),
            "headers": headers,
        }
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise PrintError(f"it printed {line[:_SHOWN]!r}, which is no record as JSON: {error!r}") from None
    if told.get("tstype") in _TYPES:
        record["timestamp_type"] = _TYPES[told["tstype"]]
    return record


def _bytes(value: Any) -> bytes | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value.encode("utf-8", "surrogateescape")
