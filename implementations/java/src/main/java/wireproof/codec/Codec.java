package wireproof.codec;

import java.nio.ByteBuffer;
import java.util.List;
import wireproof.NotOffered;
import wireproof.value.Shape;

/** A type at a version: the library reads its bytes into an object of its own, and writes such an object. */
public interface Codec {
    /** The library's object for the bytes from the buffer's position on, which afterwards is behind them. */
    Object read(ByteBuffer in);

    /** The bytes of the library's object, from position to limit. */
    ByteBuffer write(Object object);

    /**
     * All values of a header key in its object, in order.
     *
     * @throws NotOffered where the library has no such look-up
     */
    default List<byte[]> lookup(Object object, String key) {
        throw new NotOffered("kafka-clients looks up headers in a Record alone");
    }

    /** How its objects stand for protocol values. */
    Shape shape();
}
