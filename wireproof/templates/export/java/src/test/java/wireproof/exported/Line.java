// SPDX-License-Identifier: Apache-2.0. @versions@.

package wireproof.exported;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/** A line of an exported file: docs/reference/export-format.md of Wireproof describes its members. */
record Line(JsonNode json) {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final int FORMAT = 1;

    /** All lines of an export, by file: "kafka/varints", …. */
    static Map<String, List<Line>> load(Path folder) throws IOException {
        Map<String, List<Line>> found = new TreeMap<>();
        try (Stream<Path> paths = Files.walk(folder, 2)) {
            for (Path path : (Iterable<Path>) paths.filter(one -> one.toString().endsWith(".jsonl"))::iterator) {
                String name = folder.relativize(path).toString().replace('\\', '/').replaceFirst("\\.jsonl$", "");
                found.put(name, read(path));
            }
        }
        if (found.isEmpty()) {
            throw new IOException(folder + " holds no vectors: export them again");
        }
        return found;
    }

    private static List<Line> read(Path path) throws IOException {
        List<Line> lines = new ArrayList<>();
        List<String> texts = Files.readAllLines(path, StandardCharsets.UTF_8);
        if (texts.isEmpty() || MAPPER.readTree(texts.get(0)).path("wireproof-export").asInt() != FORMAT) {
            throw new IOException(path + " is not of format 1: export the vectors again, with the tests");
        }
        for (String text : texts.subList(1, texts.size())) {
            lines.add(new Line(MAPPER.readTree(text)));
        }
        return lines;
    }

    String id() {
        return json.get("id").textValue();
    }

    String dialect() {
        return id().substring(0, id().indexOf('/'));
    }

    String kind() {
        return json.get("kind").textValue();
    }

    List<String> ops() {
        return texts(json.get("ops"));
    }

    /** The ops of its questions: bytes that have to be refused are one question. */
    List<String> questions() {
        return kind().equals("invalid") && ops().contains("decode") ? List.of("decode") : ops();
    }

    /** Whether these bytes have to be refused, by recode too. */
    boolean mayBeAskedByRecode() {
        return kind().equals("invalid") && ops().contains("recode");
    }

    /** The type; without one, the op. */
    String typeOr(String op) {
        return json.path("type").asText(op);
    }

    boolean has(String member) {
        return json.has(member);
    }

    JsonNode get(String member) {
        return json.get(member);
    }

    /** The value of a member. */
    Object value(String member) {
        return Values.parse(json.get(member));
    }

    Set<String> optional() {
        return json.has("optional") ? new HashSet<>(texts(json.get("optional"))) : Set.of();
    }

    static List<String> texts(JsonNode array) {
        List<String> found = new ArrayList<>();
        array.forEach(item -> found.add(item.textValue()));
        return found;
    }
}
