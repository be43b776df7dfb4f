"""The records that an application gives to a producer, as the field `records` of a Produce request holds them.

In magic 2 they are one batch. In magic 0 and 1 each is a message, and with a codec all stand in one wrapper. Offsets
count from 0: the broker assigns others. What the format can't hold is refused (R-K-60); a time in magic 0 is left out
(R-K-61). `maxTimestamp` is the greatest time (R-K-62), a wrapper's time that of its messages (R-K-63).

Source: Kafka's message format, Record Batch, Old Message Format; KIP-98, Message Format; KIP-110.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from wireproof.reference import codec as codecs
from wireproof.reference.errors import EncodeError, Reason
from wireproof.reference.records.batch import MAGIC
from wireproof.reference.records.codecs import codec as codec_of
from wireproof.reference.records.compression import NAMES
from wireproof.reference.records.convert import NO_TIMESTAMP, TRANSACTIONAL
from wireproof.reference.records.fields import check_keys, sequence
from wireproof.reference.records.message_set import MAGICS
from wireproof.reference.rules import Rules
from wireproof.reference.schema.shapes import Among, Constant, Either, Fields, Integers, Items, KeyValues, Octets, Text

#: The keys of a record that an application gives to a producer.
KEYS = ("timestamp", "key", "value", "headers")
#: The options of a producer, with their values where it is neither idempotent nor transactional.
OPTIONS: Mapping[str, Any] = {
    "producer_id": -1,
    "producer_epoch": -1,
    "base_sequence": -1,
    "transactional": False,
}

_Record = Mapping[str, Any]
#: The arguments of `produce` without the rules: any records of an application, in any format, by any producer.
ARGUMENTS = Fields(
    {
        "records": Items(
            Fields(
                {
                    "timestamp": Integers(0, 2**63 - 1),
                    "key": Octets(nullable=True),
                    "value": Octets(nullable=True),
                    "headers": KeyValues(Text(), Octets(nullable=True)),
                }
            ),
            least=1,
        ),
        "magic": Among((MAGIC, *MAGICS)),
        "codec": Among(NAMES),
        "options": Either(
            (
                Constant(OPTIONS),
                Fields(
                    {
                        "producer_id": Integers(0, 2**63 - 1),
                        "producer_epoch": Integers(0, 2**15 - 1),
                        "base_sequence": Integers(0, 2**31 - 1),
                        "transactional": Among((False, True)),
                    }
                ),
            )
        ),
    }
)


def produce(records: Sequence[_Record], magic: int, codec: str, options: Mapping[str, Any], rules: Rules) -> bytes:
    """Records in this format. `codec`: one of NAMES; `options`: as OPTIONS. Raises EncodeError."""
    if magic not in (*MAGICS, MAGIC):
        raise EncodeError(Reason.UNSUPPORTED_MAGIC, f"magic {magic}; there are 0, 1 and 2", "magic")
    if codec not in NAMES:
        raise EncodeError(Reason.UNSUPPORTED_COMPRESSION, f"there is no codec {codec}", "codec")
    check_keys(options, OPTIONS, "options")
    for index, record in enumerate(sequence(records, "records")):
        check_keys(record, KEYS, f"records[{index}]")
    if not records:
        return b""
    if magic != MAGIC:
        _demand_held(records, magic, options, rules)
    packed = _written(records, magic, NAMES.index(codec), options, rules)
    if rules.small_content == "plain":  # R-K-64 ‡, other
        return min(_written(records, magic, 0, options, rules), packed, key=len)
    return packed


def _demand_held(records: Sequence[_Record], magic: int, options: Mapping[str, Any], rules: Rules) -> None:
    """Refuse what magic 0 or 1 can't hold, as the rules say."""
    if rules.unheld == "refused" and any(record["headers"] for record in records):
        raise EncodeError(Reason.FIELD_NOT_IN_VERSION, f"magic {magic} has no headers", "headers")
    if rules.unheld == "refused" and options != OPTIONS:
        raise EncodeError(Reason.FIELD_NOT_IN_VERSION, f"magic {magic} has no producer's fields", "options")
    timed = any(record["timestamp"] != NO_TIMESTAMP for record in records)
    if magic == 0 and timed and rules.timestamp_in_magic_0 == "refused":
        raise EncodeError(Reason.FIELD_NOT_IN_VERSION, "magic 0 has no timestamps", "timestamp")


def _written(records: Sequence[_Record], magic: int, codec: int, options: Mapping[str, Any], rules: Rules) -> bytes:
    if magic == MAGIC:
        entries = [_batch(records, codec, options, rules)]
    else:
        messages = [_message(offset, record, magic) for offset, record in enumerate(records)]
        entries = [_wrapper(messages, magic, codec, rules)] if codec else messages
    return codecs.encode(codec_of("RecordSet", None), [{"magic": magic, **entry} for entry in entries], rules)


def _batch(records: Sequence[_Record], codec: int, options: Mapping[str, Any], rules: Rules) -> dict[str, Any]:
    times = [record["timestamp"] for record in records]
    return {
        "baseOffset": 0,
        "partitionLeaderEpoch": -1,
        "attributes": codec | (TRANSACTIONAL if options["transactional"] else 0),
        "lastOffsetDelta": len(records) - 1,
        "baseTimestamp": times[0],
        "maxTimestamp": times[-1] if rules.max_timestamp == "last" else max(times),
        "producerId": options["producer_id"],
        "producerEpoch": options["producer_epoch"],
        "baseSequence": options["base_sequence"],
        "records": [
            {
                "attributes": 0,
                "timestampDelta": record["timestamp"] - times[0],
                "offsetDelta": delta,
                "key": record["key"],
                "value": record["value"],
                "headers": record["headers"],
            }
            for delta, record in enumerate(records)
        ],
    }


def _message(offset: int, record: _Record, magic: int) -> dict[str, Any]:
    timed = {"timestamp": record["timestamp"]} if magic == 1 else {}
    return {"offset": offset, "attributes": 0, **timed, "key": record["key"], "value": record["value"]}


def _wrapper(messages: Sequence[dict[str, Any]], magic: int, codec: int, rules: Rules) -> dict[str, Any]:
    times = [one.get("timestamp", 0) for one in messages]
    time = {"greatest": max(times), "zero": 0, "first": times[0]}[rules.wrapper_timestamp]
    timed = {"timestamp": time} if magic == 1 else {}
    return {"offset": len(messages) - 1, "attributes": codec, **timed, "key": None, "messages": messages}
