package wireproof.exported;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Values in the value encoding. */
final class Json {
    static final ObjectMapper MAPPER = new ObjectMapper();
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final int EXACT = 53;

    private Json() {}

    static JsonNode of(Object value) {
        BigInteger number = Values.asInteger(value);
        if (number != null) {
            return number.bitLength() > EXACT ? special("int", number.toString()) : NODES.numberNode(number.longValue());
        }
        if (value instanceof byte[] data) {
            return special("hex", Values.hex(data));
        }
        if (value instanceof UUID || value instanceof Float64) {
            return value instanceof Float64 bits
                    ? special("float64", String.format("%016x", bits.bits()))
                    : special("uuid", value.toString());
        }
        if (value instanceof List<?> items) {
            ArrayNode array = NODES.arrayNode();
            items.forEach(item -> array.add(of(item)));
            return array;
        }
        if (value instanceof Map<?, ?> fields) {
            ObjectNode object = NODES.objectNode();
            fields.forEach((name, item) -> object.set((String) name, of(item)));
            return object;
        }
        return MAPPER.valueToTree(value);
    }

    private static ObjectNode special(String form, String text) {
        return NODES.objectNode().put(form, text);
    }
}
