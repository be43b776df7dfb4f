package wireproof.codec;

import java.util.HashMap;
import java.util.Map;

/** All codecs of one kind that kafka-clients has, by the contract's names. */
public abstract class Codecs {
    private final Map<Key, Codec> made = new HashMap<>();

    private record Key(String type, Integer version) {}

    /** What `describe` calls it. */
    public abstract String name();

    /** Type name → its versions. */
    public abstract Map<String, Versions> types();

    /** Ruling → "other", where it takes the other reading. */
    public abstract Map<String, String> readings();

    /**
     * The codec of a type at a version, which is null where the type has none.
     *
     * @throws wireproof.NotOffered when the library has none
     */
    public final Codec find(String type, Integer version) {
        return made.computeIfAbsent(new Key(type, version), key -> make(type, version));
    }

    abstract Codec make(String type, Integer version);
}
