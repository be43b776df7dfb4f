package wireproof.records;

import java.nio.ByteBuffer;
import org.apache.kafka.common.header.Header;

/** A record of magic 2 as it is stored: {@code DefaultRecord} has absolute offsets and timestamps. */
record Item(
        byte attributes, long timestampDelta, int offsetDelta, ByteBuffer key, ByteBuffer value, Header[] headers) {}
