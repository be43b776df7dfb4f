package wireproof.value;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Uuid;
import wireproof.BadQuestion;

/**
 * Protocol values as plain Java: null, Boolean, Long, BigInteger, Double, String, {@code byte[]}, Uuid, List, Map. They
 * are read without a schema; what each has to be is for a {@link Shape} to know.
 */
public final class Values {
    private Values() {}

    /** The value at which the parser stands; afterwards it stands at the value's last token. */
    public static Object read(JsonParser in) throws IOException {
        return switch (in.currentToken()) {
            case VALUE_NULL -> null;
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_STRING -> in.getText();
            case VALUE_NUMBER_INT ->
                in.getNumberType() == JsonParser.NumberType.BIG_INTEGER ? in.getBigIntegerValue() : in.getLongValue();
            case START_ARRAY -> readArray(in);
            case START_OBJECT -> readObject(in);
            default -> throw new BadQuestion("a value cannot be " + in.getText());
        };
    }

    /** The value as the Java class that it has to be of. */
    public static <T> T expect(Class<T> type, Object value) {
        if (type.isInstance(value)) {
            return type.cast(value);
        }
        throw new BadQuestion("a " + type.getSimpleName() + " was expected, this came: " + value);
    }

    private static List<Object> readArray(JsonParser in) throws IOException {
        List<Object> array = new ArrayList<>();
        while (in.nextToken() != JsonToken.END_ARRAY) {
            array.add(read(in));
        }
        return array;
    }

    private static Object readObject(JsonParser in) throws IOException {
        Map<String, Object> object = new LinkedHashMap<>();
        while (in.nextToken() != JsonToken.END_OBJECT) {
            String key = in.currentName();
            in.nextToken();
            object.put(key, read(in));
        }
        if (object.size() != 1) {
            return object;
        }
        Map.Entry<String, Object> only = object.entrySet().iterator().next();
        return only.getValue() instanceof String text ? readTagged(only.getKey(), text, object) : object;
    }

    /** One of the four objects that stand for what JSON lacks, or just an object. */
    private static Object readTagged(String key, String text, Map<String, Object> object) {
        try {
            return switch (key) {
                case "hex" -> HexFormat.of().parseHex(text);
                case "int" -> new BigInteger(text);
                case "uuid" -> uuid(java.util.UUID.fromString(text));
                case "float64" -> Double.longBitsToDouble(HexFormat.fromHexDigitsToLong(text));
                default -> object;
            };
        } catch (IllegalArgumentException error) {
            throw new BadQuestion("{\"" + key + "\": \"" + text + "\"} is no value: " + error.getMessage());
        }
    }

    private static Uuid uuid(java.util.UUID uuid) {
        return new Uuid(uuid.getMostSignificantBits(), uuid.getLeastSignificantBits());
    }
}
