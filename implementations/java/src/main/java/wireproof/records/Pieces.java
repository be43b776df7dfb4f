package wireproof.records;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Function;

/** Entries one after another. */
final class Pieces {
    private Pieces() {}

    /** What is written for each, put together. */
    static ByteBuffer join(List<?> entries, Function<Object, ByteBuffer> write) {
        List<ByteBuffer> pieces = entries.stream().map(write).toList();
        ByteBuffer whole =
                ByteBuffer.allocate(pieces.stream().mapToInt(ByteBuffer::remaining).sum());
        pieces.forEach(whole::put);
        return whole.flip();
    }
}
