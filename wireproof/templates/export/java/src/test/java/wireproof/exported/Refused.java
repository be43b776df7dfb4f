// SPDX-License-Identifier: Apache-2.0. @versions@.

package wireproof.exported;

/** Bytes are refused on decode, or a value on encode. Reason and offset are shown beside the expected ones, not judged. */
public final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final String reason;

    public Refused(String message) {
        this(message, null);
    }

    public Refused(String message, String reason) {
        super(message);
        this.reason = reason;
    }

    public String reason() {
        return reason;
    }
}
