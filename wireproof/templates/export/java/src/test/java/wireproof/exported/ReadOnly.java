// SPDX-License-Identifier: Apache-2.0. @versions@.

package wireproof.exported;

/** A recode has read the bytes, and then refused to write them. */
public final class ReadOnly extends RuntimeException {
    private static final long serialVersionUID = 1;

    public ReadOnly(Throwable cause) {
        super(cause.getMessage(), cause);
    }
}
