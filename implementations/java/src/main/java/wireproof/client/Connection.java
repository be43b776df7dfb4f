package wireproof.client;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.network.ChannelState;
import org.apache.kafka.common.network.NetworkReceive;
import org.apache.kafka.common.network.NetworkSend;
import org.apache.kafka.common.network.Selectable;
import wireproof.codec.Framing;

/** One connection of a {@code NetworkClient}, without a socket: what it sends is kept, what it receives is given. */
final class Connection implements Selectable {
    private final String node;
    private final List<ByteBuffer> sent = new ArrayList<>();
    private final List<NetworkSend> sends = new ArrayList<>();
    private final List<NetworkReceive> receives = new ArrayList<>();
    private boolean opening;
    private boolean ends;
    private boolean closed;

    Connection(String node) {
        this.node = node;
    }

    /** The requests that were sent, each with its size. */
    List<ByteBuffer> sent() {
        return sent;
    }

    /** Whether the client closed it. */
    boolean isClosed() {
        return closed;
    }

    /** A frame from the broker. Throws a refusal where the bytes end inside it. */
    void receive(byte[] bytes) {
        ByteBuffer payload = Framing.receive(ByteBuffer.wrap(bytes), NetworkReceive.UNLIMITED);
        receives.add(new NetworkReceive(node, payload));
    }

    /** The broker closes it. */
    void end() {
        ends = true;
    }

    @Override
    public void connect(String id, InetSocketAddress address, int sendBufferSize, int receiveBufferSize) {
        opening = true;
    }

    @Override
    public void send(NetworkSend send) {
        sent.add(Framing.send(send));
        sends.add(send);
    }

    @Override
    public List<NetworkSend> completedSends() {
        return taken(sends);
    }

    @Override
    public Collection<NetworkReceive> completedReceives() {
        return taken(receives);
    }

    @Override
    public Map<String, ChannelState> disconnected() {
        return ends ? Map.of(node, ChannelState.READY) : Map.of();
    }

    @Override
    public List<String> connected() {
        List<String> now = opening ? List.of(node) : List.of();
        opening = false;
        return now;
    }

    @Override
    public boolean isChannelReady(String id) {
        return !closed;
    }

    @Override
    public void close(String id) {
        closed = true;
    }

    @Override
    public void poll(long timeout) {}

    @Override
    public void wakeup() {}

    @Override
    public void close() {}

    @Override
    public void mute(String id) {}

    @Override
    public void unmute(String id) {}

    @Override
    public void muteAll() {}

    @Override
    public void unmuteAll() {}

    private static <T> List<T> taken(List<T> from) {
        List<T> all = List.copyOf(from);
        from.clear();
        return all;
    }
}
