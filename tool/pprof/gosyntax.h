/* SPDX-License-Identifier: MIT */
/*
 * Numbers, booleans, durations and quoted text as the Go language spells them.
 * pprof's options, its shell and its messages follow that spelling, which
 * differs from C's in what is accepted ("1_000", "T") and in what is printed.
 */
#ifndef WICK_PPROF_GOSYNTAX_H
#define WICK_PPROF_GOSYNTAX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 1 t T TRUE true True and their opposites; -EINVAL for anything else. */
int go_parse_bool(const char *text, bool *ret);

/*
 * A whole number of at most bits bits (up to 64), decimal, or, if any_base,
 * also with 0x, 0o, 0b or 0 in front and '_' between digits.  Returns 0,
 * -EINVAL if text is no number, -ERANGE if it does not fit.
 */
int go_parse_int(const char *text, bool any_base, unsigned bits, int64_t *ret);

/* A real number.  Returns 0, -EINVAL or -ERANGE. */
int go_parse_float(const char *text, double *ret);

/* The fewest digits that read back as the same number: 0.005, 1e+06. */
void go_float_text(double value, char *text, size_t size);

/*
 * text in double quotes with '"', '\' and what can not be printed escaped;
 * cut if buf is too small, but always ended.
 */
void go_quote(const char *text, char *buf, size_t size);

/* 90 is "1m30s". */
void go_seconds_text(int64_t seconds, char *buf, size_t size);

#endif /* WICK_PPROF_GOSYNTAX_H */
