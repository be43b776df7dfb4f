package wireproof.records;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.common.header.Header;
import wireproof.BadQuestion;
import wireproof.Reason;
import wireproof.Refusal;
import wireproof.value.Scalar;
import wireproof.value.Sequence;
import wireproof.value.Shape;
import wireproof.value.Values;

/** Java records whose components are a struct's fields, by name and type; a value has every one of them. */
final class ComponentsShape implements Shape {
    private static final Map<Type, Shape> SHAPES = Map.of(
            byte.class, Scalar.INT8,
            short.class, Scalar.INT16,
            int.class, Scalar.INT32,
            long.class, Scalar.INT64,
            ByteBuffer.class, Scalar.BYTE_BUFFER,
            Header[].class, new HeadersShape());

    private final List<Component> components = new ArrayList<>();
    private final MethodHandle constructor;

    private record Component(String name, boolean primitive, MethodHandle getter, Shape shape) {}

    ComponentsShape(Class<? extends Record> type) {
        RecordComponent[] found = type.getRecordComponents();
        Class<?>[] types = Stream.of(found).map(RecordComponent::getType).toArray(Class<?>[]::new);
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        try {
            constructor = lookup.findConstructor(type, MethodType.methodType(void.class, types))
                    .asSpreader(Object[].class, types.length)
                    .asType(MethodType.methodType(Object.class, Object[].class));
            for (RecordComponent component : found) {
                MethodHandle getter = lookup.unreflect(component.getAccessor())
                        .asType(MethodType.methodType(Object.class, Object.class));
                components.add(new Component(
                        component.getName(),
                        component.getType().isPrimitive(),
                        getter,
                        shapeOf(component.getGenericType())));
            }
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException(error);
        }
    }

    private static Shape shapeOf(Type type) {
        if (type instanceof ParameterizedType list) {
            Class<?> element = (Class<?>) list.getActualTypeArguments()[0];
            return Sequence.collection(new ComponentsShape(element.asSubclass(Record.class)), ArrayList::new);
        }
        return SHAPES.get(type);
    }

    @Override
    public void put(Object object, JsonGenerator out) throws IOException {
        out.writeStartObject();
        putMembers(object, out);
        out.writeEndObject();
    }

    /** The members of the object that is open. */
    void putMembers(Object object, JsonGenerator out) throws IOException {
        for (Component component : components) {
            out.writeFieldName(component.name());
            component.shape().put(get(component, object), out);
        }
    }

    @Override
    public Object take(Object value) {
        Map<?, ?> members = Values.expect(Map.class, value);
        Object[] taken = new Object[components.size()];
        for (int index = 0; index < taken.length; index++) {
            taken[index] = take(components.get(index), members);
        }
        for (Object key : members.keySet()) {
            if (components.stream().noneMatch(component -> component.name().equals(key))) {
                throw new Refusal(Reason.UNKNOWN_FIELD, "the library's classes have no " + key);
            }
        }
        try {
            return (Object) constructor.invokeExact(taken);
        } catch (Throwable thrown) {
            throw new IllegalStateException(thrown);
        }
    }

    private static Object take(Component component, Map<?, ?> members) {
        if (!members.containsKey(component.name())) {
            throw new BadQuestion("a value of records names every key; this one has no " + component.name());
        }
        Object taken = component.shape().take(members.get(component.name()));
        if (taken == null && component.primitive()) {
            throw new Refusal(Reason.NULL_NOT_ALLOWED, component.name() + " is a Java primitive, which has no null");
        }
        return taken;
    }

    private static Object get(Component component, Object object) {
        try {
            return (Object) component.getter().invokeExact(object);
        } catch (Throwable thrown) {
            throw new IllegalStateException(thrown);
        }
    }
}
