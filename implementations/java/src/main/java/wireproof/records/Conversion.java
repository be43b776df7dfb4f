package wireproof.records;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import wireproof.NotOffered;
import wireproof.Reason;
import wireproof.Refusal;

/**
 * Converts records to an older magic as brokers up to Kafka 3 did: by {@code MemoryRecords.downConvert} of
 * kafka-clients 3.9.1, for Kafka 4 has lost it. Its classes have a loader of their own, beside those that are tested.
 */
public final class Conversion {
    private static final String RECORDS = "org.apache.kafka.common.record.MemoryRecords";
    private static final String BATCH = "org.apache.kafka.common.record.RecordBatch";
    private static final String TIME = "org.apache.kafka.common.utils.Time";
    private static final String REFUSAL = "org.apache.kafka.common.KafkaException";
    private static final String MAGIC = "magic-";

    private static ClassLoader older;

    private Conversion() {}

    /** The bytes of the set in which no batch has a greater magic. */
    public static ByteBuffer convert(byte[] data, String to) {
        byte magic = Byte.parseByte(to.substring(MAGIC.length()));
        try {
            Class<?> type = older().loadClass(RECORDS);
            Object records = type.getMethod("readableRecords", ByteBuffer.class).invoke(null, ByteBuffer.wrap(data));
            Class<?> batchType = older().loadClass(BATCH);
            for (Object batch : (Iterable<?>) type.getMethod("batches").invoke(records)) {
                batchType.getMethod("ensureValid").invoke(batch);
                if (magic == 2 && (byte) batchType.getMethod("magic").invoke(batch) < magic) {
                    throw new NotOffered("downConvert makes no newer batches");
                }
            }
            Class<?> time = older().loadClass(TIME);
            Object system = time.getField("SYSTEM").get(null);
            Object converted = type.getMethod("downConvert", byte.class, long.class, time)
                    .invoke(records, magic, 0L, system);
            Object made = converted.getClass().getMethod("records").invoke(converted);
            return ((ByteBuffer) type.getMethod("buffer").invoke(made)).duplicate();
        } catch (InvocationTargetException thrown) {
            throw asOwn(thrown.getCause());
        } catch (RuntimeException thrown) {
            throw asOwn(thrown);
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException(error);
        }
    }

    /** What the older library threw; its own exceptions are not those that are known here. */
    private static RuntimeException asOwn(Throwable thrown) {
        for (Class<?> type = thrown.getClass(); type != null; type = type.getSuperclass()) {
            if (type.getName().equals(REFUSAL)) {
                boolean codec = thrown.getClass().getSimpleName().equals("UnsupportedCompressionTypeException");
                return new Refusal(codec ? Reason.UNSUPPORTED_COMPRESSION : null, thrown.toString());
            }
        }
        if (thrown instanceof Error error) {
            throw error;
        }
        return (RuntimeException) thrown;
    }

    /** kafka-clients 3.9.1, from the folder `older` beside the wrapper's jar, and the libraries that it needs. */
    private static synchronized ClassLoader older() {
        if (older == null) {
            try {
                File home = new File(Conversion.class
                                .getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                                .getPath())
                        .getParentFile();
                List<URL> jars = new ArrayList<>();
                for (String folder : new String[] {"older", "lib"}) {
                    for (File jar : new File(home, folder).listFiles()) {
                        if (folder.equals("older") || !jar.getName().startsWith("kafka-clients")) {
                            jars.add(jar.toURI().toURL());
                        }
                    }
                }
                older = new URLClassLoader(jars.toArray(new URL[0]), ClassLoader.getPlatformClassLoader());
            } catch (IOException error) {
                throw new UncheckedIOException(error);
            }
        }
        return older;
    }
}
