package wireproof.value;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.record.internal.BaseRecords;
import org.apache.kafka.common.record.internal.MemoryRecords;
import wireproof.Reason;
import wireproof.Refusal;

/** The values that have no parts, each with the Java class in which kafka-clients holds it. Null stays null. */
public enum Scalar implements Shape {
    BOOLEAN {
        @Override
        void write(Object object, JsonGenerator out) throws IOException {
            out.writeBoolean((Boolean) object);
        }

        @Override
        Object from(Object value) {
            return Values.expect(Boolean.class, value);
        }
    },
    /** A Byte. */
    INT8 {
        @Override
        void write(Object object, JsonGenerator out) throws IOException {
            out.writeNumber((Byte) object);
        }

        @Override
        Object from(Object value) {
            return (byte) within(value, Byte.MIN_VALUE, Byte.MAX_VALUE);
        }
    },
    /** A Short. */
    INT16 {
        @Override
        void write(Object object, JsonGenerator out) throws IOException {
            out.writeNumber((Short) object);
        }

        @Override
        Object from(Object value) {
            return (short) within(value, Short.MIN_VALUE, Short.MAX_VALUE);
        }
    },
    /** An Integer; unsigned 16-bit numbers are held in one too, and checked by the library or not at all. */
    INT32 {
        @Override
        void write(Object object, JsonGenerator out) throws IOException {
            out.writeNumber((Integer) object);
        }

        @Override
        Object from(Object value) {
            return (int) within(value, Integer.MIN_VALUE, Integer.MAX_VALUE);
        }
    },
    /** A Long; unsigned 32-bit numbers are held in one too, and checked by the library or not at all. */
    INT64 {
        @Override
        void write(Object object, JsonGenerator out) throws IOException {
            long number = (Long) object;
            if (-LARGEST_NUMBER <= number && number <= LARGEST_NUMBER) {
                out.writeNumber(number);
            } else {
                out.writeStartObject();
                out.writeStringField("int", Long.toString(number));
                out.writeEndObject();
            }
        }

        @Override
        Object from(Object value) {
            return within(value, Long.MIN_VALUE, Long.MAX_VALUE);
        }
    },
    /** An unsigned 32-bit number in the bits of an Integer: how kafka-clients holds unsigned varints and tags. */
    INT32_BITS {
        @Override
        void write(Object object, JsonGenerator out) throws IOException {
            out.writeNumber(Integer.toUnsignedLong((Integer) object));
        }

        @Override
        Object from(Object value) {
            return (int) within(value, 0, 0xffffffffL);
        }
    },
    FLOAT64 {
        @Override
        void write(Object object, JsonGenerator out) throws IOException {
            out.writeStartObject();
            out.writeStringField("float64", HexFormat.of().toHexDigits(Double.doubleToRawLongBits((Double) object)));
            out.writeEndObject();
        }

        @Override
        Object from(Object value) {
            return Values.expect(Double.class, value);
        }
    },
    UUID {
        @Override
        void write(Object object, JsonGenerator out) throws IOException {
            Uuid uuid = (Uuid) object;
            out.writeStartObject();
            out.writeStringField(
                    "uuid",
                    new java.util.UUID(uuid.getMostSignificantBits(), uuid.getLeastSignificantBits()).toString());
            out.writeEndObject();
        }

        @Override
        Object from(Object value) {
            return Values.expect(Uuid.class, value);
        }
    },
    STRING {
        @Override
        void write(Object object, JsonGenerator out) throws IOException {
            out.writeString((String) object);
        }

        @Override
        Object from(Object value) {
            return Values.expect(String.class, value);
        }
    },
    BYTE_ARRAY {
        @Override
        void write(Object object, JsonGenerator out) throws IOException {
            putHex((byte[]) object, out);
        }

        @Override
        Object from(Object value) {
            return Values.expect(byte[].class, value);
        }
    },
    BYTE_BUFFER {
        @Override
        void write(Object object, JsonGenerator out) throws IOException {
            putHex(bytes((ByteBuffer) object), out);
        }

        @Override
        Object from(Object value) {
            return ByteBuffer.wrap(Values.expect(byte[].class, value));
        }
    },
    /** Records inside a message: raw bytes, of which nothing is looked at. */
    RECORDS {
        @Override
        void write(Object object, JsonGenerator out) throws IOException {
            putHex(bytes(((MemoryRecords) (BaseRecords) object).buffer()), out);
        }

        @Override
        Object from(Object value) {
            return MemoryRecords.readableRecords(ByteBuffer.wrap(Values.expect(byte[].class, value)));
        }
    };

    /** Beyond it a JSON number is not read alike everywhere. */
    private static final long LARGEST_NUMBER = (1L << 53) - 1;

    abstract void write(Object object, JsonGenerator out) throws IOException;

    abstract Object from(Object value);

    @Override
    public void put(Object object, JsonGenerator out) throws IOException {
        if (object == null) {
            out.writeNull();
        } else {
            write(object, out);
        }
    }

    @Override
    public Object take(Object value) {
        return value == null ? null : from(value);
    }

    private static long within(Object value, long lowest, long highest) {
        if (value instanceof Long number && lowest <= number && number <= highest) {
            return number;
        }
        if (value instanceof BigInteger big && big.bitLength() < Long.SIZE) {
            return within(big.longValue(), lowest, highest);
        }
        if (value instanceof Long || value instanceof BigInteger) {
            throw new Refusal(Reason.OUT_OF_RANGE, value + " is not within " + lowest + " … " + highest);
        }
        return Values.expect(Long.class, value);
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return bytes;
    }

    private static void putHex(byte[] bytes, JsonGenerator out) throws IOException {
        out.writeStartObject();
        out.writeStringField("hex", HexFormat.of().formatHex(bytes));
        out.writeEndObject();
    }
}
