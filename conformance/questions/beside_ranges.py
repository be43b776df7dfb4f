"""Questions about the versions beside those that a broker announces: of each api the next version above, and the one
below where there is one.

A request is the simplest one of the nearest version, with the other number in its header: nothing else is wrong with
it. What is expected follows from the announced versions (`announced_apis`): the broker closes (R-K-18), or answers
ApiVersions in its own way (R-K-17).

A case's id holds its bytes, as of every generated one, so an id is enough to ask again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from wireproof.conformance.generation import random_values
from wireproof.conformance.generation.expectations import vector_of_arguments
from wireproof.conformance.model import Op
from wireproof.conformance.oracle.codec import reference_codec
from wireproof.conformance.questions.question import Question
from wireproof.conformance.vectors import Also

DIALECT = "kafka"
AREA = "unsupported-versions"
#: Requests between the machines of a cluster, or that take one out of it: a broker that takes an unknown version for a
#: known one could obey. They are sent only to brokers that the kit has started.
NEVER_FOREIGN = frozenset(
    {
        "AddRaftVoter",
        "AllocateProducerIds",
        "AlterPartition",
        "AssignReplicasToDirs",
        "BeginQuorumEpoch",
        "BrokerHeartbeat",
        "BrokerRegistration",
        "ControllerRegistration",
        "ElectLeaders",
        "EndQuorumEpoch",
        "Envelope",
        "RemoveRaftVoter",
        "UnregisterBroker",
        "UnregisterController",
        "UpdateFeatures",
        "UpdateRaftVoter",
        "Vote",
        "WriteTxnMarkers",
    }
)
_LARGEST = (1 << 15) - 1
#: The place of the version in a request frame: behind its size and the api key.
_VERSION = slice(6, 8)


def questions(apis: Mapping[int, tuple[int, int]], *, foreign: bool) -> Iterator[Question]:
    """The questions for a broker that announces these versions. `foreign`: the kit did not start it."""
    names = reference_codec().dialect(DIALECT).apis()
    for key, (low, high) in sorted(apis.items()):
        name = names.get(key)
        if name is None or low > high or (foreign and name in NEVER_FOREIGN):
            continue
        if low > 0:
            yield _question(name, key, low - 1, low)
        if high < _LARGEST:
            yield _question(name, key, high + 1, high)


def _question(name: str, key: int, version: int, neighbour: int) -> Question:
    """A request in `version`, made of one in the kit's version that is nearest to its neighbour."""
    lowest, highest = reference_codec().dialect(DIALECT).types[f"{name}Request"] or (0, 0)
    known = min(max(neighbour, lowest), highest)
    header = {"RequestApiKey": key, "RequestApiVersion": known, "CorrelationId": key + 1, "ClientId": "kit"}
    body = random_values.simplest(f"{name}Request", dialect=DIALECT, version=known)
    frame = bytearray(reference_codec().encode("RequestFrame", {"header": header, "body": body}, dialect=DIALECT))
    frame[_VERSION] = version.to_bytes(2)
    vector, case = vector_of_arguments(Op.SERVE, DIALECT, None, None, {"chunks": [bytes(frame)]})
    about = f"{name} {version}, beside the versions that the broker announces"
    # The answers of other readings depend on the announced versions too, so they are made when it is asked.
    also = (Also(("R-K-18",), None, refuses=False, expected={}),)
    return Question(msgspec.structs.replace(vector, area=AREA, about=about, rulings=("R-K-18",), also=also), case)
