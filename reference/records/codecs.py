"""The codecs of the record types; apart from the package, for the compression libraries take time to load."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from reference.codec import Codec
from reference.compiled import Decoder, Encoder
from reference.cursor import Reader, Writer
from reference.errors import DecodeError, Reason
from reference.records import batch, fast, message_set, record, record_set
from reference.rules import Rules

_DEMANDED = Rules()


@dataclass(frozen=True, slots=True)
class RecordCodec:
    """The codec of one of these types."""

    read_value: Callable[[Reader], Any]
    append_value: Callable[[Writer, Any], None]
    decode: Decoder | None = None
    encode: Encoder | None = None

    def read(self, reader: Reader) -> Any:
        return self.read_value(reader)

    def append(self, writer: Writer, value: Any) -> None:
        self.append_value(writer, value)

    def fast_decoder(self, rules: Rules) -> Decoder | None:
        """Only under the rules that it was made for: a bound, and what lz4 may be, matter inside of content too."""
        return self.decode if rules == _DEMANDED else None

    def fast_encoder(self) -> Encoder | None:
        return self.encode

    def complete(self, value: Any) -> Any:
        """A value of records names every key: there is nothing to complete."""
        return value


def codec(type_name: str, version: int | None) -> Codec:
    """The codec of a type in TYPES. Raises DecodeError(unsupported-version)."""
    match type_name:
        case "Record":
            return RecordCodec(record.read_record, record.append_record)
        case "RecordBatch":
            return RecordCodec(batch.read_batch, batch.append_batch, fast.decode_batch, fast.encode_batch)
        case "RecordSet":
            return RecordCodec(record_set.read_record_set, record_set.append_record_set, fast.decode_set)
    if version not in message_set.MAGICS:
        raise DecodeError(
            Reason.UNSUPPORTED_VERSION, f"MessageSet has the versions 0 and 1, its magic; not {version}", None
        )
    return RecordCodec(
        partial(message_set.read_message_set, magic=version), partial(message_set.append_message_set, magic=version)
    )
