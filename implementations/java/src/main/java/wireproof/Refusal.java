package wireproof;

/**
 * A refusal that the wrapper has to put into words: the library told how much it read, and that was not all; or its
 * Java types cannot hold the value that is to be written. Everything else is refused by the library's own exceptions.
 */
public final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final Reason reason;
    private final Integer offset;

    public Refusal(Reason reason, String detail) {
        this(reason, null, detail);
    }

    public Refusal(Reason reason, Integer offset, String detail) {
        super(detail);
        this.reason = reason;
        this.offset = offset;
    }

    public Reason reason() {
        return reason;
    }

    /** The byte at fault, null where there is none. */
    public Integer offset() {
        return offset;
    }
}
