package wireproof.records;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * A message of magic 0 or 1. A compressed wrapper has `messages` and no value, others have none of these; magic 0 has
 * no timestamp.
 */
record Message(
        byte magic,
        long offset,
        byte attributes,
        Long timestamp,
        ByteBuffer key,
        ByteBuffer value,
        List<Message> messages) {}
