package wireproof.line;

import java.nio.BufferUnderflowException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.kafka.common.KafkaException;
import wireproof.Half;
import wireproof.Reason;
import wireproof.Refusal;

/**
 * Which exceptions of kafka-clients mean "I refuse this", and what for. All others are failures that nobody meant. The
 * README of implementations/java gives the grounds.
 */
final class Refusals {
    private static final String KAFKA = "org.apache.kafka.";

    /** What the texts of kafka-clients and java.nio say for certain; the first that is found in an exception's text. */
    private static final Map<Pattern, Reason> DECODE = patterns(
            "premature EOF|still remaining in file", Reason.COUNT_MISMATCH,
            "Var(int|long) is too long", Reason.VARINT_OVERFLOW,
            "stored crc", Reason.CRC_MISMATCH,
            "Invalid magic found", Reason.UNSUPPORTED_MAGIC,
            "Unknown compression type|wrapper compressionType", Reason.UNSUPPORTED_COMPRESSION,
            "null value|no inner records|must not be compressed|wrapper offset", Reason.INVALID_WRAPPER,
            "negative header key|record (headers|count) -|(Record size|record size: expected) -", Reason.NEGATIVE_LENGTH,
            "minimum (allowed|record) overhead|buffer has only|reached EOF|remaining size", Reason.TRUNCATED,
            "expected to read \\d+ bytes in record payload", Reason.LENGTH_MISMATCH,
            "only \\d+ (bytes|byte\\(s\\)) (available|remaining)", Reason.TRUNCATED,
            "BufferUnderflow|newLimit > capacity", Reason.TRUNCATED,
            "was serialized as null|not nullable", Reason.NULL_NOT_ALLOWED,
            "(String length|Bytes size|Array size) -1 cannot", Reason.NULL_NOT_ALLOWED,
            "cannot be negative|negative number of tagged", Reason.NEGATIVE_LENGTH,
            "newLimit < 0|Invalid receive \\(size = -", Reason.NEGATIVE_LENGTH,
            "larger than the maximum string|had invalid length", Reason.STRING_TOO_LONG,
            "larger than \\d|exceeds the maximum allowed", Reason.RESOURCE_LIMIT,
            "out-of-order tag", Reason.TAG_ORDER,
            "Unexpected api key", Reason.UNKNOWN_API,
            "Can't read version", Reason.UNSUPPORTED_VERSION);

    private static final Map<Pattern, Reason> ENCODE = patterns(
            "Tagged fields were set|Unknown field: _tagged_fields", Reason.TAGS_NOT_ALLOWED,
            "write a non-default|Unknown field: ", Reason.FIELD_NOT_IN_VERSION,
            "too long to be serialized|larger than the maximum string", Reason.STRING_TOO_LONG,
            "tag (-?\\d+) comes after tag \\1,", Reason.TAG_DUPLICATE,
            "Invalid raw tag field list", Reason.TAG_ORDER,
            "as an undefined tag", Reason.KNOWN_TAG,
            "for unsigned (short|int) field", Reason.OUT_OF_RANGE,
            "Invalid message timestamp", Reason.OUT_OF_RANGE,
            "Unknown compression type|ZStandard compression is not", Reason.UNSUPPORTED_COMPRESSION,
            "Unexpected api key", Reason.UNKNOWN_API,
            "null is not|Missing value for field|NullPointerException", Reason.NULL_NOT_ALLOWED,
            "Can't (write|size) version", Reason.UNSUPPORTED_VERSION);

    private Refusals() {}

    /** Whether the library meant to refuse, in the half in which it was thrown. */
    static boolean isMeant(Throwable thrown, Half half) {
        if (thrown.getCause() instanceof Error) {
            return false;
        }
        return thrown instanceof Refusal
                || thrown instanceof KafkaException
                || thrown instanceof IllegalArgumentException
                || thrown instanceof BufferUnderflowException
                || thrown.getClass() == RuntimeException.class
                || half == Half.ENCODE && thrown instanceof NullPointerException && isThrownByKafka(thrown);
    }

    /** The reason, null where it is not certain. */
    static Reason reason(Throwable thrown, Half half) {
        if (thrown instanceof Refusal refusal) {
            return refusal.reason();
        }
        for (Throwable each = thrown; each != null; each = each.getCause()) {
            String text = each.toString();
            for (Map.Entry<Pattern, Reason> entry : (half == Half.DECODE ? DECODE : ENCODE).entrySet()) {
                if (entry.getKey().matcher(text).find()) {
                    return entry.getValue();
                }
            }
        }
        return null;
    }

    /** The topmost frame that is not the JDK's: "class:method". */
    static String topFrame(Throwable thrown) {
        for (StackTraceElement frame : thrown.getStackTrace()) {
            if (!frame.getClassName().startsWith("java.") && !frame.getClassName().startsWith("jdk.")) {
                return frame.getClassName() + ":" + frame.getMethodName();
            }
        }
        return "";
    }

    /** What a person may want to know: the exceptions' own words, the causes' too. */
    static String text(Throwable thrown) {
        if (thrown instanceof Refusal) {
            return thrown.getMessage();
        }
        StringBuilder text = new StringBuilder(thrown.toString());
        for (Throwable cause = thrown.getCause(); cause != null; cause = cause.getCause()) {
            text.append(" ← ").append(cause);
        }
        return text.toString();
    }

    private static boolean isThrownByKafka(Throwable thrown) {
        return topFrame(thrown).startsWith(KAFKA);
    }

    private static Map<Pattern, Reason> patterns(Object... pairs) {
        Map<Pattern, Reason> patterns = new LinkedHashMap<>();
        for (int index = 0; index < pairs.length; index += 2) {
            patterns.put(Pattern.compile((String) pairs[index]), (Reason) pairs[index + 1]);
        }
        return patterns;
    }
}
