"""The codecs of the record types. A module of its own: it imports the compression libraries, which takes time."""

from __future__ import annotations

from functools import partial

from wireproof.reference.codec import Codec, ShapedCodec
from wireproof.reference.errors import DecodeError, Reason
from wireproof.reference.records import batch, message_set, record, record_set, values

_CODECS = {
    "Record": ShapedCodec(record.read_record, record.append_record, values.RECORD),
    "RecordBatch": ShapedCodec(batch.read_batch, batch.append_batch, values.BATCH),
    "RecordSet": ShapedCodec(record_set.read_record_set, record_set.append_record_set, values.RECORD_SET),
}
_MESSAGE_SETS = {
    magic: ShapedCodec(
        partial(message_set.read_message_set, magic=magic),
        partial(message_set.append_message_set, magic=magic),
        values.message_set(magic),
    )
    for magic in message_set.MAGICS
}


def codec(type_name: str, version: int | None) -> Codec:
    """The codec of a type in TYPES. Raises DecodeError(unsupported-version)."""
    record_codec = _CODECS.get(type_name) or (None if version is None else _MESSAGE_SETS.get(version))
    if record_codec is None:
        detail = f"MessageSet has the versions 0 and 1, its magic; not {version}"
        raise DecodeError(Reason.UNSUPPORTED_VERSION, detail, None)
    return record_codec
