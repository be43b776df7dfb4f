package wireproof;

import java.util.Locale;

/** The contract's reasons for a refusal, as far as kafka-clients is seen to have them. */
public enum Reason {
    TRUNCATED,
    TRAILING_BYTES,
    LENGTH_MISMATCH,
    VARINT_OVERFLOW,
    NEGATIVE_LENGTH,
    NULL_NOT_ALLOWED,
    STRING_TOO_LONG,
    TAG_ORDER,
    TAG_DUPLICATE,
    COUNT_MISMATCH,
    CRC_MISMATCH,
    UNSUPPORTED_MAGIC,
    UNSUPPORTED_COMPRESSION,
    CORRUPT_COMPRESSION,
    INVALID_WRAPPER,
    RESOURCE_LIMIT,
    UNSUPPORTED_VERSION,
    UNKNOWN_API,
    UNKNOWN_FIELD,
    FIELD_NOT_IN_VERSION,
    TAGS_NOT_ALLOWED,
    KNOWN_TAG,
    OUT_OF_RANGE;

    private final String word = name().toLowerCase(Locale.ROOT).replace('_', '-');

    /** As the line protocol spells it. */
    @Override
    public String toString() {
        return word;
    }
}
