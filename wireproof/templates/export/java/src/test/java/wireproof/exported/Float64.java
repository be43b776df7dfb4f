// SPDX-License-Identifier: Apache-2.0. @versions@.

package wireproof.exported;

/** A float64, which is compared by its bits. */
public record Float64(long bits) {
    public double number() {
        return Double.longBitsToDouble(bits);
    }
}
