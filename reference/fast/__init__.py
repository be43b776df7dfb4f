"""The fast codec: the values, bytes and refusals of the readable one, in a fraction of the time for the common case.

Fuzzing asks it: with the readable codec, whose branches are instrumented, an execution of a MetadataResponse takes
twice as long, and one of a RecordBatch a fifth longer (docs/adr/0018). All else asks the readable codec, as the judge
does.
`--impl=wireproof.reference.fast:reference` compares the two.

It handles the common case only: minimal varints, tags in order that fill their size, every key present. For anything
else it gives up, and the readable codec, which knows every rule and names every fault, starts again. If the fast codec
gave up because of a fault, and the readable one finds none, that is an internal error, never a pass. It accepts true
for 1: nobody asks with wrong Python types, and a check of each integer would cost a third of its speed.

For messages Python source is generated from a plan, and compiled once for each version.

source     one generated function: its lines, its names
decoding   generates the function that reads a node
encoding   generates the function that writes a node
records    reads and writes records and batches; nothing of it is generated
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

from wireproof.reference import Reference
from wireproof.reference import codec as readable
from wireproof.reference.codec import Codec, NodeCodec, ShapedCodec
from wireproof.reference.errors import WireError
from wireproof.reference.fast import records
from wireproof.reference.fast.decoding import Decoder, decoder
from wireproof.reference.fast.encoding import Encoder, encoder
from wireproof.reference.fast.source import GIVES_UP, Fault, NotPlain, is_number
from wireproof.reference.primitives import Primitive
from wireproof.reference.records import batch, record, record_set
from wireproof.reference.rules import DEMANDED, Rules, accepts_more
from wireproof.reference.schema.plan import Array, Node, Struct

__all__ = [
    "GIVES_UP",
    "REFUSED",
    "FastReference",
    "Fault",
    "InternalError",
    "NotPlain",
    "decode",
    "decoder",
    "decoder_of",
    "encode",
    "encoder",
    "encoder_of",
    "reader",
    "reference",
]

#: The functions for records, by the readable function that reads the same.
_DECODERS: Mapping[Callable[..., Any], Decoder] = {
    record.read_record: records.decode_record,
    batch.read_batch: records.decode_batch,
    record_set.read_record_set: records.decode_set,
}
_ENCODERS: Mapping[Callable[..., Any], Encoder] = {batch.read_batch: records.encode_batch}


def decoder_of(codec: Codec, rules: Rules) -> Decoder | None:
    """A faster reader for the common case under these rules, without paths and reasons; None without one.

    What is plain in a message is so under all rules that keep unknown tags. In records limits and compression rules
    matter inside of content, so they have one under the demanded readings, and under those that only accept more.
    """
    if isinstance(codec, ShapedCodec):
        return _DECODERS.get(codec.read_value) if rules is DEMANDED or accepts_more(rules) else None
    keeps = rules.unknown_tags == "kept"
    return decoder(codec.node) if keeps and type(codec) is NodeCodec and _is_generated(codec.node) else None


def encoder_of(codec: Codec, rules: Rules) -> Encoder | None:
    """A faster writer for the common case under these rules; None without one, and under rules that change what is
    written."""
    if rules is not DEMANDED and not accepts_more(rules):
        return None
    if isinstance(codec, ShapedCodec):
        return _ENCODERS.get(codec.read_value)
    return encoder(codec.node) if type(codec) is NodeCodec and _is_generated(codec.node) else None


@functools.cache
def _is_generated(node: Node) -> bool:
    """Whether a node has generated code: a message without optional-field buffers (kip-482-v1), or an array of numbers
    of a fixed width, which may be long."""
    return is_number(node.element) if isinstance(node, Array) else isinstance(node, Struct) and _is_plain(node)


def _is_plain(node: Node) -> bool:
    match node:
        case Struct():
            return not node.optional and all(_is_plain(field.node) for field in node.fields)
        case Array():
            return _is_plain(node.element)
    return isinstance(node, Primitive)


class InternalError(RuntimeError):
    """The two codecs disagree. That is a bug of the kit, for any input."""


def decode(codec: Codec, data: bytes | memoryview, rules: Rules) -> Any:
    """`decode`, by the fast codec where the type has one. Where that gives up, the readable one starts again: it
    decides, and its error names the place. Raises DecodeError."""
    fast = decoder_of(codec, rules)
    if fast is None:
        return readable.decode(codec, data, rules)
    data = bytes(data)
    odd = False
    try:
        value, end = fast(data, 0)
        if end == len(data):
            return value
    except NotPlain:
        odd = True
    except GIVES_UP:
        pass
    value = readable.decode(codec, data, rules)
    if odd or rules != DEMANDED:
        return value
    raise InternalError(f"{codec}: the fast codec refuses {data.hex()}, the readable one reads {value!r}")


#: With one of these `reader` refuses.
REFUSED = (WireError, *GIVES_UP)


def reader(codec: Codec, rules: Rules) -> Callable[[bytes], Any]:
    """A function that reads a value, or raises one of `REFUSED`: without a reason, where the fast codec alone decides.
    To find the reason takes the readable codec several times as long."""
    fast = decoder_of(codec, rules)
    if fast is None:
        return lambda data: readable.decode(codec, data, rules)

    def read(data: bytes) -> Any:
        try:
            value, end = fast(data, 0)
        except NotPlain:
            return readable.decode(codec, data, rules)
        if end != len(data):
            raise Fault
        return value

    return read


def encode(codec: Codec, value: Any, rules: Rules) -> bytes:
    """`encode`, by the fast codec where the type has one and the value is whole. Raises EncodeError."""
    fast = encoder_of(codec, rules)
    if fast is not None:
        try:
            return fast(value)
        except GIVES_UP:
            pass
    return readable.encode(codec, value, rules)


class FastReference(Reference):
    """The reference, by the fast codec."""

    name = "reference, fast"

    def _read(self, codec: Codec, data: bytes) -> Any:
        return decode(codec, data, self.rules)

    def _write(self, codec: Codec, value: Any) -> bytes:
        return encode(codec, value, self.rules)


#: For `--impl=wireproof.reference.fast:reference`.
reference = FastReference()
