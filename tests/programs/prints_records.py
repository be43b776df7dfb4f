"""A consumer that prints what it is given: `prints_records.py NAME FORM ADDRESS POSITION ISOLATION`. FORM is json, or
tabs. By its NAME it is right, or wrong in one thing."""

from __future__ import annotations

import json
import sys
from typing import Any

from support.small_client import Connection

from wireproof import reference

_STAMPS = {"create": "create", "append": "logappend"}


def consumed(name: str, bootstrap: str, position: int, isolation: str) -> list[dict[str, Any]]:
    """The records. Raises reference.WireError."""
    with Connection(bootstrap, 99, 99) as connection:
        answer = connection.fetch(position, isolation)
        listed = answer["AbortedTransactions"] or []
        aborted = [{"producer_id": one["ProducerId"], "first_offset": one["FirstOffset"]} for one in listed]
        data = answer["Records"]
        found = reference.consume(data, position=position, isolation=isolation, aborted=aborted, dialect="kafka")
        if name.startswith("asks"):
            connection.fetch(position if name == "asks_from_there_again" else found["position"], isolation)
    records: list[dict[str, Any]] = found["records"]
    return records


def as_tabs(one: dict[str, Any]) -> bytes:
    parts = [str(one["offset"]).encode(), *(b"NULL" if one[name] is None else one[name] for name in ("key", "value"))]
    return b"\t".join(parts) + b"\x1e"


def as_json(one: dict[str, Any]) -> bytes:
    """As kcat does: nothing of a time in magic 0, and no empty list of headers."""
    told: dict[str, Any] = {"offset": one["offset"], "key": _text(one["key"]), "payload": _text(one["value"])}
    if one["timestamp_type"] is not None:
        told |= {"tstype": _STAMPS[one["timestamp_type"]], "ts": one["timestamp"]}
    if one["headers"]:
        told["headers"] = [part for name, item in one["headers"] for part in (name, _text(item))]
    return json.dumps(told, ensure_ascii=False).encode("utf-8", "surrogateescape") + b"\n"


def _text(data: bytes | None) -> str | None:
    return None if data is None else data.decode("utf-8", "surrogateescape")


def main(name: str, form: str, bootstrap: str, position: str, isolation: str) -> int:
    try:
        records = consumed(name, bootstrap, int(position), isolation)
    except reference.WireError as error:
        sys.stderr.write(f"{error}\n")
        return 0 if name == "says_nothing" else 1
    if name == "loses_the_last":
        records = records[:-1]
    if name == "null_is_empty":
        records = [{**one, "key": one["key"] or b""} for one in records]
    sys.stdout.buffer.write(b"".join(map(as_tabs if form == "tabs" else as_json, records)))
    if name == "prints_more":
        sys.stdout.buffer.write(b"3 records\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
