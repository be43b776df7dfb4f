package wireproof.records;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.internal.DefaultRecord;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import wireproof.NotOffered;
import wireproof.codec.Codec;
import wireproof.value.Shape;

/** A record of magic 2 by {@code DefaultRecord}: its objects are {@link Item}s. */
final class RecordCodec implements Codec {
    private final Shape shape = new ComponentsShape(Item.class);

    /** Based at 0, so that what it calls offset and timestamp are the deltas. */
    @Override
    public Object read(ByteBuffer in) {
        return item(DefaultRecord.readFrom(in, 0, 0, RecordBatch.NO_SEQUENCE, null), 0, 0);
    }

    @Override
    public ByteBuffer write(Object object) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            write((Item) object, new DataOutputStream(out));
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
        return ByteBuffer.wrap(out.toByteArray());
    }

    @Override
    public Shape shape() {
        return shape;
    }

    @Override
    public List<byte[]> lookup(Object object, String key) {
        List<byte[]> values = new ArrayList<>();
        for (Header header : new RecordHeaders(((Item) object).headers()).headers(key)) {
            values.add(header.value());
        }
        return values;
    }

    /** The record as it is stored in a batch with these bases. */
    static Item item(Record record, long baseOffset, long baseTimestamp) {
        return new Item(
                ((DefaultRecord) record).attributes(),
                record.timestamp() - baseTimestamp,
                (int) (record.offset() - baseOffset),
                record.key(),
                record.value(),
                record.headers());
    }

    static void write(Item item, DataOutputStream out) throws IOException {
        if (item.attributes() != 0) {
            throw new NotOffered("DefaultRecord.writeTo takes no attributes: it writes 0");
        }
        DefaultRecord.writeTo(
                out, item.offsetDelta(), item.timestampDelta(), item.key(), item.value(), item.headers());
    }
}
