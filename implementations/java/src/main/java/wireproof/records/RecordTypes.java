package wireproof.records;

import java.util.LinkedHashMap;
import java.util.Map;
import wireproof.NotOffered;
import wireproof.codec.Codec;
import wireproof.codec.Versions;

/** The record types, each with its versions and its codec: the classes of {@code common.record.internal}. */
public final class RecordTypes {
    private static final String MESSAGE_SET = "MessageSet";
    /** By the magic. */
    private static final Versions MAGICS = new Versions(0, 1);

    private RecordTypes() {}

    public static Map<String, Versions> all() {
        Map<String, Versions> types = new LinkedHashMap<>();
        types.put("Record", Versions.NONE);
        types.put("RecordBatch", Versions.NONE);
        types.put("RecordSet", Versions.NONE);
        types.put(MESSAGE_SET, MAGICS);
        return types;
    }

    /** The codec of a type; null when it is none of these. */
    public static Codec find(String name, Integer version) {
        return switch (name) {
            case "Record" -> new RecordCodec();
            case "RecordBatch" -> new BatchCodec();
            case "RecordSet" -> new RecordSetCodec();
            case MESSAGE_SET -> messageSet(version);
            default -> null;
        };
    }

    private static Codec messageSet(Integer version) {
        if (version == null || version < MAGICS.lowest() || version > MAGICS.highest()) {
            throw new NotOffered("MessageSet has versions 0 to 1, its magic, not " + version);
        }
        return new MessageSetCodec(version.byteValue());
    }
}
