package wireproof.codec;

import java.nio.ByteBuffer;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.MessageUtil;
import wireproof.message.MessageType;
import wireproof.value.Shape;

/** A message body or header by its generated class. */
record MessageCodec(MessageType type, short version, Shape shape) implements Codec {
    @Override
    public Object read(ByteBuffer in) {
        Message message = type.create();
        message.read(new ByteBufferAccessor(in), version);
        return message;
    }

    @Override
    public ByteBuffer write(Object object) {
        return MessageUtil.toByteBufferAccessor((Message) object, version).buffer();
    }
}
