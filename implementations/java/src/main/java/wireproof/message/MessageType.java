package wireproof.message;

import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.types.Schema;
import wireproof.NotOffered;
import wireproof.value.Shape;

/** A message of kafka-clients: its name in the definitions, its versions, and both of its codecs' classes. */
public final class MessageType {
    private final String name;
    private final Class<?> type;
    private final short lowest;
    private final short highest;
    private StructClass struct;

    MessageType(String name, Class<?> type) {
        this.name = name;
        this.type = type;
        try {
            lowest = type.getField("LOWEST_SUPPORTED_VERSION").getShort(null);
            highest = type.getField("HIGHEST_SUPPORTED_VERSION").getShort(null);
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException(type + " is not as Kafka's generator makes them", error);
        }
    }

    public String name() {
        return name;
    }

    public short lowest() {
        return lowest;
    }

    public short highest() {
        return highest;
    }

    /** The version as Java has it. */
    public short version(Integer version) {
        if (version == null || version < lowest || version > highest) {
            String has = " has versions " + lowest + " to " + highest + ", not " + version;
            throw new NotOffered(type.getSimpleName() + has);
        }
        return version.shortValue();
    }

    /** A new object of the generated class. */
    public Message create() {
        return (Message) struct().create();
    }

    /** How objects of the generated class look at a version. */
    public Shape dataShape(short version) {
        return new DataShape(struct(), version);
    }

    /** The schema of a version, for {@code types.Struct} objects. */
    public Schema schema(short version) {
        return struct().schema(version);
    }

    /** How {@code types.Struct} objects look at a version. */
    public Shape schemaShape(short version) {
        return new SchemaShape(struct(), schema(version), version);
    }

    private StructClass struct() {
        if (struct == null) {
            struct = StructClass.of(type, Library.namesIn(name));
        }
        return struct;
    }
}
