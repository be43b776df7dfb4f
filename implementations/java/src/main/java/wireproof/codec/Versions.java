package wireproof.codec;

/** The versions of a type. */
public record Versions(int lowest, int highest) {
    /** Those of a type that has none. */
    public static final Versions NONE = new Versions(0, -1);
}
