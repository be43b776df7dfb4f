package wireproof.records;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.record.internal.RecordBatch;
import wireproof.BadQuestion;
import wireproof.Reason;
import wireproof.Refusal;
import wireproof.value.Scalar;
import wireproof.value.Shape;
import wireproof.value.Values;

/** {@link Message}s of one magic: only magic 1 has a timestamp, and a wrapper has `messages` for its value. */
final class MessageShape implements Shape {
    private final byte magic;

    MessageShape(byte magic) {
        this.magic = magic;
    }

    @Override
    public void put(Object object, JsonGenerator out) throws IOException {
        out.writeStartObject();
        putMembers((Message) object, out);
        out.writeEndObject();
    }

    /** The members of the object that is open. An inner message may be of another magic. */
    void putMembers(Message message, JsonGenerator out) throws IOException {
        out.writeFieldName("offset");
        Scalar.INT64.put(message.offset(), out);
        out.writeFieldName("attributes");
        Scalar.INT8.put(message.attributes(), out);
        if (message.timestamp() != null) {
            out.writeFieldName("timestamp");
            Scalar.INT64.put(message.timestamp(), out);
        }
        out.writeFieldName("key");
        Scalar.BYTE_BUFFER.put(message.key(), out);
        if (message.messages() == null) {
            out.writeFieldName("value");
            Scalar.BYTE_BUFFER.put(message.value(), out);
            return;
        }
        out.writeArrayFieldStart("messages");
        for (Message inner : message.messages()) {
            put(inner, out);
        }
        out.writeEndArray();
    }

    @Override
    public Object take(Object value) {
        return take(Values.expect(Map.class, value), true);
    }

    private Message take(Map<?, ?> members, boolean mayWrap) {
        Set<Object> left = new HashSet<>(members.keySet());
        boolean wraps = members.containsKey("messages");
        if (wraps && !mayWrap) {
            throw new Refusal(Reason.INVALID_WRAPPER, "MemoryRecordsBuilder puts no wrapper into another");
        }
        Message message = new Message(
                magic,
                (Long) member("offset", Scalar.INT64, members, left),
                (Byte) member("attributes", Scalar.INT8, members, left),
                magic == RecordBatch.MAGIC_VALUE_V0 ? null : (Long) member("timestamp", Scalar.INT64, members, left),
                (ByteBuffer) member("key", Scalar.BYTE_BUFFER, members, left),
                wraps ? null : (ByteBuffer) member("value", Scalar.BYTE_BUFFER, members, left),
                wraps ? inside(members.get("messages")) : null);
        left.remove("messages");
        if (!left.isEmpty()) {
            throw new Refusal(Reason.UNKNOWN_FIELD, "LegacyRecord of magic " + magic + " has no " + left);
        }
        return message;
    }

    private List<Message> inside(Object value) {
        List<Message> messages = new ArrayList<>();
        for (Object each : Values.expect(List.class, value)) {
            messages.add(take(Values.expect(Map.class, each), false));
        }
        return messages;
    }

    private static Object member(String name, Scalar shape, Map<?, ?> members, Set<Object> left) {
        if (!left.remove(name)) {
            throw new BadQuestion("a value of records names every key; this one has no " + name);
        }
        Object taken = shape.take(members.get(name));
        if (taken == null && shape != Scalar.BYTE_BUFFER) {
            throw new Refusal(Reason.NULL_NOT_ALLOWED, name + " is a Java primitive, which has no null");
        }
        return taken;
    }
}
