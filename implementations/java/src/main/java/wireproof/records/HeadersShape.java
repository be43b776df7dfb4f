package wireproof.records;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.List;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import wireproof.BadQuestion;
import wireproof.value.Scalar;
import wireproof.value.Shape;
import wireproof.value.Values;

/** Headers as pairs of key and value, in order. */
final class HeadersShape implements Shape {
    @Override
    public void put(Object object, JsonGenerator out) throws IOException {
        out.writeStartArray();
        for (Header header : (Header[]) object) {
            out.writeStartArray();
            Scalar.STRING.put(header.key(), out);
            Scalar.BYTE_ARRAY.put(header.value(), out);
            out.writeEndArray();
        }
        out.writeEndArray();
    }

    /** Null stays null: what that is worth, {@code DefaultRecord} knows. */
    @Override
    public Object take(Object value) {
        if (value == null) {
            return null;
        }
        List<?> pairs = Values.expect(List.class, value);
        return pairs.stream().map(HeadersShape::header).toArray(Header[]::new);
    }

    private static Header header(Object pair) {
        if (!(pair instanceof List<?> both) || both.size() != 2) {
            throw new BadQuestion("a header's key and its value belong here: " + pair);
        }
        return new RecordHeader((String) Scalar.STRING.take(both.get(0)), (byte[]) Scalar.BYTE_ARRAY.take(both.get(1)));
    }
}
