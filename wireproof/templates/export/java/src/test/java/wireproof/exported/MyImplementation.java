package wireproof.exported;

import java.nio.ByteBuffer;

/** Your implementation: put calls of your library here, and leave out what it does not have. */
final class MyImplementation implements Implementation {
    @Override
    public Object decode(Form form, byte[] data) {
        demandInt16(form);
        if (data.length != 2) {
            throw new Refused(data.length + " bytes; an INT16 has two");
        }
        return ByteBuffer.wrap(data).getShort();
    }

    @Override
    public byte[] encode(Form form, Object value) {
        demandInt16(form);
        if (!(value instanceof Number number) || number.longValue() != number.shortValue()) {
            throw new Refused(value + " is no INT16");
        }
        return ByteBuffer.allocate(2).putShort(number.shortValue()).array();
    }

    private static void demandInt16(Form form) {
        if (!form.dialect().equals("kafka") || !form.type().equals("INT16")) {
            throw new NotOffered(form.type());
        }
    }
}
