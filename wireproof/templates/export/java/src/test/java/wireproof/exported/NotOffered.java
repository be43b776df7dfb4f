// SPDX-License-Identifier: Apache-2.0. @versions@.

package wireproof.exported;

/** The implementation does not have this type, version or op. */
public final class NotOffered extends RuntimeException {
    private static final long serialVersionUID = 1;

    public NotOffered(String what) {
        super(what);
    }
}
