import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Writes records in every codec with Java's client: plainly, and in transactions that are committed and aborted. */
final class JavaProducer {
    public static void main(String[] arguments) throws Exception {
        for (String codec : List.of("none", "gzip", "snappy", "lz4", "zstd")) {
            for (boolean transactional : new boolean[] {false, true}) {
                write(arguments[0], codec, transactional);
            }
        }
    }

    private static void write(String address, String codec, boolean transactional) throws Exception {
        Properties settings = new Properties();
        settings.put("bootstrap.servers", address);
        settings.put("compression.type", codec);
        settings.put("linger.ms", 20);
        if (transactional) {
            settings.put("transactional.id", "java-" + codec);
        }
        try (var producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            if (!transactional) {
                send(producer, "java-" + codec);
                return;
            }
            producer.initTransactions();
            for (boolean commit : new boolean[] {true, false}) {
                producer.beginTransaction();
                send(producer, "java-" + codec);
                if (commit) {
                    producer.commitTransaction();
                } else {
                    producer.flush();
                    producer.abortTransaction();
                }
            }
        }
    }

    private static void send(KafkaProducer<byte[], byte[]> producer, String topic) throws Exception {
        for (int number = 0; number < 40; number++) {
            byte[] value = number % 7 == 0 ? null : "value".repeat(number).getBytes(StandardCharsets.UTF_8);
            var entry = new ProducerRecord<byte[], byte[]>(topic, null, number % 3 == 0 ? null : new byte[] {1}, value);
            for (int header = 0; header < number % 4; header++) {
                entry.headers().add(new RecordHeader(header == 2 ? "same" : "key", header == 1 ? null : value));
            }
            producer.send(entry);
        }
        producer.flush();
    }
}
