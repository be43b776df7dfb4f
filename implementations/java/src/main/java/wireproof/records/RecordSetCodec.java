package wireproof.records;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.record.internal.AbstractLegacyRecordBatch;
import org.apache.kafka.common.record.internal.DefaultRecordBatch;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import wireproof.BadQuestion;
import wireproof.Reason;
import wireproof.Refusal;
import wireproof.codec.Codec;
import wireproof.value.Scalar;
import wireproof.value.Sequence;
import wireproof.value.Shape;
import wireproof.value.Values;

/** Batches and messages of any magic by {@code MemoryRecords}: its objects are Lists of {@link Batch}, {@link Message}. */
final class RecordSetCodec implements Codec {
    private static final String MAGIC = "magic";

    private final ComponentsShape batches = new ComponentsShape(Batch.class);
    private final MessageShape[] messages = {
        new MessageShape(RecordBatch.MAGIC_VALUE_V0), new MessageShape(RecordBatch.MAGIC_VALUE_V1)
    };
    private final Shape shape = Sequence.collection(new EntryShape(), ArrayList::new);

    /** An entry, with its magic beside its own members. */
    private final class EntryShape implements Shape {
        @Override
        public void put(Object object, JsonGenerator out) throws IOException {
            out.writeStartObject();
            if (object instanceof Message message) {
                out.writeNumberField(MAGIC, message.magic());
                messages[message.magic()].putMembers(message, out);
            } else {
                out.writeNumberField(MAGIC, RecordBatch.MAGIC_VALUE_V2);
                batches.putMembers(object, out);
            }
            out.writeEndObject();
        }

        @Override
        public Object take(Object value) {
            Map<Object, Object> members = new HashMap<>((Map<?, ?>) Values.expect(Map.class, value));
            Object magic = Scalar.INT8.take(members.remove(MAGIC));
            if (magic == null) {
                throw new BadQuestion("an entry of a RecordSet names its magic: " + value);
            }
            return switch ((Byte) magic) {
                case RecordBatch.MAGIC_VALUE_V0, RecordBatch.MAGIC_VALUE_V1 -> messages[(Byte) magic].take(members);
                case RecordBatch.MAGIC_VALUE_V2 -> batches.take(members);
                default -> throw new Refusal(Reason.UNSUPPORTED_MAGIC, "kafka-clients has no class for magic " + magic);
            };
        }
    }

    @Override
    public Object read(ByteBuffer in) {
        List<Object> entries = new ArrayList<>();
        for (RecordBatch batch : MemoryRecords.readableRecords(in.slice()).batches()) {
            entries.add(
                    batch instanceof DefaultRecordBatch found
                            ? BatchCodec.read(found)
                            : Messages.read((AbstractLegacyRecordBatch) batch));
        }
        in.position(in.limit());
        return entries;
    }

    @Override
    public ByteBuffer write(Object object) {
        return Pieces.join(
                (List<?>) object,
                entry -> entry instanceof Message message ? Messages.write(message) : BatchCodec.write((Batch) entry));
    }

    @Override
    public Shape shape() {
        return shape;
    }
}
