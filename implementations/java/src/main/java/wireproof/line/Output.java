package wireproof.line;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** Answers that wait to be sent; the last one can be taken back. */
final class Output extends ByteArrayOutputStream {
    private final OutputStream out;

    Output(OutputStream out) {
        this.out = out;
    }

    /** Forget what was written after the first `size` bytes. */
    void cut(int size) {
        count = size;
    }

    /** Send what waits. */
    void send() throws IOException {
        writeTo(out);
        reset();
    }
}
