// SPDX-License-Identifier: Apache-2.0. @versions@.

package wireproof.exported;

/** The conclusion on one question. */
record Verdict(Outcome outcome, String text) {
    enum Outcome {
        PASS,
        CONTESTED,
        SKIP,
        FAIL;

        String word() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }
}
