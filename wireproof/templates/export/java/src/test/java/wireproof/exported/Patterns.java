// SPDX-License-Identifier: Apache-2.0. @versions@.

package wireproof.exported;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntPredicate;

/**
 * Patterns for the frames that a broker sends are described in vectors/FORMAT.md of Wireproof. Frames are read by the
 * implementation's own decode, so only one that reads them can be judged.
 */
final class Patterns {
    private static final Map<String, IntPredicate> HOLDS =
            Map.of("greater", sign -> sign > 0, "less", sign -> sign < 0, "other_than", sign -> sign != 0);

    private final Asker asker;
    private final String dialect;
    /** The numbers to which patterns gave names. */
    private Map<String, BigInteger> marks = new HashMap<>();

    Patterns(Asker asker, String dialect) {
        this.asker = asker;
        this.dialect = dialect;
    }

    Judge.Comparison compare(JsonNode patterns, byte[] sent) {
        int at = 0;
        for (int first = 0; first < patterns.size(); ) {
            if (patterns.get(first).has("hex")) {
                byte[] exact = Values.octets(patterns.get(first).get("hex").textValue());
                if (!Arrays.equals(exact, Arrays.copyOfRange(sent, at, Math.min(sent.length, at + exact.length)))) {
                    return Judge.Comparison.of(false);
                }
                at += exact.length;
                first++;
                continue;
            }
            List<JsonNode> group = new ArrayList<>(List.of(patterns.get(first)));
            while (isAny(patterns.get(first)) && isAny(patterns.get(first + group.size()))) {
                group.add(patterns.get(first + group.size()));
            }
            List<List<Seen>> values = new ArrayList<>(); // of each frame by pattern: each pattern has a type of its own
            for (int index = 0; index < group.size(); index++) {
                int size = sent.length - at < 4 ? -1 : ByteBuffer.wrap(sent, at, 4).getInt();
                if (size < 0 || size > sent.length - at - 4) {
                    return Judge.Comparison.of(false);
                }
                byte[] frame = Arrays.copyOfRange(sent, at, at + 4 + size);
                List<Seen> read = group.stream().map(pattern -> read(pattern, frame)).toList();
                for (Seen one : read) {
                    if (one.is(Seen.Kind.NOT_OFFERED)) {
                        return new Judge.Comparison(false, "its answers cannot be read: " + one.text());
                    }
                }
                values.add(read);
                at += frame.length;
            }
            marks = inSomeOrder(group, values, marks, 0, Set.of());
            if (marks == null) {
                return Judge.Comparison.of(false);
            }
            first += group.size();
        }
        return Judge.Comparison.of(at == sent.length);
    }

    private static boolean isAny(JsonNode pattern) {
        return pattern != null && pattern.path("order").asText().equals("any");
    }

    private Seen read(JsonNode pattern, byte[] frame) {
        Integer version = pattern.has("version") ? pattern.get("version").intValue() : null;
        return asker.decode(new Implementation.Form(dialect, pattern.get("type").textValue(), version), frame);
    }

    /** The marks with which frames match a group in some order; null: they match in none. */
    private static Map<String, BigInteger> inSomeOrder(
            List<JsonNode> group, List<List<Seen>> values, Map<String, BigInteger> marks, int at, Set<Integer> taken) {
        if (at == group.size()) {
            return marks;
        }
        for (int index = 0; index < values.size(); index++) {
            Seen seen = values.get(index).get(at);
            Map<String, BigInteger> now = new HashMap<>(marks);
            if (taken.contains(index) || !seen.is(Seen.Kind.ANSWERED)) {
                continue;
            }
            if (matches(group.get(at).get("value"), seen.answer(), now)) {
                Set<Integer> more = new java.util.HashSet<>(taken);
                more.add(index);
                Map<String, BigInteger> found = inSomeOrder(group, values, now, at + 1, more);
                if (found != null) {
                    return found;
                }
            }
        }
        return null;
    }

    private static boolean matches(JsonNode pattern, Object value, Map<String, BigInteger> marks) {
        if (pattern.isArray() && value instanceof List<?> items) {
            boolean right = items.size() == pattern.size();
            for (int index = 0; right && index < items.size(); index++) {
                right = matches(pattern.get(index), items.get(index), marks);
            }
            return right;
        }
        if (pattern.isObject()) {
            String only = pattern.size() == 1 ? pattern.fieldNames().next() : "";
            switch (only) {
                case "any":
                    return true;
                case "contains":
                    return value instanceof List<?> items
                            && items.stream().anyMatch(item -> matchesKeeping(pattern.get(only), item, marks));
                case "either":
                case "none_of":
                    boolean found = false;
                    for (JsonNode choice : pattern.get(only)) {
                        found = found || matchesKeeping(choice, value, marks);
                    }
                    return found == only.equals("either");
                default:
            }
            if (isComparison(pattern)) {
                return compare(pattern, value, marks);
            }
            if (value instanceof Map<?, ?> fields) {
                for (String name : (Iterable<String>) pattern::fieldNames) {
                    boolean noTags = name.equals("_tags") && !fields.containsKey(name);
                    if (!fields.containsKey(name) && !noTags) {
                        return false;
                    }
                    if (!matches(pattern.get(name), noTags ? List.of() : fields.get(name), marks)) {
                        return false;
                    }
                }
                return true;
            }
        }
        return Values.same(Values.parse(pattern), value, Values.PLAIN, "");
    }

    /** matches; the names of numbers stay only if it is true. */
    private static boolean matchesKeeping(JsonNode pattern, Object value, Map<String, BigInteger> marks) {
        Map<String, BigInteger> now = new HashMap<>(marks);
        if (!matches(pattern, value, now)) {
            return false;
        }
        marks.putAll(now);
        return true;
    }

    private static boolean isComparison(JsonNode pattern) {
        for (String name : (Iterable<String>) pattern::fieldNames) {
            if (!name.equals("mark") && !HOLDS.containsKey(name)) {
                return false;
            }
        }
        return !pattern.isEmpty();
    }

    private static boolean compare(JsonNode pattern, Object value, Map<String, BigInteger> marks) {
        BigInteger number = Values.asInteger(value);
        if (number == null) {
            return false;
        }
        for (Map.Entry<String, IntPredicate> one : HOLDS.entrySet()) {
            JsonNode against = pattern.get(one.getKey());
            if (against != null) {
                BigInteger other = against.isTextual() ? marks.get(against.textValue()) : against.bigIntegerValue();
                if (other == null || !one.getValue().test(number.compareTo(other))) {
                    return false;
                }
            }
        }
        if (pattern.has("mark")) {
            marks.put(pattern.get("mark").textValue(), number);
        }
        return true;
    }
}
