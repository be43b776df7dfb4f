package wireproof.value;

import java.nio.ByteBuffer;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.types.ArrayOf;
import org.apache.kafka.common.protocol.types.CompactArrayOf;
import org.apache.kafka.common.protocol.types.Type;
import wireproof.NotOffered;

/** The contract's names of primitives and arrays, and what stands for them in {@code types.Type}. */
public final class Types {
    private static final Map<String, Type> PRIMITIVES = new LinkedHashMap<>();
    private static final Map<Type, Shape> SHAPES = new IdentityHashMap<>();

    static {
        add("BOOLEAN", Type.BOOLEAN, Scalar.BOOLEAN);
        add("INT8", Type.INT8, Scalar.INT8);
        add("INT16", Type.INT16, Scalar.INT16);
        add("INT32", Type.INT32, Scalar.INT32);
        add("INT64", Type.INT64, Scalar.INT64);
        add("UINT16", Type.UINT16, Scalar.INT32);
        add("UINT32", Type.UNSIGNED_INT32, Scalar.INT64);
        add("FLOAT64", Type.FLOAT64, Scalar.FLOAT64);
        add("UUID", Type.UUID, Scalar.UUID);
        add("UNSIGNED_VARINT", new UnsignedVarint(), Scalar.INT32_BITS);
        add("VARINT", Type.VARINT, Scalar.INT32);
        add("VARLONG", Type.VARLONG, Scalar.INT64);
        add("STRING", Type.STRING, Scalar.STRING);
        add("NULLABLE_STRING", Type.NULLABLE_STRING, Scalar.STRING);
        add("COMPACT_STRING", Type.COMPACT_STRING, Scalar.STRING);
        add("COMPACT_NULLABLE_STRING", Type.COMPACT_NULLABLE_STRING, Scalar.STRING);
        add("BYTES", Type.BYTES, Scalar.BYTE_BUFFER);
        add("NULLABLE_BYTES", Type.NULLABLE_BYTES, Scalar.BYTE_BUFFER);
        add("COMPACT_BYTES", Type.COMPACT_BYTES, Scalar.BYTE_BUFFER);
        add("COMPACT_NULLABLE_BYTES", Type.COMPACT_NULLABLE_BYTES, Scalar.BYTE_BUFFER);
        SHAPES.put(Type.RECORDS, Scalar.RECORDS);
        SHAPES.put(Type.NULLABLE_RECORDS, Scalar.RECORDS);
        SHAPES.put(Type.COMPACT_RECORDS, Scalar.RECORDS);
        SHAPES.put(Type.COMPACT_NULLABLE_RECORDS, Scalar.RECORDS);
    }

    private Types() {}

    private static void add(String name, Type type, Shape shape) {
        PRIMITIVES.put(name, type);
        SHAPES.put(type, shape);
    }

    public static Set<String> primitives() {
        return PRIMITIVES.keySet();
    }

    /** Whether this is the name of a primitive or, by its form, of an array. */
    public static boolean isOne(String name) {
        return PRIMITIVES.containsKey(name) || name.endsWith(">");
    }

    /**
     * The type of a primitive's or an array's name.
     *
     * @throws NotOffered when there is none
     */
    public static Type named(String name) {
        Type primitive = PRIMITIVES.get(name);
        if (primitive != null) {
            return primitive;
        }
        int bracket = name.indexOf('<');
        if (bracket < 0 || !name.endsWith(">")) {
            throw new NotOffered("types.Type has no " + name);
        }
        Type element = named(name.substring(bracket + 1, name.length() - 1));
        return switch (name.substring(0, bracket)) {
            case "ARRAY" -> new ArrayOf(element);
            case "NULLABLE_ARRAY" -> ArrayOf.nullable(element);
            case "COMPACT_ARRAY" -> new CompactArrayOf(element);
            case "COMPACT_NULLABLE_ARRAY" -> CompactArrayOf.nullable(element);
            default -> throw new NotOffered("types.Type has no " + name);
        };
    }

    /** The shape of a type that is no structure. */
    public static Shape shapeOf(Type type) {
        return type.isArray() ? Sequence.array(shapeOf(type.arrayElementType().orElseThrow())) : SHAPES.get(type);
    }

    /** {@code types.Type} lacks it, so that arrays of it need this; the bytes are {@code ByteBufferAccessor}'s. */
    private static final class UnsignedVarint extends Type {
        private static final int LONGEST = 5;

        @Override
        public Object read(ByteBuffer buffer) {
            return new ByteBufferAccessor(buffer).readUnsignedVarint();
        }

        @Override
        public void write(ByteBuffer buffer, Object value) {
            new ByteBufferAccessor(buffer).writeUnsignedVarint((Integer) value);
        }

        @Override
        public Object validate(Object value) {
            return value;
        }

        /** At most so many. */
        @Override
        public int sizeOf(Object value) {
            return LONGEST;
        }
    }
}
