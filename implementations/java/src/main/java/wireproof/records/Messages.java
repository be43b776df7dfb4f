package wireproof.records;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.AbstractLegacyRecordBatch;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.LegacyRecord;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import wireproof.Reason;
import wireproof.Refusal;

/** Messages of magic 0 and 1 by {@code LegacyRecord}, compressed ones by {@code MemoryRecordsBuilder}. */
final class Messages {
    private static final int CODEC = 0x07;

    private Messages() {}

    static Message read(AbstractLegacyRecordBatch batch) {
        batch.ensureValid();
        List<Message> inside = batch.isCompressed() ? new ArrayList<>() : null;
        if (inside != null) {
            for (Record record : batch) {
                record.ensureValid();
                inside.add(message(record.offset(), ((AbstractLegacyRecordBatch) record).outerRecord(), null));
            }
        }
        return message(batch.offset(), batch.outerRecord(), inside);
    }

    private static Message message(long offset, LegacyRecord shown, List<Message> inside) {
        // Inside a wrapper with LogAppendTime a record shows the wrapper's time; by itself, what is stored.
        LegacyRecord stored = new LegacyRecord(shown.buffer());
        return new Message(
                stored.magic(),
                offset,
                stored.attributes(),
                stored.magic() == RecordBatch.MAGIC_VALUE_V0 ? null : stored.timestamp(),
                stored.key(),
                inside == null ? stored.value() : null,
                inside);
    }

    static ByteBuffer write(Message message) {
        ByteBuffer value = message.messages() == null ? message.value() : wrapped(message);
        try (MemoryRecordsBuilder builder = builder(message.magic(), CompressionType.NONE, message.offset())) {
            builder.appendUncheckedWithOffset(message.offset(), record(message, value));
            return builder.build().buffer();
        }
    }

    /** The value of a wrapper: taken from the one that the library makes, whose other fields are its own choice. */
    private static ByteBuffer wrapped(Message wrapper) {
        List<Message> messages = wrapper.messages();
        CompressionType type = CompressionType.forId(wrapper.attributes() & CODEC);
        if (messages.isEmpty() || type == CompressionType.NONE) {
            throw new Refusal(Reason.INVALID_WRAPPER, "MemoryRecordsBuilder wraps some messages, by a codec, or none");
        }
        boolean relative = wrapper.magic() == RecordBatch.MAGIC_VALUE_V1 && wrapper.offset() != 0;
        long base = wrapper.offset() == 0 ? 0 : messages.get(0).offset();
        try (MemoryRecordsBuilder builder = builder(wrapper.magic(), type, base)) {
            for (Message message : messages) {
                builder.appendUncheckedWithOffset(message.offset(), record(message, message.value()));
            }
            AbstractLegacyRecordBatch made =
                    (AbstractLegacyRecordBatch) builder.build().batches().iterator().next();
            if (relative && made.offset() != wrapper.offset()) {
                throw new Refusal(
                        Reason.INVALID_WRAPPER, "MemoryRecordsBuilder gives this wrapper the offset " + made.offset());
            }
            return made.value();
        }
    }

    private static MemoryRecordsBuilder builder(byte magic, CompressionType type, long baseOffset) {
        return MemoryRecords.builder(
                ByteBuffer.allocate(LegacyRecord.RECORD_OVERHEAD_V1),
                magic,
                Compression.of(type).build(),
                TimestampType.CREATE_TIME,
                baseOffset,
                RecordBatch.NO_TIMESTAMP);
    }

    private static LegacyRecord record(Message message, ByteBuffer value) {
        long timestamp = message.timestamp() == null ? RecordBatch.NO_TIMESTAMP : message.timestamp();
        byte[] key = bytes(message.key());
        byte[] content = bytes(value);
        long crc = LegacyRecord.computeChecksum(message.magic(), message.attributes(), timestamp, key, content);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            LegacyRecord.write(
                    new DataOutputStream(out), message.magic(), crc, message.attributes(), timestamp, key, content);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
        return new LegacyRecord(ByteBuffer.wrap(out.toByteArray()));
    }

    private static byte[] bytes(ByteBuffer buffer) {
        if (buffer == null) {
            return null;
        }
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return bytes;
    }
}
