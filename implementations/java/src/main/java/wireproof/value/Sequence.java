package wireproof.value;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;

/** Arrays: a Collection in the generated classes, an {@code Object[]} in {@code types.Type}. */
public final class Sequence implements Shape {
    private final Shape element;
    private final Supplier<Collection<Object>> collection;

    private Sequence(Shape element, Supplier<Collection<Object>> collection) {
        this.element = element;
        this.collection = collection;
    }

    /** As {@code types.ArrayOf} has them. */
    public static Sequence array(Shape element) {
        return new Sequence(element, null);
    }

    /** As the generated classes have them; each field's own collection class is made by {@code collection}. */
    public static Sequence collection(Shape element, Supplier<Collection<Object>> collection) {
        return new Sequence(element, collection);
    }

    @Override
    public void put(Object object, JsonGenerator out) throws IOException {
        if (object == null) {
            out.writeNull();
            return;
        }
        out.writeStartArray();
        for (Object each : object instanceof Object[] array ? Arrays.asList(array) : (Collection<?>) object) {
            element.put(each, out);
        }
        out.writeEndArray();
    }

    @Override
    public Object take(Object value) {
        if (value == null) {
            return null;
        }
        List<?> values = Values.expect(List.class, value);
        Collection<Object> taken = collection == null ? new ArrayList<>(values.size()) : collection.get();
        for (Object each : values) {
            taken.add(element.take(each));
        }
        return collection == null ? taken.toArray() : taken;
    }
}
