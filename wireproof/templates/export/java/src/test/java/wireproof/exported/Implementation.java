// SPDX-License-Identifier: Apache-2.0. @versions@.

package wireproof.exported;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The ops of an implementation; those that are not overridden are skipped, and counted. A {@link NotOffered} skips a
 * question, a {@link Refused} refuses an input, and so does what {@link #isRefusal} says. Everything else that is thrown is
 * a crash, and fails.
 *
 * <p>Values are: Long, or BigInteger where that is too small (in an answer any integer); byte[]; java.util.UUID;
 * {@link Float64} (in an answer a Double too); List; Map by the names of fields; Boolean; String; null. In an answer, the
 * key of a header may be byte[].
 */
public interface Implementation {
    /** What bytes are. version: null for a type without versions. */
    record Form(String dialect, String type, Integer version) {}

    /** What a broker sent, and whether it then closed the connection. */
    record Conversation(byte[] sent, boolean closed) {}

    /** An aborted transaction, as a Fetch answer lists it. */
    record Aborted(long producerId, long firstOffset) {}

    /**
     * A partition's records as a Fetch answer holds them, and what a consumer wants of them. isolation: "read_uncommitted" or
     * "read_committed".
     */
    record Fetch(byte[] data, long position, String isolation, List<Aborted> aborted) {}

    default Object decode(Form form, byte[] data) throws Exception {
        throw new NotOffered("decode");
    }

    default byte[] encode(Form form, Object value) throws Exception {
        throw new NotOffered("encode");
    }

    /** Decode, then encode. */
    default byte[] recode(Form form, byte[] data) throws Exception {
        Object value = decode(form, data);
        try {
            return encode(form, value);
        } catch (NotOffered absent) {
            throw absent;
        } catch (Exception error) {
            if (error instanceof Refused || isRefusal(error)) {
                throw new ReadOnly(error);
            }
            throw error;
        }
    }

    /** All values of a header's key, in order. */
    default List<?> lookup(Form form, byte[] data, Object key) throws Exception {
        throw new NotOffered("lookup");
    }

    /** The content, written in the format `to`. */
    default byte[] convert(Form form, byte[] data, Object to) throws Exception {
        throw new NotOffered("convert");
    }

    /**
     * What an application is given from the position on: "records", a List of Maps, and "position", where the consumer reads
     * on. A record has "offset", "timestamp", "timestamp_type", "key", "value" and "headers"; the "timestamp_type" may be left
     * out of all records.
     */
    default Map<String, ?> consume(String dialect, Fetch fetch) throws Exception {
        throw new NotOffered("consume");
    }

    /** A broker gets these chunks on one connection. */
    default Conversation serve(String dialect, List<byte[]> chunks) throws Exception {
        throw new NotOffered("serve");
    }

    /** A client's outcome: its request got this response; null: the connection was closed. */
    default Map<String, ?> interpret(String dialect, byte[] request, byte[] response) throws Exception {
        throw new NotOffered("interpret");
    }

    /**
     * The version to use, of those that client and broker have (low, high), or null. broker null: it does not have the api.
     */
    default Number negotiate(String dialect, Number apiKey, int[] client, int[] broker) throws Exception {
        throw new NotOffered("negotiate");
    }

    /** Whether a schema breaks compatibility with an old one (an array: with each of them). Both are JSON. */
    default boolean evolve(String dialect, String oldSchema, String newSchema) throws Exception {
        throw new NotOffered("evolve");
    }

    /** Gets a dialect's settings, JSON, before its questions. False: those that need settings are skipped. */
    default boolean configure(String dialect, String settings) throws Exception {
        return false;
    }

    /** Whether an exception of the library refuses an input. */
    default boolean isRefusal(Throwable error) {
        return false;
    }

    /**
     * The contested rulings of which you chose another reading. null: every other reading is only told. Else those of
     * rulings that are not here fail.
     */
    default Set<String> readings() {
        return null;
    }

    /** The fields of a type that the library's writer sets itself: written bytes are compared without them. */
    default Set<String> rebuilds(String type) {
        return Set.of();
    }
}
