package wireproof.records;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.internals.FetchedRecords;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.message.FetchResponseData.AbortedTransaction;
import wireproof.value.Scalar;
import wireproof.value.Shape;
import wireproof.value.Values;

/** The consumer's answer to `consume`: what an application gets of a partition, and where the consumer reads on. */
public final class Delivery {
    private static final Shape HEADERS = new HeadersShape();

    private Delivery() {}

    /**
     * What the consumer makes of the bytes.
     *
     * @param position as {@link Values} read it
     * @param aborted as {@link Values} read it: a list of objects with `producer_id` and `first_offset`
     */
    public static FetchedRecords poll(byte[] data, Object position, String isolation, Object aborted) {
        List<AbortedTransaction> transactions = new ArrayList<>();
        for (Object each : Values.expect(List.class, aborted)) {
            Map<?, ?> members = Values.expect(Map.class, each);
            transactions.add(new AbortedTransaction()
                    .setProducerId((Long) Scalar.INT64.take(members.get("producer_id")))
                    .setFirstOffset((Long) Scalar.INT64.take(members.get("first_offset"))));
        }
        return FetchedRecords.poll(
                ByteBuffer.wrap(data),
                (Long) Scalar.INT64.take(position),
                IsolationLevel.valueOf(isolation.toUpperCase(Locale.ROOT)),
                transactions);
    }

    /** The members of the object that is open. */
    public static void putMembers(FetchedRecords fetched, JsonGenerator out) throws IOException {
        out.writeArrayFieldStart("records");
        for (ConsumerRecord<byte[], byte[]> record : fetched.records()) {
            out.writeStartObject();
            out.writeFieldName("offset");
            Scalar.INT64.put(record.offset(), out);
            out.writeFieldName("timestamp");
            Scalar.INT64.put(record.timestamp(), out);
            out.writeStringField(
                    "timestamp_type",
                    switch (record.timestampType()) {
                        case CREATE_TIME -> "create";
                        case LOG_APPEND_TIME -> "append";
                        case NO_TIMESTAMP_TYPE -> null;
                    });
            out.writeFieldName("key");
            Scalar.BYTE_ARRAY.put(record.key(), out);
            out.writeFieldName("value");
            Scalar.BYTE_ARRAY.put(record.value(), out);
            out.writeFieldName("headers");
            HEADERS.put(record.headers().toArray(), out);
            out.writeEndObject();
        }
        out.writeEndArray();
        out.writeFieldName("position");
        Scalar.INT64.put(fetched.position(), out);
    }
}
