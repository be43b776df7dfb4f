// SPDX-License-Identifier: Apache-2.0. @versions@.

package wireproof.exported;

/**
 * What an implementation did with an input. half: a recode had read the bytes, and refused to write them.
 */
record Seen(Kind kind, Object answer, String text, String reason, boolean half) {
    enum Kind {
        ANSWERED,
        REFUSED,
        NOT_OFFERED,
        CRASHED
    }

    static Seen answered(Object answer) {
        return new Seen(Kind.ANSWERED, answer, "", null, false);
    }

    static Seen crashed(String text) {
        return new Seen(Kind.CRASHED, null, text, null, false);
    }

    boolean is(Kind other) {
        return kind == other;
    }
}
