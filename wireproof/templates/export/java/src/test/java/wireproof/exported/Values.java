// SPDX-License-Identifier: Apache-2.0. @versions@.

package wireproof.exported;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

/** The value encoding, equality of values, and values for a person. */
final class Values {
    private static final HexFormat HEX = HexFormat.of();
    private static final int SHOWN = 400;

    /** Fields that follow from the others. A value has none of them; an answer may, and also "magic". */
    static final Set<String> DERIVED =
            Set.of("size", "length", "batchLength", "crc", "recordsCount", "headersCount");

    static final Manner PLAIN = new Manner(Set.of(), Set.of(), Set.of(), false);
    private static final String REPLACEMENT = "\ufffd";

    /**
     * How values are compared. optional: the paths of fields that an answer may leave out; rebuilt: names of such fields;
     * without: names of fields that are not compared; fold: whether texts are equal that show the same bytes (4).
     */
    record Manner(Set<String> optional, Set<String> rebuilt, Set<String> without, boolean fold) {}

    private Values() {}

    static byte[] octets(String digits) {
        return HEX.parseHex(digits);
    }

    static String hex(byte[] data) {
        return HEX.formatHex(data);
    }

    /** The value that JSON in the value encoding stands for. */
    static Object parse(JsonNode json) {
        if (json.isIntegralNumber()) {
            return integer(json.bigIntegerValue());
        }
        if (json.isArray()) {
            List<Object> items = new ArrayList<>();
            json.forEach(item -> items.add(parse(item)));
            return items;
        }
        if (json.isObject()) {
            Object special = special(json);
            if (special != null) {
                return special;
            }
            Map<String, Object> fields = new LinkedHashMap<>();
            json.fieldNames().forEachRemaining(name -> fields.put(name, parse(json.get(name))));
            return fields;
        }
        return json.isBoolean() ? (Object) json.booleanValue() : json.isNull() ? null : json.textValue();
    }

    /** A value that JSON cannot hold, written as an object with one key. */
    private static Object special(JsonNode json) {
        if (json.size() != 1) {
            return null;
        }
        String form = json.fieldNames().next();
        String text = json.get(form).textValue();
        if (text == null) {
            return null;
        }
        return switch (form) {
            case "int" -> integer(new BigInteger(text));
            case "hex" -> octets(text);
            case "uuid" -> UUID.fromString(text);
            case "float64" -> new Float64(Long.parseUnsignedLong(text, 16));
            default -> null;
        };
    }

    private static Object integer(BigInteger number) {
        return number.bitLength() < Long.SIZE ? (Object) number.longValue() : number;
    }

    /** A number of any integer type; null for everything else. */
    static BigInteger asInteger(Object value) {
        if (value instanceof BigInteger large) {
            return large;
        }
        boolean isInteger = value instanceof Long || value instanceof Integer || value instanceof Short || value instanceof Byte;
        return isInteger ? BigInteger.valueOf(((Number) value).longValue()) : null;
    }

    /** Whether an answer is equal to what was expected. */
    static boolean same(Object expected, Object answer, Manner how, String path) {
        if (expected instanceof Map<?, ?> fields) {
            return answer instanceof Map<?, ?> given && sameFields(fields, given, how, path);
        }
        if (expected instanceof String text) {
            return text.equals(answer) || how.fold() && showsSameBytes(text, answer);
        }
        if (expected instanceof List<?> items) {
            if (!(answer instanceof List<?> given) || given.size() != items.size()) {
                return false;
            }
            for (int index = 0; index < items.size(); index++) {
                if (!same(items.get(index), given.get(index), how, path + "[" + index + "]")) {
                    return false;
                }
            }
            return true;
        }
        if (expected instanceof byte[] data) {
            return answer instanceof byte[] given && Arrays.equals(data, given);
        }
        if (expected instanceof Float64 number) {
            return answer instanceof Double given ? Double.doubleToRawLongBits(given) == number.bits() : number.equals(answer);
        }
        BigInteger number = asInteger(expected);
        if (number != null) {
            return number.equals(asInteger(answer));
        }
        return expected == null ? answer == null : expected.equals(answer);
    }

    private static boolean sameFields(Map<?, ?> expected, Map<?, ?> answer, Manner how, String path) {
        for (Map.Entry<?, ?> field : expected.entrySet()) {
            String name = field.getKey().toString();
            String place = path.isEmpty() ? name : path + "." + name;
            boolean mayLack = how.optional().contains(place) || how.rebuilt().contains(name) || isNoTags(field);
            boolean lacks = !answer.containsKey(name);
            if (how.without().contains(name) || lacks && mayLack) {
                continue;
            }
            String type = name.equals("headers") ? "HEADERS" : "";
            Object given = withTextKeys(type, answer.get(name));
            if (lacks || !same(withTextKeys(type, field.getValue()), given, how, place)) {
                return false;
            }
        }
        return answer.entrySet().stream()
                .allMatch(field -> expected.containsKey(field.getKey())
                        || how.without().contains(field.getKey())
                        || DERIVED.contains(field.getKey())
                        || field.getKey().equals("magic")
                        || isNoTags(field));
    }

    /** The answer of a decode with the keys of headers as text, if they are bytes that are UTF-8. */
    static Object withTextKeys(String type, Object answer) {
        if (type.equals("HEADERS") && answer instanceof List<?> headers) {
            return headers.stream().map(header -> withTextKeys("HEADER", header)).toList();
        }
        boolean isHeader = type.equals("HEADER") && answer instanceof List<?> pair && pair.size() == 2;
        if (isHeader && ((List<?>) answer).get(0) instanceof byte[] key) {
            String text = new String(key, StandardCharsets.UTF_8);
            if (Arrays.equals(text.getBytes(StandardCharsets.UTF_8), key)) {
                return Arrays.asList(text, ((List<?>) answer).get(1));
            }
        }
        return answer;
    }

    /** Whether a text shows the same bytes that are no UTF-8: libraries differ in how many U+FFFD they write. (4) */
    private static boolean showsSameBytes(String expected, Object answer) {
        Object text = answer instanceof byte[] data ? new String(data, StandardCharsets.UTF_8) : answer;
        return expected.contains(REPLACEMENT) && text instanceof String given && folded(expected).equals(folded(given));
    }

    private static String folded(String text) {
        return text.replaceAll(REPLACEMENT + "+", REPLACEMENT);
    }

    /** Whether bytes have a U+FFFD. */
    static boolean shows(byte[] data) {
        return new String(data, StandardCharsets.ISO_8859_1)
                .contains(new String(REPLACEMENT.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1));
    }

    private static boolean isNoTags(Map.Entry<?, ?> field) {
        return field.getKey().equals("_tags") && field.getValue() instanceof List<?> tags && tags.isEmpty();
    }

    static String cut(String text) {
        return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "…";
    }

    /** A value for a person. */
    static String show(Object value) {
        if (value instanceof byte[] data) {
            return cut("0x" + hex(data));
        }
        if (value instanceof String text) {
            return cut('"' + text + '"');
        }
        if (value instanceof List<?> items) {
            return cut(items.stream().map(Values::show).toList().toString());
        }
        if (value instanceof Map<?, ?> fields) {
            Map<String, String> shown = new TreeMap<>();
            fields.forEach((name, item) -> shown.put(String.valueOf(name), show(item)));
            return cut(shown.toString());
        }
        return cut(String.valueOf(value));
    }
}
