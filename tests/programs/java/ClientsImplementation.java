package wireproof.exported;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import wireproof.codec.Codecs;
import wireproof.codec.GeneratedCodecs;

/** Kafka's own classes: each question goes through the wrapper of implementations/java, in this process. */
final class MyImplementation implements Implementation {
    private final Codecs library = new GeneratedCodecs();

    private JsonNode ask(String op, Form form, String argument, JsonNode content) throws IOException {
        ObjectNode question = Json.MAPPER.createObjectNode().put("seq", 1).put("op", op);
        question.put("dialect", form.dialect()).put("type", form.type());
        if (form.version() != null) {
            question.put("version", form.version());
        }
        question.set(argument, content);
        ByteArrayInputStream line = new ByteArrayInputStream((question + "\n").getBytes(StandardCharsets.UTF_8));
        ByteArrayOutputStream answers = new ByteArrayOutputStream();
        new wireproof.line.Conversation(library, line, answers).run();
        JsonNode answer = Json.MAPPER.readTree(answers.toByteArray());
        if (answer.has("unsupported")) {
            throw new NotOffered(answer.get("unsupported").asText());
        }
        if (answer.has("reject")) {
            JsonNode reject = answer.get("reject");
            Refused refused = new Refused(reject.path("detail").asText(), reject.path("reason").textValue());
            if (reject.path("half").asText().equals("encode") && op.equals("recode")) {
                throw new ReadOnly(refused);
            }
            throw refused;
        }
        if (answer.has("error")) {
            throw new IllegalStateException(answer.get("error").asText());
        }
        return answer;
    }

    private static JsonNode digits(byte[] data) {
        return Json.MAPPER.getNodeFactory().textNode(Values.hex(data));
    }

    @Override
    public Object decode(Form form, byte[] data) throws IOException {
        return Values.parse(ask("decode", form, "data", digits(data)).get("value"));
    }

    @Override
    public byte[] encode(Form form, Object value) throws IOException {
        return Values.octets(ask("encode", form, "value", Json.of(value)).get("data").asText());
    }

    @Override
    public byte[] recode(Form form, byte[] data) throws IOException {
        return Values.octets(ask("recode", form, "data", digits(data)).get("data").asText());
    }
}
