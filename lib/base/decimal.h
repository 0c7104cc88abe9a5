/* SPDX-License-Identifier: MIT */
/*
 * Numbers with a point, as text, without stdio and without a locale; rounded as
 * printf rounds them: by the exact value of the double, a tie to the even
 * digit.
 */
#ifndef WICK_BASE_DECIMAL_H
#define WICK_BASE_DECIMAL_H

#include <stddef.h>

struct decimal {
	char text[64];
	size_t len;
};

/*
 * value with so many decimals, at most 9, as "%.*f" has it.  What has more than
 * 38 digits with its decimals becomes the largest that has not; what is no
 * number, "nan".
 */
struct decimal decimal_fixed(double value, unsigned decimals);

/*
 * value with two digits that count, as "%.2g" has it: "0.051", "7.5e-05".  What
 * is below 1e-20 is "0"; value is not negative, and below 9.
 */
struct decimal decimal_short(double value);

#endif /* WICK_BASE_DECIMAL_H */
