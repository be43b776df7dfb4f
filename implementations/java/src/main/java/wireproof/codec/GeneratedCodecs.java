package wireproof.codec;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.types.Type;
import wireproof.NotOffered;
import wireproof.message.MessageType;
import wireproof.message.Messages;
import wireproof.value.Types;

/** What clients and brokers use: the generated classes, and {@code types.Type} for what those read inline. */
public final class GeneratedCodecs extends Codecs {
    static final String TAG_BUFFER = "TAG_BUFFER";
    private static final String REQUEST_FRAME = "RequestFrame";
    private static final String RESPONSE_FRAME = "ResponseFrame:";

    /** A message and version that consists of its tag buffer alone. */
    private static final String EMPTY_MESSAGE = "ListGroupsRequest";
    private static final short EMPTY_VERSION = 3;

    private final Map<String, ApiKeys> apis = new TreeMap<>();

    public GeneratedCodecs() {
        for (ApiKeys api : ApiKeys.values()) {
            if (api.hasValidVersion()) {
                apis.put(RESPONSE_FRAME + api.name, api);
            }
        }
    }

    @Override
    public String name() {
        return "kafka-clients";
    }

    @Override
    public Map<String, Versions> types() {
        Map<String, Versions> types = new LinkedHashMap<>();
        Types.primitives().forEach(name -> types.put(name, Versions.NONE));
        types.put("ARRAY", Versions.NONE);
        types.put(TAG_BUFFER, Versions.NONE);
        types.put(REQUEST_FRAME, Versions.NONE);
        apis.forEach((name, api) -> types.put(name, new Versions(api.oldestVersion(), api.latestVersion())));
        Messages.all().forEach(type -> types.put(type.name(), new Versions(type.lowest(), type.highest())));
        return types;
    }

    @Override
    public Map<String, String> readings() {
        Map<String, String> readings = new LinkedHashMap<>();
        for (String ruling : new String[] {
            "R-K-1", "R-K-2", "R-K-4", "R-K-6", "R-K-9", "R-K-11", "R-K-15", "R-K-15b", "R-K-15c"
        }) {
            readings.put(ruling, "other");
        }
        Limits.addTo(readings);
        return readings;
    }

    @Override
    Codec make(String name, Integer version) {
        if (name.equals(TAG_BUFFER)) {
            MessageType empty = Messages.named(EMPTY_MESSAGE);
            return new MessageCodec(empty, EMPTY_VERSION, TagsShape.ofMessage(empty));
        }
        if (name.equals(REQUEST_FRAME)) {
            return new RequestFrameCodec();
        }
        if (name.startsWith(RESPONSE_FRAME)) {
            return responseFrame(name, version);
        }
        if (version == null) {
            Type type = Types.named(name);
            return new TypeCodec(type, Types.shapeOf(type));
        }
        MessageType type = Messages.named(name);
        return new MessageCodec(type, type.version(version));
    }

    private Codec responseFrame(String name, Integer version) {
        ApiKeys api = apis.get(name);
        if (api == null) {
            throw new NotOffered("kafka-clients " + Messages.version() + " has no " + name);
        }
        return new ResponseFrameCodec(api, Messages.of(api.messageType.newResponse()).version(version));
    }
}
