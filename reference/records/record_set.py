"""The content of a field `records` in Produce and Fetch: batches and messages of any magic, one after another.

    RecordSet => *(RecordBatch | Entry)         ; byte 16, the magic, says which; a partial last one is dropped

Source: the Kafka protocol guide, Record Batch; contract, Types.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wireproof.reference.cursor import Reader, Writer
from wireproof.reference.errors import EncodeError, Reason
from wireproof.reference.records import batch, message_set
from wireproof.reference.records.fields import check_keys, sequence

#: The magic's offset in every format.
_MAGIC_AT = 16


def read_record_set(reader: Reader, path: str = "") -> list[dict[str, Any]]:
    """Batches and messages, each with its `magic`. Raises DecodeError."""
    return [*entries(reader, path)]


def entries(reader: Reader, path: str = "") -> Iterator[dict[str, Any]]:
    """The same one by one: what stands before a fault is given before the DecodeError."""
    count = 0
    while reader.remaining:
        where = f"{path}[{count}]"
        partial = message_set.is_partial(reader, where, message_set.FIELD_ENDS[0][-1])
        if reader.remaining < message_set.UP_TO_MAGIC:
            message_set.drop_rest(reader, where)
            break
        magic = _magic(reader, where)
        if partial:
            message_set.drop_rest(reader, where)
            break
        if magic == batch.MAGIC:
            reader.path = where
            read = [batch.read_batch(reader)]
        else:
            read = message_set.in_place(message_set.read_message(reader, magic, where), reader.rules)
        yield from ({"magic": magic, **entry} for entry in read)
        count += len(read)


def _magic(reader: Reader, path: str) -> int:
    """The next entry's magic. Checks the entry's size against the least of its format."""
    at = reader.pos + _MAGIC_AT
    magic = message_set.known_magic(reader, path)
    ends = batch.FIELD_ENDS if magic == batch.MAGIC else message_set.FIELD_ENDS[magic]
    size = int.from_bytes(reader.data[at - 8 : at - 4], "big", signed=True)
    if size < ends[-1]:
        start = at - 4
        fitting = max((end for end in ends if end <= size), default=0)
        fault = min(start + fitting, reader.end)
        message_set.note_head(reader, path, fault)
        raise reader.error(Reason.TRUNCATED, f"{size} bytes; magic {magic} has at least {ends[-1]}", fault)
    return magic


def append_record_set(writer: Writer, value: Any, path: str = "") -> None:
    """Append batches and messages, each of its `magic`. Raises EncodeError."""
    for index, entry in enumerate(sequence(value, path)):
        where = f"{path}[{index}]"
        check_keys(entry, (*batch.KEYS, "magic", "offset", "timestamp", "key", "value", "messages"), where)
        magic = entry.get("magic")
        rest = {key: item for key, item in entry.items() if key != "magic"}
        if magic == batch.MAGIC:
            batch.append_batch(writer, rest, where)
        elif magic in message_set.MAGICS:
            message_set.append_message(writer, rest, magic, where)
        else:
            raise EncodeError(Reason.UNSUPPORTED_MAGIC, f"magic {magic}; there are 0, 1 and 2", where)
