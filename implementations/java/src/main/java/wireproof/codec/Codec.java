package wireproof.codec;

import java.nio.ByteBuffer;
import wireproof.value.Shape;

/** A type at a version: the library reads its bytes into an object of its own, and writes such an object. */
public interface Codec {
    /** The library's object for the bytes from the buffer's position on, which afterwards is behind them. */
    Object read(ByteBuffer in);

    /** The bytes of the library's object, from position to limit. */
    ByteBuffer write(Object object);

    /** How its objects stand for protocol values. */
    Shape shape();
}
