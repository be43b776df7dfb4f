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
    String to;
    Object value;
    Object position;
    String isolation;
    Object aborted;
    Object records;
    int magic;
    String codec;
    Object options;
    byte[] request;
    byte[] response;
    int apiKey;
    int[] client;
    int[] broker;

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
            case "to" -> to = in.getText();
            case "value" -> value = Values.read(in);
            case "position" -> position = Values.read(in);
            case "isolation" -> isolation = in.getText();
            case "aborted" -> aborted = Values.read(in);
            case "records" -> records = Values.read(in);
            case "magic" -> magic = in.getIntValue();
            case "codec" -> codec = in.getText();
            case "options" -> options = Values.read(in);
            case "request" -> request = hex(in);
            case "response" -> response = in.currentToken() == JsonToken.VALUE_NULL ? null : hex(in);
            case "api_key" -> apiKey = in.getIntValue();
            case "client" -> client = span(in);
            case "broker" -> broker = in.currentToken() == JsonToken.VALUE_NULL ? null : span(in);
            default -> in.skipChildren();
        }
    }

    private static byte[] hex(JsonParser in) throws IOException {
        int from = in.getTextOffset();
        try {
            return HEX.parseHex(in.getTextCharacters(), from, from + in.getTextLength());
        } catch (IllegalArgumentException error) {
            throw new BadQuestion("this is no hex: " + error.getMessage());
        }
    }

    /** [lowest, highest]. */
    private static int[] span(JsonParser in) throws IOException {
        in.nextToken();
        int lowest = in.getIntValue();
        in.nextToken();
        int highest = in.getIntValue();
        if (in.nextToken() != JsonToken.END_ARRAY) {
            throw new BadQuestion("a range has two versions");
        }
        return new int[] {lowest, highest};
    }
}
