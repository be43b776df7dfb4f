import java.nio.ByteBuffer;
import java.util.HexFormat;

import org.apache.kafka.common.record.internal.MemoryRecords;

/** A message of magic 1 has at least 22 bytes. One of 21 is not refused as corrupt: reading it runs over its end. */
public class ShortMessage {
    private static void read(String set) {
        ByteBuffer bytes = ByteBuffer.wrap(HexFormat.of().parseHex(set));
        for (var message : MemoryRecords.readableRecords(bytes).records()) {
            message.ensureValid();
            System.out.printf("offset %d, value %s%n", message.offset(), message.value());
        }
    }

    public static void main(String[] arguments) {
        read("@twin@");
        read("@bytes@");
    }
}
