package wireproof.codec;

import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.common.protocol.types.TaggedFields;
import org.apache.kafka.common.protocol.types.Type;
import wireproof.message.MessageType;
import wireproof.message.Messages;
import wireproof.value.Types;

/** The second codec of the same jar: the generated classes' SCHEMAS, read and written by {@code types.Schema}. */
public final class SchemaCodecs extends Codecs {
    @Override
    public String name() {
        return "kafka-clients (types.Schema)";
    }

    @Override
    public Map<String, Versions> types() {
        Map<String, Versions> types = new LinkedHashMap<>();
        Types.primitives().forEach(name -> types.put(name, Versions.NONE));
        types.put("ARRAY", Versions.NONE);
        types.put(GeneratedCodecs.TAG_BUFFER, Versions.NONE);
        Messages.all().forEach(type -> types.put(type.name(), new Versions(type.lowest(), type.highest())));
        return types;
    }

    @Override
    public Map<String, String> readings() {
        Map<String, String> readings = new LinkedHashMap<>();
        for (String ruling : new String[] {"R-K-2", "R-K-6", "R-K-9", "R-K-11", "R-K-15", "R-K-15b"}) {
            readings.put(ruling, "other");
        }
        Limits.addTo(readings);
        return readings;
    }

    @Override
    Codec make(String name, Integer version) {
        if (name.equals(GeneratedCodecs.TAG_BUFFER)) {
            return new TypeCodec(TaggedFields.of(), TagsShape.ofMap());
        }
        if (version == null) {
            Type type = Types.named(name);
            return new TypeCodec(type, Types.shapeOf(type));
        }
        MessageType type = Messages.named(name);
        short found = type.version(version);
        return new TypeCodec(type.schema(found), type.schemaShape(found));
    }
}
