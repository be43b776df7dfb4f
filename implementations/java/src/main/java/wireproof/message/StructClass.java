package wireproof.message;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.types.Schema;
import wireproof.Reason;
import wireproof.Refusal;

/** A generated class, of a message or a structure in one, by reflection: its properties and how they are reached. */
final class StructClass {
    private static final Map<Class<?>, StructClass> KNOWN = new HashMap<>();
    private static final MethodHandles.Lookup LOOKUP = MethodHandles.publicLookup();

    private final MethodHandle constructor;
    private final Schema[] schemas;
    private final Set<String> definedNames;
    private final Map<String, Property> byName = new HashMap<>();
    private final Map<String, Property> bySchemaName = new HashMap<>();

    /** `name`: as the message definition spells it; `struct`: what it is, or is an array of, or null. */
    record Property(
            String name,
            Type type,
            boolean primitive,
            MethodHandle getter,
            MethodHandle setter,
            StructClass struct) {
        Object get(Object owner) {
            try {
                return (Object) getter.invokeExact(owner);
            } catch (Throwable thrown) {
                throw unchecked(thrown);
            }
        }

        void set(Object owner, Object value) {
            if (primitive && value == null) {
                throw new Refusal(Reason.NULL_NOT_ALLOWED, name + " is a Java " + type + ", which has no null");
            }
            try {
                Object sameOwner = (Object) setter.invokeExact(owner, value);
            } catch (Throwable thrown) {
                throw unchecked(thrown);
            }
        }
    }

    private StructClass(Class<?> type, Set<String> definedNames) {
        this.definedNames = definedNames;
        try {
            constructor = LOOKUP.findConstructor(type, MethodType.methodType(void.class))
                    .asType(MethodType.methodType(Object.class));
            schemas = (Schema[]) type.getField("SCHEMAS").get(null);
            for (Method method : type.getMethods()) {
                if (isSetter(method)) {
                    Property property = property(type, method);
                    byName.put(property.name(), property);
                    bySchemaName.put(property.name().toLowerCase(Locale.ROOT), property);
                }
            }
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException(type + " is not as Kafka's generator makes them", error);
        }
    }

    /** `definedNames`: the names in the definition of the message that the class is or belongs to. */
    static StructClass of(Class<?> type, Set<String> definedNames) {
        StructClass known = KNOWN.get(type);
        if (known == null) {
            known = new StructClass(type, definedNames);
            KNOWN.put(type, known);
        }
        return known;
    }

    Object create() {
        try {
            return (Object) constructor.invokeExact();
        } catch (Throwable thrown) {
            throw unchecked(thrown);
        }
    }

    /** The schema of a version; null where the structure has none. */
    Schema schema(short version) {
        return version < schemas.length ? schemas[version] : null;
    }

    Collection<Property> properties() {
        return byName.values();
    }

    /** The property of a field of {@link #schema}. */
    Property ofSchemaField(String snakeCase) {
        return bySchemaName.get(snakeCase.replace("_", ""));
    }

    /** The property that the definition calls so; null when there is none in any version. */
    Property named(String name) {
        return byName.get(name);
    }

    private static boolean isSetter(Method method) {
        return method.getName().startsWith("set")
                && method.getParameterCount() == 1
                && method.getReturnType() == method.getDeclaringClass();
    }

    private Property property(Class<?> owner, Method setter) throws ReflectiveOperationException {
        String capital = setter.getName().substring("set".length());
        String small = capital.substring(0, 1).toLowerCase(Locale.ROOT) + capital.substring(1);
        Method getter = owner.getMethod(small);
        Class<?> struct = structIn(getter.getGenericReturnType());
        return new Property(
                definedNames.contains(capital) ? capital : small,
                getter.getGenericReturnType(),
                getter.getReturnType().isPrimitive(),
                LOOKUP.unreflect(getter).asType(MethodType.methodType(Object.class, Object.class)),
                LOOKUP.unreflect(setter).asType(MethodType.methodType(Object.class, Object.class, Object.class)),
                struct == null ? null : of(struct, definedNames));
    }

    /** The structure that a property is, or that it is an array of. */
    private static Class<?> structIn(Type type) {
        if (type instanceof Class<?> found && Message.class.isAssignableFrom(found)) {
            return found;
        }
        Type element = elementOf(type);
        return element == null ? null : structIn(element);
    }

    /** What a List, or one of the generated collections, holds; null for anything else. */
    static Type elementOf(Type type) {
        if (type instanceof ParameterizedType list && list.getRawType() == List.class) {
            return list.getActualTypeArguments()[0];
        }
        if (type instanceof Class<?> found && Collection.class.isAssignableFrom(found)) {
            return ((ParameterizedType) found.getGenericSuperclass()).getActualTypeArguments()[0];
        }
        return null;
    }

    /** A new collection of a property's own class. */
    static Collection<Object> collection(Type type) {
        if (!(type instanceof Class<?> own)) {
            return new ArrayList<>();
        }
        try {
            @SuppressWarnings("unchecked")
            Collection<Object> made = (Collection<Object>) own.getConstructor().newInstance();
            return made;
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException(own + " is not as Kafka's generator makes them", error);
        }
    }

    /** What the library throws is thrown on as it is: none of these methods declares a checked exception. */
    private static RuntimeException unchecked(Throwable thrown) {
        if (thrown instanceof Error error) {
            throw error;
        }
        return thrown instanceof RuntimeException known ? known : new IllegalStateException(thrown);
    }
}
