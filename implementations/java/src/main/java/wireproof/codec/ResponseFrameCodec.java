package wireproof.codec;

import java.nio.ByteBuffer;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.network.NetworkReceive;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.SendBuilder;
import org.apache.kafka.common.requests.ResponseHeader;
import wireproof.value.Shape;

/** Responses with size and header. The body is read by its generated class: AbstractResponse does more than read. */
final class ResponseFrameCodec implements Codec {
    private final ApiKeys api;
    private final short version;
    private final short headerVersion;
    private final Shape shape = new FrameShape() {
        @Override
        Frame frame(Object header, Object body) {
            ApiMessage data = (ApiMessage) shape(new ResponseHeaderData(), headerVersion).take(header);
            ApiMessage response = (ApiMessage) shape(api.messageType.newResponse(), version).take(body);
            return new Frame(data, headerVersion, response, version);
        }
    };

    ResponseFrameCodec(ApiKeys api, short version) {
        this.api = api;
        this.version = version;
        this.headerVersion = api.responseHeaderVersion(version);
    }

    @Override
    public Object read(ByteBuffer in) {
        ByteBuffer payload = Framing.receive(in, NetworkReceive.UNLIMITED);
        ResponseHeaderData header = ResponseHeader.parse(payload, headerVersion).data();
        ApiMessage response = api.messageType.newResponse();
        response.read(new ByteBufferAccessor(payload), version);
        Framing.requireEnd(payload);
        return new Frame(header, headerVersion, response, version);
    }

    @Override
    public ByteBuffer write(Object object) {
        Frame frame = (Frame) object;
        ResponseHeader header = new ResponseHeader((ResponseHeaderData) frame.header(), headerVersion);
        return Framing.send(SendBuilder.buildResponseSend(header, frame.body(), version));
    }

    @Override
    public Shape shape() {
        return shape;
    }
}
