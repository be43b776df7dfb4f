// SPDX-License-Identifier: Apache-2.0. @versions@.

package wireproof.exported;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Judges answers. The numbers in comments are those of the rules in docs/reference/export-format.md of Wireproof. */
final class Judge {
    private final Asker asker;
    private final Implementation implementation;

    Judge(Asker asker, Implementation implementation) {
        this.asker = asker;
        this.implementation = implementation;
    }

    /** The verdict on a question, and the op that was asked. */
    record Judged(String op, Verdict verdict) {}

    /** Ask and judge. Bytes that have to be refused are asked by recode where decode is not offered. (5) */
    Judged judge(Line line, String op) {
        Seen seen = asker.ask(line, op, line.json());
        if (seen.is(Seen.Kind.NOT_OFFERED) && op.equals("decode") && line.mayBeAskedByRecode()) {
            Seen other = asker.ask(line, "recode", line.json());
            if (!other.is(Seen.Kind.NOT_OFFERED)) {
                return new Judged("recode", verdict(line, "recode", other));
            }
        }
        return new Judged(op, verdict(line, op, seen));
    }

    private Verdict verdict(Line line, String op, Seen seen) {
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
        String doubt = null;
        if (!refused && !line.has("reject")) {
            Comparison found = compare(line, op, line.json(), seen.answer());
            if (found.right()) {
                return new Verdict(Verdict.Outcome.PASS, "");
            }
            doubt = found.doubt();
        }
        for (JsonNode reading : line.has("contested") ? line.get("contested") : List.<JsonNode>of()) {
            if (!Line.texts(reading.get("ops")).contains(op)) {
                continue;
            }
            if (refused) {
                boolean readBefore = seen.half() && reading.path("refuses").isTextual(); // "decode"
                if (reading.has("refuses") && !readBefore) {
                    return counted(line, op, chosen(reading));
                }
                continue;
            }
            if (reading.has("accepts")) {
                return chosen(reading);
            }
            Comparison found = compare(line, op, reading, seen.answer());
            if (found.right()) {
                return chosen(reading);
            }
            doubt = doubt == null ? found.doubt() : doubt;
        }
        return doubt == null
                ? new Verdict(Verdict.Outcome.FAIL, difference(line, op, seen))
                : new Verdict(Verdict.Outcome.SKIP, doubt);
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
        Set<String> readings = implementation.readings();
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
                return Comparison.of(wanted.has("value") && isDecoded(line, wanted.get("value"), answer, !ofLine));
            case "lookup":
                JsonNode values = wanted.get(ofLine ? "values" : "value");
                Values.Manner folding = new Values.Manner(Set.of(), Set.of(), Set.of(), !ofLine);
                return Comparison.of(values != null && Values.same(Values.parse(values), answer, folding, ""));
            case "consume":
                return Comparison.of(wanted.has("delivers") && isDelivered(wanted.get("delivers"), (Map<?, ?>) answer, !ofLine));
            case "serve":
                if (!wanted.has("sends")) {
                    return Comparison.of(false);
                }
                Implementation.Conversation end = (Implementation.Conversation) answer;
                Comparison sent = new Patterns(asker, line.dialect()).compare(wanted.get("sends"), end.sent());
                boolean right =
                        sent.right() && sent.doubt() == null && end.closed() == wanted.get("closes").booleanValue();
                return new Comparison(right, sent.doubt());
            case "interpret":
                return Comparison.of(wanted.has("outcome") && isOutcome(wanted.get("outcome"), (Map<?, ?>) answer));
            case "negotiate":
                return Comparison.of(
                        wanted.has("chooses") && Values.same(Values.parse(wanted.get("chooses")), answer, Values.PLAIN, ""));
            case "evolve":
                return Comparison.of(wanted.has("breaks") && answer.equals(!wanted.get("breaks").isEmpty()));
            default:
                JsonNode bytes = wanted.get(!ofLine ? "bytes" : op.equals("convert") ? "gives" : "canonical");
                return bytes == null
                        ? Comparison.of(false)
                        : compareBytes(line, op, bytes.textValue(), wanted.get("value"), (byte[]) answer, !ofLine);
        }
    }

    /** Whether this is what an application has to be given. Types of timestamps may be left out of all records. */
    private static boolean isDelivered(JsonNode wanted, Map<?, ?> answer, boolean fold) {
        boolean told = answer.get("records") instanceof List<?> records
                && records.stream().anyMatch(one -> one instanceof Map<?, ?> record && record.containsKey("timestamp_type"));
        Set<String> without = told ? Set.of() : Set.of("timestamp_type");
        return Values.same(Values.parse(wanted), answer, new Values.Manner(Set.of(), Set.of(), without, fold), "");
    }

    /** What the expected outcome names is compared; the request of a malformed response only if the client tells it. */
    private static boolean isOutcome(JsonNode wanted, Map<?, ?> answer) {
        for (String name : (Iterable<String>) wanted::fieldNames) {
            boolean untold = name.equals("request") && !answer.containsKey(name);
            if (untold && wanted.get("outcome").textValue().equals("malformed")) {
                continue;
            }
            if (!Values.same(Values.parse(wanted.get(name)), answer.get(name), Values.PLAIN, name)) {
                return false;
            }
        }
        return true;
    }

    private Set<String> rebuilt(Line line) {
        return implementation.rebuilds(line.get("type").textValue());
    }

    /** Whether this is what decode has to answer. */
    private boolean isDecoded(Line line, JsonNode value, Object answer, boolean fold) {
        Object shown = Values.withTextKeys(line.get("type").textValue(), answer);
        Values.Manner how = new Values.Manner(line.optional(), rebuilt(line), Set.of(), fold);
        return Values.same(Values.parse(value), shown, how, "");
    }

    /**
     * Written bytes are the expected ones, or mean the same if that is enough. They are read by the implementation's own
     * decode; where it does not read the expected bytes as the value, nothing can be said. fold: as in {@link Values.Manner}. (7, 8)
     */
    private Comparison compareBytes(
            Line line, String op, String expected, JsonNode value, byte[] answer, boolean fold) {
        if (answer == null) {
            return Comparison.of(false);
        }
        if (Values.hex(answer).equals(expected)) {
            return Comparison.of(true);
        }
        Set<String> without = new HashSet<>(rebuilt(line));
        boolean decoded = line.json().path("compare").asText().equals("decoded")
                || !without.isEmpty() && !op.equals("convert")
                || fold && Values.shows(answer) && Values.shows(Values.octets(expected));
        if (!decoded) {
            return Comparison.of(false);
        }
        without.addAll(Values.DERIVED);
        String dialect = line.has("as") ? line.get("as").get("dialect").textValue() : line.dialect();
        JsonNode read = line.has("as") ? line.get("as") : line.json();
        String type = read.get("type").textValue();
        Integer version = read.has("version") ? Integer.valueOf(read.get("version").intValue()) : null;
        Implementation.Form form = new Implementation.Form(dialect, type, version);
        Seen wanted = asker.decode(form, Values.octets(expected));
        String why = "other bytes can be right here, and decode does not read the expected ones";
        if (!wanted.is(Seen.Kind.ANSWERED)) {
            return new Comparison(false, why + ": " + wanted.text());
        }
        if (value != null && !isDecoded(line, value, wanted.answer(), fold)) {
            return new Comparison(false, why + " rightly");
        }
        Seen given = asker.decode(form, answer);
        Values.Manner how = new Values.Manner(line.optional(), Set.of(), without, fold);
        boolean same = Values.same(wanted.answer(), given.answer(), how, "");
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
        if (op.equals("consume")) {
            asked.append(String.format("%n  position: %s, %s", line.value("position"), line.get("isolation").textValue()));
            asked.append(", aborted: ").append(Values.show(line.value("aborted")));
        }
        String got =
                switch (seen.kind()) {
                    case REFUSED -> "a refusal: " + seen.text();
                    case CRASHED -> "a crash";
                    default -> Values.show(seen.answer());
                };
        List<String> source = Line.texts(line.get("rulings"));
        source.add(0, line.get("source").textValue());
        return String.format(
                "%s%n  %s%n  expected: %s%n  got:      %s%n  source:   %s",
                line.get("about").textValue(), asked, expected(line, op), got, String.join(" ", source));
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
            case "consume" -> Values.show(line.value("delivers"));
            case "serve" -> line.get("sends").size() + " answers; the connection is closed then: " + line.get("closes");
            case "interpret" -> Values.show(line.value("outcome"));
            case "negotiate" -> line.get("chooses").toString();
            default -> String.valueOf(!line.get("breaks").isEmpty());
        };
    }
}
