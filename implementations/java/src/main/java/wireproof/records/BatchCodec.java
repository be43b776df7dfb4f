package wireproof.records;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.DefaultRecordBatch;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import wireproof.NotOffered;
import wireproof.Reason;
import wireproof.Refusal;
import wireproof.codec.Codec;

/** A batch of magic 2 by {@code DefaultRecordBatch}: its objects are {@link Batch}es. */
final class BatchCodec implements Codec {
    private static final int CODEC = 0x07;
    private static final int LOG_APPEND_TIME = 0x08;
    private static final int TRANSACTIONAL = 0x10;
    private static final int CONTROL = 0x20;
    private static final int DELETE_HORIZON = 0x40;
    private static final int KNOWN = CODEC | LOG_APPEND_TIME | TRANSACTIONAL | CONTROL | DELETE_HORIZON;

    private final ComponentsShape shape = new ComponentsShape(Batch.class);

    @Override
    public Object read(ByteBuffer in) {
        Iterator<MutableRecordBatch> batches =
                MemoryRecords.readableRecords(in.slice()).batches().iterator();
        if (!batches.hasNext()) {
            throw new Refusal(Reason.TRUNCATED, "MemoryRecords finds no whole batch");
        }
        MutableRecordBatch batch = batches.next();
        if (!(batch instanceof DefaultRecordBatch found)) {
            throw new Refusal(Reason.UNSUPPORTED_MAGIC, "MemoryRecords finds a batch of magic " + batch.magic());
        }
        in.position(in.position() + batch.sizeInBytes());
        return read(found);
    }

    @Override
    public ByteBuffer write(Object object) {
        return write((Batch) object);
    }

    @Override
    public ComponentsShape shape() {
        return shape;
    }

    static Batch read(DefaultRecordBatch batch) {
        batch.ensureValid();
        return new Batch(
                batch.baseOffset(),
                batch.partitionLeaderEpoch(),
                attributes(batch),
                (int) (batch.lastOffset() - batch.baseOffset()),
                batch.baseTimestamp(),
                batch.maxTimestamp(),
                batch.producerId(),
                batch.producerEpoch(),
                batch.baseSequence(),
                items(batch));
    }

    /** Its attributes are private: what the getters tell is all that is known of them. */
    private static short attributes(DefaultRecordBatch batch) {
        int attributes = batch.compressionType().id;
        attributes |= batch.timestampType() == TimestampType.LOG_APPEND_TIME ? LOG_APPEND_TIME : 0;
        attributes |= batch.isTransactional() ? TRANSACTIONAL : 0;
        attributes |= batch.isControlBatch() ? CONTROL : 0;
        attributes |= batch.deleteHorizonMs().isPresent() ? DELETE_HORIZON : 0;
        return (short) attributes;
    }

    private static List<Item> items(DefaultRecordBatch batch) {
        List<Item> items = new ArrayList<>();
        for (Record record : withOwnTimestamps(batch)) {
            items.add(RecordCodec.item(record, batch.baseOffset(), batch.baseTimestamp()));
        }
        return items;
    }

    /** Under LogAppendTime every record shows the batch's time; a copy under CreateTime shows what is stored. */
    private static RecordBatch withOwnTimestamps(DefaultRecordBatch batch) {
        if (batch.timestampType() != TimestampType.LOG_APPEND_TIME) {
            return batch;
        }
        ByteBuffer bytes = ByteBuffer.allocate(batch.sizeInBytes());
        batch.writeTo(bytes);
        MutableRecordBatch copy =
                MemoryRecords.readableRecords(bytes.flip()).batches().iterator().next();
        copy.setMaxTimestamp(TimestampType.CREATE_TIME, batch.maxTimestamp());
        return copy;
    }

    static ByteBuffer write(Batch batch) {
        int attributes = batch.attributes();
        if ((attributes & ~KNOWN) != 0) {
            throw new NotOffered("DefaultRecordBatch.writeHeader takes no attributes beyond bit 6");
        }
        CompressionType type = CompressionType.forId(attributes & CODEC);
        ByteBuffer content = Compressing.compress(type, RecordBatch.MAGIC_VALUE_V2, out -> {
            for (Item item : batch.records()) {
                RecordCodec.write(item, out);
            }
        });
        int size = DefaultRecordBatch.RECORD_BATCH_OVERHEAD + content.remaining();
        ByteBuffer bytes = ByteBuffer.allocate(size);
        bytes.position(DefaultRecordBatch.RECORD_BATCH_OVERHEAD).put(content).rewind();
        DefaultRecordBatch.writeHeader(
                bytes,
                batch.baseOffset(),
                batch.lastOffsetDelta(),
                size,
                RecordBatch.MAGIC_VALUE_V2,
                type,
                (attributes & LOG_APPEND_TIME) == 0 ? TimestampType.CREATE_TIME : TimestampType.LOG_APPEND_TIME,
                batch.baseTimestamp(),
                batch.maxTimestamp(),
                batch.producerId(),
                batch.producerEpoch(),
                batch.baseSequence(),
                (attributes & TRANSACTIONAL) != 0,
                (attributes & CONTROL) != 0,
                (attributes & DELETE_HORIZON) != 0,
                batch.partitionLeaderEpoch(),
                batch.records().size());
        return bytes.rewind();
    }
}
