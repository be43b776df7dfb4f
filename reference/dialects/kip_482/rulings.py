"""The rulings on the first version of KIP-482's page: how this kit reads it where it is silent or contradicts
itself."""

from __future__ import annotations

from wireproof.reference.dialects.drafts import (
    BELOW_NULL,
    BOOLEAN,
    INVALID_TEXT,
    LEFT_OVER,
    NEGATIVE_LENGTH,
    OVERLONG_VARINTS,
)
from wireproof.reference.rules import OTHER, Ruling

FIELDS = "KIP-482 version 1, Specifying Optional Fields"
BUFFER = "KIP-482 version 1, Serializing Optional Fields"
REQUESTS = "KIP-482 version 1, Requests and Responses"
VERSIONS = "KIP-482 version 1, versionsWithOptional"
COMPATIBILITY = "KIP-482 version 1, Compatibility, Deprecation, and Migration Plan"

RULINGS: tuple[Ruling, ...] = (
    Ruling(
        "R-482-1",
        "is FieldLength zigzag or unsigned?",
        "zigzag: in June 2019 the only type that Kafka called VARINT was; a negative length is malformed",
        {OTHER: ("field_length", "unsigned")},
        "unsigned, and VARINT then is too",
        BUFFER,
        layout=True,
    ),
    Ruling(
        "R-482-2",
        "does FieldLength count the tag's two bytes?",
        'no: "a field length, followed by a two-byte tag, followed by the field itself"; what shipped counts '
        "data alone",
        {OTHER: ("field_length_counts", "tag-and-value")},
        "FieldLength is 2 + the value's bytes",
        BUFFER,
        layout=True,
    ),
    Ruling(
        "R-482-3",
        "a value of no bytes, whose FieldLength would end the buffer",
        "cannot occur, for every type takes a byte, a structure too; 0 always ends the buffer, and an encoder refuses "
        "an unknown value of no bytes",
        source=BUFFER,
        quote="The sequence of optional fields is terminated by an entry with a field length of 0.",
    ),
    Ruling(
        "R-482-4",
        "a tag is an INT16, yet 0 to 65535",
        "its 16 bits are unsigned, and so is the order",
        source=FIELDS,
        quote="Any value from 0 to 65535, inclusive, is a legal tag.",
    ),
    Ruling(
        "R-482-5",
        "tags twice or descending",
        'malformed ("unique", "ascending")',
        {OTHER: ("optional_order", "any"), "map": ("optional_order", "map")},
        'descending ones are read, and sorted: "must appear in ascending order" is said to the writer, and "unique" to '
        "the schema: a tag twice is malformed, or its last value counts, as in a map",
        BUFFER,
    ),
    Ruling(
        "R-482-6",
        'where is "the beginning" of a request or response?',
        "the first byte of the body, behind a header that is as it was: it says in which version the body is, and so "
        "whether there is a buffer",
        source=REQUESTS,
        quote="All requests and responses will begin with an optional field buffer.",
    ),
    Ruling(
        "R-482-7",
        "null, absent",
        "a null that is there has its type's classic form; absent stands for the stated default, else for the type's",
        {OTHER: ("absent_optional", "null")},
        "absent stands for null where the field can be null",
        FIELDS,
        incidental=True,
    ),
    Ruling(
        "R-482-8",
        "an unknown tag",
        "FieldLength bytes are skipped, whatever they hold; they are kept, and written again in the order of tags",
        {OTHER: ("unknown_tags", "dropped")},
        "dropped: the text demands no more than the skipping",
        BUFFER,
        incidental=True,
    ),
    Ruling(
        "R-482-9",
        "a value that does not fill its FieldLength",
        "malformed",
        {OTHER: ("optional_size", "ignored")},
        "the rest is passed over; a value that needs more is malformed all the same",
        BUFFER,
    ),
    Ruling(
        "R-482-10",
        "which types an optional field can have",
        "any but an array of structures; an array of primitives and a structure are allowed, one that holds an array "
        "of structures too: its length is known once it is written, as any structure's",
        {OTHER: ("optional_inner_arrays", "refused")},
        "a schema with an optional structure that holds an array of structures, however deep, is refused: it needs the "
        "two passes that the page avoids",
        FIELDS,
    ),
    Ruling(
        "R-482-11",
        "the page's example is not valid JSON",
        'its trailing commas and "..." are illustration; a tag is a number or a string such as "0x0001"; every message '
        'has validVersions and versionsWithOptional; ranges are "1+", "0-9", "3", "none"',
        source="KIP-482 version 1, Specifying Optional Fields",
        beyond="it is about the page's own JSON: tests/dialects/kip_482/test_kip_482_schemas.py",
        quote=(
            "Here is an example of a message spec which has optional fields at both the top level and the array level"
        ),
    ),
    Ruling(
        "R-482-12",
        "which schemas are wrong",
        "tags are unique in their context, 0 to 65535, and never missing; only string, bytes and arrays can be null; "
        "no name stands twice, across fields and optionalFields too; optional fields have no range of versions; a "
        "default has its field's type, and is null only where that can be; optionalFields need versionsWithOptional",
        source=FIELDS,
        quote="This number must be unique within the context it appears in.",
    ),
    Ruling(
        "R-482-13",
        "evolution",
        "adding and removing an optional field is compatible, unless its tag meant something else in any earlier "
        "release: a tag that was taken away and comes back under another name is reused, of the same type too; another "
        "type or nullability of an optional field is not compatible; nor versionsWithOptional moved over a published "
        "version, nor new versions without optional fields behind such with them; another name for a tag and type "
        "from one release to the next is compatible and noted",
        {OTHER: ("renamed_tag", "reuse")},
        "another name under a tag is a reuse at once",
        COMPATIBILITY,
    ),
    Ruling(
        "R-482-14",
        "versions outside versionsWithOptional",
        "have no buffers; an optional field that is set to something else than its default is refused there",
        {OTHER: ("field_not_in_version", "left-out")},
        "it is left out: that version does not support it",
        VERSIONS,
    ),
    Ruling(
        "R-482-15",
        '"a new version of all the existing RPCs"',
        "a request or response is lifted, and nothing else: classic encodings in all its versions, one version more "
        "with optional fields, tagged fields as optional ones (an array of structures as a mandatory field of the new "
        "version); nullable structures, which the draft lacks, keep the shipped INT8 marker, −1 or 1",
        {OTHER: ("struct_marker", "sign")},
        "any negative marker is null, any other says that the structure is there",
        VERSIONS,
        quote="As part of this KIP, we will create a new version of all the existing RPCs.",
        kit="that nullable structures, which the draft lacks, keep the marker that shipped",
    ),
    Ruling(
        "R-482-16",
        "is an optional field sent that has its default?",
        "no: what equals the default is left out, and a float equals it by its bits: −0.0 is sent where 0.0 is the "
        "default; it decodes when it was sent",
        {OTHER: ("tag_at_default", "sent"), "number": ("float_default", "number")},
        "all optional fields are sent; −0.0 equals 0.0, and is left out",
        BUFFER,
        incidental=True,
    ),
    Ruling(
        "R-482-17",
        "another default of a field that exists",
        "compatible and noted: the page names types and nullability alone",
        {OTHER: ("optional_default", "breaks")},
        "not compatible: what is absent means something else to an old reader",
        COMPATIBILITY,
    ),
    Ruling(
        "R-482-18",
        "a structure under a tag that is another one in new versions: no field is kept, or one has another type",
        "not compatible: the type of an existing optional field changes",
        {OTHER: ("replaced_structure", "compatible")},
        "compatible: its mandatory fields have versions of their own, as a body's",
        COMPATIBILITY,
    ),
    Ruling(
        "R-482-19",
        "another name for a mandatory field in the same place",
        "compatible and noted: no byte changes",
        {OTHER: ("renamed_mandatory", "breaks")},
        "not compatible: a field goes, and another one comes",
        COMPATIBILITY,
    ),
    OVERLONG_VARINTS,
    INVALID_TEXT,
    NEGATIVE_LENGTH,
    BELOW_NULL,
    BOOLEAN,
    LEFT_OVER,
)
