"""The fields of a vectors file, as JSON has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from wireproof.conformance.model import Op
from wireproof.conformance.vectors.model import ABSENT
from wireproof.reference.errors import Reason
from wireproof.reference.records.produce import OPTIONS

Json = Any
Pieces = list[list[str | int]]


class RawReject(msgspec.Struct, forbid_unknown_fields=True):
    """`reject` and `or_reject`."""

    reason: Reason
    offset: int | None = None


class RawAborted(msgspec.Struct, forbid_unknown_fields=True):
    """An aborted transaction, as a Fetch answer lists it."""

    producer_id: int
    first_offset: int


class RawDelivered(msgspec.Struct, forbid_unknown_fields=True):
    """What an application is given."""

    records: list[Json]
    position: Json


class RawOptions(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """What a producer is, where it is idempotent or transactional."""

    producer_id: int = OPTIONS["producer_id"]
    producer_epoch: int = OPTIONS["producer_epoch"]
    base_sequence: int = OPTIONS["base_sequence"]
    transactional: bool = OPTIONS["transactional"]


class RawRecord(msgspec.Struct, forbid_unknown_fields=True):
    """A record as an application gives it to a producer."""

    timestamp: Json
    key: Json
    value: Json
    headers: Json = []


class RawAlso(msgspec.Struct, forbid_unknown_fields=True):
    """An entry of `also`."""

    ruling: str | list[str]
    ops: list[Op] | None = None
    refuses: bool = False
    accepts: Literal[True] | None = None
    value: Json = ABSENT
    bytes: str | None = None
    sends: list[Json] | None = None
    closes: bool | None = None
    outcome: dict[str, Json] | None = None
    chooses: int | None | msgspec.UnsetType = msgspec.UNSET
    breaks: list[dict[str, str]] | None = None
    values: Json = ABSENT
    delivers: RawDelivered | None = None
    writes: list[Json] | None = None


class RawWrong(msgspec.Struct, forbid_unknown_fields=True):
    """An entry of `wrong`."""

    bug: str
    op: Op
    value: Json = ABSENT
    bytes: str | None = None
    accepts: Literal[True] | None = None
    refuses: Literal[True] | None = None
    crash: Literal[True] | None = None
    hang: Literal[True] | None = None
    sent: str | None = None
    closed: bool | None = None
    outcome: dict[str, Json] | None = None
    chooses: int | None | msgspec.UnsetType = msgspec.UNSET
    delivers: RawDelivered | None = None


class RawVector(msgspec.Struct, forbid_unknown_fields=True):
    """An entry of `vectors`. Which of its fields belong together is checked later."""

    id: str
    about: str
    same_as: str | None = None
    type: str | None = None
    version: int | None = None
    bytes: Pieces | None = None
    value: Json = ABSENT
    canonical: Pieces | None = None
    compare: Literal["decoded"] | None = None
    reject: RawReject | None = None
    or_reject: RawReject | None = None
    twin: str | None = None
    derive: dict[str, Json] | None = None
    key: Json = ABSENT
    values: Json = ABSENT
    to: str | None = None
    gives: Pieces | None = None
    position: int | None = None
    isolation: Literal["read_uncommitted", "read_committed"] = "read_uncommitted"
    aborted: list[RawAborted] = []
    delivers: RawDelivered | None = None
    records: list[RawRecord] | None = None
    magic: int | None = None
    codec: str = "none"
    options: RawOptions = RawOptions()
    writes: list[Json] | None = None
    chunks: list[Pieces] | None = None
    sends: list[Json] | None = None
    closes: bool | None = None
    request: Pieces | None = None
    response: Pieces | None | msgspec.UnsetType = msgspec.UNSET
    outcome: dict[str, Json] | None = None
    api_key: int | None = None
    client: tuple[int, int] | None = None
    broker: tuple[int, int] | None = None
    chooses: int | None | msgspec.UnsetType = msgspec.UNSET
    old: Json = ABSENT
    new: Json = ABSENT
    breaks: list[dict[str, str]] | None = None
    ops: list[Op] | None = None
    needs: list[str] = []
    rulings: list[str] = []
    source: str = ""
    also: list[RawAlso] | msgspec.UnsetType = msgspec.UNSET
    wrong: list[RawWrong] = []


#: A vector's fields when they are not there.
UNSET_FIELDS: Mapping[str, Any] = {
    field.name: field.default if field.default_factory is msgspec.NODEFAULT else field.default_factory()
    for field in msgspec.structs.fields(RawVector)
}


class RawFile(msgspec.Struct, forbid_unknown_fields=True):
    """A whole file; `vectors` as they stand there, as JSON text with short forms."""

    format: Literal[1]
    dialect: str
    area: str
    vectors: list[msgspec.Raw]
    settings: dict[str, Json] = {}
    #: Name → JSON that stands in several places of the file.
    named: dict[str, Json] = {}
    #: Name → the text of a vector's `source`.
    sources: dict[str, str] = {}


class RawSettings(msgspec.Struct):
    """Only what the settings of a file are made of."""

    settings: dict[str, Json] = {}
    named: dict[str, Json] = {}
