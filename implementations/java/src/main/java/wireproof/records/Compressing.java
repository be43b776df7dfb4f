package wireproof.records;

import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.CompressionType;

/**
 * Compression as it is written. ByteBufferOutputStream, which it writes into, moved between 4.3 and 4.4: it is reached
 * as the parameter of the method that takes it, and not by its name.
 */
final class Compressing {
    private static final MethodHandles.Lookup LOOKUP = MethodHandles.publicLookup();
    private static final int CAPACITY = 512;

    private static final MethodHandle NEW_BUFFER;
    private static final MethodHandle CONTENT;
    private static final MethodHandle COMPRESS;

    static {
        try {
            Method compress = wrapForOutput();
            COMPRESS = LOOKUP.unreflect(compress)
                    .asType(MethodType.methodType(
                            OutputStream.class, Compression.class, OutputStream.class, byte.class));
            Class<?> buffer = compress.getParameterTypes()[0];
            NEW_BUFFER = LOOKUP.findConstructor(buffer, MethodType.methodType(void.class, int.class))
                    .asType(MethodType.methodType(OutputStream.class, int.class));
            CONTENT = LOOKUP.findVirtual(buffer, "buffer", MethodType.methodType(ByteBuffer.class))
                    .asType(MethodType.methodType(ByteBuffer.class, OutputStream.class));
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException("kafka-clients' record classes are not as in 4.3 and 4.4", error);
        }
    }

    private Compressing() {}

    /** What writes the content that is to be compressed. */
    @FunctionalInterface
    interface Content {
        void writeTo(DataOutputStream out) throws IOException;
    }

    /** The content, compressed as a batch of this magic has it. */
    static ByteBuffer compress(CompressionType type, byte magic, Content content) {
        Compression compression = Compression.of(type).build();
        try {
            OutputStream buffer = (OutputStream) NEW_BUFFER.invokeExact(CAPACITY);
            OutputStream compressed = (OutputStream) COMPRESS.invokeExact(compression, buffer, magic);
            try (DataOutputStream out = new DataOutputStream(compressed)) {
                content.writeTo(out);
            }
            return ((ByteBuffer) CONTENT.invokeExact(buffer)).flip();
        } catch (Throwable thrown) {
            throw unchecked(thrown);
        }
    }

    private static Method wrapForOutput() throws NoSuchMethodException {
        for (Method method : Compression.class.getMethods()) {
            if (method.getName().equals("wrapForOutput")) {
                return method;
            }
        }
        throw new NoSuchMethodException("Compression.wrapForOutput");
    }

    /** What the library throws is thrown on as it is; writing into memory fails with no IOException. */
    private static RuntimeException unchecked(Throwable thrown) {
        if (thrown instanceof Error error) {
            throw error;
        }
        return thrown instanceof RuntimeException known ? known : new IllegalStateException(thrown);
    }
}
