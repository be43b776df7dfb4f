package wireproof.records;

import java.util.List;

/** A batch of magic 2: what {@code DefaultRecordBatch} tells by its getters, and takes in {@code writeHeader}. */
record Batch(
        long baseOffset,
        int partitionLeaderEpoch,
        short attributes,
        int lastOffsetDelta,
        long baseTimestamp,
        long maxTimestamp,
        long producerId,
        short producerEpoch,
        int baseSequence,
        List<Item> records) {}
