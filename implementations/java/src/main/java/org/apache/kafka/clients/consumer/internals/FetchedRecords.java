package org.apache.kafka.clients.consumer.internals;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.FetchResponseData.AbortedTransaction;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.utils.*; // LogContext and BufferSupplier are here before 4.4,
import org.apache.kafka.common.utils.internals.*; // and there since

/**
 * What a consumer's poll makes of a Fetch response's partition: {@code FetchCollector.collectFetch}, with the consumer's
 * own buffer of fetches and state of positions. It stands in their package, for they are not public.
 *
 * @param records what the application gets
 * @param position the offset at which the consumer reads on
 */
public record FetchedRecords(List<ConsumerRecord<byte[], byte[]>> records, long position) {
    private static final TopicPartition PARTITION = new TopicPartition("wireproof", 0);
    private static final LogContext LOG = new LogContext();
    private static final BufferSupplier BUFFERS = BufferSupplier.create();

    private static final FetchMetricsManager METRICS =
            new FetchMetricsManager(new Metrics(), new FetchMetricsRegistry());
    private static final Deserializers<byte[], byte[]> DESERIALIZERS =
            new Deserializers<>(new ByteArrayDeserializer(), new ByteArrayDeserializer(), null);

    /** The records of one poll, at a consumer that stands at a position. */
    public static FetchedRecords poll(
            ByteBuffer data, long position, IsolationLevel isolation, List<AbortedTransaction> aborted) {
        SubscriptionState subscriptions = new SubscriptionState(LOG, AutoOffsetResetStrategy.NONE);
        subscriptions.assignFromUser(Set.of(PARTITION));
        subscriptions.seek(PARTITION, position);
        PartitionData fetched = new PartitionData()
                .setRecords(MemoryRecords.readableRecords(data))
                .setAbortedTransactions(aborted);
        FetchBuffer fetches = new FetchBuffer(LOG);
        fetches.add(new CompletedFetch(
                LOG.logger(CompletedFetch.class),
                subscriptions,
                BUFFERS,
                PARTITION,
                fetched,
                new FetchMetricsAggregator(METRICS, Set.of(PARTITION)),
                position));
        // Only an error in the response makes it look into metadata.
        Fetch<byte[], byte[]> fetch = new FetchCollector<>(
                        LOG, null, subscriptions, config(isolation), DESERIALIZERS, METRICS, Time.SYSTEM)
                .collectFetch(fetches);
        return new FetchedRecords(
                fetch.records().getOrDefault(PARTITION, List.of()), subscriptions.position(PARTITION).offset);
    }

    /** A consumer's defaults, but all records in one poll. The sizes are for requests alone. */
    private static FetchConfig config(IsolationLevel isolation) {
        return new FetchConfig(0, 0, 0, 0, Integer.MAX_VALUE, true, "", isolation);
    }
}
