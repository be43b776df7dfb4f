package wireproof.codec;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.protocol.ApiKeys;
import wireproof.NotOffered;
import wireproof.message.MessageType;
import wireproof.message.Messages;
import wireproof.records.RecordTypes;

/**
 * What clients and brokers use: the generated classes, {@code types.Type} for what those read inline, and the classes
 * of records, which describe themselves.
 */
public final class GeneratedCodecs extends Codecs {
    private static final String REQUEST_FRAME = "RequestFrame";
    private static final String RESPONSE_FRAME = "ResponseFrame:";

    /** A message and version that consists of its tag buffer alone. */
    private static final String EMPTY_MESSAGE = "ListGroupsRequest";

    private static final short EMPTY_VERSION = 3;

    /** By the names of their response frames. */
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
    public List<String> ops() {
        return List.of("decode", "encode", "recode", "lookup", "convert", "consume", "produce", "interpret",
                "negotiate");
    }

    @Override
    public Map<String, String> readings() {
        Map<String, String> readings = others(
                "R-K-1", "R-K-2", "R-K-4", "R-K-6", "R-K-9", "R-K-11", "R-K-12", "R-K-15", "R-K-15b", "R-K-15c",
                "R-K-19b", "R-K-22", "R-K-22b", "R-K-22c", "R-K-26", "R-K-27", "R-K-37");
        readings.put("R-K-39", "before-the-fault");
        readings.put("R-K-55", "other");
        return readings;
    }

    @Override
    public Map<String, Versions> types() {
        Map<String, Versions> types = super.types();
        types.putAll(RecordTypes.all());
        types.put(REQUEST_FRAME, Versions.NONE);
        PrefixedCodec.READERS.keySet().forEach(name -> types.put(PrefixedCodec.PREFIX + name, Versions.NONE));
        apis.forEach((name, api) -> types.put(name, new Versions(api.oldestVersion(), api.latestVersion())));
        return types;
    }

    @Override
    Codec make(String name, Integer version) {
        if (name.equals(REQUEST_FRAME)) {
            return new RequestFrameCodec();
        }
        if (name.startsWith(RESPONSE_FRAME)) {
            return responseFrame(name, version);
        }
        if (name.startsWith(PrefixedCodec.PREFIX)) {
            return new PrefixedCodec(name.substring(PrefixedCodec.PREFIX.length()));
        }
        Codec records = RecordTypes.find(name, version);
        return records == null ? super.make(name, version) : records;
    }

    @Override
    Codec tagBuffer() {
        MessageType empty = Messages.named(EMPTY_MESSAGE);
        return new MessageCodec(empty, EMPTY_VERSION, TagsShape.ofMessage(empty));
    }

    @Override
    Codec message(MessageType type, short version) {
        return new MessageCodec(type, version, type.dataShape(version));
    }

    private Codec responseFrame(String name, Integer version) {
        ApiKeys api = apis.get(name);
        if (api == null) {
            throw new NotOffered("kafka-clients " + Messages.version() + " has no " + name);
        }
        return new ResponseFrameCodec(api, Messages.of(api.messageType.newResponse()).version(version));
    }
}
