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
 * Which exceptions of kafka-clients mean "I refuse this", and what for. All others are failures that its authors did not
 * mean. The README of this folder gives the grounds.
 */
final class Refusals {
    private static final String KAFKA = "org.apache.kafka.";

    /** What the texts of kafka-clients and of java.nio say for certain, the first that fits. */
    private static final Map<Pattern, Reason> DECODE = patterns(
            "Var(int|long) is too long", Reason.VARINT_OVERFLOW,
            "(only|are only) \\d+ (bytes?|byte\\(s\\)) (available|remaining)", Reason.TRUNCATED,
            "newLimit > capacity|BufferUnderflowException", Reason.TRUNCATED,
            "newLimit < 0|Invalid receive \\(size = -|negative number of tagged|cannot be negative", Reason.NEGATIVE_LENGTH,
            "was serialized as null|not nullable", Reason.NULL_NOT_ALLOWED,
            "larger than \\d|exceeds the maximum allowed", Reason.RESOURCE_LIMIT,
            "had invalid length", Reason.STRING_TOO_LONG,
            "out-of-order tag", Reason.TAG_ORDER,
            "Unexpected api key", Reason.UNKNOWN_API,
            "Can't read version", Reason.UNSUPPORTED_VERSION);

    private static final Map<Pattern, Reason> ENCODE = patterns(
            "Tagged fields were set", Reason.TAGS_NOT_ALLOWED,
            "write a non-default|unknown field", Reason.FIELD_NOT_IN_VERSION,
            "too long to be serialized|larger than the maximum string length", Reason.STRING_TOO_LONG,
            "Invalid raw tag field list", Reason.TAG_ORDER,
            "as an undefined tag", Reason.KNOWN_TAG,
            "for unsigned (short|int) field", Reason.OUT_OF_RANGE,
            "Unexpected api key", Reason.UNKNOWN_API,
            "null is not|NullPointerException", Reason.NULL_NOT_ALLOWED,
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
