package wireproof.codec;

import java.nio.ByteBuffer;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.SendBuilder;
import org.apache.kafka.common.requests.RequestHeader;
import wireproof.Reason;
import wireproof.Refusal;
import wireproof.value.Shape;

/** Requests with size and header. The body is read by its generated class: AbstractRequest does more than read. */
final class RequestFrameCodec implements Codec {
    /** A broker's socket.request.max.bytes, unless set otherwise. */
    private static final int LARGEST_REQUEST = 100 * 1024 * 1024;

    private static final int VERSION_OFFSET = Framing.SIZE_LENGTH + Short.BYTES;

    private final Shape shape = new FrameShape() {
        @Override
        Frame frame(Object header, Object body) {
            RequestHeaderData prototype = new RequestHeaderData();
            RequestHeaderData data =
                    (RequestHeaderData) shape(prototype, prototype.highestSupportedVersion()).take(header);
            ApiKeys api = ApiKeys.forId(data.requestApiKey());
            short version = data.requestApiVersion();
            requireVersion(new RequestHeader(data, api.requestHeaderVersion(version)), null);
            ApiMessage request = (ApiMessage) shape(api.messageType.newRequest(), version).take(body);
            return new Frame(data, api.requestHeaderVersion(version), request, version);
        }
    };

    @Override
    public Object read(ByteBuffer in) {
        ByteBuffer payload = Framing.receive(in, LARGEST_REQUEST);
        RequestHeader header = RequestHeader.parse(payload);
        requireVersion(header, VERSION_OFFSET);
        ApiMessage request = header.apiKey().messageType.newRequest();
        request.read(new ByteBufferAccessor(payload), header.apiVersion());
        Framing.requireEnd(payload);
        // RequestHeader.parse makes "" of a null client id; its data class does not.
        payload.rewind();
        RequestHeaderData asRead = new RequestHeaderData(new ByteBufferAccessor(payload), header.headerVersion());
        payload.position(payload.limit());
        return new Frame(asRead, header.headerVersion(), request, header.apiVersion());
    }

    @Override
    public ByteBuffer write(Object object) {
        Frame frame = (Frame) object;
        RequestHeader header = new RequestHeader((RequestHeaderData) frame.header(), frame.headerVersion());
        return Framing.send(SendBuilder.buildRequestSend(header, frame.body()));
    }

    @Override
    public Shape shape() {
        return shape;
    }

    /** What AbstractRequest asks before it reads or writes a body. */
    private static void requireVersion(RequestHeader header, Integer offset) {
        if (!header.isApiVersionSupported()) {
            throw new Refusal(
                    Reason.UNSUPPORTED_VERSION,
                    offset,
                    header.apiKey() + " has no version " + header.apiVersion());
        }
    }
}
