package wireproof.exported;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The wrong codec behind the line protocol. */
final class WrongProgram {
    private static final WrongCodec CODEC = new WrongCodec();

    private WrongProgram() {}

    public static void main(String[] arguments) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            JsonNode question = Json.MAPPER.readTree(line);
            boolean describes = question.get("op").asText().equals("describe");
            out.print((describes ? describe() : answer(question)) + "\n");
            out.flush();
        }
    }

    private static ObjectNode describe() {
        ObjectNode about = Json.MAPPER.createObjectNode().put("name", "wrong").put("version", "1").put("language", "java");
        about.putArray("dialects").add("kafka");
        about.putArray("ops").add("decode").add("encode").add("recode");
        about.putObject("readings");
        ObjectNode rebuilds = about.putObject("rebuilds");
        for (String type : List.of("Record", "RecordBatch")) {
            CODEC.rebuilds(type).forEach(rebuilds.putArray(type)::add);
        }
        ObjectNode types = about.putObject("types").putObject("kafka");
        WrongCodec.TYPES.forEach(types::putNull);
        for (String type : WrongCodec.READ) {
            types.putObject(type).putNull("versions").putArray("ops").add("decode");
        }
        return about;
    }

    private static ObjectNode answer(JsonNode question) {
        ObjectNode answer = Json.MAPPER.createObjectNode();
        answer.set("seq", question.get("seq"));
        String op = question.get("op").asText();
        try {
            if (!List.of("decode", "encode", "recode").contains(op)) {
                throw new NotOffered(op);
            }
            String type = question.get("type").asText();
            Implementation.Form form = new Implementation.Form(question.get("dialect").asText(), type, null);
            if (op.equals("encode")) {
                return answer.put("data", Values.hex(CODEC.encode(form, Values.parse(question.get("value")))));
            }
            byte[] data = Values.octets(question.get("data").asText());
            if (op.equals("decode")) {
                return answer.set("value", Json.of(CODEC.decode(form, data)));
            }
            return answer.put("data", Values.hex(CODEC.recode(form, data)));
        } catch (NotOffered absent) {
            return answer.put("unsupported", absent.getMessage());
        } catch (Refused | ReadOnly refused) {
            ObjectNode reject = answer.putObject("reject").put("detail", refused.getMessage());
            if (op.equals("recode")) {
                reject.put("half", refused instanceof ReadOnly ? "encode" : "decode");
            }
            return answer;
        } catch (Exception error) {
            return answer.put("error", String.valueOf(error));
        }
    }
}
