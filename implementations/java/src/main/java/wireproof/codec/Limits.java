package wireproof.codec;

import java.util.Map;
import org.apache.kafka.common.protocol.MessageUtil;

/** The policy limits that kafka-clients has since 4.4. */
final class Limits {
    private Limits() {}

    /** Add R-K-10p where this version limits the elements of an array. */
    static void addTo(Map<String, String> readings) {
        try {
            MessageUtil.class.getField("MAX_ARRAY_LENGTH");
            readings.put("R-K-10p", "other");
        } catch (NoSuchFieldException before) {
            // 4.3 and older read as many as there are bytes for.
        }
    }
}
