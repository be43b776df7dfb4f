package wireproof.records;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.record.internal.AbstractLegacyRecordBatch;
import org.apache.kafka.common.record.internal.MemoryRecords;
import wireproof.Reason;
import wireproof.Refusal;
import wireproof.codec.Codec;
import wireproof.value.Sequence;
import wireproof.value.Shape;

/** Messages of one magic by {@code MemoryRecords}, which drops a partial one at the end: its objects are Lists. */
final class MessageSetCodec implements Codec {
    private final byte magic;
    private final Shape shape;

    MessageSetCodec(byte magic) {
        this.magic = magic;
        this.shape = Sequence.collection(new MessageShape(magic), ArrayList::new);
    }

    @Override
    public Object read(ByteBuffer in) {
        MemoryRecords records = MemoryRecords.readableRecords(in.slice());
        if (!records.hasMatchingMagic(magic)) {
            throw new Refusal(Reason.UNSUPPORTED_MAGIC, "MemoryRecords.hasMatchingMagic(" + magic + ") says no");
        }
        List<Message> messages = new ArrayList<>();
        records.batches().forEach(batch -> messages.add(Messages.read((AbstractLegacyRecordBatch) batch)));
        in.position(in.limit());
        return messages;
    }

    @Override
    public ByteBuffer write(Object object) {
        return Pieces.join((List<?>) object, message -> Messages.write((Message) message));
    }

    @Override
    public Shape shape() {
        return shape;
    }
}
