"""The rulings on version 7 of KIP-35's page: how this kit reads it where it is silent or contradicts itself."""

from __future__ import annotations

from wireproof.reference.dialects.drafts import BELOW_NULL, INVALID_TEXT, LEFT_OVER, NEGATIVE_LENGTH
from wireproof.reference.rules import OTHER, Ruling

INTERFACES = "KIP-35 version 7, Public Interfaces"
TAGS = "KIP-35 version 7, Key-Value tags"
UNSUPPORTED = "KIP-35 version 7, Improved handling of unsupported requests on broker"
PROTOCOL_VERSION = "KIP-35 version 7, ProtocolVersion"

RULINGS: tuple[Ruling, ...] = (
    Ruling(
        "R-35-1",
        "the widths of prefixes, and the headers",
        "an array's count is an INT32, a string's length an INT16; request header v1, the response's is a correlation "
        "id (Kafka 0.9's conventions)",
        source=INTERFACES,
        quote="BrokerMetadataRequest => [NodeId]",
        kit="Kafka 0.9's primitive types and headers, which the page uses without a word",
    ),
    Ruling(
        "R-35-2",
        "which brokers a request's NodeIds select",
        "none: all; −1: the broker asked; the brokers come in any order; a null array is "
        "malformed; NodeId is the page's BrokerId",
        source="KIP-35 version 7, Public Interfaces",
        quote="Empty array: retrieve for all brokers.",
        kit="that a null array is malformed",
    ),
    Ruling(
        "R-35-3",
        'the "empty response … with Length=0"',
        "00000004 CorrId: the length counts the correlation id, and nothing follows it; closing the connection fails",
        {OTHER: ("empty_response", "literal")},
        "00000000 CorrId, after which an existing client takes the correlation id for the next frame's length",
        UNSUPPORTED,
    ),
    Ruling(
        "R-35-4",
        "the api key, unassigned",
        "the setting `api_key` of `configure`, 17 where it is not given",
        source=INTERFACES,
        quote="Add protocol BrokerMetadataRequest & Response message",
        kit="a number, for the page gives none",
    ),
    Ruling(
        "R-35-5",
        "a broker's tags",
        "the builtin ones have a parser each, and `lookup` gives what it reads; unknown keys are kept, and are text; "
        "a reader keeps order and duplicates; a broker tells its users' tags, in any order, and may add builtin ones",
        {
            "map": ("broker_tags", "map"),
            "sorted": ("broker_tags", "sorted"),
            "refused": ("broker_tags", "refused"),
        },
        "keys and values are a map: the last value of a key counts, and tags have any order (contested in vectors; "
        "only sorted by key has a name to declare), or a key that stands twice is refused; to a client "
        "a builtin tag of another form is malformed",
        TAGS,
        beyond="which codec a client takes of those that a broker has: tests/dialects/kip_35/test_kip_35_tags.py",
    ),
    Ruling(
        "R-35-6",
        "user-provided tags",
        'a property "tag.NAME = value" gives the key NAME: only the first "tag." is cut; one that shadows a builtin '
        "key is refused",
        source="KIP-35 version 7, Example user-provided tags",
        beyond="what is refused: the page says no more of the file than that it could look so; "
        "tests/dialects/kip_35/test_kip_35_tags.py",
        quote="The configuration format could look something like:",
        kit="that a property that shadows a builtin key is refused",
    ),
    Ruling(
        "R-35-7",
        "ProtocolVersion",
        "a request type and version is there from the number that added it up to the one before that which removed it; "
        "new numbers go up by one and leave none out; additions of one patch may share a number; nothing is ever "
        "deleted from the ledger, and nothing dated into a number that is published",
        {OTHER: ("shared_number", "refused")},
        'each addition has a number of its own: "incremented for each addition"',
        PROTOCOL_VERSION,
    ),
    Ruling(
        "R-35-8",
        "a client that receives the empty response",
        "unsupported, naming the request type, and the connection stays usable: this is demanded of updated clients",
        {OTHER: ("empty_response_means", "malformed")},
        "malformed, of a request type that it names, as clients from before the proposal find without any alteration; "
        "they must neither hang nor lose the frame boundary",
        UNSUPPORTED,
        "that the connection stays usable: `interpret` has one answer: tests/dialects/kip_35/test_kip_35_ends.py",
    ),
    Ruling(
        "R-35-9",
        "what a broker needs of a request to answer that it does not know it",
        "size, key, version and correlation id; what stands behind them is not looked at; unknown keys and unsupported "
        "versions, negative ones too, are answered alike",
        {OTHER: ("unknown_request", "header")},
        "the whole header, with the client id: where that is missing or malformed, it closes",
        UNSUPPORTED,
    ),
    Ruling(
        "R-35-10",
        "a version that is removed or deprecated under the current ProtocolVersion",
        "not compatible: brokers that tell this number still have the version; the removal takes the next number",
        {OTHER: ("ended_in", "current")},
        'compatible: the number is "incremented for each addition", and a removal is none; only the line '
        '"Removed in ProtocolVersion" is added',
        "KIP-35 version 7, Managing the ProtocolVersion",
    ),
    Ruling(
        "R-35-11",
        "a supported request whose header or body is malformed",
        "the connection is closed: the page speaks of requests that the broker does not know",
        {OTHER: ("malformed_request", "empty-response")},
        "the empty response",
        UNSUPPORTED,
    ),
    Ruling(
        "R-35-12",
        "an id that a request names several times",
        "its broker is answered once; −1 and the id of the broker asked are the same broker",
        {OTHER: ("repeated_ids", "each")},
        "as often as it is named",
        INTERFACES,
    ),
    Ruling(
        "R-35-13",
        "−1 beside other ids",
        "the broker asked, and the others",
        {OTHER: ("this_broker", "alone")},
        'the broker asked alone: "use -1 for current broker only"',
        INTERFACES,
    ),
    Ruling(
        "R-35-14",
        "a request that is too short for a correlation id: fewer than 8 bytes behind the size",
        "the connection is closed, for nobody could tell an answer's request",
        {OTHER: ("short_request", "passed-over")},
        "nothing is sent, and the next request is read",
        UNSUPPORTED,
    ),
    Ruling(
        "R-35-15",
        "which ProtocolVersion a client uses of those inside both ranges",
        "the highest; brokers among themselves the highest inside all ranges; none where they have none in common",
        {OTHER: ("protocol_version", "lowest")},
        "the lowest, or any other inside both: the page leaves the selection to the client",
        PROTOCOL_VERSION,
        "brokers among themselves: tests/dialects/kip_35/test_kip_35_protocol_versions.py",
    ),
    Ruling(
        "R-35-16",
        "the host of an endpoint that is an IPv6 address",
        "the address alone: brackets belong to the text around it, as in every URL",
        {OTHER: ("ipv6_host", "bracketed")},
        "with its brackets, as the tag has it",
        TAGS,
    ),
    Ruling(
        "R-35-17",
        "a string of length −1: Host, and a tag's key and value",
        "refused, as below −1: the page gives these strings no null",
        {OTHER: ("null_text", "null")},
        'null, as any negative length: "A length of -1 indicates null" (A Guide To The Kafka Protocol, Variable Length '
        "Primitives, of its only string)",
        "KIP-35 version 7, Public Interfaces",
    ),
    Ruling(
        "R-35-18",
        "a node id in a request that no broker has",
        "it is left out of the answer",
        {OTHER: ("unknown_ids", "listed")},
        "it is in the answer, with a NodeId and nothing to tell of it",
        INTERFACES,
    ),
    INVALID_TEXT,
    NEGATIVE_LENGTH,
    BELOW_NULL,
    LEFT_OVER,
)
