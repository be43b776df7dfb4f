"""Every boundary in the questions to brokers and clients has a vector; `boundaries` defines which vectors count."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from support.boundaries import OWN, Fits, Row, both, request_of, rows

from wireproof.conformance.model import Op
from wireproof.conformance.vectors import Vector

# --- Brokers and clients ----------------------------------------------------------------------------------------------

BEYOND = (OWN[0] - 1, OWN[1] + 1, 99, 2**15 - 1, -(2**15))


def _sent(vector: Vector) -> bytes:
    return b"".join(vector.args["chunks"])


def _one_request(vector: Vector, key: int, version: int) -> bool:
    sent = _sent(vector)
    return request_of(sent) == (key, version) and int.from_bytes(sent[:4], signed=True) == len(sent) - 4


def _errors(vector: Vector) -> list[int]:
    """The errors that a broker has to send."""
    sends, _ = vector.expected
    return [pattern["value"]["body"]["ErrorCode"] for pattern in sends]


def serves() -> Iterator[Row]:
    ops = (Op.SERVE,)
    for version in range(OWN[0], OWN[1] + 1):
        yield f"ApiVersions {version}", ops, _served(18, version, [0], closes=False)
    for version in BEYOND:
        yield f"ApiVersions {version}", ops, _served(18, version, [35], closes=False)
    for key, version in ((0, 99), (3, 99), (3, -1), (999, 0), (-1, 0), (2**15 - 1, 0)):
        yield f"api {key}, version {version}", ops, _served(key, version, [], closes=True)
    for size in (0, -1, -(2**31), 7):
        yield f"a frame of size {size}", ops, both(_starts(size), _answers([], closes=True))
    yield "half a frame", ops, both(lambda vector: bool(_sent(vector)), _answers([], closes=False))
    yield "nothing", ops, both(lambda vector: not _sent(vector), _answers([], closes=False))
    yield "two requests in a chunk", ops, both(lambda vector: _chunks(vector) == 1, _answers([0, 0], closes=False))
    yield "a request byte by byte", ops, both(lambda vector: _chunks(vector) > 8, _answers([0], closes=False))
    yield "the fallback byte by byte", ops, both(lambda vector: _chunks(vector) > 8, _answers([35], closes=False))
    yield "a good request before a bad one", ops, _answers([0], closes=True)
    yield "a request after the fallback", ops, _answers([35, 0], closes=False)


def _chunks(vector: Vector) -> int:
    return len(vector.args["chunks"])


def _starts(size: int) -> Fits:
    return lambda vector: _sent(vector).startswith(size.to_bytes(4, signed=True))


def _answers(errors: list[int], *, closes: bool) -> Fits:
    """The errors of what has to be sent, and whether the broker then closes."""
    return lambda vector: (_errors(vector), vector.expected[1]) == (errors, closes)


def _served(key: int, version: int, errors: list[int], *, closes: bool) -> Fits:
    return both(lambda vector: _one_request(vector, key, version), _answers(errors, closes=closes))


def _reply(vector: Vector) -> bytes:
    response: bytes | None = vector.args["response"]
    return response or b""


def _met(version: int | None, error: int) -> Fits:
    """A client that asked ApiVersions (of this version) meets this error, in a response that belongs to its request."""

    def fits(vector: Vector) -> bool:
        request, response = vector.args["request"], _reply(vector)
        key, asked = request_of(request)
        belongs = response[4:8] == request[8:12] and int.from_bytes(response[:4], signed=True) == len(response) - 4
        found = int.from_bytes(response[8:10], signed=True) if len(response) >= 10 else None
        return key == 18 and version in (None, asked) and belongs and found == error

    return fits


def concludes(outcome: str) -> Fits:
    return lambda vector: vector.expected["outcome"] == outcome


def interprets() -> Iterator[Row]:
    ops = (Op.INTERPRET,)
    for version in range(OWN[0], OWN[1] + 1):
        yield f"{version}, no error", ops, both(_met(version, 0), concludes("accepted"))
        if version:
            yield f"{version}, error 35, an older one is named", ops, both(_met(version, 35), concludes("retry"))
    yield "0, error 35", ops, both(_met(0, 35), concludes("unsupported"))
    yield "error 35, no key", ops, both(_met(None, 35), _lists(0))
    yield "error 35, one key", ops, both(_met(None, 35), _lists(1))
    yield "error 35, the full table", ops, both(_met(None, 35), lambda vector: _keys(vector) > 1)
    for version in (0, 3):
        yield f"{version}, another error", ops, both(_met(version, 42), concludes("error"))
    for version in (0, 3, 5):
        yield f"{version}, closed", ops, both(_requests(version), lambda vector: vector.args["response"] is None)
    yield "a wrong correlation id", ops, both(_stray, concludes("malformed"))
    for length in (0, 4, 8, 10):
        yield f"a response of {length} bytes", ops, both(_cut_to(length), concludes("malformed"))
    yield "a wrong size", ops, both(_wrong_size, concludes("malformed"))
    unknown: Fits = lambda vector: request_of(vector.args["request"])[0] == 999  # noqa: E731
    yield "an api that there is not, error 35", ops, both(unknown, concludes("unsupported"))


def _keys(vector: Vector) -> int:
    """How many keys an error-35 response lists: version 0, whatever was asked."""
    return int.from_bytes(_reply(vector)[10:14], signed=True)


def _lists(keys: int) -> Fits:
    return lambda vector: _keys(vector) == keys


def _requests(version: int) -> Fits:
    return lambda vector: request_of(vector.args["request"]) == (18, version)


def _stray(vector: Vector) -> bool:
    return len(_reply(vector)) > 8 and _reply(vector)[4:8] != vector.args["request"][8:12]


def _cut_to(length: int) -> Fits:
    return lambda vector: vector.args["response"] is not None and len(_reply(vector)) == length


def _wrong_size(vector: Vector) -> bool:
    reply = _reply(vector)
    return len(reply) >= 14 and int.from_bytes(reply[:4]) != len(reply) - 4


def _ranges(vector: Vector) -> tuple[tuple[int, int], tuple[int, int] | None]:
    return vector.args["client"], vector.args["broker"]


def negotiates() -> Iterator[Row]:
    ops = (Op.NEGOTIATE,)

    def pairs(test: Callable[[tuple[int, int], tuple[int, int]], bool], chosen: Callable[[object], bool]) -> Fits:
        def fits(vector: Vector) -> bool:
            client, broker = _ranges(vector)
            return broker is not None and test(client, broker) and chosen(vector.expected)

        return fits

    some: Callable[[object], bool] = lambda chosen: chosen is not None  # noqa: E731
    none: Callable[[object], bool] = lambda chosen: chosen is None  # noqa: E731
    yield "not listed", ops, lambda vector: _ranges(vector)[1] is None and vector.expected is None
    yield "the same range", ops, pairs(lambda c, b: c == b, some)
    yield "the broker inside", ops, pairs(lambda c, b: c[0] < b[0] and b[1] < c[1], some)
    yield "the client inside", ops, pairs(lambda c, b: b[0] < c[0] and c[1] < b[1], some)
    yield "one version in common, above", ops, pairs(lambda c, b: c[1] == b[0] > c[0], some)
    yield "one version in common, below", ops, pairs(lambda c, b: c[0] == b[1] > b[0], some)
    yield "the broker a step above", ops, pairs(lambda c, b: b[0] > c[1], none)
    yield "the broker below", ops, pairs(lambda c, b: b[1] < c[0], none)
    yield "the broker's range empty", ops, pairs(lambda c, b: b[0] > b[1] and c[0] <= c[1], none)
    yield "the client's range empty", ops, pairs(lambda c, b: c[0] > c[1] and b[0] <= b[1], none)
    yield "the largest version", ops, lambda vector: vector.expected == 2**15 - 1


WITHOUT_A_TYPE = {"serve": serves, "interpret": interprets, "negotiate": negotiates}


@pytest.mark.parametrize("op", sorted(WITHOUT_A_TYPE))
def test_every_boundary_of_an_exchange_has_a_vector(op: str) -> None:
    table = list(rows(op, None, WITHOUT_A_TYPE[op]()))
    assert table
    assert [str(cell) for cell in table if not cell.filled()] == []
