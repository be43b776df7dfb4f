package wireproof.codec;

import java.util.Map;
import org.apache.kafka.common.protocol.types.TaggedFields;
import wireproof.message.MessageType;

/** The second codec of the same jar: the generated classes' SCHEMAS, read and written by {@code types.Schema}. */
public final class SchemaCodecs extends Codecs {
    @Override
    public String name() {
        return "kafka-clients (types.Schema)";
    }

    @Override
    public Map<String, String> readings() {
        return others("R-K-2", "R-K-6", "R-K-9", "R-K-11", "R-K-15", "R-K-15b");
    }

    @Override
    Codec tagBuffer() {
        return new TypeCodec(TaggedFields.of(), TagsShape.ofMap());
    }

    @Override
    Codec message(MessageType type, short version) {
        return new TypeCodec(type.schema(version), type.schemaShape(version));
    }
}
