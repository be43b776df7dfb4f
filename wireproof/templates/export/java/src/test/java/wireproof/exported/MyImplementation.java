package wireproof.exported;

import java.io.ByteArrayOutputStream;

/**
 * Your implementation: put calls of your library here, and leave out what it does not have. As an example it has the type
 * VARINT.
 */
final class MyImplementation implements Implementation {
    @Override
    public Object decode(Form form, byte[] data) {
        demandVarint(form);
        long bits = 0;
        int size = 0;
        do {
            if (size == data.length || size == 5) {
                throw new Refused("no end after " + size + " bytes");
            }
            bits |= (long) (data[size] & 0x7f) << 7 * size;
        } while (data[size++] < 0);
        if (size < data.length || bits >> 32 != 0) {
            throw new Refused("bytes after a VARINT, or more than 32 bits");
        }
        return bits >> 1 ^ -(bits & 1);
    }

    @Override
    public byte[] encode(Form form, Object value) {
        demandVarint(form);
        if (!(value instanceof Long number) || number != number.intValue()) {
            throw new Refused(value + " is no int32");
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        long left = number << 1 ^ number >> 63;
        for (; left > 0x7f; left >>= 7) {
            bytes.write((int) (left & 0x7f | 0x80));
        }
        bytes.write((int) left);
        return bytes.toByteArray();
    }

    private static void demandVarint(Form form) {
        if (!form.dialect().equals("kafka") || !form.type().equals("VARINT")) {
            throw new NotOffered(form.type());
        }
    }
}
