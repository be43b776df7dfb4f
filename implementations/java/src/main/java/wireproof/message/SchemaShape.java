package wireproof.message;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import org.apache.kafka.common.protocol.types.BoundField;
import org.apache.kafka.common.protocol.types.RawTaggedField;
import org.apache.kafka.common.protocol.types.Schema;
import org.apache.kafka.common.protocol.types.Struct;
import org.apache.kafka.common.protocol.types.TaggedFields;
import org.apache.kafka.common.protocol.types.Type;
import wireproof.message.StructClass.Property;
import wireproof.value.Sequence;
import wireproof.value.Shape;
import wireproof.value.Tags;
import wireproof.value.Types;
import wireproof.value.Values;

/**
 * {@code types.Struct} objects of one schema. It holds tagged fields in a map and knows no defaults: an absent one has
 * the generated class's default, and one that has it is not put into the map.
 */
final class SchemaShape implements Shape {
    private final StructClass struct;
    private final Schema schema;
    private final DataShape data;
    private final Object defaults;
    private final Map<String, Field> fields = new HashMap<>();
    private final List<Field> ordered = new ArrayList<>();
    private final BoundField taggedFields;

    /** `tag` is null, or `bound` is. */
    private record Field(Property property, BoundField bound, Integer tag, Shape shape) {}

    SchemaShape(StructClass struct, Schema schema, short version) {
        this.struct = struct;
        this.schema = schema;
        this.data = new DataShape(struct, version);
        this.defaults = struct.create();
        this.taggedFields = schema.get(DataShape.TAGGED_FIELDS);
        for (BoundField bound : schema.fields()) {
            if (bound != taggedFields) {
                add(bound.def.name, bound.def.type, bound, null, version);
            }
        }
        if (taggedFields != null) {
            ((TaggedFields) taggedFields.def.type)
                    .fields()
                    .forEach((tag, field) -> add(field.name, field.type, null, tag, version));
        }
    }

    private void add(String name, Type type, BoundField bound, Integer tag, short version) {
        Property property = struct.ofSchemaField(name);
        Field field = new Field(property, bound, tag, shapeOf(type, property.struct(), version));
        fields.put(property.name(), field);
        ordered.add(field);
    }

    private static Shape shapeOf(Type type, StructClass struct, short version) {
        if (type instanceof Schema schema) {
            return new SchemaShape(struct, schema, version);
        }
        if (type.isArray()) {
            return Sequence.array(shapeOf(type.arrayElementType().orElseThrow(), struct, version));
        }
        return Types.shapeOf(type);
    }

    @Override
    public void put(Object object, JsonGenerator out) throws IOException {
        if (object == null) {
            out.writeNull();
            return;
        }
        Struct found = (Struct) object;
        NavigableMap<Integer, Object> tagged = taggedFields == null ? new TreeMap<>() : tagged(found);
        out.writeStartObject();
        for (Field field : ordered) {
            out.writeFieldName(field.property().name());
            if (field.bound() != null) {
                field.shape().put(found.get(field.bound()), out);
            } else if (tagged.containsKey(field.tag())) {
                field.shape().put(tagged.remove(field.tag()), out);
            } else {
                data.of(field.property()).put(field.property().get(defaults), out);
            }
        }
        if (!tagged.isEmpty()) {
            out.writeFieldName(DataShape.UNKNOWN_TAGS);
            Tags.put(tagged.values().stream().map(RawTaggedField.class::cast).toList(), out);
        }
        out.writeEndObject();
    }

    @SuppressWarnings("unchecked")
    private NavigableMap<Integer, Object> tagged(Struct found) {
        return new TreeMap<>((NavigableMap<Integer, Object>) found.get(taggedFields));
    }

    @Override
    public Object take(Object value) {
        if (value == null) {
            return null;
        }
        Struct made = new Struct(schema);
        NavigableMap<Integer, Object> tagged = new TreeMap<>();
        Map<?, ?> members = Values.expect(Map.class, value);
        for (Map.Entry<?, ?> entry : members.entrySet()) {
            if (!entry.getKey().equals(DataShape.UNKNOWN_TAGS)) {
                takeField(made, tagged, (String) entry.getKey(), entry.getValue());
            }
        }
        if (members.containsKey(DataShape.UNKNOWN_TAGS)) {
            Tags.takeInto(tagged, members.get(DataShape.UNKNOWN_TAGS));
        }
        if (taggedFields != null || !tagged.isEmpty()) {
            made.set(DataShape.TAGGED_FIELDS, tagged);
        }
        return made;
    }

    private void takeField(Struct made, NavigableMap<Integer, Object> tagged, String name, Object value) {
        Field field = fields.get(name);
        if (field == null) {
            takeAbsent(made, name, value);
        } else if (field.bound() != null) {
            made.set(field.bound(), field.shape().take(value));
        } else if (!isDefault(field.property(), value)) {
            tagged.put(field.tag(), field.shape().take(value));
        }
    }

    /** A field that this version's schema lacks: its default is nothing to set, anything else the library refuses. */
    private void takeAbsent(Struct made, String name, Object value) {
        Property property = struct.named(name);
        if (property == null) {
            throw DataShape.unknown(name);
        }
        if (!isDefault(property, value)) {
            made.set(name, value);
        }
    }

    private boolean isDefault(Property property, Object value) {
        return Objects.deepEquals(data.of(property).take(value), property.get(defaults));
    }
}
