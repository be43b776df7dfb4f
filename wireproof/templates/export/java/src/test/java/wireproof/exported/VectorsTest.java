// SPDX-License-Identifier: Apache-2.0. @versions@.

package wireproof.exported;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Asks {@link MyImplementation} each vector.
 *
 * <p>known.json lists deviations that are known: {"&lt;id&gt;#&lt;op&gt;": "why", …}. They are skipped; one that deviates
 * no more fails, so that the list stays true. The variable WIREPROOF_REPORT names a file to which each verdict is written
 * as a JSON line. -Dwireproof.only=ID asks only the ids that begin so; -Dwireproof.folder=DIR: where vectors and known.json
 * are; -Dwireproof.patience=SECONDS: the longest time for one answer.
 */
class VectorsTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final Path FOLDER = Path.of(System.getProperty("wireproof.folder", "."));
    private static final Map<Verdict.Outcome, Integer> COUNTS = new EnumMap<>(Verdict.Outcome.class);
    private static final Map<String, Integer> SKIPS = new TreeMap<>(); // by type, or by op where there is none
    private static final int MOST_TYPES = 10; // named of those that were skipped
    private static final String ONLY = System.getProperty("wireproof.only", "");
    private static int knownOnes;
    private static String anId;
    private static Writer report;

    private final Implementation implementation;
    private final Judge judge;

    VectorsTest() throws Exception {
        implementation = new MyImplementation();
        judge = new Judge(new Asker(implementation), implementation);
    }

    @TestFactory
    Stream<DynamicContainer> vectors() throws Exception {
        Map<String, List<Line>> files = Line.load(FOLDER.resolve("vectors"));
        Path list = FOLDER.resolve("known.json");
        JsonNode known = Files.exists(list) ? MAPPER.readTree(list.toFile()) : MAPPER.createObjectNode();
        demandThatAllExist(known, files);
        Line first = files.values().iterator().next().get(0);
        anId = first.id() + "#" + first.ops().get(0);
        String path = System.getenv("WIREPROOF_REPORT");
        if (path != null) {
            report = Files.newBufferedWriter(Path.of(path));
        }
        return files.entrySet().stream().map(file -> container(file.getKey(), file.getValue(), known));
    }

    private static void demandThatAllExist(JsonNode known, Map<String, List<Line>> files) {
        Set<String> ids = new HashSet<>();
        files.values().forEach(lines -> lines.forEach(line -> line.ops().forEach(op -> ids.add(line.id() + "#" + op))));
        for (String id : (Iterable<String>) known::fieldNames) {
            assertTrue(ids.contains(id), () -> "known.json lists " + id + ": there is no such question");
        }
    }

    private DynamicContainer container(String file, List<Line> lines, JsonNode known) {
        boolean ready = configure(file.substring(0, file.indexOf('/')));
        return DynamicContainer.dynamicContainer(
                file,
                lines.stream()
                        .flatMap(line -> line.questions().stream()
                                .filter(op -> isChosen(line, op))
                                .map(op -> DynamicTest.dynamicTest(
                                        line.id() + "#" + op, () -> question(line, op, ready, known)))));
    }

    private static boolean isChosen(Line line, String op) {
        return (line.id() + "#" + op).startsWith(ONLY)
                || line.mayBeAskedByRecode() && (line.id() + "#recode").startsWith(ONLY);
    }

    private boolean configure(String dialect) {
        Path settings = FOLDER.resolve("vectors").resolve(dialect).resolve("settings.json");
        try {
            return !Files.exists(settings) || implementation.configure(dialect, Files.readString(settings));
        } catch (Exception error) {
            throw new IllegalStateException("configure(" + dialect + ") failed", error);
        }
    }

    private void question(Line line, String op, boolean ready, JsonNode known) throws IOException {
        Judge.Judged judged = ready || !line.has("needs")
                ? judge.judge(line, op)
                : new Judge.Judged(
                        op, new Verdict(Verdict.Outcome.SKIP, "it needs settings, and configure does not take them"));
        Verdict found = judged.verdict();
        String id = line.id() + "#" + judged.op();
        if (report != null) {
            Map<String, String> told = Map.of("id", id, "verdict", found.outcome().word(), "text", found.text());
            report.write(MAPPER.writeValueAsString(told) + "\n");
        }
        if (known.has(id)) {
            if (found.outcome() != Verdict.Outcome.FAIL) {
                throw failure(id, "known.json lists it, but it ends as " + found.outcome().word() + ": take it out");
            }
            knownOnes++;
            Assumptions.abort("known: " + known.get(id).asText());
        }
        COUNTS.merge(found.outcome(), 1, Integer::sum);
        switch (found.outcome()) {
            case SKIP -> {
                SKIPS.merge(line.typeOr(op), 1, Integer::sum);
                Assumptions.abort(found.text());
            }
            case FAIL -> throw failure(id, found.text());
            default -> {}
        }
    }

    /** A failure without a stack trace: it is about an answer, not about a line of these tests. */
    private static AssertionError failure(String id, String text) {
        String again = "mvn test -Dtest=VectorsTest -Dwireproof.only='" + id + "'";
        AssertionError error = new AssertionError(id + ": " + text + "\n  again:    " + again);
        error.setStackTrace(new StackTraceElement[0]);
        return error;
    }

    /** The types that were skipped most, with how often. */
    private static String skipped() {
        List<Map.Entry<String, Integer>> types = new ArrayList<>(SKIPS.entrySet());
        types.sort(Map.Entry.comparingByValue(Comparator.reverseOrder()));
        int named = Math.min(MOST_TYPES, types.size());
        StringJoiner words = new StringJoiner(", ");
        types.subList(0, named).forEach(one -> words.add(one.getValue() + " " + one.getKey()));
        List<Map.Entry<String, Integer>> rest = types.subList(named, types.size());
        if (!rest.isEmpty()) {
            int sum = rest.stream().mapToInt(Map.Entry::getValue).sum();
            words.add(sum + " of " + rest.size() + " other types");
        }
        return words.toString();
    }

    @AfterAll
    static void end() throws IOException {
        if (report != null) {
            report.close();
        }
        StringBuilder words = new StringBuilder();
        int asked = knownOnes;
        for (Verdict.Outcome outcome : Verdict.Outcome.values()) {
            int count = COUNTS.getOrDefault(outcome, 0);
            words.append(count).append(' ').append(outcome.word()).append(", ");
            asked += outcome == Verdict.Outcome.SKIP ? 0 : count;
        }
        System.out.println("wireproof: " + words + knownOnes + " known");
        if (!SKIPS.isEmpty()) {
            System.out.println("skipped: " + skipped());
        }
        assertTrue(
                asked > 0,
                "nothing was asked: "
                        + (SKIPS.isEmpty()
                                ? "no id begins with " + ONLY + ". One is " + anId + ": dialect, area, name, op"
                                : "MyImplementation offers no type of those that were chosen. Fill in its methods for one of "
                                        + "them, or export the types that it has: wireproof export --type T"));
    }
}
