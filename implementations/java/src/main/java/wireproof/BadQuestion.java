package wireproof;

/** A question that breaks the line protocol, or a value that is none of its type: the asking side is at fault. */
public final class BadQuestion extends RuntimeException {
    private static final long serialVersionUID = 1;

    public BadQuestion(String detail) {
        super(detail);
    }
}
