package wireproof.value;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.NavigableMap;
import org.apache.kafka.common.protocol.types.RawTaggedField;
import wireproof.BadQuestion;
import wireproof.NotOffered;

/** Unknown tagged fields: pairs of a tag and its bytes. */
public final class Tags {
    private Tags() {}

    public static void put(Collection<RawTaggedField> fields, JsonGenerator out) throws IOException {
        out.writeStartArray();
        for (RawTaggedField field : fields) {
            out.writeStartArray();
            Scalar.INT32_BITS.put(field.tag(), out);
            Scalar.BYTE_ARRAY.put(field.data(), out);
            out.writeEndArray();
        }
        out.writeEndArray();
    }

    public static List<RawTaggedField> take(Object value) {
        List<RawTaggedField> fields = new ArrayList<>();
        for (Object pair : Values.expect(List.class, value)) {
            if (!(pair instanceof List<?> both) || both.size() != 2) {
                throw new BadQuestion("a tag and its bytes belong here: " + pair);
            }
            Integer tag = (Integer) Scalar.INT32_BITS.take(both.get(0));
            fields.add(new RawTaggedField(tag, (byte[]) Scalar.BYTE_ARRAY.take(both.get(1))));
        }
        return fields;
    }

    /** Add them to a map as {@code types.TaggedFields} takes it. */
    public static void takeInto(NavigableMap<Integer, Object> map, Object value) {
        for (RawTaggedField field : take(value)) {
            if (map.putIfAbsent(field.tag(), field) != null) {
                throw new NotOffered("types.TaggedFields takes a map: no tag can be given to it twice");
            }
        }
    }
}
