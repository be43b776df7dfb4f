package wireproof.records;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.RecordBatch;
import wireproof.value.Scalar;
import wireproof.value.Shape;
import wireproof.value.Values;

/** The producer's answer to `produce`: what {@code MemoryRecordsBuilder}, into which it puts records, makes of them. */
public final class Production {
    private static final Shape HEADERS = new HeadersShape();
    /** It grows where that is not enough. */
    private static final int CAPACITY = 512;

    private Production() {}

    /**
     * The bytes.
     *
     * @param records as {@link Values} read it: a list of objects with `timestamp`, `key`, `value` and `headers`
     * @param options as {@link Values} read it: an object with `producer_id`, `producer_epoch`, `base_sequence` and
     *     `transactional`
     */
    public static ByteBuffer write(Object records, int magic, String codec, Object options) {
        try (MemoryRecordsBuilder builder = builder((byte) magic, codec, Values.expect(Map.class, options))) {
            for (Object each : Values.expect(List.class, records)) {
                Map<?, ?> record = Values.expect(Map.class, each);
                builder.append(
                        (Long) Scalar.INT64.take(record.get("timestamp")),
                        (byte[]) Scalar.BYTE_ARRAY.take(record.get("key")),
                        (byte[]) Scalar.BYTE_ARRAY.take(record.get("value")),
                        (Header[]) HEADERS.take(record.get("headers")));
            }
            return builder.build().buffer();
        }
    }

    private static MemoryRecordsBuilder builder(byte magic, String codec, Map<?, ?> options) {
        return MemoryRecords.builder(
                ByteBuffer.allocate(CAPACITY),
                magic,
                Compression.of(CompressionType.forName(codec)).build(),
                TimestampType.CREATE_TIME,
                0,
                RecordBatch.NO_TIMESTAMP,
                (Long) Scalar.INT64.take(options.get("producer_id")),
                (Short) Scalar.INT16.take(options.get("producer_epoch")),
                (Integer) Scalar.INT32.take(options.get("base_sequence")),
                (Boolean) options.get("transactional"),
                RecordBatch.NO_PARTITION_LEADER_EPOCH);
    }
}
