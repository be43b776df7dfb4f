"""The rulings on the wire format proposals: how this kit reads their page where it is silent or contradicts itself."""

from __future__ import annotations

from wireproof.reference.dialects.drafts import INVALID_TEXT, LEFT_OVER, NEGATIVE_LENGTH
from wireproof.reference.rules import OTHER, Ruling

PAGE = "New wire format proposals"
COMMON = f"{PAGE}, Common fields"
NOTATION = f"{PAGE}, Request Details"
PRODUCE = f"{PAGE}, ProduceRequest"
PRODUCED = f"{PAGE}, ProduceResponse"
FETCH = f"{PAGE}, FetchRequest"
COMMENTS = f"{PAGE}, comments"
FORMAT_0_7 = "Kafka 0.7's message format, which the page calls existing"

RULINGS: tuple[Ruling, ...] = (
    Ruling(
        "R-WF-1",
        "FetchRequest lists correlation_id before version_id",
        "version_id first, as the order column of the common fields has it: that wins everywhere",
        {OTHER: ("fetch_request_order", "section")},
        "as the FetchRequest section lists them: correlation_id first",
        COMMON,
    ),
    Ruling(
        "R-WF-2",
        "the prefix of an array",
        "an INT16, as the notation says (what shipped was an INT32); negative is malformed",
        source=NOTATION,
        quote="[] denote a variable length list prefixed by a int16",
    ),
    Ruling(
        "R-WF-3",
        "a message_set has no length",
        "an INT32 byte length stands before it: the format can't be parsed without, and the implementations of the "
        "time wrote one",
        source=PRODUCE,
        quote="messages: message_set // the actual messages for that partition (same as existing)",
        kit="the length, without which the format can't be parsed",
    ),
    Ruling(
        "R-WF-4",
        "the meaning of required_acks",
        "any INT8 decodes; −1 all replicas in sync, 0 none, 1 the leader, n so many replicas (the comments); what "
        "can't be reached (2 where the leader is alone) or means nothing (−2) is an error, never success; what can't "
        'be reached stands at the leader all the same ("at least the master got the message")',
        {"error": ("required_acks", "replicas"), "closed": ("required_acks", "replicas-or-closed")},
        "the text's range, 0 to the number of replicas: −1 decodes, means nothing, and is answered with an error; or "
        "what is outside of the range is closed on",
        COMMENTS,
    ),
    Ruling(
        "R-WF-5",
        'errors: "−1 if none", or "0 == no error"',
        "any INT16 decodes; who builds a response writes −1 (the text)",
        {OTHER: ("no_error", "0")},
        "writes 0 (a comment)",
        PRODUCED,
    ),
    Ruling(
        "R-WF-6",
        "how many errors and offsets there are",
        "one of each for every message set of the request, in its order; a mismatch is malformed",
        source=PRODUCED,
        quote=(
            "The errors and offsets array MUST contain one entry for each message set given in "
            "the request an the order must match the order in the request."
        ),
    ),
    Ruling(
        "R-WF-7",
        "offsets in a FetchRequest",
        "INT32, as written; there are as many partitions as offsets",
        source=FETCH,
        quote="offsets: [int32]",
    ),
    Ruling(
        "R-WF-8",
        "where error stands in a response",
        "after version_id, as the table has it",
        source=COMMON,
        quote="The id of the (request-level) error, if any occurred.",
    ),
    Ruling(
        "R-WF-9",
        "a null string",
        'not defined: a negative length is malformed, and "no client id" is the empty string',
        {OTHER: ("null_text", "null")},
        "a negative length is null, as 0.7's reader of strings had it",
        NOTATION,
    ),
    Ruling(
        "R-WF-10",
        "a partial last message in a set",
        "tolerated behind a whole one, a residue of 1 to 3 bytes and in requests too; a negative size is malformed",
        {OTHER: ("first_residue", "kept")},
        "a residue of 1 to 3 bytes also where no whole message stands before it, as 0.7 had it",
        FORMAT_0_7,
    ),
    Ruling(
        "R-WF-11",
        "pipelining",
        "a response carries its request's correlation id untouched; responses may arrive in any order, and a client "
        "matches them by id",
        source=COMMON,
        beyond="a client with several open requests: no op gives one more than a single response; "
        "tests/dialects/wire_format/test_wire_format_ends.py",
        quote="An id that can be set by the client and will be returned untouched by the server in the response.",
    ),
    Ruling(
        "R-WF-12",
        "proposals made in the comments",
        "what the author took into the text is the text; Hello and HelloReply, error and offset per partition, "
        "fetch_size, an acks array, flags, and to wait for the minimum of the acks and the replicas in sync are "
        "documented as considered",
        source=COMMENTS,
        quote="I will update the proposal with the following:",
    ),
    Ruling(
        "R-WF-13",
        "names and numbers",
        "the layouts' names win; request_type_ids are configurable, Produce 0 and Fetch 1 by default; a version_id "
        "other than 0 is refused; a response whose version_id is not the request's is malformed to the client",
        source=COMMON,
        beyond="other request_type_ids than the kit's own: implementations are configured once; "
        "tests/dialects/wire_format/test_wire_format_layouts.py",
        quote="This number starts at 0 and increases every time a protocol change is made for this API.",
    ),
    Ruling(
        "R-WF-14",
        "faults inside messages, and what is compressed",
        "codec 3, an unknown magic and a CRC mismatch are refused; compressed content is not looked into: the value "
        "keeps it as it is",
        {OTHER: ("wrappers", "read")},
        "compressed content is inflated and read as 0.7's deep iterator did, which takes partial and no messages and "
        "wrappers in it: what does not inflate, or holds a message with a fault, is refused",
        FORMAT_0_7,
    ),
    Ruling(
        "R-WF-15",
        "acks and waiting",
        "acks 0: nothing is sent, the connection stays; a long poll is answered when min_bytes are there over all "
        "topics together or max_wait has gone by, an ack timeout with an error; replica_id −1 is a client, any other a "
        "replica whose fetch acknowledges what is before its offset",
        {OTHER: ("acks_0", "answered")},
        "acks 0 is answered",
        f"{PAGE}, Known Proposals",
    ),
    Ruling(
        "R-WF-16",
        "which message set the Nth error and offset belong to",
        "the Nth over all topics in the request's order, a topic without partitions included; a response to an id that "
        "is unknown, or answered already, is an error",
        source=PRODUCED,
        beyond="which error and offset a client takes for which message set, and a second answer to an id: no op asks; "
        "tests/dialects/wire_format/test_wire_format_ends.py",
        quote="the Nth offset in the offset array corresponds to the Nth message set in the request",
    ),
    Ruling(
        "R-WF-17",
        'the error of a whole response, "if any"',
        "any INT16 decodes; −1 is none, as in a message set's errors",
        {OTHER: ("no_request_error", "0")},
        "0 is none",
        COMMON,
    ),
    Ruling(
        "R-WF-18",
        "what an offset counts",
        "it is 0 in a partition that nothing was appended to, and grows with what is appended; its unit is not in the "
        "text (bytes in 0.7), and not asked",
        source=PRODUCED,
        quote="the offsets for each off the message sets supplied, in the order given in the request",
        kit="that it is 0 where nothing was appended, and grows",
    ),
    Ruling(
        "R-WF-19",
        "what a reader makes of a partial last message",
        'its bytes are given, and written again: the page says "the existing message set format", and no more',
        {
            "dropped": ("partial_message", "dropped"),
            "refused": ("partial_message", "refused"),
            "refused-produced": ("partial_message", "refused-produced"),
        },
        "it is left out, as Kafka 0.7's iterator did: ByteBufferMessageSet.makeNextOuter ends before it; it is "
        "refused, for no field of the page limits what a fetch gets; it is refused where a producer sent it",
        FORMAT_0_7,
    ),
    Ruling(
        "R-WF-20",
        "when the CRC of a message inside a request or response is looked at",
        "as the frame is read",
        {OTHER: ("message_crc", "used")},
        "when the message is used: the frame around it is read whatever its CRC is, as Kafka 0.7's consumer did",
        FORMAT_0_7,
    ),
    Ruling(
        "R-WF-21",
        "a topic, or a partition of it, that is named twice",
        "taken: each is a message set, or an offset, of its own",
        {OTHER: ("named_twice", "refused")},
        'refused: "each topic name is only given once per request"',
        f"{PAGE}, Known Proposals",
    ),
    Ruling(
        "R-WF-22",
        "the partitions of a fetch that have no messages for it",
        "they are in the response, with an empty set each",
        {OTHER: ("empty_partitions", "left-out")},
        'they are left out, and so may be a topic that has only such: the response has "the actual data requested"',
        f"{PAGE}, FetchResponse",
    ),
    Ruling(
        "R-WF-23",
        "several requests of one connection: in which order a broker handles them",
        "as they came: what a request appends, the next one finds",
        {OTHER: ("pipelined", "last-first")},
        "in any order, and at the same time: a client that needs an order awaits the response",
        f"{PAGE}, Known Proposals",
    ),
    Ruling(
        "R-WF-24",
        "bits of a message's attributes above the codec",
        "kept when it is read and written",
        {OTHER: ("unused_bits", "cleared")},
        "a writer knows the codec alone, and writes the others as 0",
        FORMAT_0_7,
        incidental=True,
    ),
    INVALID_TEXT,
    NEGATIVE_LENGTH,
    LEFT_OVER,
)
