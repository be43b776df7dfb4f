package wireproof.running;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * kafka-clients as a client: it writes one record to partition 0 of the topic "test" and reads it back. The exit code is
 * 0 where that worked, 1 where it did not, 2 without an address.
 */
public final class RunningClient {
    private static final TopicPartition PARTITION = new TopicPartition("test", 0);
    private static final byte[] VALUE = "v".getBytes(UTF_8);
    private static final int SECONDS = 6;
    private static final Duration CLOSING = Duration.ofSeconds(1);
    private static final Map<String, Object> PRODUCING = Map.of(
            "acks", "1",
            "enable.idempotence", false,
            "retries", 2,
            "linger.ms", 0,
            "request.timeout.ms", 2000,
            "delivery.timeout.ms", 3000,
            "max.block.ms", 1000 * SECONDS);
    private static final Map<String, Object> CONSUMING = Map.of(
            "auto.offset.reset", "earliest",
            "enable.auto.commit", false,
            "request.timeout.ms", 2000,
            "default.api.timeout.ms", 1000 * SECONDS);

    private RunningClient() {}

    public static void main(String[] arguments) {
        if (arguments.length != 1) {
            System.err.println("usage: client_kafka_clients ADDRESS");
            System.exit(2);
        }
        try {
            System.exit(works(arguments[0]) ? 0 : 1);
        } catch (KafkaException | ExecutionException | InterruptedException error) {
            System.err.println(error);
            System.exit(1);
        }
    }

    private static boolean works(String address) throws ExecutionException, InterruptedException {
        KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                with(CONSUMING, address), new ByteArrayDeserializer(), new ByteArrayDeserializer());
        try {
            write(address);
            return read(consumer);
        } finally {
            consumer.close(CloseOptions.timeout(CLOSING));
        }
    }

    private static void write(String address) throws ExecutionException, InterruptedException {
        KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(with(PRODUCING, address), new ByteArraySerializer(), new ByteArraySerializer());
        try {
            producer.send(new ProducerRecord<>(PARTITION.topic(), PARTITION.partition(), null, VALUE))
                    .get();
        } finally {
            producer.close(CLOSING);
        }
    }

    /** Whether the first record of the partition is the one that was written. */
    private static boolean read(KafkaConsumer<byte[], byte[]> consumer) {
        consumer.assign(List.of(PARTITION));
        for (long end = System.nanoTime() + SECONDS * 1_000_000_000L; System.nanoTime() < end; ) {
            for (ConsumerRecord<byte[], byte[]> one : consumer.poll(Duration.ofMillis(100))) {
                return Arrays.equals(one.value(), VALUE);
            }
        }
        return false;
    }

    private static Map<String, Object> with(Map<String, Object> settings, String address) {
        Map<String, Object> all = new HashMap<>(settings);
        all.put("bootstrap.servers", address);
        return all;
    }
}
