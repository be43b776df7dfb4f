package wireproof.message;

import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.protocol.ApiMessage;
import wireproof.NotOffered;

/** All messages that the jar has classes of. */
public final class Messages {
    private static final String PACKAGE = "org.apache.kafka.common.message.";
    private static final Map<String, MessageType> ALL = new TreeMap<>();

    static {
        for (String name : Library.definitions()) {
            Class<?> type = classOf(name);
            if (type != null) {
                ALL.put(name, new MessageType(name, type));
            }
        }
    }

    private Messages() {}

    /** The version of kafka-clients. */
    public static String version() {
        return Library.version();
    }

    public static Collection<MessageType> all() {
        return ALL.values();
    }

    public static MessageType named(String name) {
        MessageType found = ALL.get(name);
        if (found == null) {
            throw new NotOffered("kafka-clients " + version() + " has no message " + name);
        }
        return found;
    }

    /** The type of a message that the library made. */
    public static MessageType of(ApiMessage message) {
        String name = message.getClass().getSimpleName();
        return named(name.substring(0, name.length() - "Data".length()));
    }

    /** Requests, responses and headers add "Data" to their name, whatever else is defined does not; dead ones: null. */
    private static Class<?> classOf(String name) {
        for (String candidate : new String[] {name + "Data", name}) {
            try {
                return Class.forName(PACKAGE + candidate);
            } catch (ClassNotFoundException absent) {
                continue;
            }
        }
        return null;
    }
}
