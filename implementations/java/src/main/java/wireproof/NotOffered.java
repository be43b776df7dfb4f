package wireproof;

/** The library has no such type, version or operation. The text says which. */
public final class NotOffered extends RuntimeException {
    private static final long serialVersionUID = 1;

    public NotOffered(String detail) {
        super(detail);
    }
}
