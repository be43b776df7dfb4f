package wireproof.client;

/** What a client makes of a response: the contract's outcome, and what belongs to it, null where there is nothing. */
public record Outcome(String outcome, Integer version, Integer error, String request) {
    static final Outcome ACCEPTED = new Outcome("accepted", null, null, null);
    public static final Outcome MALFORMED = new Outcome("malformed", null, null, null);
    static final Outcome CLOSED = new Outcome("error", null, null, null);

    static Outcome retry(int version) {
        return new Outcome("retry", version, null, null);
    }

    static Outcome error(int code) {
        return new Outcome("error", null, code, null);
    }

    static Outcome unsupported(String request) {
        return new Outcome("unsupported", null, null, request);
    }
}
