package wireproof.codec;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.types.RawTaggedField;
import wireproof.message.MessageType;
import wireproof.value.Shape;
import wireproof.value.Tags;

/** A tag buffer by itself, as either codec has it. */
final class TagsShape {
    private TagsShape() {}

    /** As the unknown tagged fields of a message. */
    static Shape ofMessage(MessageType type) {
        return new Shape() {
            @Override
            public void put(Object object, JsonGenerator out) throws IOException {
                Tags.put(((Message) object).unknownTaggedFields(), out);
            }

            @Override
            public Object take(Object value) {
                Message message = type.create();
                message.unknownTaggedFields().addAll(Tags.take(value));
                return message;
            }
        };
    }

    /** As the map of {@code types.TaggedFields}. */
    static Shape ofMap() {
        return new Shape() {
            @Override
            public void put(Object object, JsonGenerator out) throws IOException {
                NavigableMap<?, ?> map = (NavigableMap<?, ?>) object;
                Tags.put(map.values().stream().map(RawTaggedField.class::cast).toList(), out);
            }

            @Override
            public Object take(Object value) {
                NavigableMap<Integer, Object> map = new TreeMap<>();
                Tags.takeInto(map, value);
                return map;
            }
        };
    }
}
