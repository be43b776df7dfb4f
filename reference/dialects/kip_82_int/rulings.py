"""The rulings on KIP-82's draft with int keys: how this kit reads it where it is silent or contradicts itself."""

from __future__ import annotations

from wireproof.reference.dialects.drafts import BELOW_NULL, INVALID_TEXT, LEFT_OVER, NEGATIVE_LENGTH
from wireproof.reference.rules import OTHER, Ruling

INTERFACES = "KIP-82 with int keys, Public Interfaces"
MESSAGE = "KIP-82 with int keys, Wire protocol change"
HEADERS = "KIP-82 with int keys, Wire protocol of the headers bytes"
KEYS = "KIP-82 with int keys, Example Key Allocation"
MIGRATION = "KIP-82 with int keys, Compatibility, Deprecation, and Migration Plan"

RULINGS: tuple[Ruling, ...] = (
    Ruling(
        "R-82i-1",
        'which bit of the attributes "bit 4" is',
        "0x10: the layout is that of magic 1, whose 0x08 is the timestamp type already; bits 0 to 2 are the codec",
        source=MESSAGE,
        quote="Use Bit 4 as boolean flag for if headers present",
    ),
    Ruling(
        "R-82i-2",
        "the flag is set, and HeadersLength is 0",
        'decodes to no headers; an encoder clears the bit ("no overhead if not present")',
        {OTHER: ("flag_without_headers", "refused")},
        "refused",
        MESSAGE,
    ),
    Ruling(
        "R-82i-3",
        "the order of keys",
        "as signed int32, strictly ascending, for it is a Map; a duplicate or a descending key is refused, for the "
        "format is strict (Public Interfaces 6)",
        {OTHER: ("int_key_order", "unsigned")},
        "as unsigned numbers, which differ from 0x80000000 on alone, where all is RESERVED",
        f"{HEADERS}; Public Interfaces 6",
    ),
    Ruling(
        "R-82i-3w",
        "keys out of order or twice, on write",
        "never written: out of order they are refused, or sorted, for a Map has no order; a key that is given twice is "
        "refused",
        {OTHER: ("int_key_twice", "last")},
        "the last of equal keys counts, as in a Map that is filled one key after another",
        HEADERS,
    ),
    Ruling(
        "R-82i-4",
        "nulls",
        "a message's key or value of length −1 is null (a tombstone may carry headers); a negative length of a "
        "header's value or of the headers, and a length below −1, are refused",
        {OTHER: ("header_value_null", "null"), "below": ("record_length", "null")},
        "a header's value of length −1 is null, as a message's is: the page does not speak of it; any negative length "
        "of a message's key or value is null",
        MESSAGE,
    ),
    Ruling(
        "R-82i-5",
        "CRC and size",
        "CRC-32 (IEEE) of all from MagicByte to the end, headers included; MessageSize counts the bytes behind itself",
        source=MESSAGE,
        quote="MessageAndOffset => Offset MessageSize Message",
        kit="what Kafka's CRC and size covered then, headers included",
    ),
    Ruling(
        "R-82i-6",
        "where the headers stand",
        "as in the grammar: between Key and ValueLength",
        source=MESSAGE,
        quote=("Message => Crc MagicByte Attributes Timestamp KeyLength Key HeadersLength Headers ValueLength Value"),
    ),
    Ruling(
        "R-82i-7",
        "the example numbers contradict each other",
        "0x00000010 is 16; 0x0034010 lacks a digit (3407888 is 0x00340010); ranges are policy: any int32 decodes; the "
        "allocation table wins over the classes of Public Interfaces 8 and over the numbers of the sample registers",
        source=KEYS,
        quote="could have the value of 0x00000010 (10)",
        kit="that any int32 decodes",
    ),
    Ruling(
        "R-82i-8",
        "the accessors of records",
        "setHeader is a producer record's alone, and a second one of a key replaces the first; a consumer record's "
        "headers are immutable; values are bytes, with a hook for interceptors",
        source="KIP-82 with int keys, Proposed Changes",
        quote=(
            "Accessor methods of byte[] getHeader(int) added to interface of the ConsumerRecord. "
            "(immutable as such no set required)"
        ),
    ),
    Ruling(
        "R-82i-9",
        "versions",
        "magic 2 is unknown to an older reader; an older message has no headers; going down to magic 1 drops headers "
        "and clears the bit, to magic 0 the timestamp and its type too; coming up from magic 0 gives the timestamp −1; "
        "Produce and Fetch 0 and 1 carry magic 0, 2 carries magic 1, 3 carries magic 2",
        source=MIGRATION,
        quote="Message version migration would be handled as like in KIP-32",
    ),
    Ruling(
        "R-82i-10",
        "skipping",
        "keys ascend: a reader that wants keys up to K stops at the first greater one; faults after it stay unseen",
        {OTHER: ("behind_the_key", "read"), "at-once": ("behind_the_key", "unread-at-once")},
        'all headers are read first, and faults behind the key refused ("ability to skip"); a reader stops behind the '
        "key that it wants: no other one can be equal",
        HEADERS,
    ),
    Ruling(
        "R-82i-11",
        "sets and compression",
        "a set is a sequence of MessageAndOffset; a message whose attributes name a codec is a wrapper, as in magic 1: "
        "its value is such a set, compressed, whose messages carry the headers; inner offsets as in magic 1; gzip, "
        "snappy, lz4, up to 32 MiB of content; no wrapper inside a wrapper, and none of the set inside partial",
        {OTHER: ("headed_wrappers", "kept")},
        "the page speaks of no compression: a wrapper's value is bytes like any other, and not looked into; more than "
        "32 MiB are read",
        MESSAGE,
    ),
    Ruling(
        "R-82i-12",
        "a partial message at the end of a set",
        "dropped, as in sets of magic 1: a fetch may end anywhere; a size that no message can have, or an unknown "
        "magic, is refused all the same",
        {OTHER: ("headed_partial", "refused")},
        "refused: the page does not speak of it",
        MESSAGE,
    ),
    Ruling(
        "R-82i-13",
        "what the field Records of Produce and Fetch holds",
        "bytes: what they are is another codec's matter",
        {OTHER: ("headed_records", "messages")},
        'messages of the version\'s magic alone ("V3 which uses the new message format"); other bytes are refused',
        INTERFACES,
    ),
    Ruling(
        "R-82i-14",
        "converting a set of messages that have the asked magic already",
        "it is read, and written again: what is broken is refused, and what can be written in two ways is canonical",
        {OTHER: ("same_magic", "passed-on")},
        "its bytes are passed on as they are: there is nothing to convert",
        MIGRATION,
    ),
    Ruling(
        "R-82i-15",
        "headers that a conversion drops",
        "they are read, and refused if they are broken",
        {OTHER: ("dropped_headers", "skipped")},
        "HeadersLength says where they end, and nobody will read them: they are skipped",
        MIGRATION,
    ),
    Ruling(
        "R-82i-16",
        "a wrapper that is converted to an older magic",
        "it stays a wrapper, around converted messages, with the same codec",
        {OTHER: ("older_wrappers", "messages")},
        "its messages stand in the set themselves, not compressed; a time of appending is the wrapper's",
        MIGRATION,
    ),
    Ruling(
        "R-82i-17",
        "bits of a message's attributes without a meaning",
        "bits 5 to 7 are kept when it is read, written and converted",
        {OTHER: ("unused_bits", "cleared")},
        "a writer knows bits 0 to 4 alone, and writes the others as 0",
        MESSAGE,
        incidental=True,
    ),
    INVALID_TEXT,
    NEGATIVE_LENGTH,
    BELOW_NULL,
    LEFT_OVER,
)
