"""The rulings on KIP-82 with string keys: how this kit reads points that the page, a comparison, leaves open."""

from __future__ import annotations

import re

from wireproof.reference.dialects import drafts
from wireproof.reference.rules import OTHER, Ruling

PAGE = "KIP-82 with string keys, Wire protocol change"
KIP_98 = "KIP-98's draft, message format"
API = "KIP-82 with string keys, Public Interfaces"

RULINGS: tuple[Ruling, ...] = (
    drafts.OVERLONG_VARINTS,
    drafts.INVALID_TEXT,
    drafts.NEGATIVE_LENGTH,
    drafts.LEFT_OVER,
    Ruling(
        "R-82s-1",
        "presence of a message's key and value",
        "attribute bit 0 (0x01) says that the key is null, bit 1 (0x02) that the value is; then length and data are "
        "left out",
        source=PAGE,
        quote="This is basing off KIP-98 Message protocol proposals.",
        kit="which bits: the page names none, and KIP-98's draft had these",
    ),
    Ruling(
        "R-82s-2",
        "an empty key or value",
        "the bit is 0, the length 0",
        source=PAGE,
        quote="This is basing off KIP-98 Message protocol proposals.",
        kit="which bit, as R-82s-1",
    ),
    Ruling(
        "R-82s-3",
        "what Length counts, a message's and a header's",
        "what follows it, not itself",
        source=PAGE,
        quote="Length … uintVar … length … individual header",
    ),
    Ruling(
        "R-82s-4",
        "how many headers there are",
        'they run to the end of the message, without a count ("Header1, Header2 … HeaderN"); what is left over or runs '
        "over is malformed",
        {"int32": ("header_count", "int32"), "uint-var": ("header_count", "uint-var")},
        'an array ("array of headers", "[Header]"), whose count stands before it: an int32, as before every array of '
        "Kafka's then, or a uintVar, as every other number of the page's",
        PAGE,
        layout=True,
    ),
    Ruling(
        "R-82s-5",
        "the length of a header's value",
        "what Length leaves after KeyLen and the key; less than nothing is malformed, null can't be expressed",
        source=PAGE,
        quote="KeyLen => … uintVar … length … key bytes … Value => … data",
    ),
    Ruling(
        "R-82s-6",
        "the order of headers",
        "a key may stand more than once, and order is kept over all headers; keys are UTF-8, the empty one is legal",
        {"grouped": ("header_order", "grouped"), "sorted": ("header_order", "sorted")},
        'only that of equal keys is kept ("a multi map, or an array of values per key"): keys by first occurrence, '
        "sorted, or in any other order (contested in vectors; it has no name to declare)",
        PAGE,
    ),
    Ruling(
        "R-82s-7",
        '"if above mentioned attributes bit flag is true"',
        "left over from an earlier revision: headers are always read, and may be none",
        {OTHER: ("header_flag", "bit-4")},
        "it stands there: bit 4 of the message's attributes, as in that revision, says that there are headers; without "
        "it there are none",
        PAGE,
        layout=True,
    ),
    Ruling(
        "R-82s-8",
        "uintVar",
        "unsigned LEB128 of 32 bits",
        {OTHER: ("uint_var", "zigzag"), "64-bit": ("uint_var", "unsigned-64")},
        "zigzag, as the draft's code had for every varint; of 64 bits, for the draft names no width",
        KIP_98,
        layout=True,
    ),
    Ruling(
        "R-82s-9",
        "the class Headers",
        "get: all values of a key in order, none for an unknown one; keys: distinct, by first occurrence; asBytes: the "
        "headers one after another, without a count; records of producer and consumer have getHeaders",
        source=API,
        beyond="get is asked by lookup, asBytes and the constructor with bytes by HEADERS; what a class offers besides "
        "has no bytes: tests/dialects/kip_82_string_keys/test_kip_82_string_keys_headers.py",
        quote="Collection<byte[]> get(String key)",
    ),
    Ruling(
        "R-82s-10",
        "what messages stand in",
        "the batch of KIP-98's draft: its Length counts what follows it, CRC-32 from the magic on; bits 0 to 2 of its "
        "attributes are the codec, as before (gzip, snappy, lz4), and what is compressed are messages, up to 32 MiB",
        {"refused": ("batch_codec", "refused"), "kept": ("batch_codec", "kept")},
        "the page has messages alone, and does not speak of compression: a batch that names a codec is refused, or its "
        "messages are bytes that are not looked into; more than 32 MiB are read",
        KIP_98,
    ),
    Ruling(
        "R-82s-11",
        "conversion to and from older messages and the record that shipped",
        "older messages have no headers, to older ones headers are dropped; a null header value and a negative offset "
        "delta of a shipped record are refused by name, a record's attribute bits dropped",
        source="KIP-82 with string keys, Compatibility, Deprecation, and Migration Plan",
        quote="older consumers simply would consume a message oblivious to there being any headers",
        kit="that what an older message can't hold is refused by name",
    ),
    Ruling(
        "R-82s-12",
        "intVar",
        "zigzag LEB128 of 64 bits, in as few bytes as it needs: 0, −1, 1, −2 … stand as 0, 1, 2, 3 …",
        {OTHER: ("int_var", "plain")},
        "LEB128 of the 64 bits of two's complement, for the page has no encoding of signs: −1 is ffffffffffffffffff01",
        KIP_98,
    ),
    Ruling(
        "R-82s-13",
        "bits of a message's attributes without a meaning",
        "bits 2 to 7 are kept when it is read and written",
        {OTHER: ("unused_bits", "cleared")},
        "a writer knows bits 0 and 1 alone, and writes the others as 0",
        PAGE,
    ),
    Ruling(
        "R-82s-14",
        "converting a set of older messages",
        "each message is a batch, with its own offset and timestamp",
        {OTHER: ("older_messages", "one-batch")},
        "messages that stand side by side are one batch, where one can hold them",
        "KIP-82 with string keys, Compatibility, Deprecation, and Migration Plan",
    ),
    Ruling(
        "R-82s-15",
        "converting a batch whose attributes have bit 5: it means nothing in the draft, and marks a control batch in "
        "the format that shipped",
        "its messages are converted, and the bit is dropped",
        {OTHER: ("batch_bit_5", "refused")},
        "refused",
        "KIP-82 with string keys, Compatibility, Deprecation, and Migration Plan",
    ),
    Ruling(
        "R-82s-16",
        "a compressed batch or wrapper that is converted",
        "what comes of it is compressed with the same codec: a batch, or a wrapper around older messages",
        {OTHER: ("older_wrappers", "messages")},
        "it is not compressed: a batch as it would be without a codec, or the older messages in the set themselves",
        "KIP-82 with string keys, Compatibility, Deprecation, and Migration Plan",
    ),
    Ruling(
        "R-82s-17",
        "converting a set that ends with a part of a message",
        "the part is dropped, as every reader of Kafka's does: a fetch may end anywhere",
        {OTHER: ("converted_partial", "refused")},
        "refused: the page does not speak of it",
        "KIP-82 with string keys, Compatibility, Deprecation, and Migration Plan",
    ),
)

#: Type and path where bytes are missing → the ruling on how many there should be. The first match counts.
_LACKING = tuple(
    (re.compile(place), ruling)
    for place, ruling in (
        (r"HEADER length", "R-82s-3"),
        (r"(HEADERS |.*\bheaders)\[\d+\]\.length", "R-82s-4"),
        (r"(HEADER |HEADERS \[\d+\]\.|.*\bheaders\[\d+\]\.)key", "R-82s-5"),
        (r"(MESSAGE |BATCH records\[\d+\]\.)\w+", "R-82s-3"),
        (r"BATCH \w+", "R-82s-10"),
    )
)
_KEY_OR_VALUE = re.compile(r"(MESSAGE |BATCH records\[\d+\]\.)(key|value)")


def lacking(type_name: str, path: str, *, announced: bool) -> str | None:
    """The ruling behind the refusal of bytes that are too few at `path`; None where a number is cut off. `announced`: a
    length was read there, and is larger than the bytes left."""
    place = f"{type_name} {path}"
    if not announced and _KEY_OR_VALUE.fullmatch(place):
        return "R-82s-1"  # the attributes say that there is a length, and there is none
    return next((ruling for pattern, ruling in _LACKING if pattern.fullmatch(place)), None)
