package wireproof.message;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.io.SerializedString;
import java.io.IOException;
import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.types.BoundField;
import org.apache.kafka.common.protocol.types.RawTaggedField;
import org.apache.kafka.common.protocol.types.Schema;
import org.apache.kafka.common.protocol.types.TaggedFields;
import org.apache.kafka.common.record.internal.BaseRecords;
import wireproof.Reason;
import wireproof.Refusal;
import wireproof.message.StructClass.Property;
import wireproof.value.Scalar;
import wireproof.value.Sequence;
import wireproof.value.Shape;
import wireproof.value.Tags;
import wireproof.value.Values;

/**
 * Objects of a generated class at one version. Out go the fields that its schema of that version has; in come fields of
 * all versions, for the library itself refuses, or drops, what the version lacks.
 */
final class DataShape implements Shape {
    static final String TAGGED_FIELDS = "_tagged_fields";
    static final String UNKNOWN_TAGS = "_tags";

    private static final Map<Class<?>, Shape> SCALARS = Map.ofEntries(
            Map.entry(boolean.class, Scalar.BOOLEAN),
            Map.entry(byte.class, Scalar.INT8),
            Map.entry(Byte.class, Scalar.INT8),
            Map.entry(short.class, Scalar.INT16),
            Map.entry(Short.class, Scalar.INT16),
            Map.entry(int.class, Scalar.INT32),
            Map.entry(Integer.class, Scalar.INT32),
            Map.entry(long.class, Scalar.INT64),
            Map.entry(Long.class, Scalar.INT64),
            Map.entry(double.class, Scalar.FLOAT64),
            Map.entry(String.class, Scalar.STRING),
            Map.entry(Uuid.class, Scalar.UUID),
            Map.entry(byte[].class, Scalar.BYTE_ARRAY),
            Map.entry(ByteBuffer.class, Scalar.BYTE_BUFFER),
            Map.entry(BaseRecords.class, Scalar.RECORDS));

    private final StructClass struct;
    private final Map<String, Field> fields = new HashMap<>();
    private final List<Field> present = new ArrayList<>();

    private record Field(Property property, SerializableString key, Shape shape) {}

    DataShape(StructClass struct, short version) {
        this.struct = struct;
        for (Property property : struct.properties()) {
            Shape shape = shapeOf(property.type(), property.struct(), version);
            fields.put(property.name(), new Field(property, new SerializedString(property.name()), shape));
        }
        Schema schema = struct.schema(version);
        if (schema != null) {
            for (String name : namesOf(schema)) {
                present.add(fields.get(struct.ofSchemaField(name).name()));
            }
        }
    }

    /** The shape of one property's value. */
    Shape of(Property property) {
        return fields.get(property.name()).shape();
    }

    @Override
    public void put(Object object, JsonGenerator out) throws IOException {
        if (object == null) {
            out.writeNull();
            return;
        }
        out.writeStartObject();
        for (Field field : present) {
            out.writeFieldName(field.key());
            field.shape().put(field.property().get(object), out);
        }
        List<RawTaggedField> unknown = ((Message) object).unknownTaggedFields();
        if (!unknown.isEmpty()) {
            out.writeFieldName(UNKNOWN_TAGS);
            Tags.put(unknown, out);
        }
        out.writeEndObject();
    }

    @Override
    public Object take(Object value) {
        if (value == null) {
            return null;
        }
        Object object = struct.create();
        Map<?, ?> members = Values.expect(Map.class, value);
        for (Map.Entry<?, ?> entry : members.entrySet()) {
            if (entry.getKey().equals(UNKNOWN_TAGS)) {
                ((Message) object).unknownTaggedFields().addAll(Tags.take(entry.getValue()));
                continue;
            }
            Field field = fields.get(entry.getKey());
            if (field == null) {
                throw unknown(entry.getKey());
            }
            field.property().set(object, field.shape().take(entry.getValue()));
        }
        return object;
    }

    /** The refusal of a key for which there is no setter. */
    static Refusal unknown(Object key) {
        return new Refusal(Reason.UNKNOWN_FIELD, "the generated class has no field " + key);
    }

    private static Shape shapeOf(Type type, StructClass struct, short version) {
        Shape scalar = SCALARS.get(type);
        if (scalar != null) {
            return scalar;
        }
        Type element = StructClass.elementOf(type);
        if (element != null) {
            return Sequence.collection(shapeOf(element, struct, version), () -> StructClass.collection(type));
        }
        return new DataShape(struct, version);
    }

    private static List<String> namesOf(Schema schema) {
        List<String> names = new ArrayList<>();
        for (BoundField field : schema.fields()) {
            if (field.def.name.equals(TAGGED_FIELDS)) {
                ((TaggedFields) field.def.type).fields().values().forEach(tagged -> names.add(tagged.name));
            } else {
                names.add(field.def.name);
            }
        }
        return names;
    }
}
