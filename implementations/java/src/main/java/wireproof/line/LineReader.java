package wireproof.line;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Lines of bytes from a stream, cut out of its own buffer. After {@link #next} the line is from start to end in it. */
final class LineReader {
    private static final int CHUNK = 1 << 16;
    private static final int SHOWN = 200;

    private final InputStream in;
    private byte[] buffer = new byte[CHUNK];
    private int start;
    private int end;
    private int next;
    private int filled;

    /** What to do before the stream is asked for bytes that are not there yet. */
    @FunctionalInterface
    interface Pause {
        void run() throws IOException;
    }

    LineReader(InputStream in) {
        this.in = in;
    }

    /** Go to the next line; false when there is none. */
    boolean next(Pause beforeWaiting) throws IOException {
        start = next;
        int searched = start;
        while (true) {
            for (; searched < filled; searched++) {
                if (buffer[searched] == '\n') {
                    end = searched;
                    next = searched + 1;
                    return true;
                }
            }
            searched -= makeRoom();
            if (in.available() == 0) {
                beforeWaiting.run();
            }
            int count = in.read(buffer, filled, buffer.length - filled);
            if (count < 0) {
                end = filled;
                next = filled;
                return start < end;
            }
            filled += count;
        }
    }

    byte[] buffer() {
        return buffer;
    }

    int start() {
        return start;
    }

    int length() {
        return end - start;
    }

    /** The line as it is shown to a person: not more than its beginning. */
    String excerpt() {
        return new String(buffer, start, Math.min(length(), SHOWN), StandardCharsets.UTF_8);
    }

    /** Move the begun line to the front, and grow if it fills the buffer; by how much it moved. */
    private int makeRoom() {
        int moved = start;
        System.arraycopy(buffer, start, buffer, 0, filled - start);
        filled -= moved;
        start = 0;
        if (filled == buffer.length) {
            buffer = Arrays.copyOf(buffer, 2 * buffer.length);
        }
        return moved;
    }
}
