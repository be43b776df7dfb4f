"""The public texts that rulings quote."""

from __future__ import annotations

from collections.abc import Mapping

_WIKI = "https://cwiki.apache.org/confluence/display/KAFKA"

#: Name of a text, as it stands before the section in `Ruling.source` → its address.
LINKS: Mapping[str, str] = {
    "Kafka protocol guide": "https://kafka.apache.org/protocol",
    "Kafka documentation": "https://kafka.apache.org/documentation/",
    "Kafka's message format": "https://kafka.apache.org/documentation/#messageformat",
    "Kafka's message definitions": (
        "https://github.com/apache/kafka/blob/trunk/clients/src/main/resources/common/message/README.md"
    ),
    "KIP-57": f"{_WIKI}/KIP-57+-+Interoperable+LZ4+Framing",
    "KIP-482": f"{_WIKI}/KIP-482%3A+The+Kafka+Protocol+should+Support+Optional+Tagged+Fields",
    "KIP-98": f"{_WIKI}/KIP-98+-+Exactly+Once+Delivery+and+Transactional+Messaging",
    "KIP-32": f"{_WIKI}/KIP-32+-+Add+timestamps+to+Kafka+message",
    "KIP-110": f"{_WIKI}/KIP-110%3A+Add+Codec+for+ZStandard+Compression",
    "KIP-219": f"{_WIKI}/KIP-219+-+Improve+quota+communication",
    "KIP-511": f"{_WIKI}/KIP-511%3A+Collect+and+Expose+Client%27s+Name+and+Version+in+the+Brokers",
    "KIP-893": f"{_WIKI}/KIP-893%3A+The+Kafka+protocol+should+support+nullable+structs",
    "KIP-35 version 7": f"{_WIKI}/KIP-35+-+Retrieving+protocol+version",
    "KIP-482 version 1": f"{_WIKI}/KIP-482%3A+The+Kafka+Protocol+should+Support+Optional+Tagged+Fields",
    "KIP-82 with int keys": f"{_WIKI}/KIP-82+-+Add+Record+Headers",
    "KIP-82 with string keys": f"{_WIKI}/KIP-82+-+Add+Record+Headers",
    "KIP-98's draft": f"{_WIKI}/KIP-98+-+Exactly+Once+Delivery+and+Transactional+Messaging",
    "New wire format proposals": f"{_WIKI}/New+Wire+Format+Proposal",
    "snappy-java": "https://github.com/xerial/snappy-java#compatibility-notes",
    "LZ4 frame format": "https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md",
    "RFC 8878": "https://www.rfc-editor.org/rfc/rfc8878",
}
