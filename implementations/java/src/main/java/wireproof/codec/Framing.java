package wireproof.codec;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import org.apache.kafka.common.network.NetworkReceive;
import org.apache.kafka.common.network.Send;
import wireproof.Reason;
import wireproof.Refusal;

/** Frames as a connection gives and takes them: their size is {@code NetworkReceive}'s and {@code Send}'s. */
public final class Framing {
    public static final int SIZE_LENGTH = Integer.BYTES;

    private Framing() {}

    /** What stands in the frame at the buffer's position; sizes beyond `largest` bytes are refused. */
    public static ByteBuffer receive(ByteBuffer in, int largest) {
        NetworkReceive receive = new NetworkReceive(largest, "wireproof");
        BytesChannel channel = new BytesChannel(in);
        try {
            while (!receive.complete()) {
                receive.readFrom(channel);
            }
        } catch (EOFException error) {
            throw new Refusal(Reason.TRUNCATED, "the connection ends inside the frame");
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
        return receive.payload().rewind();
    }

    /** The body's reader told how much it took: bytes behind it are a refusal. */
    static void requireEnd(ByteBuffer payload) {
        if (payload.hasRemaining()) {
            int offset = SIZE_LENGTH + payload.position();
            throw new Refusal(Reason.TRAILING_BYTES, offset, payload.remaining() + " bytes behind the body");
        }
    }

    public static ByteBuffer send(Send send) {
        ByteBuffer out = ByteBuffer.allocate(Math.toIntExact(send.size()));
        BytesChannel channel = new BytesChannel(out);
        try {
            while (!send.completed()) {
                send.writeTo(channel);
            }
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
        return out.flip();
    }
}
