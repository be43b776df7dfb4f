package wireproof.line;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamWriteFeature;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.internals.FetchedRecords;
import org.apache.kafka.common.requests.CorrelationIdMismatchException;
import wireproof.BadQuestion;
import wireproof.Half;
import wireproof.NotOffered;
import wireproof.Reason;
import wireproof.Refusal;
import wireproof.client.Client;
import wireproof.client.Outcome;
import wireproof.codec.Codec;
import wireproof.codec.Codecs;
import wireproof.codec.Versions;
import wireproof.message.Messages;
import wireproof.records.Conversion;
import wireproof.records.Delivery;
import wireproof.records.Production;
import wireproof.value.Scalar;

/** The line protocol: reads questions, asks the codecs, writes answers, and sends them before it waits for more. */
public final class Conversation {
    private static final String DIALECT = "kafka";
    private static final Set<String> WRITING = Set.of("encode", "produce");
    /** Bytes of answers that are kept back at most. */
    private static final int FULL = 1 << 16;

    private static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(Integer.MAX_VALUE)
                    .build())
            .disable(StreamWriteFeature.FLUSH_PASSED_TO_STREAM)
            .build();

    private final Codecs codecs;
    private final LineReader lines;
    private final Output out;
    /** How many lines were read. */
    private int number;
    /** Which half of the current question is under way. */
    private Half half = Half.DECODE;

    public Conversation(Codecs codecs, InputStream in, OutputStream out) {
        this.codecs = codecs;
        this.lines = new LineReader(in);
        this.out = new Output(out);
    }

    /** Answer until the questions end. */
    public void run() throws IOException {
        while (lines.next(out::send)) {
            answer(read());
            out.write('\n');
            if (out.size() > FULL) {
                out.send();
            }
        }
        out.send();
    }

    private Question read() throws IOException {
        number++;
        try (JsonParser parser = JSON.createParser(lines.buffer(), lines.start(), lines.length())) {
            return Question.read(parser);
        } catch (JsonProcessingException error) {
            throw new BadQuestion("line " + number + " is not JSON: " + lines.excerpt());
        } catch (BadQuestion error) {
            throw new BadQuestion("line " + number + ": " + error.getMessage() + ": " + lines.excerpt());
        }
    }

    private void answer(Question question) throws IOException {
        if (question.op.equals("describe")) {
            describe();
            return;
        }
        int before = out.size();
        half = WRITING.contains(question.op) ? Half.ENCODE : Half.DECODE;
        try (JsonGenerator json = begin(question)) {
            ask(question, json);
        } catch (NotOffered absent) {
            out.cut(before);
            notOffered(question, absent);
        } catch (Throwable thrown) {
            out.cut(before);
            if (Refusals.isMeant(thrown, half)) {
                refuse(question, thrown);
            } else {
                fail(question, thrown);
            }
        }
    }

    private void ask(Question question, JsonGenerator json) throws IOException {
        if (!codecs.ops().contains(question.op) || !DIALECT.equals(question.dialect)) {
            throw new NotOffered("no " + question.op + " in the dialect " + question.dialect);
        }
        if (question.op.equals("consume")) {
            FetchedRecords fetched =
                    Delivery.poll(question.data, question.position, question.isolation, question.aborted);
            json.writeObjectFieldStart("delivered");
            Delivery.putMembers(fetched, json);
            return;
        }
        if (question.op.equals("produce")) {
            putBytes(Production.write(question.records, question.magic, question.codec, question.options), json);
            return;
        }
        if (question.op.equals("interpret")) {
            putOutcome(interpret(question), json);
            return;
        }
        if (question.op.equals("negotiate")) {
            Integer version = Client.negotiate(question.apiKey, question.client, question.broker);
            json.writeFieldName("version");
            putNumber(version, json);
            return;
        }
        if (question.op.equals("convert")) {
            putBytes(Conversion.convert(question.data, question.to), json);
            return;
        }
        Codec codec = codecs.find(question.type, question.version);
        switch (question.op) {
            case "decode" -> {
                Object object = decode(codec, question.data);
                json.writeFieldName("value");
                codec.shape().put(object, json);
            }
            case "lookup" -> putValues(codec.lookup(decode(codec, question.data), question.key), json);
            case "encode" -> putBytes(codec.write(codec.shape().take(question.value)), json);
            default -> {
                Object object = decode(codec, question.data);
                half = Half.ENCODE;
                putBytes(codec.write(object), json);
            }
        }
    }

    /** A response that cannot be read, or that answers another request, comes out of the client as an exception. */
    private static Outcome interpret(Question question) {
        try {
            return Client.interpret(question.request, question.response);
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException(error);
        } catch (RuntimeException thrown) {
            if (thrown instanceof CorrelationIdMismatchException || Refusals.isMeant(thrown, Half.DECODE)) {
                return Outcome.MALFORMED;
            }
            throw thrown;
        }
    }

    private static void putOutcome(Outcome outcome, JsonGenerator json) throws IOException {
        json.writeObjectFieldStart("outcome");
        json.writeStringField("outcome", outcome.outcome());
        switch (outcome.outcome()) {
            case "retry" -> json.writeNumberField("version", outcome.version());
            case "error" -> {
                json.writeFieldName("error");
                putNumber(outcome.error(), json);
            }
            case "unsupported" -> json.writeStringField("request", outcome.request());
            default -> {}
        }
        json.writeEndObject();
    }

    private static void putNumber(Integer number, JsonGenerator json) throws IOException {
        if (number == null) {
            json.writeNull();
        } else {
            json.writeNumber(number);
        }
    }

    /** The library's object for the bytes; its reader moved the buffer's position, so bytes left over are a refusal. */
    private static Object decode(Codec codec, byte[] data) {
        ByteBuffer in = ByteBuffer.wrap(data);
        Object object = codec.read(in);
        if (in.hasRemaining()) {
            throw new Refusal(Reason.TRAILING_BYTES, in.position(), in.remaining() + " bytes left over");
        }
        return object;
    }

    private static void putValues(List<byte[]> values, JsonGenerator json) throws IOException {
        json.writeArrayFieldStart("value");
        for (byte[] value : values) {
            Scalar.BYTE_ARRAY.put(value, json);
        }
        json.writeEndArray();
    }

    private static void putBytes(ByteBuffer bytes, JsonGenerator json) throws IOException {
        int from = bytes.arrayOffset() + bytes.position();
        json.writeStringField("data", HexFormat.of().formatHex(bytes.array(), from, from + bytes.remaining()));
    }

    /** An answer's generator; closing it closes the objects that are open. */
    private JsonGenerator begin(Question question) throws IOException {
        JsonGenerator json = JSON.createGenerator(out);
        json.writeStartObject();
        json.writeNumberField("seq", question.seq);
        return json;
    }

    private void notOffered(Question question, NotOffered absent) throws IOException {
        try (JsonGenerator json = begin(question)) {
            json.writeStringField("unsupported", absent.getMessage());
        }
    }

    private void refuse(Question question, Throwable thrown) throws IOException {
        Reason reason = Refusals.reason(thrown, half);
        try (JsonGenerator json = begin(question)) {
            json.writeObjectFieldStart("reject");
            json.writeStringField("reason", reason == null ? null : reason.toString());
            if (thrown instanceof Refusal refusal && refusal.offset() != null) {
                json.writeNumberField("offset", refusal.offset());
            }
            if (question.op.equals("recode")) {
                json.writeStringField("half", half.toString());
            }
            json.writeStringField("detail", Refusals.text(thrown));
        }
    }

    private void fail(Question question, Throwable thrown) throws IOException {
        try (JsonGenerator json = begin(question)) {
            json.writeStringField("error", thrown.toString());
            json.writeStringField("exception", thrown.getClass().getName());
            json.writeStringField("frame", Refusals.topFrame(thrown));
        }
    }

    private void describe() throws IOException {
        try (JsonGenerator json = JSON.createGenerator(out)) {
            json.writeStartObject();
            json.writeStringField("name", codecs.name());
            json.writeStringField("version", Messages.version());
            json.writeStringField("language", "java");
            putTexts("dialects", List.of(DIALECT), json);
            putTexts("ops", codecs.ops(), json);
            json.writeObjectFieldStart("readings");
            for (Map.Entry<String, String> reading : codecs.readings().entrySet()) {
                json.writeStringField(reading.getKey(), reading.getValue());
            }
            json.writeEndObject();
            json.writeObjectFieldStart("types");
            json.writeObjectFieldStart(DIALECT);
            for (Map.Entry<String, Versions> type : codecs.types().entrySet()) {
                json.writeFieldName(type.getKey());
                putVersions(type.getValue(), json);
            }
        }
    }

    private static void putTexts(String name, List<String> texts, JsonGenerator json) throws IOException {
        json.writeFieldName(name);
        json.writeArray(texts.toArray(new String[0]), 0, texts.size());
    }

    private static void putVersions(Versions versions, JsonGenerator json) throws IOException {
        if (versions == Versions.NONE) {
            json.writeNull();
        } else {
            json.writeArray(new int[] {versions.lowest(), versions.highest()}, 0, 2);
        }
    }
}
