/* SPDX-License-Identifier: MIT */
#ifndef WICK_PROFILE_UNIT_H
#define WICK_PROFILE_UNIT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Units of measurement, in families (memory, time, GCU) within which values
 * can be converted.  Names are matched as pprof does: without regard to case
 * and to a final "s".
 */

/* A number and the unit to print behind it; unit is borrowed or static. */
struct measure {
	double value;
	const char *unit; /* "": print none */
};

/*
 * Converts value from one unit to another.  "minimum" and "auto" choose the
 * largest unit of the family in which the value is at least one.  A unit that
 * is in no family is left alone, and then the result has the unit asked for,
 * unless that is a word such as "count" which says nothing.
 */
struct measure unit_scale(int64_t value, const char *from, const char *to);

/*
 * The same for many values, whose result is value * multiply / divide.  False
 * if the unit is to be chosen for each.
 */
struct conversion {
	double multiply;
	double divide;
};

bool unit_conversion(struct conversion *ret, const char *from, const char *to);

/* Whether both are units of one family. */
bool unit_same_family(const char *a, const char *b);

/*
 * The integer part of x; what is beyond 64 bits, or no number, becomes the
 * smallest integer, as on the machines pprof runs on.
 */
static inline int64_t integer_part(double x)
{
	return x > -0x1p63 && x < 0x1p63 ? (int64_t)x : INT64_MIN;
}

#endif /* WICK_PROFILE_UNIT_H */
