"""The rulings on what Apache Kafka ships: how this kit reads the guide, the KIPs and the message definitions."""

from __future__ import annotations

from wireproof.reference.rules import OTHER, Ruling

GUIDE = "Kafka protocol guide"
TYPES = f"{GUIDE}, Protocol Primitive Types"
COMPATIBILITY = f"{GUIDE}, Compatibility"
VERSIONS = f"{GUIDE}, Retrieving Supported API versions"
FORMAT = "Kafka's message format, Record Batch"
OLD_FORMAT = "Kafka's message format, Old Message Format"
KIP_32 = "KIP-32, Proposed Changes"
KIP_110 = "KIP-110, Compatibility, Deprecation, and Migration Plan"
KIP_482 = "KIP-482, Tagged fields"
KIP_511 = "KIP-511, ApiVersions request/response handling"

RULINGS: tuple[Ruling, ...] = (
    Ruling(
        "R-K-1",
        "tags out of order or twice, on read",
        "refused: tags are strictly ascending",
        {OTHER: ("tag_order", "any"), "map": ("tag_order", "map")},
        "any order, the last of a known tag wins (Java's generated readers); kept in a map: of an "
        "unknown one too, and they come out ascending",
        KIP_482,
        quote="They are serialized in ascending order of their tag.",
        kafka='the generated `read` looks at no order; TaggedFields.read refuses: "Invalid or out-of-order tag"',
    ),
    Ruling(
        "R-K-1w",
        "tags out of order or twice, on write",
        "never written: refused, or sorted",
        source=KIP_482,
        quote="They are serialized in ascending order of their tag.",
        kafka="RawTaggedFieldWriter.writeRawTags refuses a raw tag out of order",
    ),
    Ruling(
        "R-K-2",
        "a known tag's value does not fill its size",
        "bytes left over: length-mismatch at the size; too few: truncated at the value",
        {OTHER: ("tag_size", "ignored")},
        "the size is not looked at: reading goes on where the value ended (Java)",
        KIP_482,
        kafka="the generated `read` does not compare the size with what it read",
    ),
    Ruling(
        "R-K-3",
        "unknown tags",
        "skipped by their size, and refused where it goes beyond the input; kept, and written again in order",
        {OTHER: ("unknown_tags", "dropped")},
        "dropped: the guide's recipients ignore what they do not know",
        COMPATIBILITY,
        incidental=True,
        quote="tagged fields are ignored by recipients that don't know about them",
        kafka="the generated `read` keeps them by readUnknownTaggedField, and `write` writes them again",
        kit="that they are kept",
    ),
    Ruling(
        "R-K-4",
        "a tag known only in later versions",
        "kept as unknown",
        {OTHER: ("foreign_tags", "refused")},
        "refused (Java)",
        KIP_482,
        kafka='the generated `read` throws RuntimeException: "Tag … is not valid for version …"',
    ),
    Ruling(
        "R-K-5",
        "overlong varints",
        "decode, and are re-encoded minimally (Java, Go, most)",
        {OTHER: ("overlong_varints", "refused")},
        "refused",
        TYPES,
        kafka="ByteUtils.readUnsignedVarint reads them",
    ),
    Ruling(
        "R-K-6",
        "bits above the width in a varint's last byte (ffffffff1f; the tenth byte of a varlong)",
        "varint-overflow (franz-go)",
        {OTHER: ("high_bits", "dropped")},
        "dropped: ffffffff1f is ffffffff0f (Java)",
        TYPES,
        kafka="ByteUtils.readUnsignedVarint drops them",
        quote="Represents an integer between -2³¹ and 2³¹-1 inclusive.",
    ),
    Ruling(
        "R-K-6c",
        "a continuation bit in a varint's byte 5 (varlong: 10)",
        "refused",
        source=TYPES,
        quote="Encoding follows the variable-length zig-zag encoding from Google Protocol Buffers.",
        kafka="ByteUtils.readUnsignedVarint throws IllegalArgumentException",
    ),
    Ruling(
        "R-K-7",
        "bytes left after a body, in a request to a broker too",
        "trailing-bytes; the broker closes",
        {OTHER: ("trailing_bytes", "ignored")},
        "ignored, answered (Java)",
        "Kafka protocol guide, Common Request and Response Structure",
        kafka="AbstractRequest.parseRequest does not look at what is left",
    ),
    Ruling(
        "R-K-8",
        "an explicit default or null in a tag",
        "decodes; a writer leaves it out",
        {OTHER: ("tag_at_default", "sent")},
        "a writer sends it: what it writes decodes",
        KIP_482,
        incidental=True,
    ),
    Ruling(
        "R-K-9",
        "the marker of a nullable structure",
        "−1 null, 1 present, else invalid-marker; writers use ff and 01",
        {OTHER: ("struct_marker", "sign"), "minus-1": ("struct_marker", "minus-1")},
        "any negative is null, anything else present (Java); minus-1: −1 alone is null, anything else present",
        "KIP-893, Public Interfaces",
        kafka="the generated `read` compares with 0 alone",
        quote="-1 if null; 1 if not null.",
    ),
    Ruling(
        "R-K-10",
        "an array count, tag count or length beyond the bytes left",
        "refused before anything is allocated",
        source=TYPES,
        quote="First, the length N is given as an INT32. Then N instances of type T follow.",
        kafka=(
            'the generated `read` throws RuntimeException: "Tried to allocate a collection of '
            'size …, but there are only … bytes remaining"'
        ),
        kit="that nothing is allocated for what is not there",
    ),
    Ruling(
        "R-K-10p",
        "policy limits, the bytes being there: more than 10,000 tags in a buffer, more than 1,000,000 array elements",
        "decode",
        {OTHER: ("policy_limits", "kafka-4.4")},
        "refused (Java 4.4)",
        TYPES,
        kafka="4.4 has a limit for each",
    ),
    Ruling(
        "R-K-11",
        "text that is not UTF-8",
        "refused",
        {OTHER: ("invalid_text", "replaced"), "kept": ("invalid_text", "kept")},
        "U+FFFD in its place (Java), one for each byte or for each maximal part; its bytes kept, and written as they "
        "came",
        TYPES,
        kafka="Readable.readString makes a String, which has U+FFFD in the place of such bytes",
    ),
    Ruling(
        "R-K-12",
        "a record's key, value or header-value length below −1",
        "negative-length",
        {OTHER: ("record_length", "null")},
        "null (Java)",
        "Kafka's message format, Record",
        kafka="DefaultRecord.readFrom takes any negative length for null",
    ),
    Ruling(
        "R-K-12b",
        "a negative header-key length or header count; a record's length not filled",
        "refused",
        source="Kafka's message format, Record Header",
        quote=(
            "The key of a record header is guaranteed to be non-null, while the value of a record header may be null."
        ),
        kafka=(
            'DefaultRecord.readFrom throws InvalidRecordException: "Found invalid number of '
            'record headers", "Invalid negative header key size", "Invalid record size"'
        ),
    ),
    Ruling(
        "R-K-12c",
        "attribute bits without a meaning: a record's, 7 to 15 of a batch, from 3 on of a message (magic 1: from 4 on)",
        "read, kept and written",
        {OTHER: ("unused_bits", "cleared")},
        "a writer writes 0 (Java)",
        "Kafka's message format, Record",
        incidental=True,
        kafka="DefaultRecordBatch.computeAttributes and DefaultRecord.writeTo write 0",
        quote="attributes: int8",
    ),
    Ruling(
        "R-K-13",
        "a non-default value in a field that the version lacks",
        "refused unless the field is ignorable, which is left out",
        {"omits": ("field_not_in_version", "left-out"), "refuses": ("field_not_in_version", "refused")},
        "left out, ignorable or not; refused, ignorable or not, a default too: a class for each version has no place "
        "for it",
        "Kafka's message definitions, README: Ignorable Fields",
        quote=(
            "The message serialization code will throw an exception if the ignored field is not "
            "set to the default value."
        ),
        kafka='the generated `write` throws UnsupportedVersionException: "Attempted to write a non-default …"',
    ),
    Ruling(
        "R-K-14",
        "a tagged structure whose fields all have default values",
        "equals its default: a writer leaves it out",
        {OTHER: ("tag_at_default", "structures-sent")},
        "a writer sends it: what it writes decodes",
        KIP_482,
        incidental=True,
    ),
    Ruling(
        "R-K-15",
        "a classic nullable string, bytes or array length below −1, ClientId's too",
        "negative-length",
        {OTHER: ("negative_length", "null")},
        "null (Java)",
        TYPES,
        kafka="the generated `read` takes any negative length for null",
        quote="A null value is encoded with length of -1 and there are no following bytes.",
    ),
    Ruling(
        "R-K-15b",
        "a compact length or count of 2³¹+1 and more (ffffffff0f)",
        "truncated",
        {OTHER: ("compact_length", "signed")},
        "negative, so null where nullable (Java, franz-go)",
        TYPES,
        kafka="the generated `read` computes with a signed int",
    ),
    Ruling(
        "R-K-15c",
        "tag numbers of 2³¹−1 and more",
        "ordinary unknown tags",
        {OTHER: ("tag_numbers", "signed")},
        "decoded, refused when written (Java: signed)",
        KIP_482,
        kafka=("the generated classes hold a tag in an int: it is read, and RawTaggedFieldWriter refuses to write it"),
    ),
    Ruling(
        "R-K-16",
        "null where the version does not allow it",
        "null-not-allowed, both ways",
        source="Kafka's message definitions, README: Nullable Fields",
        quote=(
            "If a field is declared as non-nullable, and it is present in the message version you "
            "are using, you should set it to a non-null value before serializing the message."
        ),
        kafka=(
            'the generated `read` throws RuntimeException: "non-nullable field … was serialized '
            'as null"; `write` throws NullPointerException'
        ),
    ),
    Ruling(
        "R-K-17",
        "the key list of an ApiVersions answer with error 35",
        "ApiVersions' own range, one key",
        {"empty": ("fallback_keys", "empty"), "full": ("fallback_keys", "full")},
        "empty (before 2.4); the full table (usable as it is)",
        VERSIONS,
        quote=(
            "the broker will respond with a version 0 ApiVersionsResponse with the error code set "
            "to UNSUPPORTED_VERSION and the api_versions field populated with the supported "
            "version of the ApiVersionsRequest"
        ),
        kafka="ApiVersionsRequest.getErrorResponse names ApiVersions alone",
    ),
    Ruling(
        "R-K-18",
        "an unknown api, or an unsupported version of an api other than ApiVersions",
        "the broker closes, no bytes (Kafka 4.4: at once; Produce 0–2 too, although it lists 0–13 for old clients)",
        {OTHER: ("unsupported_request", "error-35")},
        "a response frame with its correlation id and error 35",
        COMPATIBILITY,
        quote="The server will reject requests with a version it does not support",
        kafka="Processor.parseRequestHeader throws, and the connection is closed",
    ),
    Ruling(
        "R-K-19",
        "the CRC of a batch or message",
        "a mismatch is refused",
        source=FORMAT,
        quote=(
            "The CRC covers the data from the attributes to the end of the batch (i.e. all the "
            "bytes that follow the CRC)."
        ),
        kafka='DefaultRecordBatch.ensureValid throws CorruptRecordException: "Record is corrupt"',
        kit="that a reader compares it",
    ),
    Ruling(
        "R-K-19b",
        "recordsCount and the records that are there differ",
        "count-mismatch",
        {OTHER: ("empty_batch", "ignored")},
        "count 0 is an empty batch, the rest not looked at (Java)",
        FORMAT,
        kafka=(
            'DefaultRecordBatch throws InvalidRecordException ("Incorrect declared batch size"), '
            "but for a count of 0 looks at nothing"
        ),
        quote="the compressed record data is serialized directly following the count of the number of records",
    ),
    Ruling(
        "R-K-20",
        "lastOffsetDelta differs from the last record's delta",
        "decodes (compaction); a client goes on at baseOffset + lastOffsetDelta + 1",
        source=FORMAT,
        quote=(
            "On compaction, we preserve the first and last offset/sequence numbers from the "
            "original batch when the log is cleaned."
        ),
        kafka="DefaultRecordBatch.lastOffset is baseOffset + lastOffsetDelta, whatever the records' deltas are",
    ),
    Ruling(
        "R-K-21",
        "what a client makes of error 35 on ApiVersions",
        "the list names ApiVersions: retry with the highest common version; an empty list, or one without ApiVersions: "
        "retry 0; it was version 0 already, or nothing is common: unsupported; another error code: error",
        {OTHER: ("full_table", "accepted")},
        "with the full table: accepted",
        VERSIONS,
        quote=(
            "It is then up to the client to retry, making another ApiVersionsRequest using the "
            "highest version supported by the client and broker."
        ),
        kafka="NetworkClient.handleApiVersionsResponse does so",
    ),
    Ruling(
        "R-K-21b",
        "a client whose ApiVersions is met by a closed connection (brokers before 2.4, some proxies)",
        "error (what released clients do)",
        {OTHER: ("closed_api_versions", "retry-0")},
        "retry 0",
        VERSIONS,
        quote=(
            "broker versions older than 0.10.0.0 do not support this API and will either ignore "
            "the request or close connection in response to the request"
        ),
        kafka="NetworkClient takes it for a disconnection",
    ),
    Ruling(
        "R-K-22",
        "compression",
        "gzip; snappy raw and xerial-framed read, xerial written; lz4 frame with independent blocks (magic 0: "
        "whatever its header checksum is); zstd only in magic 2; what follows the stream is refused",
        {OTHER: ("after_stream", "ignored")},
        "what follows the stream is ignored (Java's gzip and lz4; after xerial's blocks fewer bytes than a size has)",
        FORMAT,
        quote="0: no compression 1: gzip 2: snappy 3: lz4 4: zstd",
        kafka="Compression.of(…).wrapForInput reads gzip by GZIPInputStream, snappy by SnappyInputStream (raw snappy "
        "too), lz4 by Lz4BlockInputStream, zstd by ZstdInputStreamNoFinalizer",
        kit="that nothing follows the stream",
    ),
    Ruling(
        "R-K-22b",
        "LZ4 with linked blocks, or with a dictionary id, on read",
        "read",
        {OTHER: ("linked_blocks", "refused")},
        "refused (Java)",
        "LZ4 frame format, Frame Descriptor",
        kafka=(
            'Lz4BlockInputStream refuses both: "Dependent block stream is unsupported", "Preset '
            'dictionary is unsupported"'
        ),
    ),
    Ruling(
        "R-K-22e",
        "LZ4, on write",
        "frames with independent blocks and without a dictionary id: Kafka refuses all others",
        source="LZ4 frame format, Frame Descriptor",
        kafka=(
            'Lz4BlockInputStream throws: "Dependent block stream is unsupported", "Preset dictionary is unsupported"'
        ),
        kit="that a writer writes what Kafka's own classes read",
    ),
    Ruling(
        "R-K-22c",
        "xerial's header: its two version fields, and a second one between two blocks",
        "big-endian; a version of 1 and more is read, whatever the compatible version says (Redpanda writes both "
        "little-endian); below 1 refused; a second header begins another stream",
        {OTHER: ("xerial_version", "any")},
        "neither version is looked at",
        "snappy-java, README: Compatibility Notes",
        kafka="SnappyInputStream.checkMagicHeader compares the first version, and reads on at a second header",
    ),
    Ruling(
        "R-K-22d",
        "the window of a zstd frame",
        "128 MiB is read, for zstd's highest levels ask for it; a greater one is refused (Java)",
        {OTHER: ("zstd_window", "any")},
        "a greater one is read too",
        "RFC 8878",
        kafka="zstd-jni's ZstdInputStreamNoFinalizer has zstd's own bound",
    ),
    Ruling(
        "R-K-23",
        "an ApiVersions request of any version ≥ 3 has a v2 header",
        "without its tag byte the connection is closed, as with a supported version whose body is missing; answers to "
        "pipelined requests come in order; a good request before a bad one is still answered",
        source="Kafka protocol guide, Network",
        quote=("requests will be processed in the order they are sent and responses will return in that order as well"),
        kafka=(
            "RequestHeader.parse reads a version 2 header for ApiVersions 3 and above; "
            "Processor.processCompletedReceives closes"
        ),
    ),
    Ruling(
        "R-K-24",
        "evolution of shipped schemas",
        "a tagged field under a new tag, one removed (its tag never reused), new versions at the end, another default "
        "of a plain field are compatible; reuse of a tag, another type or default of a tagged field, any change of the "
        "bytes of a published version, nullability among them, are not",
        {OTHER: ("plain_default", "breaks")},
        "another default of a plain field breaks too: it changes no byte, and Kafka did it (FetchRequest.ReplicaId, "
        'DeleteTopics.Name), but its README says "You must never change the default of a field which already exists"',
        "Kafka's message definitions, README: Tagged Fields, Incompatible Changes",
        quote=(
            "Once tags have been used for something, they can't be used for anything else, "
            "without breaking compatibility."
        ),
    ),
    Ruling(
        "R-K-25",
        "ApiVersions with an ill-formed software name, or version 5 with a ClusterId or NodeId not this broker's",
        "not asked (Kafka 4.4: errors 42 and 129)",
        source="KIP-511, ApiVersions request/response handling",
        beyond="it says what is not asked",
        kafka="4.4 answers with the errors 42 and 129",
    ),
    Ruling(
        "R-K-26",
        "a partial entry inside a compressed wrapper",
        "refused",
        {OTHER: ("inner_partial", "dropped")},
        "dropped (Java)",
        OLD_FORMAT,
        kafka="DeepRecordsIterator passes over it",
    ),
    Ruling(
        "R-K-27",
        "inner messages of another magic than their wrapper",
        "refused",
        {OTHER: ("inner_magic", "any")},
        "read (Java)",
        OLD_FORMAT,
        kafka="DeepRecordsIterator reads them",
    ),
    Ruling(
        "R-K-28",
        "other APIs, as a client sees them",
        "top-level error 35: unsupported; another top-level error: error; closed: error, null",
        source="Kafka protocol guide, Error Codes",
        quote="The version of API is not supported.",
        kafka=(
            "NetworkClient and the handlers above it: Errors.UNSUPPORTED_VERSION becomes UnsupportedVersionException"
        ),
    ),
    Ruling(
        "R-K-29",
        "text of more than 32,767 bytes, compact text too",
        "string-too-long, both ways",
        {OTHER: ("long_text", "read")},
        "compact text is read and written, however long it is",
        TYPES,
        quote="First the length N is given as an INT16. Then N bytes follow which are the UTF-8 encoding of the "
        "character sequence.",
    ),
    Ruling(
        "R-K-30",
        "a magic that is not the type's, or that nobody knows",
        "unsupported-magic, before the CRC is looked at",
        source=FORMAT,
        quote=(
            "clients must parse the magic byte before deciding how to interpret the bytes between "
            "the batch length and the magic byte"
        ),
        kafka=('ByteBufferLogInputStream.nextBatchSize throws CorruptRecordException: "Invalid magic found in record"'),
    ),
    Ruling(
        "R-K-31",
        "a negative size of a frame, batch, message or record, a negative count of records: none of them has a null",
        "negative-length",
        source=FORMAT,
        quote=(
            "batchLength represents the number of bytes from the current position (immediately "
            "after the batchLength field) to the end of the batch."
        ),
        kafka=(
            "NetworkReceive.readFrom throws InvalidReceiveException, "
            "ByteBufferLogInputStream.nextBatchSize CorruptRecordException"
        ),
    ),
    Ruling(
        "R-K-32",
        "what the fields of type records hold (Produce, Fetch, ShareFetch, FetchSnapshot)",
        "bytes: what they are is another codec's matter",
        {OTHER: ("message_records", "read")},
        "batches and messages; other bytes are refused",
        GUIDE,
    ),
    Ruling(
        "R-K-33",
        "a compressed message of magic 0 and 1",
        "shown as it is, with its messages in it; written again as one",
        {OTHER: ("wrapped_messages", "in-its-place")},
        "its messages stand in its place, each with its own attributes; they are written alone",
        OLD_FORMAT,
        kafka="MemoryRecords.records gives the messages, MemoryRecords.batches the wrapper",
    ),
    Ruling(
        "R-K-34",
        "a compressed batch of no records, behind whose count no byte stands",
        "read: there is nothing to inflate",
        {OTHER: ("empty_content", "refused")},
        "refused: no bytes are no stream of the codec",
        FORMAT,
        kafka="DefaultRecordBatch.iterator is empty where the count is 0, before it looks at the codec",
    ),
    Ruling(
        "R-K-35",
        "how much compressed content may hold",
        "32 MiB are read, and what holds more is refused: the limit of the reference, `Rules.inflate_limit`",
        other="as much as it holds (Java), or what the process has memory and time for",
        source=FORMAT,
        kafka="no class has a limit by default: a record of 100 MiB is read in all four codecs",
        kit="the limit, so that a few kilobytes do not take a process its memory",
    ),
    Ruling(
        "R-K-36",
        "LogAppendTime (bit 3 of the attributes): the times of a batch's records, and of a wrapper's messages",
        "as they are stored",
        {OTHER: ("log_append_time", "outer")},
        "the batch's greatest time, and the wrapper's: what a consumer is told",
        KIP_32,
        kafka="DefaultRecordBatch and AbstractLegacyRecordBatch show the outer time; what is stored stays in the bytes",
    ),
    Ruling(
        "R-K-37",
        "a set whose only batch is cut, as a consumer sees it",
        "nothing is delivered, and the position stays",
        {OTHER: ("cut_alone", "refused")},
        "refused: a larger fetch is needed",
        OLD_FORMAT,
        kafka='FetchCollector.handleInitializeSuccess throws where it finds no batch: "Failed to make progress"',
    ),
    Ruling(
        "R-K-38",
        "a batch that ends before a consumer's position",
        "passed over: the position stays",
        {OTHER: ("earlier_batches", "go-back")},
        "the position is then behind that batch, and what follows it is delivered",
        FORMAT,
        kafka="FetchCollector.fetchRecords moves the position forward alone",
    ),
    Ruling(
        "R-K-39",
        "a broken batch, as a consumer sees it",
        "nothing of it is delivered; behind good ones the records before it are, and the position is its own",
        {
            OTHER: ("broken_batch", "refused"),
            "before-the-fault": ("broken_batch", "before-the-fault"),
            "unread": ("broken_batch", "unread"),
        },
        "refused: none of the set is delivered; before-the-fault: its own records too, up to the fault, with the "
        "position behind them; unread: a batch of which nothing is for the consumer (markers, an aborted transaction) "
        "is passed by its header, whatever it holds",
        FORMAT,
        kafka="CompletedFetch.fetchRecords reads record after record, gives what was read, and throws at the next call",
    ),
    Ruling(
        "R-K-40",
        "records that are fetched in an older format than they are stored in (Fetch 0, 1: magic 0; 2, 3: magic 1)",
        "all of them, in their order, with their offsets, keys and values; headers, and times in magic 0, are lost by "
        "the format; markers of transactions are no messages; what was produced in an older format is a record without "
        "headers, and from magic 0 with the time −1",
        source="Kafka documentation, Upgrading from 0.8.x or 0.9.x to 0.10.0.0",
        beyond="vectors hold no broker's log: conversations ask it (convert-…, store-magic-…)",
        quote=(
            "If a consumer client is on a version before 0.10.0.0, it only understands message formats before 0.10.0. "
            "In this case, the broker is able to convert messages from the 0.10.0 format to an earlier format before "
            "sending the response to the consumer on an older version."
        ),
        kafka="RecordsUtil.downConvert, up to Kafka 3; LogValidator.validateMessagesAndAssignOffsets for what comes up",
    ),
    Ruling(
        "R-K-41",
        "what a client that runs does where an answer leaves it no way, or more than one",
        "it asks ApiVersions again in the highest version that both have, works where a common version is left, and "
        "ends with an error where none is",
        other="another step that no text forbids: a lower version, the same once more, on without ApiVersions, an end",
        source=VERSIONS,
        beyond="vectors hold no client that runs: scripts ask it (scripts/…)",
        quote="It is then up to the client to retry",
        kafka="NetworkClient asks again, and disconnects where it cannot read the answer",
    ),
    Ruling(
        "R-K-65",
        "what a client that runs asks within a throttle time that it was told",
        "nothing, on that connection",
        other="it asks on: the broker leaves the connection unread for so long",
        source="KIP-219, Proposed Changes",
        beyond="vectors hold no client that runs: scripts ask it (scripts/…-throttled)",
        quote="it should refrain from sending any further requests for time X",
        kafka="NetworkClient.canSendRequest is false for a node whose throttle time is not over",
    ),
    Ruling(
        "R-K-50",
        "what is left of records that are converted to another magic",
        "their offsets, keys and values, in their order, null and empty apart; to an older magic the headers, the "
        "producer and its transaction are lost, to magic 0 the times and their type; a batch of markers leaves "
        "nothing, and neither does one without records; to a newer magic they have no headers and no producer, and "
        "from magic 0 the time −1",
        source="Kafka documentation, Upgrading from 0.8.x or 0.9.x to 0.10.0.0",
        quote=(
            "In this case, the broker is able to convert messages from the 0.10.0 format to an earlier format before "
            "sending the response to the consumer on an older version."
        ),
        kafka="RecordsUtil.downConvert and LogValidator.validateMessagesAndAssignOffsets, up to Kafka 3, do so",
        kit="that all of it holds in both directions",
    ),
    Ruling(
        "R-K-51",
        "the wrapper that a conversion makes",
        "no key, the offset of its last message, and in magic 1 its greatest time or the time of appending; the "
        "offsets in it are relative in magic 1 and absolute in magic 0",
        source=OLD_FORMAT,
        quote=(
            "Note that the key should be null for the outer message and its offset will be the offset of the last "
            "inner message."
        ),
        kafka="MemoryRecordsBuilder.writeLegacyCompressedWrapperHeader",
    ),
    Ruling(
        "R-K-52",
        "messages that stand side by side and are converted to magic 2",
        "each is a batch, with its own offset and time",
        {OTHER: ("older_messages", "one-batch")},
        "they are one batch, where one can hold them",
        FORMAT,
        kafka="LogValidator makes one batch of all messages of a request",
    ),
    Ruling(
        "R-K-53",
        "what is compressed, and converted to another magic",
        "it is compressed with the same codec: a batch, or a wrapper",
        {OTHER: ("older_wrappers", "messages")},
        "it is compressed no more: a batch without a codec, or the messages in the set themselves",
        OLD_FORMAT,
        kafka="RecordsUtil.downConvert keeps the codec, LogValidator takes the topic's",
    ),
    Ruling(
        "R-K-54",
        "a set that is converted, and ends with a part of a batch or message",
        "the part is dropped: a fetch may end anywhere",
        {OTHER: ("converted_partial", "refused")},
        "refused",
        OLD_FORMAT,
        kafka="MemoryRecords.downConvert passes over it",
    ),
    Ruling(
        "R-K-55",
        "messages of magic 0 in a set that is converted to magic 1",
        "they are converted, with the time −1",
        {OTHER: ("lower_magics", "kept")},
        "they stay as they are: who reads magic 1 reads magic 0",
        KIP_32,
        kafka="RecordsUtil.downConvert leaves a batch whose magic is not above the asked one",
    ),
    Ruling(
        "R-K-56",
        "a batch with zstd that is converted to magic 0 or 1, which have no zstd",
        "refused",
        {OTHER: ("converted_zstd", "gzip")},
        "it is compressed with gzip",
        KIP_110,
        quote="Down-conversion of zstd-compressed records will not be supported.",
        kafka='RecordsUtil.downConvert throws: "Down-conversion of zstandard-compressed batches is not supported"',
    ),
    Ruling(
        "R-K-57",
        "what is compressed, has LogAppendTime and is converted: the times inside",
        "each record has the time of appending; inside a wrapper of magic 1 it has that type, too",
        {"unmarked": ("converted_append_time", "unmarked"), "stored": ("converted_append_time", "stored")},
        "unmarked: the time without its type, which the wrapper has; stored: the times that stood inside",
        KIP_32,
        kafka="MemoryRecordsBuilder.appendWithOffset sets the time of appending, and its type",
    ),
    Ruling(
        "R-K-58",
        "a message of ConsumerProtocol, or the value of a marker, behind a version above the highest one",
        "read as the highest one, and what follows is ignored",
        {OTHER: ("newer_version", "refused")},
        "refused",
        "Kafka's message definitions, ConsumerProtocolSubscription",
        quote="When it encounters a newer version, it parses it using the current format.",
        kafka="ConsumerProtocol.checkSubscriptionVersion, checkAssignmentVersion and "
        "EndTransactionMarker.deserializeValue take the highest one",
        kit="that a marker's value is read so, too",
    ),
    Ruling(
        "R-K-59",
        "any other message behind a version that its schema does not have, and a negative version",
        "refused",
        {OTHER: ("unknown_version", "nearest")},
        "read as the nearest version",
        "Kafka's message definitions, README: Message Schemas",
        kafka="GroupCoordinatorRecordSerde and TransactionCoordinatorRecordSerde throw; ConsumerProtocol refuses "
        "what is negative",
    ),
    Ruling(
        "R-K-60",
        "headers, a producer's id and sequence, and transactions in magic 0 and 1, which have no place for them",
        "refused",
        {OTHER: ("unheld", "left-out")},
        "left out: the rest is written",
        OLD_FORMAT,
        kafka=(
            'MemoryRecordsBuilder.appendWithOffset throws: "Magic v1 does not support record headers"; its constructor '
            'refuses transactions; close throws: "Idempotent messages are not supported for magic 1"'
        ),
    ),
    Ruling(
        "R-K-61",
        "the times of records that are written in magic 0, which has none",
        "left out: the records are written",
        {OTHER: ("timestamp_in_magic_0", "refused")},
        "refused",
        OLD_FORMAT,
        kafka="LegacyRecord.write passes over the timestamp in magic 0",
    ),
    Ruling(
        "R-K-62",
        "`maxTimestamp` of a batch, as its producer writes it",
        "the greatest time of its records, as the field's name says",
        {OTHER: ("max_timestamp", "last")},
        "the time of its last record: the wiki's guide to the protocol calls it \"the timestamp of the last Record in "
        'the batch"',
        FORMAT,
        kafka="MemoryRecordsBuilder writes the greatest",
    ),
    Ruling(
        "R-K-63",
        "the timestamp of a wrapper of magic 1, as its producer writes it",
        "the greatest time of its messages",
        {OTHER: ("wrapper_timestamp", "zero"), "first": ("wrapper_timestamp", "first")},
        "0: the broker sets it, to the greatest; first: that of its first message",
        KIP_32,
        kafka="MemoryRecordsBuilder.writeLegacyCompressedWrapperHeader writes the greatest",
    ),
    Ruling(
        "R-K-64",
        "records that a producer is to compress, and that become no smaller by it",
        "compressed as it was told",
        {OTHER: ("small_content", "plain")},
        "written without a codec",
        FORMAT,
        kafka="MemoryRecordsBuilder compresses what it was told to",
    ),
    Ruling(
        "R-K-45",
        "the position behind a batch that lost its last records to compaction",
        "behind the batch: lastOffsetDelta says where it ends",
        {OTHER: ("compacted_end", "behind-the-last-record")},
        "behind the last record that it has; one further than before where none of them is for the consumer: what is "
        "not there is asked for again, until the next record",
        FORMAT,
        kafka="CompletedFetch.nextFetchedRecord goes on at the nextOffset of the last batch; its comment: to avoid "
        "unnecessary re-fetching, and not to get stuck",
    ),
    Ruling(
        "R-K-42",
        "whole records of a batch that is cut, as a consumer sees them",
        "they wait for the rest of it: without that the CRC cannot be compared",
        {OTHER: ("cut_batch", "whole-records")},
        "delivered, and the position is behind them",
        OLD_FORMAT,
        kafka="ByteBufferLogInputStream.nextBatch gives no batch that is not whole",
    ),
    Ruling(
        "R-K-43",
        "batches of magic 2 and messages of an older one in the same set, as a consumer sees them",
        "all are delivered, each by its own magic",
        {OTHER: ("mixed_formats", "first-alone")},
        "those before the first one of the other format, with which the next fetch begins",
        FORMAT,
        kafka="ByteBufferLogInputStream.nextBatch looks at the magic of each",
    ),
    Ruling(
        "R-K-44",
        "a list of aborted transactions under read_uncommitted",
        "it says nothing: what was aborted is delivered",
        {OTHER: ("aborted_list", "always")},
        "what it lists is left out: a broker sends it under read_committed alone",
        "KIP-98, RPC Protocol Summary",
        kafka="CompletedFetch.nextFetchedRecord looks at the list under READ_COMMITTED alone",
    ),
)
