package wireproof.codec;

import java.nio.ByteBuffer;
import org.apache.kafka.common.protocol.types.Type;
import wireproof.value.Shape;

/** Anything that {@code types.Type} reads and writes: primitives, arrays, and structures by their schema. */
record TypeCodec(Type type, Shape shape) implements Codec {
    @Override
    public Object read(ByteBuffer in) {
        return type.read(in);
    }

    @Override
    public ByteBuffer write(Object object) {
        type.validate(object);
        ByteBuffer out = ByteBuffer.allocate(type.sizeOf(object));
        type.write(out, object);
        return out.flip();
    }
}
