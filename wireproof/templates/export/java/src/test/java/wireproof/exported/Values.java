// SPDX-License-Identifier: Apache-2.0. @versions@.

package wireproof.exported;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
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

    /** Whether an answer is equal to what was expected. optional: the paths of fields that it may leave out. */
    static boolean same(Object expected, Object answer, Set<String> optional, String path) {
        if (expected instanceof Map<?, ?> fields) {
            return answer instanceof Map<?, ?> given && sameFields(fields, given, optional, path);
        }
        if (expected instanceof List<?> items) {
            if (!(answer instanceof List<?> given) || given.size() != items.size()) {
                return false;
            }
            for (int index = 0; index < items.size(); index++) {
                if (!same(items.get(index), given.get(index), optional, path + "[" + index + "]")) {
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

    private static boolean sameFields(Map<?, ?> expected, Map<?, ?> answer, Set<String> optional, String path) {
        for (Map.Entry<?, ?> field : expected.entrySet()) {
            String place = path.isEmpty() ? field.getKey().toString() : path + "." + field.getKey();
            if (answer.containsKey(field.getKey())) {
                if (!same(field.getValue(), answer.get(field.getKey()), optional, place)) {
                    return false;
                }
            } else if (!optional.contains(place) && !isNoTags(field)) {
                return false;
            }
        }
        return answer.entrySet().stream().allMatch(field -> expected.containsKey(field.getKey()) || isNoTags(field));
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
