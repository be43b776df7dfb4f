import java.nio.ByteBuffer;
import java.util.HexFormat;

import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ByteBufferAccessor;

/** A response header of version 1 whose tag announces 2^32-1 bytes: refused, but not by an error of the library. */
public class TagSize {
    private static final String CORRELATION_ID = "00000001";

    private static ResponseHeaderData read(String tags) {
        byte[] header = HexFormat.of().parseHex(CORRELATION_ID + tags);
        return new ResponseHeaderData(new ByteBufferAccessor(ByteBuffer.wrap(header)), (short) 1);
    }

    public static void main(String[] arguments) {
        for (var tag : read("@twin@").unknownTaggedFields()) {
            System.out.printf("valid: tag %d has %d bytes%n", tag.tag(), tag.size());
        }
        read("@bytes@");
    }
}
