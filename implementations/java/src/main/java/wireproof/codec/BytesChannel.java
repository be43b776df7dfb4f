package wireproof.codec;

import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ScatteringByteChannel;
import org.apache.kafka.common.network.TransferableChannel;

/** A connection that is a buffer: it ends where that ends. */
final class BytesChannel implements ScatteringByteChannel, TransferableChannel {
    private final ByteBuffer bytes;

    BytesChannel(ByteBuffer bytes) {
        this.bytes = bytes;
    }

    @Override
    public int read(ByteBuffer target) {
        if (!bytes.hasRemaining() && target.hasRemaining()) {
            return -1;
        }
        int size = Math.min(bytes.remaining(), target.remaining());
        target.put(bytes.slice(bytes.position(), size));
        bytes.position(bytes.position() + size);
        return size;
    }

    @Override
    public long read(ByteBuffer[] targets, int offset, int length) {
        throw new UnsupportedOperationException("NetworkReceive reads into one buffer at a time");
    }

    @Override
    public long read(ByteBuffer[] targets) {
        return read(targets, 0, targets.length);
    }

    @Override
    public int write(ByteBuffer source) {
        int size = source.remaining();
        bytes.put(source);
        return size;
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) {
        long size = 0;
        for (int index = offset; index < offset + length; index++) {
            size += write(sources[index]);
        }
        return size;
    }

    @Override
    public long write(ByteBuffer[] sources) {
        return write(sources, 0, sources.length);
    }

    @Override
    public boolean hasPendingWrites() {
        return false;
    }

    @Override
    public long transferFrom(FileChannel file, long position, long count) {
        throw new UnsupportedOperationException("nothing here is sent from a file");
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public void close() {}
}
