"""Wrappers of clients that run: the smallest client, and some that are wrong in one thing.

As a program, `python -m programs.live_clients NAME`, it is one of them behind the line protocol.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from support.small_client import Connection

from wireproof import reference
from wireproof.conformance.connection.protocol.lines import loads
from wireproof.conformance.values.encoding import from_json, to_json


class Right:
    """Reads and writes by the reference. `versions`: the highest versions of Fetch and Produce that it has."""

    bootstrap = True
    rejects = (reference.WireError, ConnectionError)

    def __init__(self, versions: tuple[int, int] = (99, 99)) -> None:
        self._versions = versions

    def consume(self, *, bootstrap: str, position: int, isolation: str, dialect: str) -> dict[str, Any]:
        with Connection(bootstrap, *self._versions) as connection:
            found = connection.fetch(position, isolation)
        listed = found["AbortedTransactions"] or []
        aborted = [{"producer_id": one["ProducerId"], "first_offset": one["FirstOffset"]} for one in listed]
        return self.delivered(
            reference.consume(
                found["Records"], position=position, isolation=isolation, aborted=aborted, dialect=dialect
            )
        )

    def delivered(self, found: dict[str, Any]) -> dict[str, Any]:
        return found

    def produce(self, records: Any, *, bootstrap: str, dialect: str, **asked: Any) -> bytes:
        data = reference.produce(self.given(records), dialect=dialect, **asked)
        with Connection(bootstrap, *self._versions) as connection:
            connection.produce(data)
        return b""

    def given(self, records: Any) -> Any:
        return records


class _SortsHeaders(Right):
    def delivered(self, found: dict[str, Any]) -> dict[str, Any]:
        return {**found, "records": self.given(found["records"])}

    def given(self, records: Any) -> Any:
        return [{**one, "headers": sorted(one["headers"], key=str)} for one in records]


class _StaysWhereItIs(Right):
    """It loses the last record too."""

    def delivered(self, found: dict[str, Any]) -> dict[str, Any]:
        return {"records": found["records"], "position": max(0, found["position"] - 1)}

    def given(self, records: Any) -> Any:
        return records[:-1] or records


class _SendsNothing(Right):
    def produce(self, records: Any, *, bootstrap: str, dialect: str, **asked: Any) -> bytes:
        return reference.produce(records, dialect=dialect, **asked)


class _Decodes(Right):
    def decode(self, type: str, data: bytes, *, dialect: str, version: int | None = None) -> Any:
        raise NotImplementedError


class _TakesData:
    bootstrap = True

    def consume(self, data: bytes, *, position: int, isolation: str, aborted: Any, dialect: str) -> Any:
        raise NotImplementedError


decodes, takes_data = _Decodes(), _TakesData()
right, old = Right(), Right((11, 8))
sorts_headers, stays_where_it_is, sends_nothing = _SortsHeaders(), _StaysWhereItIs(), _SendsNothing()


def _answer(message: dict[str, Any]) -> None:
    sys.stdout.write(f"{json.dumps(message)}\n")
    sys.stdout.flush()


def main(client: Right) -> None:
    """Answer until stdin ends."""
    for line in sys.stdin:
        question: dict[str, Any] = loads(line.encode())
        op, seq = question.pop("op"), question.pop("seq", 0)
        if op == "describe":
            _answer({"name": "small", "ops": ["consume", "produce"], "bootstrap": True})
            continue
        try:
            _answer({"seq": seq, **_answered(client, op, question)})
        except Right.rejects as error:
            _answer({"seq": seq, "reject": {"detail": str(error)}})


def _answered(client: Right, op: str, question: dict[str, Any]) -> dict[str, Any]:
    if op == "consume":
        return {"delivered": to_json(client.consume(**question))}
    if op == "produce":
        records, options = from_json(question.pop("records")), from_json(question.pop("options"))
        return {"data": client.produce(records, options=options, **question).hex()}
    return {"unsupported": f"no {op}"}


if __name__ == "__main__":
    main(globals()[sys.argv[1]])
