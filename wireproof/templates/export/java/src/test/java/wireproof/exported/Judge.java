// SPDX-License-Identifier: Apache-2.0. @versions@.

package wireproof.exported;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Judges answers. The numbers in comments are those of the rules in docs/reference/export-format.md of Wireproof. */
final class Judge {
    private final Asker asker;
    private final Set<String> readings;

    /** readings: as in {@link Implementation#readings}. */
    Judge(Asker asker, Set<String> readings) {
        this.asker = asker;
        this.readings = readings;
    }

    /** The ops of a line. Bytes that have to be refused are asked by decode, or by recode where decode is not offered. */
    List<String> asked(Line line) {
        List<String> ops = line.ops();
        if (!line.kind().equals("invalid") || !ops.contains("decode")) {
            return ops;
        }
        boolean turns = ops.contains("recode") && !offers(line, "decode") && offers(line, "recode");
        return List.of(turns ? "recode" : "decode");
    }

    private boolean offers(Line line, String op) {
        return !asker.ask(line, op, line.json()).is(Seen.Kind.NOT_OFFERED);
    }

    Verdict judge(Line line, String op) {
        Seen seen = asker.ask(line, op, line.json());
        if (seen.is(Seen.Kind.NOT_OFFERED)) {
            return new Verdict(Verdict.Outcome.SKIP, seen.text()); // 5
        }
        if (seen.is(Seen.Kind.CRASHED)) {
            return new Verdict(Verdict.Outcome.FAIL, difference(line, op, seen) + "\n" + seen.text()); // 3
        }
        boolean refused = seen.is(Seen.Kind.REFUSED);
        boolean mayRefuse = line.has("reject") || line.has("or_reject") && op.equals("encode");
        if (refused && !seen.half() && mayRefuse) {
            return counted(line, op, new Verdict(Verdict.Outcome.PASS, beside(line, seen)));
        }
        if (!refused && !line.has("reject")) {
            Comparison found = compare(line, op, line.json(), seen.answer());
            if (found.doubt() != null) {
                return new Verdict(Verdict.Outcome.SKIP, found.doubt());
            }
            if (found.right()) {
                return new Verdict(Verdict.Outcome.PASS, "");
            }
        }
        for (JsonNode reading : line.has("contested") ? line.get("contested") : List.<JsonNode>of()) {
            if (!Line.texts(reading.get("ops")).contains(op)) {
                continue;
            }
            if (refused && reading.has("refuses")) {
                return counted(line, op, chosen(reading));
            }
            if (!refused && compare(line, op, reading, seen.answer()).right()) {
                return chosen(reading);
            }
        }
        return new Verdict(Verdict.Outcome.FAIL, difference(line, op, seen));
    }

    /** The verdict on a refusal: it counts only if its valid twin is accepted. (1) */
    private Verdict counted(Line line, String op, Verdict otherwise) {
        JsonNode twin = line.get("twin");
        String needed = Map.of("encode", "value", "evolve", "old").getOrDefault(op, "bytes");
        if (twin == null || !twin.has(needed) || asker.ask(line, op, twin).is(Seen.Kind.ANSWERED)) {
            return otherwise;
        }
        return new Verdict(Verdict.Outcome.SKIP, "its valid twin " + twin.get("id").textValue() + " was not accepted");
    }

    /** The verdict on the answer of another reading. (4) */
    private Verdict chosen(JsonNode reading) {
        List<String> rulings = Line.texts(reading.get("rulings"));
        for (String ruling : rulings) {
            if (readings != null && !readings.contains(ruling)) {
                String text = "another reading of " + ruling + ", which readings() does not name";
                return new Verdict(Verdict.Outcome.FAIL, text);
            }
        }
        return new Verdict(Verdict.Outcome.CONTESTED, String.join(", ", rulings));
    }

    /** Where a refusal differs from the expected one. (2) */
    private static String beside(Line line, Seen seen) {
        JsonNode wanted = line.has("reject") ? line.get("reject") : line.get("or_reject");
        String reason = wanted.get("reason").textValue();
        return reason.equals(seen.reason()) ? "" : "refused: " + seen.text() + "; expected: " + refusal(wanted);
    }

    private static String refusal(JsonNode wanted) {
        JsonNode offset = wanted.get("offset");
        String at = offset == null || offset.isNull() ? "" : " at byte " + offset;
        return wanted.get("reason").textValue() + at;
    }

    /** right: an answer is the expected one. doubt: why that cannot be said, or null. */
    record Comparison(boolean right, String doubt) {
        static Comparison of(boolean right) {
            return new Comparison(right, null);
        }
    }

    /** Compare an answer with a line, or with another reading. What has no member for the op says nothing. */
    private Comparison compare(Line line, String op, JsonNode wanted, Object answer) {
        boolean ofLine = wanted == line.json();
        switch (op) {
            case "decode":
            case "lookup":
                JsonNode value = wanted.get(ofLine && op.equals("lookup") ? "values" : "value");
                return Comparison.of(value != null && Values.same(Values.parse(value), answer, line.optional(), ""));
            case "serve":
                if (!wanted.has("sends")) {
                    return Comparison.of(false);
                }
                Implementation.Conversation end = (Implementation.Conversation) answer;
                Comparison sent = new Patterns(asker, line.dialect()).compare(wanted.get("sends"), end.sent());
                boolean right = sent.right() && end.closed() == wanted.get("closes").booleanValue();
                return new Comparison(right, sent.doubt());
            case "interpret":
                return Comparison.of(wanted.has("outcome") && isOutcome(wanted.get("outcome"), (Map<?, ?>) answer));
            case "negotiate":
                return Comparison.of(
                        wanted.has("chooses") && Values.same(Values.parse(wanted.get("chooses")), answer, Set.of(), ""));
            case "evolve":
                return Comparison.of(wanted.has("breaks") && answer.equals(!wanted.get("breaks").isEmpty()));
            default:
                JsonNode bytes = wanted.get(!ofLine ? "bytes" : op.equals("convert") ? "gives" : "canonical");
                return bytes == null ? Comparison.of(false) : compareBytes(line, bytes.textValue(), (byte[]) answer);
        }
    }

    /** What the expected outcome names is compared; the request of a malformed response only if the client tells it. */
    private static boolean isOutcome(JsonNode wanted, Map<?, ?> answer) {
        for (String name : (Iterable<String>) wanted::fieldNames) {
            boolean untold = name.equals("request") && !answer.containsKey(name);
            if (untold && wanted.get("outcome").textValue().equals("malformed")) {
                continue;
            }
            if (!Values.same(Values.parse(wanted.get(name)), answer.get(name), Set.of(), name)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Written bytes are the expected ones, or mean the same if that is enough. They are read by the implementation's own
     * decode; where it does not read the expected bytes, nothing can be said. (7)
     */
    private Comparison compareBytes(Line line, String expected, byte[] answer) {
        if (answer == null) {
            return Comparison.of(false);
        }
        boolean decoded = line.has("compare") && line.get("compare").textValue().equals("decoded");
        if (Values.hex(answer).equals(expected) || !decoded) {
            return Comparison.of(Values.hex(answer).equals(expected));
        }
        Integer version = line.has("version") ? line.get("version").intValue() : null;
        String dialect = line.has("as") ? line.get("as").get("dialect").textValue() : line.dialect();
        String type = line.has("as") ? line.get("as").get("type").textValue() : line.get("type").textValue();
        Implementation.Form form = new Implementation.Form(dialect, type, version);
        Seen wanted = asker.decode(form, Values.octets(expected));
        if (!wanted.is(Seen.Kind.ANSWERED)) {
            String why = "other bytes can be right here, and decode does not read the expected ones: " + wanted.text();
            return new Comparison(false, why);
        }
        Seen given = asker.decode(form, answer);
        boolean same = Values.same(wanted.answer(), given.answer(), line.optional(), "");
        return Comparison.of(given.is(Seen.Kind.ANSWERED) && same);
    }

    private static String difference(Line line, String op, Seen seen) {
        StringBuilder asked = new StringBuilder(op);
        for (String member : List.of("type", "version")) {
            if (line.has(member)) {
                asked.append(' ').append(line.get(member).asText());
            }
        }
        if (op.equals("encode")) {
            asked.append(": ").append(Values.show(line.value("value")));
        } else if (line.has("bytes")) {
            asked.append(": ").append(Values.cut(line.get("bytes").textValue()));
        }
        String got =
                switch (seen.kind()) {
                    case REFUSED -> "a refusal: " + seen.text();
                    case CRASHED -> "a crash";
                    default -> Values.show(seen.answer());
                };
        String source = line.get("source").textValue() + " " + String.join(" ", Line.texts(line.get("rulings")));
        return String.format(
                "%s%n  %s%n  expected: %s%n  got:      %s%n  source:   %s",
                line.get("about").textValue(), asked, expected(line, op), got, source);
    }

    private static String expected(Line line, String op) {
        if (line.has("reject")) {
            return "a refusal (" + refusal(line.get("reject")) + ")";
        }
        return switch (op) {
            case "decode" -> Values.show(line.value("value"));
            case "lookup" -> Values.show(line.value("values"));
            case "encode", "recode" -> Values.cut(line.get("canonical").textValue());
            case "convert" -> Values.cut(line.get("gives").textValue());
            case "serve" -> line.get("sends").size() + " answers; the connection is closed then: " + line.get("closes");
            case "interpret" -> Values.show(line.value("outcome"));
            case "negotiate" -> line.get("chooses").toString();
            default -> String.valueOf(!line.get("breaks").isEmpty());
        };
    }
}
