package wireproof.codec;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.protocol.ApiMessage;
import wireproof.BadQuestion;
import wireproof.message.Messages;
import wireproof.value.Shape;

/** Frames: {@code {"header": …, "body": …}}. */
abstract class FrameShape implements Shape {
    private static final String HEADER = "header";
    private static final String BODY = "body";
    private final Map<Class<?>, Shape[]> shapes = new HashMap<>();

    @Override
    public final void put(Object object, JsonGenerator out) throws IOException {
        Frame frame = (Frame) object;
        out.writeStartObject();
        out.writeFieldName(HEADER);
        shape(frame.header(), frame.headerVersion()).put(frame.header(), out);
        out.writeFieldName(BODY);
        shape(frame.body(), frame.version()).put(frame.body(), out);
        out.writeEndObject();
    }

    @Override
    public final Object take(Object value) {
        if (value instanceof Map<?, ?> map && map.size() == 2 && map.containsKey(HEADER) && map.containsKey(BODY)) {
            return frame(map.get(HEADER), map.get(BODY));
        }
        throw new BadQuestion("a frame is an object with header and body: " + value);
    }

    /** The frame of these two values. */
    abstract Frame frame(Object header, Object body);

    /** The shape of a message at a version, each made once. */
    final Shape shape(ApiMessage message, short version) {
        Shape[] byVersion = shapes.computeIfAbsent(
                message.getClass(), type -> new Shape[message.highestSupportedVersion() + 1]);
        if (byVersion[version] == null) {
            byVersion[version] = Messages.of(message).dataShape(version);
        }
        return byVersion[version];
    }
}
