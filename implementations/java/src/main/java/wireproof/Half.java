package wireproof;

import java.util.Locale;

/** The two steps of recode, of which decode and encode have one each. */
public enum Half {
    DECODE,
    ENCODE;

    private final String word = name().toLowerCase(Locale.ROOT);

    /** As the line protocol spells it. */
    @Override
    public String toString() {
        return word;
    }
}
