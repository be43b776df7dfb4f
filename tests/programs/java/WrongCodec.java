package wireproof.exported;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.CRC32C;

/**
 * A small codec that is right, until the variable MUTANT names one of its faults. tests/export/test_export_java.py asks it through
 * exported tests and through the line protocol.
 */
class WrongCodec implements Implementation {
    /** The faults, each with the area in which it shows. */
    static final Map<String, String> MUTANTS = Map.ofEntries(
            Map.entry("varint without zigzag", "varints"),
            Map.entry("varint of any width", "varints"),
            Map.entry("varint cut off", "varints"),
            Map.entry("integer cut to its size", "framing"),
            Map.entry("null string as an empty one", "null-encodings"),
            Map.entry("string of any length", "null-encodings"),
            Map.entry("null bytes as empty ones", "null-encodings"),
            Map.entry("tags in any order", "tag-ordering"),
            Map.entry("size of a tag not looked at", "tag-ordering"),
            Map.entry("headers from the last", "header-multimaps"),
            Map.entry("null header as an empty one", "header-multimaps"),
            Map.entry("checksum not looked at", "framing"),
            Map.entry("offset deltas lost", "header-multimaps"),
            Map.entry("bytes behind the end", "framing"));

    /** No faults: the writer sets a field itself, and says so; keys of headers are bytes, and a length is shown. */
    static final String REBUILT = "offset deltas set by the writer";

    static final String AS_IT_IS = "records as a library has them";

    static final List<String> TYPES = List.of(
            "INT16",
            "INT32",
            "BOOLEAN",
            "VARINT",
            "VARLONG",
            "NULLABLE_STRING",
            "COMPACT_NULLABLE_STRING",
            "NULLABLE_BYTES",
            "TAG_BUFFER",
            "Record");
    /** Those that are only read. */
    static final List<String> READ = List.of("RecordBatch");

    private static final int LONGEST = Short.MAX_VALUE;
    private static final String MUTANT = System.getenv().getOrDefault("MUTANT", "");

    private static boolean is(String mutant) {
        if (!MUTANTS.containsKey(mutant) && !List.of(REBUILT, AS_IT_IS).contains(mutant)) {
            throw new IllegalArgumentException(mutant);
        }
        return MUTANT.equals(mutant);
    }

    private static void demand(boolean condition, String reason) {
        if (!condition) {
            throw new Refused(reason, reason);
        }
    }

    @Override
    public Set<String> rebuilds(String type) {
        return is(REBUILT) && type.startsWith("Record") ? Set.of("offsetDelta") : Set.of();
    }

    @Override
    public Object decode(Form form, byte[] data) {
        offered(form, true);
        ByteBuffer in = ByteBuffer.wrap(data);
        Object value = read(form.type(), in);
        demand(!in.hasRemaining() || is("bytes behind the end"), "trailing-bytes");
        return value;
    }

    @Override
    public byte[] encode(Form form, Object value) {
        offered(form, false);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        write(form.type(), value, out);
        return out.toByteArray();
    }

    @Override
    public byte[] recode(Form form, byte[] data) throws Exception {
        offered(form, false);
        return Implementation.super.recode(form, data);
    }

    private static void offered(Form form, boolean toRead) {
        boolean there = TYPES.contains(form.type()) || toRead && READ.contains(form.type());
        if (!form.dialect().equals("kafka") || !there) {
            throw new NotOffered(form.type());
        }
    }

    private static byte[] take(ByteBuffer in, int size) {
        demand(size >= 0 && size <= in.remaining(), "truncated");
        byte[] taken = new byte[size];
        in.get(taken);
        return taken;
    }

    private static long integer(ByteBuffer in, int size) {
        long number = 0;
        byte[] octets = take(in, size);
        for (int index = 0; index < size; index++) {
            number = index == 0 ? octets[0] : number << 8 | octets[index] & 0xff;
        }
        return number;
    }

    /** Groups of seven bits, the least first, of a number of so many bits. */
    private static long unsigned(ByteBuffer in, int bits) {
        long number = 0;
        for (int shift = 0; ; shift += 7) {
            if (!in.hasRemaining() && is("varint cut off")) {
                return number;
            }
            int group = take(in, 1)[0] & 0xff;
            boolean fits = shift + 7 <= bits || shift < bits && group >> (bits - shift) == 0;
            demand(fits || is("varint of any width"), "varint-overflow");
            number |= shift < Long.SIZE ? (long) (group & 0x7f) << shift : 0;
            if (group < 0x80) {
                return number;
            }
        }
    }

    private static long signed(ByteBuffer in, int bits) {
        long number = unsigned(in, bits);
        return is("varint without zigzag") ? number : number >>> 1 ^ -(number & 1);
    }

    private static void putUnsigned(long number, ByteArrayOutputStream out) {
        for (; (number & ~0x7fL) != 0; number >>>= 7) {
            out.write((int) (number & 0x7f | 0x80));
        }
        out.write((int) number);
    }

    private static Object read(String type, ByteBuffer in) {
        return switch (type) {
            case "INT16" -> integer(in, 2);
            case "INT32" -> integer(in, 4);
            case "BOOLEAN" -> integer(in, 1) != 0;
            case "VARINT" -> signed(in, 32);
            case "VARLONG" -> signed(in, 64);
            case "NULLABLE_STRING" -> text(in, integer(in, 2));
            case "COMPACT_NULLABLE_STRING" -> text(in, unsigned(in, 32) - 1);
            case "NULLABLE_BYTES" -> octets(in, integer(in, 4));
            case "TAG_BUFFER" -> tags(in);
            case "Record" -> record(in);
            default -> batch(in);
        };
    }

    private static String text(ByteBuffer in, long length) {
        if (length == -1) {
            return is("null string as an empty one") ? "" : null;
        }
        demand(length >= 0, "negative-length");
        demand(length <= LONGEST || is("string of any length"), "string-too-long");
        demand(length <= in.remaining(), "truncated");
        return new String(take(in, (int) length), StandardCharsets.UTF_8);
    }

    private static byte[] octets(ByteBuffer in, long length) {
        if (length == -1) {
            return is("null bytes as empty ones") ? new byte[0] : null;
        }
        demand(length >= 0, "negative-length");
        demand(length <= in.remaining(), "truncated");
        return take(in, (int) length);
    }

    private static List<Object> tags(ByteBuffer in) {
        List<Object> tags = new ArrayList<>();
        long last = -1;
        for (long count = unsigned(in, 32); count > 0; count--) {
            long tag = unsigned(in, 32);
            long size = unsigned(in, 32);
            demand(tag > last || is("tags in any order"), "tag-order");
            last = tag;
            if (is("size of a tag not looked at")) {
                size = Math.min(size, in.remaining());
            }
            demand(size <= in.remaining(), "truncated");
            tags.add(List.of(tag, take(in, (int) size)));
        }
        return tags;
    }

    /** A varint length and its bytes; null for -1. */
    private static byte[] withLength(ByteBuffer in) {
        long length = signed(in, 32);
        if (length == -1) {
            return null;
        }
        demand(length >= 0 && length <= in.remaining(), "truncated");
        return take(in, (int) length);
    }

    private static Map<String, Object> record(ByteBuffer in) {
        byte[] content = withLength(in);
        demand(content != null, "negative-length");
        ByteBuffer body = ByteBuffer.wrap(content);
        Map<String, Object> record = new HashMap<>();
        record.put("attributes", integer(body, 1));
        record.put("timestampDelta", signed(body, 64));
        record.put("offsetDelta", signed(body, 32));
        record.put("key", withLength(body));
        record.put("value", withLength(body));
        List<Object> headers = new ArrayList<>();
        long count = signed(body, 32);
        demand(count >= 0, "negative-count");
        for (; count > 0; count--) {
            byte[] key = withLength(body);
            demand(key != null, "null-not-allowed");
            byte[] value = withLength(body);
            if (value == null && is("null header as an empty one")) {
                value = new byte[0];
            }
            List<Object> header = new ArrayList<>();
            header.add(is(AS_IT_IS) ? key : new String(key, StandardCharsets.UTF_8));
            header.add(value);
            headers.add(is("headers from the last") ? 0 : headers.size(), header);
        }
        record.put("headers", headers);
        if (is(AS_IT_IS)) {
            record.put("length", content.length);
        }
        if (is(REBUILT) || is("offset deltas lost")) {
            record.remove("offsetDelta");
        }
        demand(!body.hasRemaining(), "length-mismatch");
        return record;
    }

    /** A RecordBatch that is not compressed: 61 bytes of head, then the records. */
    private static Map<String, Object> batch(ByteBuffer in) {
        demand(in.remaining() >= 61, "truncated");
        int start = in.position();
        int length = in.getInt(start + 8);
        demand(in.get(start + 16) == 2, "unsupported-magic");
        demand(length >= 49 && length <= in.remaining() - 12, "truncated");
        demand(length == in.remaining() - 12, "trailing-bytes");
        CRC32C checksum = new CRC32C();
        checksum.update(in.array(), start + 21, in.remaining() - 21);
        demand((int) checksum.getValue() == in.getInt(start + 17) || is("checksum not looked at"), "crc-mismatch");
        short attributes = in.getShort(start + 21);
        if ((attributes & 0x27) != 0) {
            throw new NotOffered("compressed and control batches");
        }
        Map<String, Object> batch = new HashMap<>();
        batch.put("baseOffset", in.getLong());
        in.getInt();
        batch.put("partitionLeaderEpoch", in.getInt());
        in.position(start + 21);
        batch.put("attributes", in.getShort());
        batch.put("lastOffsetDelta", in.getInt());
        batch.put("baseTimestamp", in.getLong());
        batch.put("maxTimestamp", in.getLong());
        batch.put("producerId", in.getLong());
        batch.put("producerEpoch", in.getShort());
        batch.put("baseSequence", in.getInt());
        List<Object> records = new ArrayList<>();
        for (int count = in.getInt(); records.size() < count; ) {
            records.add(record(in));
        }
        batch.put("records", records);
        return batch;
    }

    private static void write(String type, Object value, ByteArrayOutputStream out) {
        switch (type) {
            case "INT16" -> putInteger(whole(value, Short.SIZE), 2, out);
            case "INT32" -> putInteger(whole(value, Integer.SIZE), 4, out);
            case "BOOLEAN" -> {
                demand(value instanceof Boolean, "out-of-range");
                out.write(value.equals(true) ? 1 : 0);
            }
            case "VARINT" -> putSigned(whole(value, Integer.SIZE), out);
            case "VARLONG" -> putSigned(whole(value, Long.SIZE), out);
            case "NULLABLE_STRING" -> {
                byte[] text = bytes(value);
                putInteger(text == null ? -1 : text.length, 2, out);
                out.writeBytes(text == null ? new byte[0] : text);
            }
            case "COMPACT_NULLABLE_STRING" -> {
                byte[] text = bytes(value);
                putUnsigned(text == null ? 0 : text.length + 1, out);
                out.writeBytes(text == null ? new byte[0] : text);
            }
            case "NULLABLE_BYTES" -> {
                byte[] data = (byte[]) value;
                putInteger(data == null ? -1 : data.length, 4, out);
                out.writeBytes(data == null ? new byte[0] : data);
            }
            case "Record" -> putRecord(value, out);
            default -> putTags(value, out);
        }
    }

    private static void putRecord(Object value, ByteArrayOutputStream out) {
        demand(value instanceof Map<?, ?>, "out-of-range");
        Map<?, ?> record = (Map<?, ?>) value;
        demand(record.size() <= 6 || record.containsKey("length"), "unknown-field");
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        putInteger(whole(record.get("attributes"), Byte.SIZE), 1, body);
        putSigned(whole(record.get("timestampDelta"), Long.SIZE), body);
        boolean sets = is(REBUILT) || is("offset deltas lost");
        Object given = sets && !record.containsKey("offsetDelta") ? (Object) 0L : record.get("offsetDelta");
        long offset = whole(given, Integer.SIZE);
        putSigned(sets ? 0 : offset, body);
        putWithLength(record.get("key"), body);
        putWithLength(record.get("value"), body);
        demand(record.get("headers") instanceof List<?>, "null-not-allowed");
        List<?> headers = (List<?>) record.get("headers");
        putSigned(headers.size(), body);
        for (Object one : headers) {
            List<?> header = (List<?>) one;
            demand(header.get(0) != null, "null-not-allowed");
            putWithLength(header.get(0), body);
            putWithLength(header.get(1), body);
        }
        putSigned(body.size(), out);
        out.writeBytes(body.toByteArray());
    }

    /** A varint length and the bytes of text or bytes; −1 for null. */
    private static void putWithLength(Object value, ByteArrayOutputStream out) {
        byte[] data = value instanceof String text ? text.getBytes(StandardCharsets.UTF_8) : (byte[]) value;
        putSigned(data == null ? -1 : data.length, out);
        out.writeBytes(data == null ? new byte[0] : data);
    }

    private static long whole(Object value, int bits) {
        boolean isLong = value instanceof Long;
        long number = isLong ? (Long) value : 0;
        boolean fits = isLong && number >> (bits - 1) == number >> 63;
        demand(fits || isLong && is("integer cut to its size"), "out-of-range");
        return number;
    }

    private static void putInteger(long number, int size, ByteArrayOutputStream out) {
        for (int shift = 8 * (size - 1); shift >= 0; shift -= 8) {
            out.write((int) (number >> shift));
        }
    }

    private static void putSigned(long number, ByteArrayOutputStream out) {
        putUnsigned(is("varint without zigzag") ? number : number << 1 ^ number >> 63, out);
    }

    private static byte[] bytes(Object value) {
        if (value == null) {
            return is("null string as an empty one") ? new byte[0] : null;
        }
        byte[] text = ((String) value).getBytes(StandardCharsets.UTF_8);
        demand(text.length <= LONGEST || is("string of any length"), "string-too-long");
        return text;
    }

    private static void putTags(Object value, ByteArrayOutputStream out) {
        demand(value instanceof List<?>, "out-of-range");
        List<?> tags = (List<?>) value;
        putUnsigned(tags.size(), out);
        long last = -1;
        for (Object one : tags) {
            demand(one instanceof List<?> pair && pair.size() == 2 && pair.get(1) instanceof byte[], "out-of-range");
            List<?> pair = (List<?>) one;
            demand(pair.get(0) instanceof Long, "out-of-range");
            long tag = (Long) pair.get(0);
            demand(tag >= 0 && tag >> 32 == 0, "out-of-range");
            demand(tag > last || is("tags in any order"), "tag-order");
            last = tag;
            putUnsigned(tag, out);
            putUnsigned(((byte[]) pair.get(1)).length, out);
            out.writeBytes((byte[]) pair.get(1));
        }
    }
}
