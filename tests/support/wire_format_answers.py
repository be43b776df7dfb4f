"""The answers of the reference's broker of wire-format beside their requests, to be changed by miniatures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from wireproof import reference

DIALECT = "wire-format"
#: An api and its response.
Answer = tuple[str, dict[str, Any]]


def frames(data: bytes) -> Iterator[bytes]:
    """The whole frames at the beginning."""
    while len(data) >= 4 and len(data) >= 4 + int.from_bytes(data[:4]):
        end = 4 + int.from_bytes(data[:4])
        yield data[:end]
        data = data[end:]


def requests(chunks: Sequence[bytes]) -> list[Answer]:
    """Each whole request that is answered, with its api."""
    found = []
    for frame in frames(b"".join(chunks)):
        api = "Fetch" if frame[4:6] == b"\0\1" else "Produce"
        value = reference.decode(f"{api}Request", frame, dialect=DIALECT)
        if api == "Fetch" or value["required_acks"] != 0:
            found.append((api, value))
    return found


def changed(
    chunks: Sequence[bytes], change: Callable[[list[Answer], list[Answer]], list[Answer]]
) -> tuple[bytes, bool]:
    """What the reference serves, with answers as `change` makes them of the requests and their answers."""
    sent, closed = reference.serve(chunks, dialect=DIALECT)
    if closed or not sent:
        return sent, closed
    asked = requests(chunks)
    answers = [
        (api, reference.decode(f"{api}Response", frame, dialect=DIALECT))
        for (api, _), frame in zip(asked, frames(sent), strict=True)
    ]
    made = change(asked, answers)
    return b"".join(reference.encode(f"{api}Response", value, dialect=DIALECT) for api, value in made), closed


def lacks_bytes(request: dict[str, Any], answer: dict[str, Any]) -> bool:
    """Whether a fetch found fewer bytes than its min_bytes."""
    partitions = (partition for topic in answer["data"] for partition in topic["partition_data"])
    there = sum(10 + len(message["payload"]) for partition in partitions for message in partition["messages"])
    return bool(there < request["min_bytes"])


def sorted_sets(key: Callable[[tuple[str, int]], Any]) -> Callable[[list[Answer], list[Answer]], list[Answer]]:
    """A change: errors and offsets stand as their message sets would in another order."""

    def change(asked: list[Answer], answers: list[Answer]) -> list[Answer]:
        return [
            (api, _sorted(request, answer, key) if api == "Produce" else answer)
            for (api, request), (_, answer) in zip(asked, answers, strict=True)
        ]

    return change


def _sorted(request: dict[str, Any], answer: dict[str, Any], key: Callable[[tuple[str, int]], Any]) -> dict[str, Any]:
    places = [(topic["topic"], row["partition"]) for topic in request["data"] for row in topic["partition_data"]]
    order = sorted(range(len(places)), key=lambda index: key(places[index]))
    return answer | {name: [answer[name][index] for index in order] for name in ("errors", "offsets")}
