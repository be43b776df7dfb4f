package wireproof.codec;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.protocol.types.Type;
import wireproof.message.MessageType;
import wireproof.message.Messages;
import wireproof.value.Types;

/** All codecs of one kind that kafka-clients has, by the contract's names. Not for two threads at a time. */
public abstract class Codecs {
    private static final String TAG_BUFFER = "TAG_BUFFER";
    private static final String OTHER = "other";

    private final Map<Key, Codec> made = new HashMap<>();

    private record Key(String type, Integer version) {}

    /** What `describe` calls it. */
    public abstract String name();

    /** The ops that it answers. */
    public List<String> ops() {
        return List.of("decode", "encode", "recode");
    }

    /** The contested rulings of which it takes another reading → which. */
    public abstract Map<String, String> readings();

    /** Type name → its versions. */
    public Map<String, Versions> types() {
        Map<String, Versions> types = new LinkedHashMap<>();
        Types.primitives().forEach(name -> types.put(name, Versions.NONE));
        types.put("ARRAY", Versions.NONE);
        types.put(TAG_BUFFER, Versions.NONE);
        Messages.all().forEach(type -> types.put(type.name(), new Versions(type.lowest(), type.highest())));
        return types;
    }

    /**
     * The codec of a type at a version, which is null where the type has none.
     *
     * @throws wireproof.NotOffered when the library has none
     */
    public final Codec find(String type, Integer version) {
        return made.computeIfAbsent(new Key(type, version), key -> make(type, version));
    }

    Codec make(String name, Integer version) {
        if (name.equals(TAG_BUFFER)) {
            return tagBuffer();
        }
        if (Types.isOne(name)) {
            Type type = Types.named(name);
            return new TypeCodec(type, Types.shapeOf(type));
        }
        MessageType type = Messages.named(name);
        return message(type, type.version(version));
    }

    abstract Codec tagBuffer();

    abstract Codec message(MessageType type, short version);

    /** The reading "other" of these rulings, and of R-K-10p where kafka-clients has policy limits: since 4.4. */
    static Map<String, String> others(String... rulings) {
        Map<String, String> readings = new LinkedHashMap<>();
        for (String ruling : rulings) {
            readings.put(ruling, OTHER);
        }
        try {
            MessageUtil.class.getField("MAX_ARRAY_LENGTH");
            readings.put("R-K-10p", OTHER);
        } catch (NoSuchFieldException before) {
            return readings;
        }
        return readings;
    }
}
