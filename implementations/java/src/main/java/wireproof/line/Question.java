package wireproof.line;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.HexFormat;
import wireproof.BadQuestion;
import wireproof.value.Values;

/** One line of the asking side. Members that were not there are null; those that no op of ours takes are skipped. */
final class Question {
    private static final HexFormat HEX = HexFormat.of();

    long seq;
    String op = "";
    String dialect;
    String type;
    Integer version;
    byte[] data;
    String key;
    Object value;

    private Question() {}

    static Question read(JsonParser in) throws IOException {
        if (in.nextToken() != JsonToken.START_OBJECT) {
            throw new BadQuestion("a question is a JSON object");
        }
        Question question = new Question();
        while (in.nextToken() == JsonToken.FIELD_NAME) {
            String name = in.currentName();
            in.nextToken();
            question.readMember(name, in);
        }
        return question;
    }

    private void readMember(String name, JsonParser in) throws IOException {
        switch (name) {
            case "seq" -> seq = in.getLongValue();
            case "op" -> op = in.getText();
            case "dialect" -> dialect = in.getText();
            case "type" -> type = in.getText();
            case "version" -> version = in.currentToken() == JsonToken.VALUE_NULL ? null : (Integer) in.getIntValue();
            case "data" -> data = hex(in);
            case "key" -> key = in.getText();
            case "value" -> value = Values.read(in);
            default -> in.skipChildren();
        }
    }

    private static byte[] hex(JsonParser in) throws IOException {
        int from = in.getTextOffset();
        try {
            return HEX.parseHex(in.getTextCharacters(), from, from + in.getTextLength());
        } catch (IllegalArgumentException error) {
            throw new BadQuestion("`data` is no hex: " + error.getMessage());
        }
    }
}
