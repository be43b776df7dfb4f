package wireproof.codec;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.function.BiFunction;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.MessageUtil;
import wireproof.BadQuestion;
import wireproof.NotOffered;
import wireproof.message.MessageType;
import wireproof.message.Messages;
import wireproof.value.Shape;

/** Messages of ConsumerProtocol behind their version, as a member of a group reads and writes them. */
final class PrefixedCodec implements Codec {
    /** What stands before a message's name in the name of its type. */
    static final String PREFIX = "VersionPrefixed:";

    /** By the message's name, what reads it behind its version. */
    static final Map<String, BiFunction<ByteBuffer, Short, Message>> READERS = Map.of(
            "ConsumerProtocolAssignment", ConsumerProtocol::deserializeConsumerProtocolAssignment,
            "ConsumerProtocolSubscription", ConsumerProtocol::deserializeConsumerProtocolSubscription);

    private static final String VERSION = "version";
    private static final String BODY = "body";

    private final MessageType type;
    private final BiFunction<ByteBuffer, Short, Message> reader;
    private final Shape shape = new Shape() {
        @Override
        public void put(Object object, JsonGenerator out) throws IOException {
            PrefixedMessage message = (PrefixedMessage) object;
            out.writeStartObject();
            out.writeNumberField(VERSION, message.version());
            out.writeFieldName(BODY);
            bodyAt(message.version()).put(message.body(), out);
            out.writeEndObject();
        }

        @Override
        public Object take(Object value) {
            if (value instanceof Map<?, ?> map && map.size() == 2 && map.get(VERSION) instanceof Number number) {
                short version = type.version(number.intValue());
                return new PrefixedMessage(version, (Message) bodyAt(version).take(map.get(BODY)));
            }
            throw new BadQuestion("a message behind its version is an object with version and body: " + value);
        }
    };

    PrefixedCodec(String name) {
        type = Messages.named(name);
        reader = READERS.get(name);
        if (reader == null) {
            throw new NotOffered("kafka-clients has no reader of " + name + " behind its version");
        }
    }

    @Override
    public Object read(ByteBuffer in) {
        short version = ConsumerProtocol.deserializeVersion(in);
        Message body = reader.apply(in, version);
        if (version > type.highest()) {
            in.position(in.limit()); // a newer version may have more, which the library leaves unread
        }
        return new PrefixedMessage(version, body);
    }

    @Override
    public ByteBuffer write(Object object) {
        PrefixedMessage message = (PrefixedMessage) object;
        return MessageUtil.toVersionPrefixedByteBuffer(message.version(), message.body());
    }

    @Override
    public Shape shape() {
        return shape;
    }

    private Shape bodyAt(short version) {
        return type.dataShape((short) Math.min(version, type.highest()));
    }
}
