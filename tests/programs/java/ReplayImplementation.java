package wireproof.exported;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** An implementation that answers from a table: tests/support/replayed.py makes it. */
final class MyImplementation implements Implementation {
    private final JsonNode table;

    MyImplementation() throws IOException {
        table = Json.MAPPER.readTree(Path.of("table.json").toFile());
    }

    private JsonNode look(String... parts) {
        JsonNode found = table.get(String.join("|", parts));
        if (found == null || found.has("unsupported")) {
            throw new NotOffered(parts[0]);
        }
        if (found.has("reject")) {
            throw new Refused(found.get("reject").path("detail").asText());
        }
        if (found.has("error")) {
            throw new IllegalStateException(found.get("error").asText());
        }
        return found;
    }

    private JsonNode look(String op, Form form, byte[] data, Object... more) {
        String version = form.version() == null ? "-" : form.version().toString();
        List<String> parts = new ArrayList<>(List.of(op, form.dialect(), form.type(), version, Values.hex(data)));
        Arrays.stream(more).forEach(one -> parts.add(Json.of(one).toString()));
        return look(parts.toArray(String[]::new));
    }

    @Override
    public Object decode(Form form, byte[] data) {
        return Values.parse(look("decode", form, data).get("value"));
    }

    @Override
    public List<?> lookup(Form form, byte[] data, Object key) {
        return (List<?>) Values.parse(look("lookup", form, data, key).get("value"));
    }

    @Override
    public byte[] convert(Form form, byte[] data, Object to) {
        return Values.octets(look("convert", form, data, to).get("data").asText());
    }

    @Override
    public Map<String, ?> consume(String dialect, Fetch fetch) {
        String position = String.valueOf(fetch.position());
        List<String> parts = new ArrayList<>(List.of("consume", dialect, Values.hex(fetch.data()), position, fetch.isolation()));
        fetch.aborted().forEach(one -> parts.add(one.producerId() + ":" + one.firstOffset()));
        return map(look(parts.toArray(String[]::new)).get("delivered"));
    }

    @SuppressWarnings("unchecked")
    private static Map<String, ?> map(JsonNode json) {
        return (Map<String, ?>) Values.parse(json);
    }

    @Override
    public Conversation serve(String dialect, List<byte[]> chunks) {
        List<String> parts = new ArrayList<>(List.of("serve", dialect));
        chunks.forEach(chunk -> parts.add(Values.hex(chunk)));
        JsonNode found = look(parts.toArray(String[]::new));
        return new Conversation(Values.octets(found.get("sent").asText()), found.get("closed").asBoolean());
    }

    @Override
    public Map<String, ?> interpret(String dialect, byte[] request, byte[] response) {
        String answer = response == null ? "null" : Values.hex(response);
        return map(look("interpret", dialect, Values.hex(request), answer).get("outcome"));
    }

    @Override
    public Number negotiate(String dialect, Number apiKey, int[] client, int[] broker) {
        String ranges = "[" + client[0] + "," + client[1] + "]";
        String other = broker == null ? "null" : "[" + broker[0] + "," + broker[1] + "]";
        JsonNode version = look("negotiate", dialect, String.valueOf(apiKey), ranges, other).get("version");
        return version.isNull() ? null : version.intValue();
    }

    @Override
    public boolean evolve(String dialect, String oldSchema, String newSchema) {
        return !look("evolve", dialect, oldSchema, newSchema).get("breaks").isEmpty();
    }

    @Override
    public boolean configure(String dialect, String settings) {
        return true;
    }
}
